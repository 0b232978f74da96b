"""What calls that run as they are store: refused where it is read again and counts, else silent."""

import contextvars
import ctypes
import inspect
import io
import itertools
import json
import logging
import logging.handlers
import pickle
import plistlib
import pprint
import re
import string
import warnings
import xmlrpc.client

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported

STREAM = io.StringIO()
NAMES = itertools.count()


class Keeping(logging.Handler):
    """Keeps what a function of the record gives."""

    def __init__(self, of):
        super().__init__()
        self.of, self.seen = of, []

    def emit(self, record):
        self.seen.append(self.of(record))


class Summing(logging.Handler):
    total, count = 0.0, 0

    def emit(self, record):
        self.total += record.args[0]
        self.count += 1


def logger_to(handler):
    log = logging.Logger(f"test {next(NAMES)}", logging.INFO)
    log.addHandler(handler)
    return log


def kept_arguments(x):
    kept = Keeping(lambda record: record.args[0])
    logger_to(kept).info("v %s", x * x)
    return kept.seen[0]


def kept_message(x):
    kept = Keeping(lambda record: record.msg)
    logger_to(kept).info(x * x)
    return kept.seen[0]


def kept_in_a_dict(x):
    kept = Keeping(lambda record: record.args["v"])
    logger_to(kept).warning("%(v)s", {"v": x * x})
    return kept.seen[0]


def kept_extra(x):
    kept = Keeping(lambda record: record.v)
    logger_to(kept).info("a", extra={"v": x * x})
    return kept.seen[0]


def kept_by_an_adapter(x):
    kept = Keeping(lambda record: record.v)
    logging.LoggerAdapter(logger_to(kept), {"v": x * x}).info("a")
    return kept.seen[0]


def kept_error(x):
    kept = Keeping(lambda record: record.exc_info[1].args[0])
    log = logger_to(kept)
    try:
        raise ValueError(x * x)
    except ValueError:
        log.exception("a")
    return kept.seen[0]


def summed(x):
    handler = Summing()
    log = logger_to(handler)
    for _ in range(3):
        log.info("%s", x * x / 3)
    return handler.total


def filtered(x):
    seen = []

    def note(record):
        seen.append(record.args[0])
        return True

    log = logger_to(logging.NullHandler())
    log.addFilter(note)
    log.info("%s", x * x)
    return seen[0]


def formatted(x):
    class Keeps(logging.Formatter):
        def format(self, record):
            self.v = record.args[0]
            return "a"

    handler, formatter = logging.StreamHandler(STREAM), Keeps()
    handler.setFormatter(formatter)
    logger_to(handler).info("%s", x * x)
    return formatter.v


def buffered(x):
    handler = logging.handlers.BufferingHandler(10)
    logger_to(handler).info("%s", x * x)
    return handler.buffer[0].args[0]


def flushed(x):
    kept = Keeping(lambda record: record.args[0])
    handler = logging.handlers.MemoryHandler(10, target=kept)
    logger_to(handler).info("%s", x * x)
    handler.flush()
    handler.setTarget(None)
    return kept.seen[0]


def made_record(x):
    return logging.makeLogRecord({"v": x * x}).v


def plist(x):
    return plistlib.loads(plistlib.dumps({"a": x * x}))["a"]


def plist_of_a_file(x):
    file = io.BytesIO()
    plistlib.dump([x * x], file)
    file.seek(0)
    return plistlib.load(file)[0]


def xml_call(x):
    return xmlrpc.client.loads(xmlrpc.client.dumps((x * x,)))[0][0]


def shown_warning(x):
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *place: seen.append(message.args[0])
        warnings.warn(UserWarning(x * x), stacklevel=2)
    return seen[0]


def hook_of_json(x):
    return json.loads("1.5", parse_float=lambda text: x * x)


def default_of_json(x):
    class Point:
        def __init__(self, v):
            self.v = v

    seen = []

    def default(point):
        seen.append(point.v)
        return 0

    json.dumps(Point(x * x), default=default)
    return seen[0]


def encoder_of_json(x):
    class Encoder(json.JSONEncoder):
        def encode(self, o):
            type(self).v = o
            return "a"

    json.dumps(x * x, cls=Encoder)
    return Encoder.v


def scanner(x):
    return re.Scanner([(r"[\d.]+", lambda _, text: x * x)]).scan("1.0")[0][0]


def printed(x):
    class Point:
        def __init__(self, v):
            self.v = v

        def __repr__(self):
            self.out = self.v
            return "a"

    point = Point(x * x)
    pprint.pformat(point)
    return point.out


def default_of_a_function(x):
    return inspect.signature(lambda a, b=x * x: a).parameters["b"].default


READ_AGAIN = [
    kept_arguments, kept_message, kept_in_a_dict, kept_extra, kept_by_an_adapter, kept_error,
    summed, filtered, formatted, buffered, flushed, made_record, plist, plist_of_a_file, xml_call,
    shown_warning, default_of_json, encoder_of_json, printed,
]  # fmt: skip


def logged_and_not_read(x):
    log = logger_to(Keeping(lambda record: record.args[0]))
    y = x
    for _ in range(2):
        y = y * x
        log.info("%s of %s", y, x)
    return y / x


def logged_and_counted(x):
    handler = Summing()
    log = logger_to(handler)
    for _ in range(3):
        log.info("%s", x)
    return x * x * handler.count / 3


def logged_object(x):
    class Point:
        def __init__(self, v):
            self.v = v

    kept = Keeping(lambda record: record.args[0])
    point = Point(x)
    logger_to(kept).info("%s", point)
    return kept.seen[0].v ** 2


def logged_list(x):
    values = [x]
    log = logger_to(Keeping(lambda record: record.msg))
    log.info(values)
    values.append(x)
    log.info(values)
    return values[0] * values[1]


def logged_constant(x):
    kept = Keeping(lambda record: record.args[0])
    logger_to(kept).info("%s", 2.0)
    return x * x * kept.seen[0] / 2


def constants_of_json(x):
    made = json.loads('{"a": 2.0}', parse_float=lambda text: round(float(text), 2))
    return x * x * made["a"] / 2


def constants_of_json_scaled(x):
    scale = 0.5
    return x * x * json.loads("2.0", parse_float=lambda text: float(text) * scale)


def objects_of_json(x):
    class Point:
        def __init__(self, v):
            self.v = v

    return x * x * json.loads('{"v": 2.0}', object_hook=lambda d: Point(d["v"])).v / 2


def constants_of_a_plist(x):
    settings = plistlib.loads(plistlib.dumps({"a": 2.0}))
    return x * x * settings["a"] / 2


def representation_that_counts(x):
    class Point:
        def __init__(self, v):
            self.v, self.count = v, 0

        def __repr__(self):
            self.count += 1
            return str(self.v)

    point = Point(x)
    pprint.pformat(point)
    return point.v * point.v * point.count


def in_a_context(x):
    return contextvars.copy_context().run(lambda v: v * v, x)


class Tagged(np.ndarray):
    def __array_finalize__(self, of):
        self.tag = getattr(of, "tag", None)


def view_of_an_array_with_attributes(x):
    a = np.array([x, 2 * x]).view(Tagged)
    a.tag = "m"
    return a.view(np.ndarray)[0] * x


def arrays_with_attributes_in_a_list(x):
    kept = [np.array([x]).view(Tagged)]
    logging.getLogger(__name__).info("%s", kept)
    return float(kept[0][0] * x)


RIGHT = [
    view_of_an_array_with_attributes, arrays_with_attributes_in_a_list, logged_and_not_read,
    logged_and_counted, logged_object, logged_list, logged_constant, constants_of_json,
    constants_of_json_scaled, objects_of_json, constants_of_a_plist, representation_that_counts,
    in_a_context, hook_of_json, scanner, default_of_a_function,
]  # fmt: skip


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_what_does_not_come_back_is_not_refused(f):
    assert f(3.0) == pytest.approx(9.0)
    assert gradient(f, 3.0)[0] == pytest.approx(6.0)


def by_a_file(x):
    class Tee:
        def __init__(self):
            self.seen = []

        def write(self, text):
            self.seen.append(x)

    tee = Tee()
    print("a", file=tee, end="")
    return tee.seen[0] ** 2


def by_a_mapping(x):
    class Names(dict):
        def __missing__(self, key):
            self.last = x * x
            return "a"

    names = Names()
    string.Template("$b").substitute(names)
    return names.last


def by_an_unpickler(x):
    class Loading(pickle.Unpickler):
        def persistent_load(self, key):
            return [x * x]

    class Saving(pickle.Pickler):
        def persistent_id(self, o):
            return "key" if type(o) is complex else None

    file = io.BytesIO()
    Saving(file).dump([1j])
    file.seek(0)
    return Loading(file).load()[0][0]


def by_a_raw_file(x):
    class Raw(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            seen.append(x * x)
            return 0

    seen = []
    io.BufferedReader(Raw()).read(1)
    return seen[0]


def by_a_function_of_ctypes(x):
    seen = []
    call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda n: seen.append(x * x) or n)
    call(1)
    return seen[0]


def out_of_a_function_of_ctypes(x):
    return ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda t: t * x)(3.0)


CALLED_BACK = [
    by_a_raw_file, by_a_function_of_ctypes, out_of_a_function_of_ctypes, by_a_file, by_a_mapping,
    by_an_unpickler,
]  # fmt: skip


@pytest.mark.parametrize("f", [*READ_AGAIN, *CALLED_BACK], ids=lambda f: f.__name__)
def test_what_is_stored_by_a_call_and_read_again_is_refused(f):
    assert f(3.0) == pytest.approx(9.0)
    with pytest.raises(Unsupported, match=r"^test_unrecorded.py:\d+: .*has stored"):
        gradient(f, 3.0)
