"""The hook notes the modules that mention astad; all else is imported as if there were none."""

import importlib
import importlib.util
import py_compile
import sys
import threading
import time
import zipfile
from importlib.machinery import PathFinder, SourceFileLoader

import pytest

from astad.importing import finder, loader


@pytest.fixture
def seen(tmp_path, monkeypatch):
    """The hook alone, with tmp_path to import from; the names of the modules it observed."""
    before = list(sys.meta_path), set(sys.modules)
    names = []
    monkeypatch.setattr(loader.slots, "remember", None)
    monkeypatch.setattr(loader.slots, "compile_decorated", lambda m: names.append(m.__name__))
    monkeypatch.syspath_prepend(str(tmp_path))
    finder.uninstall()
    finder.install()
    yield names
    sys.meta_path[:] = before[0]
    for name in set(sys.modules) - before[1]:
        del sys.modules[name]


@pytest.fixture
def load(write):
    """Write modules given as name=text, and import the first of them."""

    def load(**texts):
        for name, text in texts.items():
            write(f"{name}.py", text)
        importlib.invalidate_caches()
        return importlib.import_module(next(iter(texts)))

    return load


def test_only_modules_that_mention_astad_are_observed(seen, load):
    load(t_user="import t_other\n# uses astad\n", t_other="x = 1\n")
    assert seen == ["t_user"]


def test_installing_twice_is_one_hook_and_uninstalling_restores(seen):
    """A15."""
    finder.uninstall()
    before = list(sys.meta_path)
    finder.install()
    finder.install()
    assert sys.meta_path[1:] == before
    assert finder.is_installed()
    finder.uninstall()
    assert sys.meta_path == before
    finder.uninstall()
    assert sys.meta_path == before
    assert not finder.is_installed()


def test_hook_of_an_earlier_copy_of_astad_is_replaced(seen):
    """A15: astad removed from sys.modules and imported again."""
    finder.uninstall()
    before = list(sys.meta_path)
    sys.meta_path.insert(2, finder.AstadFinder())
    finder.install()
    assert sys.meta_path[1:] == before


def test_variable_keeps_the_hook_out(seen, monkeypatch):
    finder.uninstall()
    monkeypatch.setattr(finder.settings, "hook", False)
    finder.install_if_wanted()
    assert not finder.is_installed()
    monkeypatch.setattr(finder.settings, "hook", True)
    finder.install_if_wanted()
    assert finder.is_installed()


def test_nothing_is_observed_after_uninstalling(seen, load):
    finder.uninstall()
    load(t_late="# astad\n")
    assert seen == []


class OtherLoader(SourceFileLoader):
    """Stands for the loaders of typeguard, jaxtyping, beartype."""


class OtherFinder:
    """Stands for hooks that ask PathFinder, or all other finders, and give their own loader."""

    def __init__(self, asks_all):
        self.asks_all = asks_all

    def find_spec(self, name, path=None, target=None):
        if not name.startswith("t_"):
            return None
        spec = self._ask(name, path, target)
        if spec is not None:
            spec.loader = OtherLoader(spec.name, spec.origin)
        return spec

    def _ask(self, name, path, target):
        if not self.asks_all:
            return PathFinder.find_spec(name, path, target)
        specs = (f.find_spec(name, path, target) for f in sys.meta_path if f is not self)
        return next((spec for spec in specs if spec is not None), None)


@pytest.mark.parametrize("asks_all", [False, True])
@pytest.mark.parametrize("place", [0, 1])
def test_modules_of_other_hooks_stay_theirs(seen, load, monkeypatch, asks_all, place):
    """A15: before and after us, and neither runs into the other for ever."""
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    sys.meta_path.insert(place, OtherFinder(asks_all))
    module = load(t_theirs="# astad\nx = 1\n")
    assert type(module.__loader__) is OtherLoader
    assert module.x == 1
    assert seen == []


def test_finder_without_find_spec_is_passed_over(seen, load, monkeypatch):
    """A15: the old protocol."""
    monkeypatch.setattr(sys, "meta_path", [sys.meta_path[0], object(), *sys.meta_path[1:]])
    spec = sys.meta_path[0].find_spec("t_nowhere")
    assert spec is None


def test_modules_of_pytest_stay_rewritten():
    """A15: an assertion in a test module still explains itself."""
    assert type(__spec__.loader).__name__ == "AssertionRewritingHook"


def test_other_kinds_of_module_pass_untouched(seen, write, tmp_path, monkeypatch):
    """A8, A11, A15: archive, bytecode only, namespace package, frozen, built in, extension."""
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t_zipped.py", "# astad\nx = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path / "t.zip"))
    path = write("t_bare.py", "s = 'astad'\n")
    py_compile.compile(str(path), str(tmp_path / "t_bare.pyc"))
    path.unlink()
    write("t_space/inner.py", "# astad\n")
    for name in ("t_zipped", "t_bare", "t_space"):
        module = importlib.import_module(name)
        assert type(module.__loader__).__name__ != "ObservingLoader"
    assert seen == []
    importlib.import_module("t_space.inner")
    assert seen == ["t_space.inner"]


def test_packages_and_their_modules_are_observed(seen, write):
    write("t_pack/__init__.py", "from . import inner  # astad\n")
    write("t_pack/inner.py", "import t_pack  # astad\n")
    module = importlib.import_module("t_pack")
    assert seen == ["t_pack.inner", "t_pack"]
    assert module.__path__ == module.__spec__.submodule_search_locations
    assert importlib.resources.files(module).joinpath("inner.py").is_file()


def test_circular_imports_are_each_observed_once(seen, load):
    """A14."""
    load(
        t_one="import t_two  # astad\ndef f(x): return t_two.g(x)\n",
        t_two="import t_one  # astad\ndef g(x): return 2 * x\n",
    )
    assert sorted(seen) == ["t_one", "t_two"]
    assert sys.modules["t_one"].f(2) == 4


def test_reloaded_module_is_observed_again(seen, load, write):
    """A14."""
    module = load(t_again="x = 1  # astad\n")
    write("t_again.py", "x = 22  # astad\n")
    assert importlib.reload(module).x == 22
    assert seen == ["t_again", "t_again"]


def test_lazy_module_is_observed_when_it_is_first_used(seen, write):
    """A14."""
    write("t_lazy.py", "x = 1  # astad\n")
    spec = importlib.util.find_spec("t_lazy")
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert seen == []
    assert module.x == 1
    assert seen == ["t_lazy"]


def test_threads_that_import_together_agree(seen, write):
    """A14: each module observed once, the same for all."""
    names = [f"t_thread_{number}" for number in range(20)]
    for name, following in zip(names, [*names[1:], "math"]):
        write(f"{name}.py", f"import {following}  # astad\n")
    found = []
    start = threading.Barrier(8)

    def work():
        start.wait()
        found.append([importlib.import_module(name) for name in names])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 8
    assert all(modules == found[0] for modules in found)
    assert sorted(seen) == sorted(names)


def test_looking_for_a_module_runs_nothing(seen, write):
    write("t_asked.py", "raise SystemExit  # astad\n")
    spec = importlib.util.find_spec("t_asked")
    assert isinstance(spec.loader, SourceFileLoader)
    assert spec.loader.get_source("t_asked") == "raise SystemExit  # astad\n"
    assert spec.loader.is_package("t_asked") is False


def test_module_that_vanishes_is_pythons_error(seen, write, monkeypatch):
    write("t_gone.py", "# astad\n")

    def fail(self, path):
        raise PermissionError(path)

    monkeypatch.setattr(SourceFileLoader, "get_data", fail)
    with pytest.raises(PermissionError):
        importlib.import_module("t_gone")


def test_module_run_by_name_is_found(seen, write, run):
    """A9: `python -m` and `runpy` take the code from our loader."""
    write("t_run.py", "import sys  # astad\nprint(__name__, __spec__.name, sys.argv[1:])\n")
    start = "from astad.importing import finder; finder.install(); import runpy, sys; "
    start += "sys.argv[1:] = ['a']; runpy.run_module('t_run', run_name='__main__', alter_sys=True)"
    assert run("-c", start) == "__main__ t_run ['a']\n"


@pytest.mark.timing
def test_module_that_does_not_mention_astad_costs_little(seen, write):
    """A16: below 50 us more than without the hook; each found once with and once without."""
    names = [f"t_stub_{number}" for number in range(500)]
    for name in names:
        write(f"{name}.py", "def f(x):\n    return x\n" * 40)
    importlib.invalidate_caches()

    def cost():
        best = float("inf")
        for _ in range(5):
            start = time.perf_counter()
            for name in names:
                importlib.util.find_spec(name)
            best = min(best, time.perf_counter() - start)
        return best / len(names)

    with_hook = cost()
    finder.uninstall()
    assert with_hook - cost() < 50e-6
