"""Numbers that go through text and bytes are refused where they come out; printing is no matter."""

import ast
import base64
import io
import json
import logging
import math
import pickle
import re
import struct
import zlib
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import astad
from astad.errors import Unsupported
from astad.testing import check_gradient
from tests.compiler.forms import only_generic


class Reading:
    def __init__(self, x):
        self.x = x


class Slotted:
    __slots__ = ("x", "parts")

    def __init__(self, x, parts=()):
        self.x = x
        self.parts = parts

    def __str__(self):
        return str(self.x)


class Derived(Slotted):
    __slots__ = ("y",)


def from_slots(x):
    state = pickle.loads(pickle.dumps(Slotted(x)))
    return state.x * 2.0


def from_slots_in_a_file(x):
    file = io.BytesIO(pickle.dumps(Slotted(1.0, [Slotted(x)])))
    return pickle.loads(file.getvalue()).parts[0].x


def from_derived_slots(x):
    item = Derived(2.0)
    item.y = x
    return pickle.loads(pickle.dumps([item], protocol=2))[0].y


def from_slots_of_a_list(x):
    items = pickle.loads(pickle.dumps({"all": [Slotted(v) for v in (x, 2 * x)]}))
    return sum(item.x for item in items["all"])


def from_slots_with_array(x):
    return np.sum(pickle.loads(pickle.dumps(Slotted(np.array([x, 1.0])))).x)


def from_file_in_memory(x):
    file = io.StringIO()
    print("x", x, file=file)
    return float(file.getvalue().split()[1])


def from_written(x):
    file = io.BytesIO()
    file.write(struct.pack("d", x))
    file.seek(0)
    return struct.unpack("d", file.read())[0]


def from_emptied_list(x):
    items = [x, 2.0]
    text = json.dumps(items)
    items.clear()
    return json.loads(text).pop(0)


def from_nested(x):
    found = pickle.loads(pickle.dumps({"a": [Reading(x), (x, 1)]}))
    inner = found.pop("a")
    return inner[0].x + inner[1][0]


def from_dumped(x):
    file = io.StringIO()
    json.dump([x], file)
    file.seek(0)
    return json.load(file)[0]


def from_pickled(x):
    file = io.BytesIO()
    pickle.dump([x], file)
    file.seek(0)
    return pickle.load(file)[0]


def from_saved(x):
    file = io.BytesIO()
    np.save(file, np.array([x]))
    file.seek(0)
    return np.load(file)[0]


THROUGH_TEXT = {
    "str": lambda x: float(str(x)),
    "f-string": lambda x: float(f"{x}"),
    "f-string of two": lambda x: float(f"{1}{x}"),
    "many digits": lambda x: float(f"{x:.15f}"),
    "repr": lambda x: float(repr(x)),
    "percent": lambda x: float("%s" % x),
    "format": lambda x: float("{}".format(x)),
    "cut": lambda x: float(("  " + str(x) + "m")[1:-1].strip()),
    "join": lambda x: sum(float(t) for t in ",".join([str(x), "2"]).split(",")),
    "map": lambda x: float(" ".join(map(str, [x, 2.0])).split()[0]),
    "generator": lambda x: float(" ".join(str(v) for v in [x, 2.0]).split()[0]),
    "regular expression": lambda x: float(re.match(r"v=(.*)", f"v={x}").group(1)),
    "found one by one": lambda x: sum(float(m[0]) for m in re.finditer(r"[\d.]+", f"a {x} b")),
    "Fraction": lambda x: float(Fraction(str(x))),
    "Decimal": lambda x: float(Decimal(str(x))),
    "complex": lambda x: complex(str(x)).real,
    "hex": lambda x: float.fromhex(x.hex()),
    "literal_eval": lambda x: ast.literal_eval(repr([x]))[0],
    "json": lambda x: json.loads(json.dumps([x]))[0],
    "struct": lambda x: struct.unpack("d", struct.pack("d", x))[0],
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "pickled object": lambda x: pickle.loads(pickle.dumps(Reading(x))).x,
    "base64": lambda x: pickle.loads(base64.b64decode(base64.b64encode(pickle.dumps(x)))),
    "zlib": lambda x: pickle.loads(zlib.decompress(zlib.compress(pickle.dumps(x)))),
    "number of NumPy's": lambda x: np.float64(str(x)),
    "array of text": lambda x: np.array([str(x)], dtype=float)[0],
    "array turned to text": lambda x: np.array([x]).astype(str).astype(float)[0],
    "tobytes": lambda x: np.frombuffer(np.array([x]).tobytes())[0],
    "file in memory": from_file_in_memory,
    "written": from_written,
    "emptied list": from_emptied_list,
    "dumped": from_dumped,
    "saved": from_saved,
    "nested": from_nested,
    "slots": from_slots,
    "slots in bytes of a file": from_slots_in_a_file,
    "slots of two classes": from_derived_slots,
    "slots of objects in a list": from_slots_of_a_list,
    "an array in slots": from_slots_with_array,
    "text of an object with slots": lambda x: float(str(Slotted(x))),
    "formatted object with slots": lambda x: float(f"{Slotted(x)}"),
}  # fmt: skip


@pytest.mark.parametrize("name", THROUGH_TEXT)
def test_a_number_read_out_of_text_is_refused(name):
    program = THROUGH_TEXT[name]

    def f(x):
        return program(x) * x

    with pytest.raises(Unsupported, match="read out of the text"):
        astad.gradient(f, 1.5)


def test_a_file_that_was_pickled_to():
    with pytest.raises(Unsupported):
        astad.gradient(from_pickled, 1.5)


def test_the_ints_of_a_text_too():
    for f in (
        lambda n: int(str(n)) * n,
        lambda n: int.from_bytes(n.to_bytes(4, "little"), "little") * n,
    ):
        with pytest.raises(Unsupported, match="read out of the text"):
            astad.gradient(f, 5)


def test_text_of_constants_is_read():
    def f(x):
        scale = float(f"{3}.5") + float(str(2.5)) + int(str(4)) + json.loads(json.dumps([1.5]))[0]
        return x * scale

    check_gradient(f, 1.5)


def test_formats_that_round_are_steps():
    def f(x):
        return (float(f"{x:.2f}") + float("%.3g" % x) + float("{:.1f}".format(x))) * x

    assert astad.gradient(f, 1.52341) == (1.52 + 1.52 + 1.5,)


def test_text_that_is_not_read():
    log = logging.getLogger("astad.tests.texts")

    def f(x, names):
        log.debug("at %s", x)
        text = f"x = {x}"
        table = {f"{name}_{len(text)}": x * k for k, name in enumerate(names, 2)}
        print(text, repr(table), file=io.StringIO())
        if x < 0:
            raise ValueError(f"{x} is negative: {text}")
        return sum(table.values()) * len(text) + math.sin(x)

    assert astad.gradient(f, 1.5, ["a", "b"])[0] == pytest.approx(5 * 7 + math.cos(1.5))


def test_other_numbers_beside_the_text():
    def f(x, y):
        return float(str(x)) * y

    value, back = astad.pullback(f, 2.0, 3.0)
    assert value == 6.0
    with pytest.raises(Unsupported, match="read out of the text"):
        back(1.0)
    assert astad.grad(lambda y: f(2.0, y))(3.0) == 2.0
    assert astad.grad(lambda x: astad.dropgrad(x) * float(str(astad.dropgrad(x))) + x)(2.0) == 1.0


def test_text_made_in_a_callee_and_kept_in_an_object():
    class Note:
        def __init__(self, x):
            self.text = f"<{x}>"

    def read(note):
        return float(note.text[1:-1])

    with pytest.raises(Unsupported, match="read out of the text"):
        astad.gradient(lambda x: read(Note(x)) * x, 1.5)


def test_text_of_an_exception_that_is_caught():
    def fails(x):
        raise ValueError(f"{x}")

    def f(x):
        try:
            fails(x)
        except ValueError as error:
            return float(error.args[0]) * x

    with pytest.raises(Unsupported, match="read out of the text"):
        astad.gradient(f, 1.5)


def test_items_of_a_dict_with_text_for_keys_are_no_numbers_read_in_it():
    """A text made of a constant stands beside them; nothing of it comes out as a number."""

    def noted(made, w):
        text = f"{len(w)} items"
        for key, part in made.items():
            w[:1] += part
        return w.sum() if text else part

    def f(x, u):
        return noted({"a": x * u[0], "b": u[1]}, np.array([1.0, x, u[2]]))

    u = np.array([0.3, 0.5, 0.9])
    with only_generic():
        x_bar, u_bar = astad.pullback(f, 0.7, u)[1](1.0)
    assert x_bar == 1.3 and u_bar.tolist() == [0.7, 1.0, 1.0]


def test_a_number_out_of_an_iterator_of_numpys_names_it():
    def f(x):
        iterator = np.nditer(x, flags=["buffered"])
        return iterator[0] * 2.0

    with pytest.raises(Unsupported, match="read out of an object of numpy.nditer"):
        astad.gradient(f, np.array([1.0, 2.0]))
