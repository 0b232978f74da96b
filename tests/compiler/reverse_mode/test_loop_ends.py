"""What a generator does after its last value, where only the loop knows the generator."""

from astad import gradient, pullback


class Walk:
    def __init__(self, start):
        self.here = start
        self.way = 0.0

    def steps(self, n):
        for _ in range(n):
            self.here = self.here * 1.5
            yield self.here
        self.way = self.here * self.here


def test_what_a_method_does_at_the_end_of_its_loop():
    def f(x, n):
        walk = Walk(x)
        total = 0.0
        for here in walk.steps(n):
            total = total + here
        return total + walk.way

    for n in (0, 1, 3):
        factors = [1.5**k for k in range(1, n + 1)]
        last = factors[-1] if factors else 1.0
        expected = sum(factors) + 2.0 * 1.2 * last * last
        assert abs(gradient(f, 1.2, n)[0] - expected) < 1e-12
        value, back = pullback(f, 1.2, n)
        assert value == f(1.2, n)
        assert abs(back(1.0)[0] - expected) < 1e-12
