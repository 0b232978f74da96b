"""The slope of a perceived colour difference, through a library without derivatives.

    python examples/colour_difference.py

CIEDE2000 is computed by the package basic-colormath, in plain Python: sRGB to XYZ to Lab, with
branches, loops and generator expressions. astad differentiates its source as it is. Every gradient
is compared with central differences.
"""

from basic_colormath import get_delta_e

import astad

PAIRS = {
    "crimson, sea green": ((200.0, 40.0, 60.0), (30.0, 150.0, 90.0)),
    "two blues": ((30.0, 60.0, 200.0), (40.0, 70.0, 180.0)),
    "grey, brown": ((120.0, 121.0, 119.0), (130.0, 90.0, 40.0)),
    "near black, white": ((6.0, 5.0, 8.0), (250.0, 252.0, 251.0)),
}


def differences(one, two, step=1e-3):
    """Central differences, by channel of the first and of the second colour."""
    numbers = [*one, *two]
    found = []
    for i in range(6):
        ends = []
        for shift in (step, -step):
            moved = numbers[:i] + [numbers[i] + shift] + numbers[i + 1 :]
            ends.append(get_delta_e(tuple(moved[:3]), tuple(moved[3:])))
        found.append((ends[0] - ends[1]) / (2 * step))
    return found


def main():
    """Print every pair's gradient; return the difference, gradient and error by name."""
    rows = {}
    for name, (one, two) in PAIRS.items():
        one_bar, two_bar = astad.gradient(get_delta_e, one, two)
        slopes = [*one_bar, *two_bar]
        checked = differences(one, two)
        error = max(abs(a - b) for a, b in zip(slopes, checked, strict=True))
        rows[name] = {"delta_e": get_delta_e(one, two), "gradient": slopes, "error": error}
        print(f"{name}: {rows[name]['delta_e']:.3f}")
        print("  per channel  ", "  ".join(f"{slope:+.4f}" for slope in slopes))
        print(f"  off by at most {error:.1e}")
    return rows


if __name__ == "__main__":
    main()
