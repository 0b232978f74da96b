"""Rows of lists under names of their own: read, written, handed over, taken by slices."""

from astad import gradient


def test_a_row_that_is_read_after_it_is_handed_over(forms_agree):
    def f(x, n):
        grid = []
        t = 0.0
        for i in range(n):
            row = [x * i]
            row.append(x)
            grid.append(row)
            t += row[0] * row[1]
        for r in grid:
            t *= r[1] + r[0]
        return t

    forms_agree(f, 0.5, 3, fused=True)


def test_rows_that_a_slice_has_too(forms_agree):
    def f(x, n):
        rows = []
        for i in range(n):
            rows.append([x * i, x])
        tail = rows[1:]
        tail[0][1] = x * x
        return rows[1][1] * rows[0][1] + tail[0][1]

    assert gradient(f, 0.75, 3)[0] == 3 * 0.75**2 + 2 * 0.75  # of x**3 + x**2
    forms_agree(f, 0.75, 3)


def test_one_name_for_two_rows_of_a_round(forms_agree):
    def f(x, n):
        grid = [[x * i, x] for i in range(n)]
        t = 0.0
        for i in range(n):
            r = grid[i]
            t += r[0] * r[1]
            r = grid[n - 1 - i]
            t *= r[0] + r[1]
        return t

    forms_agree(f, 0.9, 3, fused=True)


def test_neighbours_in_a_table(forms_agree):
    def f(x, n):
        grid = [[x * i, x] for i in range(n)]
        t = 1.0
        for i in range(n):
            for j in range(2):
                t = t * grid[i - j][j] + grid[j][0]
        return t

    forms_agree(f, 0.5, 3, fused=True)


def test_rows_that_are_changed_and_in_two_lists(forms_agree):
    def f(x, n):
        grid = [[x, x * i] for i in range(n)]
        new = []
        for i in range(n):
            row = grid[i]
            row[0] = row[0] * x
            new.append(row)
        t = 0.0
        for i in range(n):
            t += new[i][0] * grid[i][1] + grid[i][0]
        return t

    forms_agree(f, 0.5, 3)


def test_a_list_of_rows_that_is_written_under_its_last_name(forms_agree):
    def under_another_name(x, n):
        grid = []
        for i in range(n):
            grid.append([x * i * j for j in range(n)])
        table = grid
        for i in range(n):
            table[i][0] = x * i
        return table[1][0] * table[1][1]

    def of_the_round_before(x, n):
        a = [[x, 2.0 * x], [x * x, 1.0]]
        for _ in range(n):
            b = []
            for row in a:
                b.append([row[0] * x, row[1]])
            a = b
            a[0][1] = a[0][0] * x
        return a[0][0] * a[0][1] * a[1][0]

    for fn in (under_another_name, of_the_round_before):
        forms_agree(fn, 1.5, 3)


def test_one_list_that_is_several_rows(forms_agree):
    def handed_over_in_each_round(x, n):
        row = [x, 2.0 * x]
        rows = []
        for _ in range(n):
            rows.append(row)
        rows[0][0] = x * x
        total = 0.0
        for r in rows:
            total += r[0] * r[1]
        return total

    def filled_in_each_round(x, n):
        rows = []
        row = [0.0] * 3
        for i in range(n):
            for j in range(3):
                row[j] = x * i + j * x * x
            rows.append(row)
        total = 0.0
        for r in rows:
            r[1] = r[1] * x
            total += r[0] + r[1] * r[2]
        return total

    def one_for_each_block(x, n):
        grid = []
        for k in range(2):
            row = [x * k, x * x, 1.0]
            for _ in range(n):
                grid.append(row)
        for i in range(n):
            grid[i][1] = grid[i][0] * x
            grid[i][0] = grid[i][1] + x
        return grid[0][0] * grid[n - 1][1] + grid[n + 1][0]

    def of_a_comprehension(x, n):
        row = [x for _ in range(3)]
        grid = [row for _ in range(n)]
        for i in range(n):
            for j in range(3):
                grid[i][j] = grid[i][j] * x + j
        return grid[0][0] * grid[n - 1][1]

    for f in (handed_over_in_each_round, filled_in_each_round, one_for_each_block):
        forms_agree(f, 1.3, 3)
    forms_agree(of_a_comprehension, 1.3, 3)
