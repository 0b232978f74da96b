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

from astad.runtime.full_rules import Value, inert

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
    parts = [each for each in found if _is_part(each, error)]
    new = [each for each in found if not _is_part(each, error)]
    leaves = {id(leaf) for part in parts for leaf in _leaves(part)}
    again = error.subgroup(lambda each: id(each) in leaves) if leaves else None
    if again is not None:
        new.append(again)
    return wrapped_all(new)


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


inert([split_group, left_of, marks, put_back])
