"""From a name or a path to modules, in the way Python itself would import them."""

import sys

import pytest

from astad.api.inspection.named_functions import NotFound
from astad.api.inspection.named_modules import modules_of


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A package with a package inside it, modules that fail, a program."""
    files = {
        "grove/__init__.py": "print('planted')",
        "grove/__main__.py": "raise AssertionError('the program ran')",
        "grove/oak.py": "x = 1",
        "grove/gone.py": "import no_such_module_anywhere",
        "grove/left.py": "import sys; sys.exit(3)",
        "grove/deep/__init__.py": "",
        "grove/deep/elm.py": "from grove import oak",
        "alone.py": "if __name__ == '__main__':\n    raise AssertionError('the guard ran')",
        "json.py": "mine = True",
        "two words.py": "mine = True",
        "broken.py": "def f(:",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


INSIDE = ["grove", "grove.deep", "grove.deep.elm", "grove.oak"]


@pytest.mark.parametrize("where", ["grove", "path", "file"])
def test_a_package_by_name_by_folder_and_by_its_file(tree, where, capsys):
    paths = {"path": str(tree / "grove"), "file": str(tree / "grove/__init__.py")}
    modules = modules_of(paths.get(where, where), [])
    assert [module.__name__ for module in modules.found] == INSIDE
    assert modules.failed == [
        ("grove.gone", "ModuleNotFoundError: No module named 'no_such_module_anywhere'"),
        ("grove.left", "SystemExit: 3"),
    ]
    assert capsys.readouterr() == ("", "planted\n")


def test_modules_left_out_are_not_imported(tree):
    modules = modules_of("grove", ["grove.gone", "grove.left", "grove.deep"])
    assert [module.__name__ for module in modules.found] == ["grove", "grove.oak"]
    assert modules.failed == []
    assert "grove.deep" not in sys.modules


def test_a_module_inside_a_package_by_its_file(tree):
    (module,) = modules_of(str(tree / "grove/deep/elm.py"), []).found
    assert module.__name__ == "grove.deep.elm"


def test_a_file_runs_as_a_module(tree):
    (module,) = modules_of(str(tree / "alone.py"), []).found
    assert module.__name__ == "alone"


@pytest.mark.parametrize("name", ["json", "two words"])
def test_a_file_whose_name_is_taken_or_no_name(tree, name):
    import json

    (module,) = modules_of(str(tree / f"{name}.py"), []).found
    assert module.mine
    assert sys.modules["json"] is json


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nowhere", "no module named nowhere"),
        ("grove.nowhere", "no module named grove.nowhere"),
        ("grove.oak.leaf", "no module named grove.oak.leaf"),
        ("json..decoder", "no module named json..decoder"),
        ("nowhere.py", "no file named nowhere.py"),
        ("grove.gone", "importing grove.gone raised ModuleNotFoundError: No module named "
         "'no_such_module_anywhere'"),
    ],
)  # fmt: skip
def test_what_is_not_there(tree, target, message):
    with pytest.raises(NotFound) as caught:
        modules_of(target, [])
    assert str(caught.value) == message


def test_a_file_that_python_does_not_read(tree):
    with pytest.raises(NotFound, match="importing broken raised SyntaxError: "):
        modules_of(str(tree / "broken.py"), [])
