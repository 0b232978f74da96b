"""Lists of numbers on the way back."""


def test_lists_that_are_cut_under_their_own_name(forms_agree):
    def cut(xs):
        xs = xs[1:]
        xs = xs[:2]
        return xs[0] * xs[1]

    def shortened(xs):
        s = 0.0
        while len(xs) > 1:
            s = s + xs[0] * xs[1]
            xs = xs[1:]
        return s

    for fn in (cut, shortened):
        forms_agree(fn, [1.0, 2.0, 3.0, 4.0])


def test_lists_that_are_joined_and_summed_from_a_start(forms_agree):
    def from_a_product(xs, x):
        return sum(xs, x * x) * x

    def of_two(xs, x):
        both = [*xs, x] + xs
        return sum(both, sum(xs, x)) * both[0]

    def under_one_name(xs, x):
        xs = [x * v for v in xs]
        xs = xs + xs
        return sum(xs, 1.0) * xs[-1]

    for fn in (from_a_product, of_two, under_one_name):
        forms_agree(fn, [1.5, 2.0, -0.5], 0.7)
