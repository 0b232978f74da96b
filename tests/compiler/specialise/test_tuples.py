"""Tuples that are made and taken apart in one function."""


def test_unpacked_and_indexed(forms_agree):
    def f(x, y):
        t = (x * y, x)
        a, b = t
        u = (a, b, t[0])
        return u[-1] * u[1] + t[1] * u[0]

    forms_agree(f, 0.7, 1.2)


def test_parts_bound_again_before_they_are_taken(forms_agree):
    def f(x, y):
        t = (x, y)
        x = x * y
        y = x + y
        a, b = t
        return a * x + b * y

    forms_agree(f, 0.7, 1.2)


def test_in_a_loop(forms_agree):
    def f(x, y, n):
        state = (x, y)
        for i in range(n):
            a, b = state
            state = (b, a * b + 0.1)
        return state[0] * state[1]

    for n in (0, 1, 4):
        forms_agree(f, 0.7, 1.2, n)


def test_a_tuple_that_leaves(forms_agree):
    def f(x, y):
        t = (x, y)
        u = [t, t]
        a, b = t
        return a * u[1][0] + b * len(t)

    forms_agree(f, 0.7, 1.2)


def test_tuples_of_tuples(forms_agree):
    def f(x, y):
        t = ((x, y), (y * x, x))
        (a, b), c = t
        return a * c[0] + b * c[1] * t[0][1]

    forms_agree(f, 0.7, 1.2)


def test_in_one_branch(forms_agree):
    def f(x, y):
        if x > 1.0:
            t = (x, y)
        else:
            t = (y, x * x)
        a, b = t
        return a * a * b

    forms_agree(f, 0.7, 1.2)
    forms_agree(f, 1.7, 1.2)


def test_concatenated_compared_and_counted(forms_agree):
    def f(x, y):
        t = (x, y) + (x * y,)
        u = t * 2
        s = 0.0
        for v in u[1:]:
            s = s * v + v
        return s * len(u) * (1.0 if (x, y) < (y, x) else 2.0)

    forms_agree(f, 0.7, 1.2)


def test_items_bound_again_in_the_next_iteration(forms_agree):
    def f(x, n):
        s = x
        for i in range(n):
            if i > 1:
                s = s + t[0] * 0.5  # noqa: F821
            a = s * x
            if i % 2 == 0:
                t = (a, 2.0)
            s = s + t[0]
        return s * t[0]

    forms_agree(f, 0.7, 5)
