"""What ``except*`` asks and does, as CPython's `Python/bytecodes.c` and `Objects/exceptions.c`.

>>> group = ExceptionGroup("all", [ValueError(1), KeyError(2)])
>>> found, rest = split_group(group, ValueError)
>>> found, rest
(ExceptionGroup('all', [ValueError(1)]), ExceptionGroup('all', [KeyError(2)]))
>>> left_of(group, [rest])
ExceptionGroup('all', [KeyError(2)])
>>> left_of(group, [None]) is None
True
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from astad.runtime.calls.library import pull_with_first, run_watched
from astad.runtime.core.full_rules import (
    Forward,
    Record,
    Value,
    callbacks,
    full,
    inert,
    python_method,
)
from astad.runtime.core.versions import Versions

__all__ = ["left_of", "marks", "put_back", "split_group"]

Error = BaseException | None
Group = BaseExceptionGroup[BaseException]


def split_group(error: Error, types: Value) -> tuple[Error, Error]:
    """What a clause ``except* types`` takes of an exception, and what it leaves."""
    parts = types if issubclass(type(types), tuple) else (types,)
    for part in parts:
        if not (issubclass(type(part), type) and issubclass(part, BaseException)):
            what = "catching classes that do not inherit from BaseException is not allowed"
            raise TypeError(what)
        if issubclass(part, BaseExceptionGroup):
            what = "catching ExceptionGroup with except* is not allowed. Use except instead."
            raise TypeError(what)
    if error is None:
        return None, None
    if isinstance(error, parts):
        return error if isinstance(error, BaseExceptionGroup) else wrapped(error), None
    if isinstance(error, BaseExceptionGroup):
        found: tuple[Error, Error] = error.split(parts)
        return found
    return None, error


def wrapped(error: BaseException) -> Group:
    """A naked exception as the clauses see it."""
    return BaseExceptionGroup("", (error,))


def left_of(error: BaseException, raised: Sequence[Error]) -> Error:
    """What is raised after the clauses: what they raised, and the parts that none has taken."""
    found = [each for each in raised if each is not None]
    if not isinstance(error, BaseExceptionGroup):
        return found[0] if found else None
    return left_of_group(error, raised)


def left_of_group(error: Group, raised: Sequence[Error]) -> Error:
    new, leaves = sorted_out(error, raised)
    again = error.subgroup(lambda each: id(each) in leaves) if leaves else None
    return wrapped_all(new if again is None else [*new, again])


def sorted_out(
    error: BaseException, raised: Sequence[Error]
) -> tuple[list[BaseException], set[int]]:
    """What the clauses raised anew, and the ids of the leaves of the group that are raised
    again.
    """
    found = [each for each in raised if each is not None]
    parts = [each for each in found if _is_part(each, error)]
    new = [each for each in found if not _is_part(each, error)]
    return new, {id(leaf) for part in parts for leaf in _leaves(part)}


def wrapped_all(errors: Sequence[BaseException]) -> Error:
    return errors[0] if len(errors) == 1 else BaseExceptionGroup("", errors) if errors else None


def _is_part(each: BaseException, error: BaseException) -> bool:
    """Is it a part of the group, and not raised anew?"""
    notes = [getattr(one, "__notes__", None) for one in (each, error)]
    return (
        isinstance(each, BaseExceptionGroup)
        and notes[0] is notes[1]
        and each.__traceback__ is error.__traceback__
        and each.__cause__ is error.__cause__
        and each.__context__ is error.__context__
    )


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error


def marks(error: BaseException) -> tuple[Value, Error]:
    """What raising it would change."""
    return error.__traceback__, error.__context__


def put_back(error: BaseException, before: tuple[Value, Error]) -> None:
    """As it was before it was raised, so that a clause finds it as the exception being handled."""
    error.__traceback__, error.__context__ = before


inert([marks, put_back, sorted_out, wrapped_all])


# --- groups of a class that says itself what a part of it is --------------------------------------


def split(group: Value, condition: Value) -> tuple[Value, Value]:
    """As ``BaseExceptionGroup.split``, in Python."""
    if _is_matched(group, condition):
        return group, None
    taken, rest = [], []
    for each in group.exceptions:
        if isinstance(each, BaseExceptionGroup):
            found, left = split(each, condition)
        elif _is_matched(each, condition):
            found, left = each, None
        else:
            found, left = None, each
        if found is not None:
            taken.append(found)
        if left is not None:
            rest.append(left)
    return _part_of(group, taken), _part_of(group, rest)


def subgroup(group: Value, condition: Value) -> Value:
    """As ``BaseExceptionGroup.subgroup``, in Python: what is left is not made."""
    if _is_matched(group, condition):
        return group
    taken = []
    for each in group.exceptions:
        if isinstance(each, BaseExceptionGroup):
            found = subgroup(each, condition)
        else:
            found = each if _is_matched(each, condition) else None
        if found is not None:
            taken.append(found)
    return _part_of(group, taken)


def _is_matched(error: Value, condition: Value) -> bool:
    if isinstance(condition, (tuple, type)):
        return issubclass(type(error), condition)
    return bool(condition(error))


def _part_of(group: Value, errors: list[Value]) -> Value:
    if not errors:
        return None
    part = group.derive(errors)
    if not isinstance(part, BaseExceptionGroup):
        raise TypeError("derive must return an instance of BaseExceptionGroup")
    part.__traceback__ = group.__traceback__
    part.__context__ = group.__context__
    part.__cause__ = group.__cause__
    if hasattr(group, "__notes__"):
        part.__notes__ = list(group.__notes__)
    return part


def _derives(error: Value) -> bool:
    """Does it, or one of the groups in it, say in Python what a part of it is?"""
    if not isinstance(error, BaseExceptionGroup):
        return False
    own = python_method(type(error), "derive") is not None
    return own or any(map(_derives, error.exceptions))


def _rule(method: Value, text: Value) -> Forward:
    @full(method)
    def forward(versions: Versions, group: Value, condition: Value) -> tuple[Value, Record]:
        is_right = callable(condition) or isinstance(condition, tuple)
        if is_right and _derives(group):
            return callbacks.call(versions, text, group, condition)
        bound = getattr(BaseExceptionGroup, method.__name__).__get__(group)
        y, record = run_watched(versions, bound, (condition,), {})
        return y, None if record is None else (pull_with_first, record)

    return forward


_rule(BaseExceptionGroup.split, split)
_rule(BaseExceptionGroup.subgroup, subgroup)


@full(split_group)
def split_forward(versions: Versions, error: Value, types: Value) -> tuple[Value, Record]:
    if _derives(error):
        split_group(None, types)  # raises Python's own TypeError
        return callbacks.call(versions, split, error, types)
    return split_group(error, types), None


@full(left_of)
def left_forward(versions: Versions, error: Value, raised: Value) -> tuple[Value, Record]:
    if _derives(error):
        return callbacks.call(versions, left_of_group, error, raised)
    return left_of(error, raised), None
