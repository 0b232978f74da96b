"""Keywords and ``**``: evaluated, merged and handed on in the order of the text."""

from .loud import Loud, say, told


class Words:
    """A mapping that says what it is asked for."""

    def __init__(self, given):
        self.given = given

    def __repr__(self):
        return f"Words({self.given})"

    def keys(self):
        return say(list(self.given))

    def __getitem__(self, key):
        return say(self.given[key])


def test_words_are_merged_before_what_follows_is_evaluated(same):
    def f(o, words):
        return o(**words, k=say(1)), o(a=say(2), **words, k=say(3), j=say(4), **say({"i": 5}))

    same(f, Loud("o"), {"z": 0})
    same(f, Loud("o"), Words({"z": 0, "y": 1}))


def test_words_in_a_method_and_with_stars(same):
    def f(o, words):
        xs = [1]
        o.run(**words, k=2)
        o.run(0, *xs, **words, k=xs.append(3))
        return o.run(*told([1]), **words, k=say(2))

    same(f, Loud("o"), Words({"z": 0}))


def test_a_name_that_a_later_keyword_binds(same):
    def f(o, words, y):
        return o(y, *[y], a=y, **words, b=(y := 2), c=y)

    same(f, Loud("o"), {"z": 0}, 1)


def test_twice_is_told_when_it_is_merged(same):
    def f(o, words):
        return o(a=say(1), **words, b=say(2))

    same(f, len, {"a": 3})
    same(f, len, Words({"z": 0, "a": 3, "c": 4}))
    same(f, len, {"b": 3})
    same(f, len, 3)


def test_words_of_what_reads_a_generator(same):
    def f(words):
        sorted((say(-x) for x in (1, 2)), **words)
        return sorted((say(-x) for x in (1, 2)), **words, reverse=say(True))

    same(f, {"key": abs})
    same(f, Words({"key": abs}))
    same(f, {"reverse": False})
