"""Entries are written whole, read whole or not at all, and nothing on the disk is an error."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from astad import cache, settings
from astad.importing import disk
from astad.importing.digest import blake2b
from astad.importing.entry import Entry
from astad.originals import builtins

KEY, OTHER_KEY = "0a" * 32, "0b" * 32
TEXT = "y = x * x\n"
ENTRY = Entry(TEXT, [(1, 3)], compile(TEXT, "<astad>", "exec"), [["x", 1]], [])
OTHER = Entry("y = 0\n", [], None, [], [])


def files(folder):
    return sorted(path.name for path in Path(folder).rglob("*") if path.is_file())


@pytest.fixture
def counted():
    """What was counted since the last question, as a tuple of hits, misses, writes, errors."""
    before = list(disk.cache_info())

    def counted():
        now = list(disk.cache_info())
        change = tuple(b - a for a, b in zip(before, now))
        before[:] = now
        return change

    return counted


def test_hits_misses_and_writes_are_counted(cache_folder, counted):
    """A29."""
    assert disk.load(KEY) is None
    assert counted() == (0, 1, 0, 0)
    disk.store(KEY, ENTRY)
    assert counted() == (0, 0, 1, 0)
    assert disk.load(KEY) == ENTRY
    assert counted() == (1, 0, 0, 0)
    assert disk.cache_info()._fields == ("hits", "misses", "writes", "errors")


def test_one_entry_is_one_file(cache_folder):
    """A21."""
    disk.store(KEY, ENTRY)
    disk.store(OTHER_KEY, OTHER)
    disk.store(KEY, ENTRY)
    assert files(cache_folder) == [f"{KEY}.astad", f"{OTHER_KEY}.astad"]


def test_key_that_stands_for_nothing_is_neither_read_nor_written(cache_folder, counted):
    disk.store("", ENTRY)
    assert disk.load("") is None
    assert counted() == (0, 0, 0, 0)
    assert not cache_folder.exists()


def test_cache_that_is_off_is_neither_read_nor_written(cache_folder, monkeypatch, counted):
    """A13."""
    disk.store(KEY, ENTRY)
    monkeypatch.setattr(settings, "cache", False)
    disk.store(OTHER_KEY, OTHER)
    assert disk.load(KEY) is None
    assert counted() == (0, 0, 1, 0)
    assert files(cache_folder) == [f"{KEY}.astad"]


def test_damage_at_any_byte_is_a_miss_and_is_healed(cache_folder, counted):
    """A21: truncated, flipped, filled with zeros."""
    disk.store(KEY, ENTRY)
    path = cache_folder / f"{KEY}.astad"
    data = path.read_bytes()
    damaged = set()
    for place in range(len(data)):
        flipped = bytes([data[place] ^ 0x10])
        damaged.add(data[:place])
        damaged.add(data[:place] + flipped + data[place + 1 :])
        damaged.add(data[:place] + bytes(len(data) - place))
    damaged.discard(data)  # zeros over zeros
    for bad in damaged:
        path.write_bytes(bad)
        assert disk.load(KEY) is None
    assert counted() == (0, len(damaged), 1, len(damaged))
    disk.store(KEY, ENTRY)
    assert disk.load(KEY) == ENTRY
    assert path.read_bytes() == data


def test_swapped_entries_are_misses(cache_folder):
    """A21."""
    disk.store(KEY, ENTRY)
    disk.store(OTHER_KEY, OTHER)
    one, other = cache_folder / f"{KEY}.astad", cache_folder / f"{OTHER_KEY}.astad"
    one.rename(cache_folder / "third")
    other.rename(one)
    (cache_folder / "third").rename(other)
    assert disk.load(KEY) is None
    assert disk.load(OTHER_KEY) is None


def test_date_of_an_entry_does_not_count(cache_folder):
    """A19."""
    disk.store(KEY, ENTRY)
    for year in (315532800, 4102444800):
        os.utime(cache_folder / f"{KEY}.astad", (year, year))
        assert disk.load(KEY) == ENTRY


ERRORS = [errno.EACCES, errno.EPERM, errno.EIO, errno.ESTALE, errno.ENOSPC, errno.EROFS]
ERRORS += [errno.EDQUOT, errno.EMFILE, errno.ENOTDIR]


def failing(error):
    def fail(*arguments, **keywords):
        raise OSError(error, os.strerror(error))

    return fail


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", ["open", "replace"])
def test_write_that_fails_is_silent_and_leaves_nothing(
    cache_folder, monkeypatch, counted, call, error
):
    """A12, A23."""
    cache_folder.mkdir(mode=0o700)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, failing(error))
        disk.store(KEY, ENTRY)
    assert files(cache_folder) == []
    assert counted() == (0, 0, 0, 1)
    disk.store(KEY, ENTRY)
    assert disk.load(KEY) == ENTRY


@pytest.mark.parametrize("error", ERRORS)
def test_folder_that_cannot_be_made_is_silent(cache_folder, monkeypatch, error):
    """A12, A23."""
    monkeypatch.setattr(os, "mkdir", failing(error))
    disk.store(KEY, ENTRY)
    assert disk.load(KEY) is None
    assert not cache_folder.exists()


def test_folder_whose_place_a_file_has_taken_is_silent(cache_folder):
    """A12."""
    cache_folder.write_text("mine")
    disk.store(KEY, ENTRY)
    assert disk.load(KEY) is None
    assert cache_folder.read_text() == "mine"


class Failing:
    """A file that fails at one of its methods."""

    def __init__(self, file, method, error):
        self._file, self._method, self._error = file, method, error

    def __getattr__(self, name):
        if name == self._method:
            return failing(self._error)
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file.close()
        if self._method == "close":
            failing(self._error)()


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("method", ["readall", "close"])
def test_read_that_fails_at_any_step_is_a_miss(cache_folder, monkeypatch, method, error):
    """A23: an error on closing too."""
    disk.store(KEY, ENTRY)
    real = builtins.open
    with monkeypatch.context() as patch:
        patch.setattr(builtins, "open", lambda *a, **k: Failing(real(*a, **k), method, error))
        assert disk.load(KEY) is None
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", failing(error))
        assert disk.load(KEY) is None
    assert disk.load(KEY) == ENTRY


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("method", ["write", "close"])
def test_disk_that_fills_up_while_writing_leaves_nothing(cache_folder, monkeypatch, method, error):
    """A12: no partial file."""
    cache_folder.mkdir(mode=0o700)
    real = builtins.open
    with monkeypatch.context() as patch:
        patch.setattr(builtins, "open", lambda *a, **k: Failing(real(*a, **k), method, error))
        disk.store(KEY, ENTRY)
    assert files(cache_folder) == []


def test_interruption_while_writing_leaves_nothing(cache_folder, monkeypatch):
    """A22."""

    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        disk.store(KEY, ENTRY)
    assert files(cache_folder) == []


def test_entry_that_cannot_be_written_down_is_left_out(cache_folder, counted):
    disk.store(KEY, ENTRY._replace(bindings=[object()]))
    assert counted() == (0, 0, 0, 1)
    assert files(cache_folder.parent) == []


STORE = """
    import sys
    from astad.importing import disk, key
    from astad.importing.entry import Entry
    def f(x):
        return x in {'a', 'b', 'c d', 1.5}
    k = key.entry_key(f.__code__, 'float')
    found = disk.load(k)
    if found is None:
        text = 'def g(x):\\n    return x in {"a", "b", "c d", 1.5}'
        disk.store(k, Entry(text, [(1, 1)], compile(text, '<astad>', 'exec'), [], []))
    print(*disk.cache_info())
    """
MISS, HIT, MISS_UNWRITTEN, OFF = "0 1 1 0\n", "1 0 0 0\n", "0 1 0 0\n", "0 0 0 0\n"


def test_second_process_hits(script, tmp_path):
    """A29, A30."""
    assert script(STORE) == MISS
    assert script(STORE) == HIT
    assert sorted(Path(name).suffix for name in files(tmp_path / "cache")) == [".astad", ".note"]


def test_moved_tree_and_copied_cache_hit(script, run, write, tmp_path):
    """A11, A19."""
    script(STORE)
    (tmp_path / "cache").rename(tmp_path / "moved")
    path = write("deep/down/other.py", "# on top\n\n" + STORE.replace("\n    ", "\n"))
    assert run(str(path), ASTAD_CACHE_DIR=tmp_path / "moved") == HIT


@pytest.mark.parametrize(
    ("arguments", "environment"), [(["-B"], {}), ([], {"PYTHONDONTWRITEBYTECODE": "1"})]
)
def test_cache_is_written_where_python_writes_no_bytecode(script, arguments, environment):
    """A13: that is a switch of Python's."""
    assert script(STORE, *arguments, **environment) == MISS
    assert script(STORE, *arguments, **environment) == HIT


def test_own_switch_means_nothing_is_written_but_all_is_read(script, tmp_path):
    """A13."""
    assert script(STORE, ASTAD_CACHE_WRITE=0) == MISS_UNWRITTEN
    assert files(tmp_path) == ["main.py"]
    script(STORE)
    assert script(STORE, ASTAD_CACHE_WRITE="off") == HIT


def test_variable_turns_the_cache_off(script, tmp_path):
    """A13."""
    assert script(STORE, ASTAD_CACHE=0) == OFF
    assert files(tmp_path) == ["main.py"]


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({}, "home/.cache/astad"),
        ({"XDG_CACHE_HOME": "xdg"}, "xdg/astad"),
        ({"XDG_CACHE_HOME": "xdg", "PYTHONPYCACHEPREFIX": "pyc"}, "pyc/astad"),
        ({"ASTAD_CACHE_DIR": "own", "PYTHONPYCACHEPREFIX": "pyc"}, "own"),
    ],
)
def test_place_follows_the_variables(script, tmp_path, environment, folder):
    """A13: and files appear nowhere else."""
    places = {"ASTAD_CACHE_DIR": None}
    places |= {name: tmp_path / value for name, value in environment.items()}
    assert script(STORE, **places) == MISS
    found = [p for p in tmp_path.rglob("*.astad")]
    assert [path.parent for path in found] == [tmp_path / folder]


def test_same_file_whatever_the_hash_seed(script, tmp_path):
    """A28: an entry, and the note of what the sources say."""
    for seed in (0, 1, 2):
        script(STORE, PYTHONHASHSEED=seed, ASTAD_CACHE_DIR=tmp_path / str(seed))
    found = [path for seed in "012" for path in (tmp_path / seed).iterdir()]
    assert len({path.name for path in found}) == len({path.read_bytes() for path in found}) == 2


def test_what_a_killed_process_left_is_removed_by_the_next(cache_folder):
    """A22: what a living one is writing stays."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    cache_folder.mkdir(mode=0o700)
    dead = cache_folder / f"{KEY}-{gone.pid}-0123456789abcdef.tmp"
    living = cache_folder / f"{KEY}-{os.getpid()}-0123456789abcdef.tmp"
    far = cache_folder / f"{KEY}-99999999999-0123456789abcdef.tmp"
    for path in (dead, living, far):
        path.write_bytes(b"astad")
    disk.sweep(str(cache_folder))
    assert files(cache_folder) == [living.name]


@pytest.mark.parametrize(
    "name",
    [
        "notes.tmp",
        "a-99999999999-b.tmp",
        "letter-12-draft.tmp",
        f"{KEY}-99999999999-0123456789abcdef.tmp.bak",
        f"{KEY}-99999999999-0123456789ABCDEF.tmp",
        f"{KEY}-99999999999-0123456789abcde.tmp",
        f"{KEY}-x-0123456789abcdef.tmp",
        f"{KEY[1:]}-99999999999-0123456789abcdef.tmp",
        f"{KEY}.astad.tmp",
        "0a.astad",
        "walk.astad",
        f"{KEY.upper()}.astad",
    ],
)
def test_files_of_others_in_the_folder_are_let_alone(cache_folder, monkeypatch, name):
    """A folder that was given may hold more than the cache."""
    cache_folder.mkdir(mode=0o700)
    (cache_folder / name).write_text("mine")
    monkeypatch.setattr(settings, "cache_entries", 0)
    disk.sweep(str(cache_folder))
    assert list(disk.paths(str(cache_folder))) == []
    cache.main(["clear"])
    assert files(cache_folder) == [name]


def fill(folder, count):
    """Entries whose last use was the longer ago, the smaller their number."""
    keys = [f"{number * 7919 % 256:02x}" * 32 for number in range(count)]
    for number, key in enumerate(keys):
        disk.store(key, OTHER)
        os.utime(folder / f"{key}.astad", (1e9 + number * 1e6,) * 2)
    return keys


def left(folder, keys):
    present = {key for key, _ in disk.paths(str(folder))}
    return [number for number, key in enumerate(keys) if key in present]


def test_entries_beyond_the_number_allowed_go_by_their_last_use(cache_folder, monkeypatch):
    """A27: to nine tenths, so that this is not done at each write."""
    keys = fill(cache_folder, 30)
    monkeypatch.setattr(settings, "cache_entries", 30)
    disk.sweep(str(cache_folder))
    assert left(cache_folder, keys) == list(range(30))
    monkeypatch.setattr(settings, "cache_entries", 20)
    disk.sweep(str(cache_folder))
    assert left(cache_folder, keys) == list(range(12, 30))


def test_entries_beyond_the_bytes_allowed_go_by_their_last_use(cache_folder, monkeypatch):
    """A27."""
    keys = fill(cache_folder, 30)
    size = (cache_folder / f"{keys[0]}.astad").stat().st_size
    monkeypatch.setattr(settings, "cache_bytes", 30 * size)
    disk.sweep(str(cache_folder))
    assert left(cache_folder, keys) == list(range(30))
    monkeypatch.setattr(settings, "cache_bytes", 20 * size)
    disk.sweep(str(cache_folder))
    assert left(cache_folder, keys) == list(range(12, 30))


def test_entry_that_was_read_is_the_last_to_go(cache_folder, monkeypatch):
    """A27: whether or not the system keeps the time of access."""
    keys = fill(cache_folder, 10)
    assert disk.load(keys[0]) == OTHER
    monkeypatch.setattr(settings, "cache_entries", 5)
    disk.sweep(str(cache_folder))
    assert left(cache_folder, keys) == [0, 7, 8, 9]


def test_sample_tells_the_size_of_many_entries(cache_folder, monkeypatch):
    cache_folder.mkdir(mode=0o700)
    for number in range(600):
        key = blake2b(bytes([number % 256, number // 256]), digest_size=32).hexdigest()
        (cache_folder / f"{key}.astad").write_bytes(bytes(1000))
    monkeypatch.setattr(settings, "cache_bytes", 500_000)
    disk.sweep(str(cache_folder))
    assert len(files(cache_folder)) == 450


FILL = """
    import os
    from astad.importing import disk
    from astad.importing.entry import Entry
    for number in range(1300):
        disk.store(f'{number:04x}' * 16, Entry('y = 1', [], None, [], []))
    print(len(os.listdir(os.environ['ASTAD_CACHE_DIR'])))
    """


def test_process_that_writes_much_keeps_within_the_bounds(script):
    """A27: not only the next one does."""
    assert int(script(FILL, ASTAD_CACHE_ENTRIES=100)) <= 590


EVICTING = """
    import os, threading
    from astad import settings
    from astad.importing import disk
    from astad.importing.entry import Entry
    settings.cache_entries = 5
    keys = [f'{number:02x}' * 32 for number in range(10)]
    entries = {key: Entry('y = ' + key, [], None, [], []) for key in keys}
    def work():
        for number in range(300):
            key = keys[number % 10]
            disk.store(key, entries[key])
            disk.sweep(os.environ['ASTAD_CACHE_DIR'])
            assert disk.load(key) in (None, entries[key])
    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(disk.cache_info().errors)
    """


def test_entries_are_removed_while_others_read_and_write_them(script):
    """A27."""
    assert script(EVICTING) == "0\n"


@pytest.fixture
def shipped_folder(cache_folder, monkeypatch, tmp_path):
    """A folder of its own with one entry, in use as one that is only read."""
    monkeypatch.setattr(settings, "cache_directory", str(tmp_path / "shipped"))
    disk.store(KEY, ENTRY)
    monkeypatch.setattr(settings, "cache_directory", str(cache_folder))
    monkeypatch.setattr(settings, "cache_shipped", str(tmp_path / "shipped"))
    return tmp_path / "shipped"


def test_shipped_entries_are_read_and_nothing_is_written_beside_them(shipped_folder, cache_folder):
    """A26: with the user's own folder absent."""
    before = (shipped_folder / f"{KEY}.astad").stat()
    shipped_folder.chmod(0o500)
    assert disk.load(KEY) == ENTRY
    assert not cache_folder.exists()
    disk.store(OTHER_KEY, OTHER)
    assert disk.load(OTHER_KEY) == OTHER
    assert files(shipped_folder) == [f"{KEY}.astad"]
    assert (shipped_folder / f"{KEY}.astad").stat().st_mtime == before.st_mtime


def test_entry_of_our_own_goes_before_a_shipped_one_unless_it_does_not_hold(
    shipped_folder, cache_folder, counted
):
    """A26: a shipped entry that no longer fits is compiled anew once, not in each process."""
    disk.store(KEY, OTHER)
    assert disk.load(KEY) == OTHER
    assert disk.load(KEY, lambda entry: entry == ENTRY) == ENTRY
    assert disk.load(KEY, lambda entry: False) is None
    assert counted()[:2] == (2, 1)


def test_shipped_entries_are_swept_by_nobody(shipped_folder, cache_folder, monkeypatch, capsys):
    disk.store(OTHER_KEY, OTHER)
    assert cache.main(["list"]) == 0
    assert "(only read)" in capsys.readouterr().out
    assert cache.main(["verify"]) == 0
    assert cache.main(["clear"]) == 0
    assert files(cache_folder) == []
    assert disk.load(KEY) == ENTRY


def test_shipped_folder_of_the_administrator_is_trusted(shipped_folder, monkeypatch):
    """A26: that of another user is not."""
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 7)
    disk.place._judged.clear()
    real = os.lstat

    def owned_by(number):
        def lstat(path):
            fields = list(real(path))
            fields[4] = 0 if path in ("/", "/tmp") else number
            return os.stat_result(fields)

        return lstat

    monkeypatch.setattr(os, "fstat", lambda file, real=os.fstat: owned_by_root(real(file)))
    monkeypatch.setattr(os, "lstat", owned_by(0))
    assert disk.load(KEY) == ENTRY
    disk.place._judged.clear()
    monkeypatch.setattr(os, "lstat", owned_by(owner + 3))
    with pytest.warns(RuntimeWarning, match="another user"):
        assert disk.load(KEY) is None
    disk.place._judged.clear()


def owned_by_root(status):
    fields = list(status)
    fields[4] = 0
    return os.stat_result(fields)


def test_variable_names_the_shipped_folders(script, tmp_path):
    """A26."""
    script(STORE, ASTAD_CACHE_DIR=tmp_path / "one")
    folders = os.pathsep.join([str(tmp_path / "none"), str(tmp_path / "one")])
    assert script(STORE, ASTAD_CACHE_SHIPPED=folders) == HIT
    assert not (tmp_path / "cache").exists()


WRITERS = """
    import os, random, signal, sys, time
    from astad.importing import disk
    from astad.importing.entry import Entry
    KEY = '0a' * 32
    def entry(number):
        text = 'y = ' + ' + '.join([str(number)] * (1 + number * 400))
        return Entry(text, [(1, 1)], None, [number], [])
    right = [entry(number) for number in range(16)]
    def work(number, end):
        while time.monotonic() < end:
            disk.store(KEY, right[number])
            found = disk.load(KEY)
            if found not in right:
                os._exit(3)
        os._exit(4 if disk.cache_info().errors else 0)
    draw = random.Random(12)
    end = time.monotonic() + 1.5
    living = {}
    for number in range(16):
        child = os.fork()
        if child == 0:
            work(number, end)
        living[child] = number
    codes = []
    for child in list(living)[:8]:
        time.sleep(draw.uniform(0.02, 0.15))
        os.kill(child, signal.SIGKILL)
    for child in living:
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    print(sorted(set(codes)), disk.load(KEY) in right)
    """


@pytest.mark.slow
def test_sixteen_processes_on_one_entry_half_of_them_killed(script, run, tmp_path):
    """A22: no wrong entry, no error, and nothing unfinished is left after the next start."""
    assert script(WRITERS) == "[-9, 0] True\n"
    store = "from astad.importing import disk, entry\n"
    store += "disk.store('0c' * 32, entry.Entry('', [], None, [], []))"
    run("-c", store)
    assert files(tmp_path / "cache") == [f"{KEY}.astad", f"{'0c' * 32}.astad"]


POOL = """
    import multiprocessing
    from astad.importing import disk
    from astad.importing.entry import Entry
    KEY = '0a' * 32
    def work(number):
        found = disk.load(KEY)
        if found is None:
            disk.store(KEY, Entry('y = 1', [], None, [], []))
        return disk.load(KEY).text
    if __name__ == '__main__':
        with multiprocessing.get_context('START').Pool(4) as pool:
            print(set(pool.map(work, range(16))))
    """


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_workers_of_a_pool_need_nothing_from_their_parent(script, start):
    """A30."""
    assert script(POOL.replace("START", start)) == "{'y = 1'}\n"


@pytest.fixture
def noting(cache_folder):
    """The folder of the notes, which is there."""
    cache_folder.mkdir(mode=0o700)
    return cache_folder


def test_no_folder_is_made_for_a_note_but_one_for_entries_takes_it(cache_folder):
    assert disk.noted(KEY, OTHER_KEY, lambda: "a digest") == "a digest"
    assert not cache_folder.exists()
    disk.store(KEY, ENTRY)
    assert files(cache_folder) == [f"{KEY}.astad", f"{KEY}.note"]
    assert disk.noted(KEY, OTHER_KEY, lambda: pytest.fail("told again")) == "a digest"


def test_what_is_noted_is_told_once(noting, counted):
    assert disk.noted(KEY, OTHER_KEY, lambda: "a digest") == "a digest"
    assert disk.noted(KEY, OTHER_KEY, lambda: pytest.fail("told again")) == "a digest"
    assert files(noting) == [f"{KEY}.note"]
    assert counted() == (0, 0, 0, 0)


def test_a_note_is_of_one_stamp(noting):
    disk.noted(KEY, OTHER_KEY, lambda: "old")
    assert disk.noted(KEY, "0c" * 32, lambda: "new") == "new"
    assert disk.noted(KEY, OTHER_KEY, lambda: "old again") == "old again"
    assert files(noting) == [f"{KEY}.note"]


@pytest.mark.parametrize("damage", [b"", b"x", b"astad-entry 1"])
def test_a_damaged_note_is_told_anew(noting, damage):
    disk.noted(KEY, OTHER_KEY, lambda: "right")
    (Path(noting) / f"{KEY}.note").write_bytes(damage)
    assert disk.noted(KEY, OTHER_KEY, lambda: "again") == "again"
    assert disk.noted(KEY, OTHER_KEY, lambda: pytest.fail("told again")) == "again"


def test_a_note_that_others_may_write_is_not_read(noting):
    disk.noted(KEY, OTHER_KEY, lambda: "right")
    (Path(noting) / f"{KEY}.note").chmod(0o666)
    assert disk.noted(KEY, OTHER_KEY, lambda: "anew") == "anew"


@pytest.mark.parametrize("name", ["cache", "cache_write"])
def test_nothing_is_noted_where_nothing_is_written(noting, monkeypatch, name):
    monkeypatch.setattr(settings, name, False)
    assert disk.noted(KEY, OTHER_KEY, lambda: "told") == "told"
    assert files(noting) == []
