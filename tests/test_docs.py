"""The pages in docs/: blocks of Python run, refusals read as printed, tables are current."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from astad.errors import AstadError

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
EXECUTED = [
    "conventions",
    "debugging",
    "generated_code",
    "gradient_penalty",
    "greeks",
    "hamiltonian_monte_carlo",
    "how_it_works",
    "hypergradients",
    "memory",
    "meta_learning",
    "newton",
    "sparse",
    "tutorial",
    "writing_rules",
]
PAGES = sorted(DOCS.glob("*.md"))
LIMITS = (DOCS / "limits.md").read_text(encoding="utf-8")
REFUSALS = re.findall(r"^### (.+?)\n(.*?)(?=^##|\Z)", LIMITS, re.MULTILINE | re.DOTALL)


def maker(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # a dataclass looks itself up there
    spec.loader.exec_module(module)
    return module


PICTURES = maker("make_pictures")


@pytest.mark.parametrize("name", EXECUTED)
def test_the_code_of_a_page_runs_and_gives_its_picture(open_page, name):
    if "import scipy" in (DOCS / f"{name}.md").read_text(encoding="utf-8"):
        pytest.importorskip("scipy.special")
    page = open_page(DOCS / f"{name}.md")
    assert page.run_all() > 0
    if name in PICTURES.PICTURES:
        assert f"({name}.svg)" in page.text
        written = (DOCS / f"{name}.svg").read_text(encoding="utf-8")
        drawn = PICTURES.draw(PICTURES.PICTURES[name](page.names))
        assert PICTURES.is_alike(written, drawn), "run: python docs/make_pictures.py"


def test_a_picture_may_differ_in_last_digits_alone():
    assert PICTURES.is_alike("M1.0 20.4 L3 4", "M1.2 19.9 L3 4")
    assert not PICTURES.is_alike("M1.0 20.4 L3 4", "M1.0 22.4 L3 4")
    assert not PICTURES.is_alike("M1.0 20.4 L3 4", "M1.0 20.4")
    assert not PICTURES.is_alike("gap [m]", "gap [km]")


def test_no_page_with_python_is_left_out():
    with_code = {page.stem for page in PAGES if "```python" in page.read_text(encoding="utf-8")}
    assert with_code == {*EXECUTED, "limits"}


def test_refusals_have_titles_of_their_own():
    titles = [title for title, _ in REFUSALS]
    assert len(titles) == len(set(titles)) > 10


@pytest.mark.parametrize(("title", "text"), REFUSALS, ids=[title for title, _ in REFUSALS])
def test_a_refusal_its_message_and_its_rewrite(open_page, title, text):
    if "import scipy" in text:
        pytest.importorskip("scipy.special")
    newest = re.search(r"Python (3\.\d+)", title)
    if newest and sys.version_info < tuple(map(int, newest[1].split("."))):
        pytest.skip(f"needs Python {newest[1]}")
    page = open_page(DOCS / "limits.md")
    blocks = [(language, code) for language, code, _ in page.blocks(text)]
    assert [language for language, _ in blocks] == ["python", "text", "python"]
    with pytest.raises(AstadError) as caught:
        page.run(blocks[0][1])
    assert str(caught.value) == " ".join(blocks[1][1].split())
    assert str(caught.value).count(": ") >= 3
    rewrite = blocks[2][1]
    assert "assert" in rewrite
    page.run(rewrite)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([\w./]+)\)", text):
        assert (page.parent / target).exists(), target


def test_every_page_is_in_the_index():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    for page in PAGES:
        assert page.stem == "index" or f"({page.name})" in index, page.name


def test_the_picture_is_that_of_the_imports():
    module = maker("make_architecture")
    written = (DOCS / "architecture.svg").read_text(encoding="utf-8")
    assert written == module.draw(module.read(module.ROOT)), "run: python docs/make_architecture.py"


def test_the_page_on_architecture_names_files_that_are_there():
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:\w+/)+\w*\.?(?:py)?)`", text)
    assert len(named) > 25
    for name in named:
        assert any((ROOT / folder / name).exists() for folder in ("astad", ".")), name


def test_the_table_of_rules_is_that_of_the_registry():
    pytest.importorskip("scipy.special")  # a folder of tests may bear the shorter name
    module = maker("make_rules")
    written = (DOCS / "rules.md").read_text(encoding="utf-8")
    if module.versions() not in written:
        pytest.skip(f"rules.md was not made so: {module.versions()}")
    assert written == module.page(), "run: python docs/make_rules.py > docs/rules.md"
