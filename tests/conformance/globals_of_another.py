"""A module with a global that its functions bind anew."""

rate = 1.0
speed = 2.0


def store(x):
    global rate
    rate = x


def load():
    return rate * 2.0
