"""Subscripts that mix ints, slices, new axes, masks and arrays of ints: read, written, added to."""

import itertools

import numpy as np
import pytest

X = np.random.default_rng(0).uniform(0.5, 2.0, (2, 3, 2))
PARTS = {
    "0": 0,
    "-1": -1,
    ":": slice(None),
    "1:": slice(1, None),
    "None": None,
    "...": ...,
    "i": np.array([1, 0, 1]),
    "[0, 1]": [0, 1],
    "np.array([[0], [1]])": np.array([[0], [1]]),
    "np.int64(1)": np.int64(1),
    "np.array([True, False, True])": np.array([True, False, True]),
}
BODIES = [
    "y = x[{0}]\n    z = y * w\n    s = np.zeros(z.shape)\n    s[...] += y * y\n    y = s * z",
    "y = x * 1.0\n    y[{0}] = x[{0}] * w",
    "y = x * 1.0\n    y[{0}] *= w\n    y[{0}] += w * x[{0}]",
    "y = np.zeros(x.shape)\n    y[{0}] = x[0, 0, 0]\n    y[{0}] += w\n    y = y * x",
    "y = x[{0}] * np.sin(x)[{0}] * w",
]


def subscripts():
    """Each mix of up to four parts with at least one array among them that NumPy takes."""
    for count in (1, 2, 3, 4):
        for names in itertools.product(PARTS, repeat=count):
            index = tuple(PARTS[name] for name in names)
            if names.count("...") > 1 or not any(len(name) > 2 or name == "i" for name in names):
                continue
            try:
                taken = X[index]
            except IndexError:
                continue
            if np.size(taken):
                yield ", ".join(names) + ("," if count == 1 else ""), np.shape(taken)


TABLE = list(subscripts())


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """One module of many functions, imported."""

    def made(texts):
        heads = (f"def f{at}(x, w, i):\n    {text}\n" for at, text in enumerate(texts))
        bodies = "\n\n".join(head + "    return np.sum(y**3)\n" for head in heads)
        (tmp_path / "subscripted.py").write_text("import numpy as np\n\n\n" + bodies)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(__import__("sys").modules, "subscripted", raising=False)
        import subscripted

        return [getattr(subscripted, f"f{at}") for at in range(len(texts))]

    return made


def check(forms_agree, programs, chosen):
    functions = programs([body.format(index) for index, _, body, _ in chosen])
    for (index, shape, body, thin), f in zip(chosen, functions, strict=True):
        if thin and shape:
            shape = (1, *shape[1:]) if thin == 1 else (*shape[:-1], 1)
        try:
            forms_agree(f, X, np.random.default_rng(1).uniform(1.0, 2.0, shape), PARTS["i"])
        except Exception as error:
            error.add_note(f"x[{index}], w of shape {shape}: {body}")
            raise


def drawn(step, start=0):
    cases = itertools.product(TABLE, BODIES, range(3))
    return [(*of, body, thin) for of, body, thin in itertools.islice(cases, start, None, step)]


@pytest.mark.slow
def test_a_sample_of_all_mixes(forms_agree, programs):
    check(forms_agree, programs, drawn(1499))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(3))
def test_more_of_all_mixes(forms_agree, programs, part):
    check(forms_agree, programs, drawn(701, 11 * part))


def test_an_array_of_ints_behind_an_int_and_a_slice(forms_agree):
    def f(x, i):
        return np.sum(x[0][None, :, i] * x[1, None, :, i])

    forms_agree(f, X, np.array([0, 1, 1]))


def test_rows_of_transposed_planes(forms_agree):
    class Planes:
        def __init__(self, data, chosen):
            self.data, self.chosen = data, chosen

        def at(self, k):
            return self.data[k, :, self.chosen]

    def f(x, i, w):
        planes, total = Planes(x, i), 0.0
        for k in range(2):
            total = total + np.sum(planes.at(k) * planes.at(1 - k) * w)
        return total

    forms_agree(f, X, np.array([1, 0, 1]), np.array([1.0, 2.0, 4.0]))
    forms_agree(f, X, np.array([1, 0, 1]), np.array([[1.0], [2.0], [4.0]]))


def test_the_result_is_square_and_told_apart_from_its_transpose(forms_agree):
    def f(x, i, w):
        y = x[0, :, i] * w
        return np.sum(y @ x[1, :, i])

    forms_agree(f, X, np.array([1, 0, 1]), np.arange(9.0).reshape(3, 3))


def test_an_int_that_is_counted(forms_agree):
    def f(x, i):
        total = 0.0
        for k in range(x.shape[0]):
            y = x[k, 1:, i]
            total = total + np.sum(y * x[k, :2, :2])
        return total

    forms_agree(f, X, np.array([1, 0]))


def test_written_behind_an_int_and_a_slice(forms_agree):
    def f(x, i, w):
        y = np.zeros(x.shape)
        y[0, :, i] = x[1, :, i] * w
        y[1, :, i] += 2.0 * y[0, :, i]
        return np.sum(y * y * x)

    forms_agree(f, X, np.array([1, 0]), np.array([[1.0], [3.0]]))


def test_what_a_mask_leaves_is_not_as_long_as_the_array(forms_agree):
    def f(x):
        y = x[x > 1.9]
        return np.sum(x * y)

    forms_agree(f, np.array([0.5, 1.0, 2.0, 1.5]))


def test_a_mask_that_leaves_one_entry_beside_the_whole(forms_agree):
    def f(x, w):
        top = x[w > 2.0]
        share = np.where(x > top, x, top * w)
        return np.sum(share / top)

    forms_agree(f, np.array([0.5, 1.0, 2.0, 1.5]), np.array([0.0, 3.0, 1.0, 1.0]))
