"""Record the calls of a package's public functions while its examples and its tests run.

Functions in Python are seen by a profile function, under whatever name they are called. Compiled
ones are replaced in their module meanwhile, so that calls by ``module.name`` are seen.
"""

import contextlib
import doctest
import io
import os
import pickle
import sys
import time
import types
import warnings

from astad.testing.copies import copy_of

from .calls import Call, has_floats, size
from .limits import TooLong, at_most
from .packages import callables_of, code_of, in_random_order, methods_of

OUTSIDE, INSIDE = 12, 6
"""How many calls of one function are kept: from outside of the package, and from within it."""


class Recorder:
    """Calls of the functions of some modules, recorded between `__enter__` and `__exit__`."""

    def __init__(self, modules):
        self.calls, self.source, self.busy = [], "doctest", False
        self.kept, self.counts = set(), {}
        self.places, self.spied = {}, []
        self.folders = tuple(
            {
                os.path.dirname(module.__file__)
                for module in modules
                if getattr(module, "__file__", None)
            }
        )
        for (module, name), value in callables_of(modules):
            self.add(module, name, value)

    def add(self, module, name, value):
        """Watch for a function, or for the methods of a class."""
        if isinstance(value, type):
            for method, kind, function in methods_of(value):
                self.places.setdefault(function.__code__, (module, f"{name}.{method}", kind, value))
        elif code_of(value):
            self.places.setdefault(code_of(value), (module, name, "plain", None))
        elif module != "builtins" and module in sys.modules and is_compiled(value):
            self.spied.append((sys.modules[module], name, value))

    def __enter__(self):
        for module, name, value in self.spied:
            with contextlib.suppress(Exception):
                setattr(module, name, Spy(self, (module.__name__, name), value))
        sys.setprofile(self.see)
        return self

    def __exit__(self, *error):
        sys.setprofile(None)
        for module, name, value in self.spied:
            setattr(module, name, value)

    def see(self, frame, event, argument):
        """The profile function: a call of a function that is watched."""
        if event != "call" or frame.f_code not in self.places:
            return
        code, (module, path, kind, owner) = frame.f_code, self.places[frame.f_code]
        caller = frame.f_back
        inside = (
            caller is not None
            and caller.f_code.co_filename.startswith(self.folders)
            and ("test" not in caller.f_code.co_filename)
        )
        if not self.wanted((module, path), inside):
            return
        args, kwargs = arguments_of(code, frame.f_locals)
        while args and is_left_out(args[-1]):
            args.pop()
        kwargs = {name: value for name, value in kwargs.items() if not is_left_out(value)}
        if kind == "class" or path.endswith(".__init__"):
            if path.endswith(".__init__") and type(args[0]) is not owner:
                return
            args, path = args[1:], path.removesuffix(".__init__")
        self.keep(module, path, args, kwargs, inside)

    def wanted(self, place, inside):
        """Whether more calls of a function are asked for."""
        self.counts[place, inside] = self.counts.get((place, inside), 0)
        return self.counts[place, inside] < (INSIDE if inside else OUTSIDE)

    def keep(self, module, path, args, kwargs, inside=False):
        """Put a call down, if there is a float in it and no equal call has been kept."""
        self.busy = True  # what is called in here is no call of the package's users
        try:
            if not has_floats(args) or size(kwargs) is None:
                return
            mine = copy_of([args, kwargs])
            with contextlib.suppress(Exception):  # what cannot be pickled is kept without asking
                key = (module, path, pickle.dumps(mine))
                if key in self.kept:
                    return
                self.kept.add(key)
        except Exception:  # objects that cannot be looked at or copied
            return
        finally:
            self.busy = False
        self.counts[(module, path), inside] = self.counts.get(((module, path), inside), 0) + 1
        self.calls.append(Call(module, path, *mine, self.source))


def is_left_out(value):
    """Whether it is NumPy's mark for an argument that was not given."""
    return type(value).__name__ == "_NoValueType"


def is_compiled(value):
    """Whether a function is compiled, a ufunc among them."""
    return isinstance(value, types.BuiltinFunctionType) or type(value).__name__ == "ufunc"


class Spy:
    """A compiled function whose calls are put down."""

    def __init__(self, recorder, place, function):
        vars(self).update(recorder=recorder, place=place, function=function)

    def __call__(self, *args, **kwargs):
        if not self.recorder.busy and self.recorder.wanted(self.place, False):
            self.recorder.keep(*self.place, list(args), kwargs)
        return self.function(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self.function, name)


def arguments_of(code, names):
    """The arguments of a call from the locals at its start."""
    count = code.co_argcount
    args = [names[name] for name in code.co_varnames[:count]]
    only = code.co_varnames[count : count + code.co_kwonlyargcount]
    kwargs = {name: names[name] for name in only}
    at = count + code.co_kwonlyargcount
    if code.co_flags & 0x04:
        args += names[code.co_varnames[at]]
        at += 1
    if code.co_flags & 0x08:
        kwargs.update(names[code.co_varnames[at]])
    return args, kwargs


@contextlib.contextmanager
def silent():
    """Nothing that examples or tests print or warn of is shown."""
    text = io.StringIO()
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(text),
        contextlib.redirect_stderr(text),
    ):
        warnings.simplefilter("ignore")
        yield


def record(modules, tests, seconds):
    """Calls that are made while the docstrings' examples, and then the tests, run."""
    recorder = Recorder(modules)
    end = time.monotonic() + seconds / 2
    for module in in_random_order(modules):
        for example in examples_in(module):
            if time.monotonic() > end:
                break
            with silent(), at_most(5), recorder:
                run_example(example)
    recorder.source = "tests"
    end = time.monotonic() + seconds / 2
    for path in in_random_order(tests):
        left = end - time.monotonic()
        if left > 1:
            with silent(), at_most(min(left, 40)), recorder:
                run_tests(path)
    return recorder.calls


def examples_in(module):
    """The doctests of a module; none where its docstrings cannot be read."""
    try:
        return doctest.DocTestFinder(exclude_empty=True).find(module)
    except Exception:
        return []


def run_example(example):
    """Run a doctest whatever it prints; its failures are not asked for."""
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.REPORT_ONLY_FIRST_FAILURE)
    try:
        import numpy

        example.globs.setdefault("np", numpy)
        runner.run(example, out=lambda text: None, clear_globs=False)
    except TooLong:
        raise
    except BaseException:
        return


def run_tests(path):
    """Run a file of tests by pytest, in this process."""
    import pytest

    os.environ.pop("PYTEST_ADDOPTS", None)  # they are for whoever runs the corpus
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:astad", "--import-mode=importlib"]
    options += ["--maxfail=1000", "-c", os.devnull, "--rootdir", str(path.parent), "--no-header"]
    try:
        pytest.main([*options, "-s", str(path)])
    except TooLong:
        raise
    except BaseException:
        return
