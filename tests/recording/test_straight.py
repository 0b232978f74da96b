"""The straight text of a run: how long its lines are kept."""

import inspect
import sys
from types import ModuleType

from astad.recording.recording import Recording
from astad.recording.straight import _forget, function_of


def test_of_two_texts_of_the_same_words_the_later_one_keeps_its_lines():
    text = "def twice(x):\n    return x + x\n"
    first = function_of("twice", text, Recording(), set())
    before = sys.modules[first.__module__]
    second = function_of("twice", text, Recording(), set())
    module = sys.modules[second.__module__]
    assert isinstance(module, ModuleType) and module is not before
    _forget(before, id(first.__code__))
    assert sys.modules[second.__module__] is module
    assert inspect.getsource(second) == text
    _forget(module, id(second.__code__))
    assert second.__module__ not in sys.modules
