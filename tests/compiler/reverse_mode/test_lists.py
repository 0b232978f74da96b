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
