"""Points where forms part ways: signed zeros, infinities, nan, other types, other layouts."""

import random

import numpy as np

SMALL = (0.0, 0.0, -0.0, 1e-310, 1, 0, True, -2)
LARGE = (float("inf"), -float("inf"), float("nan"), 1e200)
TYPES = (float, int, np.float64, np.float32, bool)


def nasty(args, seed):
    """The arguments with a few numbers replaced by special ones, a few by other types."""
    rng = random.Random(seed)
    special = SMALL if rng.random() < 0.7 else SMALL + LARGE

    def changed(value):
        if isinstance(value, np.ndarray):
            return _nasty_array(value, special, rng)
        if type(value) is float and rng.random() < 0.4:
            value = rng.choice(special) if rng.random() < 0.6 else rng.choice(TYPES)(value)
        elif type(value) in (list, tuple):
            return type(value)(map(changed, value))
        elif type(value) is dict:
            return {key: changed(part) for key, part in value.items()}
        return value

    return tuple(map(changed, args))


def _nasty_array(value, special, rng):
    form = rng.randrange(10) if value.dtype == float else 5
    if form < 4:
        value = value.copy()
        value.flat[rng.randrange(value.size)] = rng.choice(special)
    elif form == 4:
        value = value.astype(rng.choice((np.float32, int, bool)))
    elif form == 5:
        value = np.asfortranarray(value)
    elif form == 6:
        value = np.repeat(value, 2, axis=-1)[..., ::2]
    elif form == 7 and rng.random() < 0.3:
        value = rng.choice((value[:0], value[:1], value[..., None], value[0]))
    return value
