"""A text is remembered as it was when its module was imported or a function decorated."""

from astad.importing import texts


def test_file_is_read_once(tmp_path):
    file = tmp_path / "walk.py"
    file.write_bytes(b"one\r\n")
    texts.remember_file(str(file))
    file.write_bytes(b"two")
    texts.remember_file(str(file))
    assert texts.remembered(str(file)) == b"one\r\n"


def test_text_of_the_import_counts_more_than_the_file(tmp_path):
    file = tmp_path / "walk.py"
    file.write_text("new")
    texts.remember(str(file), "old")
    texts.remember_file(str(file))
    assert texts.remembered(str(file)) == "old"


def test_names_that_are_no_files_are_passed_over(tmp_path):
    for name in ("<stdin>", "<cell 1>", "relative.py", str(tmp_path), str(tmp_path / "gone.py")):
        texts.remember_file(name)
        assert texts.remembered(name) is None
