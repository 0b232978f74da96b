"""Classes whose methods read globals of this module, some under names that others have too."""

import math
from dataclasses import dataclass

RATE = 0.25


def scale(x):
    return x * RATE


class Base:
    def __init__(self, a, b=3.0):
        self.a = a
        self.b = b

    def value(self, x):
        return scale(x) * self.a + self.b

    def twice(self, x):
        return self.value(x) * 2

    @property
    def area(self):
        return self.a * self.b * RATE

    @staticmethod
    def half(x):
        return x / 2 + RATE

    def __add__(self, other):
        return Base(self.a + other.a, self.b * other.b)

    def __call__(self, x):
        return math.sin(x * self.a)


@dataclass
class Point:
    x: float
    y: float = RATE

    def norm(self):
        return math.hypot(self.x, self.y)

    def moved(self, dx):
        return Point(self.x + dx, self.y)
