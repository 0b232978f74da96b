"""Programs on Python floats: loops, recursion, searches; lists of floats as data."""

import math

from .workload import Workload


def kepler(x, y, u, v, mu, dt, n):
    """An orbit by leapfrog; how far it ends from where it should."""
    for _ in range(n):
        x = x + 0.5 * dt * u
        y = y + 0.5 * dt * v
        r2 = x * x + y * y
        a = -mu / (r2 * math.sqrt(r2))
        u = u + dt * a * x
        v = v + dt * a * y
        x = x + 0.5 * dt * u
        y = y + 0.5 * dt * v
    return (x - 1.0) ** 2 + y**2


def kepler_by_hand(x, y, u, v, mu, dt, n):
    kept = []
    half = 0.5 * dt
    for _ in range(n):
        x = x + half * u
        y = y + half * v
        r2 = x * x + y * y
        a = -mu / (r2 * math.sqrt(r2))
        kept.append((x, y, r2, a))
        u = u + dt * a * x
        v = v + dt * a * y
        x = x + half * u
        y = y + half * v
    x_bar, y_bar, u_bar, v_bar, mu_bar = 2.0 * (x - 1.0), 2.0 * y, 0.0, 0.0, 0.0
    value = (x - 1.0) ** 2 + y**2
    for x, y, r2, a in reversed(kept):
        u_bar += half * x_bar
        v_bar += half * y_bar
        a_bar = dt * (u_bar * x + v_bar * y)
        mu_bar += a_bar * a
        r2_bar = -3.0 * a_bar * a / r2
        x_bar += dt * a * u_bar + r2_bar * x
        y_bar += dt * a * v_bar + r2_bar * y
        u_bar += half * x_bar
        v_bar += half * y_bar
    return value, (x_bar, y_bar, u_bar, v_bar, mu_bar / mu)


def horner(coefficients, t):
    """A polynomial, highest power first; its square."""
    y = 0.0
    for c in coefficients:
        y = y * t + c
    return y * y


def horner_by_hand(coefficients, t):
    kept = []
    y = 0.0
    for c in coefficients:
        kept.append(y)
        y = y * t + c
    y_bar, t_bar, bars = 2.0 * y, 0.0, []
    for before in reversed(kept):
        bars.append(y_bar)
        t_bar += y_bar * before
        y_bar *= t
    bars.reverse()
    return y * y, (bars, t_bar)


def kalman(q, r, observations):
    """Minus the log likelihood of a random walk seen through noise."""
    m, p, total = 0.0, 1.0, 0.0
    for z in observations:
        p = p + q
        s = p + r
        e = z - m
        total = total + 0.5 * (math.log(s) + e * e / s)
        k = p / s
        m = m + k * e
        p = (1.0 - k) * p
    return total


def kalman_by_hand(q, r, observations):
    kept = []
    m, p, total = 0.0, 1.0, 0.0
    for z in observations:
        p = p + q
        s = p + r
        e = z - m
        total = total + 0.5 * (math.log(s) + e * e / s)
        k = p / s
        kept.append((p, s, e, k))
        m = m + k * e
        p = (1.0 - k) * p
    m_bar, p_bar, q_bar, r_bar = 0.0, 0.0, 0.0, 0.0
    for p, s, e, k in reversed(kept):
        k_bar = m_bar * e - p_bar * p
        s_bar = 0.5 * (1.0 - e * e / s) / s - k_bar * k / s
        p_bar = p_bar * (1.0 - k) + k_bar / s + s_bar
        r_bar += s_bar
        q_bar += p_bar
        m_bar -= m_bar * k + e / s
    return total, (q_bar, r_bar)


def slope(a, b, c, d, x, y):
    return a * x - b * x * y, c * x * y - d * y


def ode_fit(a, b, c, d, data, dt):
    """Prey and predators by Heun's method, fitted to the prey counted."""
    x, y, loss = 1.0, 0.5, 0.0
    for target in data:
        p, s = slope(a, b, c, d, x, y)
        p2, s2 = slope(a, b, c, d, x + dt * p, y + dt * s)
        x = x + 0.5 * dt * (p + p2)
        y = y + 0.5 * dt * (s + s2)
        loss = loss + (x - target) ** 2
    return loss


def ode_fit_by_hand(a, b, c, d, data, dt):
    kept = []
    x, y, loss, half = 1.0, 0.5, 0.0, 0.5 * dt
    for target in data:
        xy = x * y
        p, s = a * x - b * xy, c * xy - d * y
        x1, y1 = x + dt * p, y + dt * s
        xy1 = x1 * y1
        before = x, y
        x = x + half * (p + a * x1 - b * xy1)
        y = y + half * (s + c * xy1 - d * y1)
        miss = x - target
        kept.append((before[0], before[1], x1, y1, xy, xy1, miss))
        loss = loss + miss**2
    a_bar = b_bar = c_bar = d_bar = x_bar = y_bar = 0.0
    for x, y, x1, y1, xy, xy1, miss in reversed(kept):
        x_bar += 2.0 * miss
        p_bar, s_bar = half * x_bar, half * y_bar
        a_bar += p_bar * x1
        b_bar -= p_bar * xy1
        c_bar += s_bar * xy1
        d_bar -= s_bar * y1
        both = c * s_bar - b * p_bar
        x1_bar = a * p_bar + both * y1
        y1_bar = both * x1 - d * s_bar
        p_bar += dt * x1_bar
        s_bar += dt * y1_bar
        a_bar += p_bar * x
        b_bar -= p_bar * xy
        c_bar += s_bar * xy
        d_bar -= s_bar * y
        both = c * s_bar - b * p_bar
        x_bar += x1_bar + a * p_bar + both * y
        y_bar += y1_bar + both * x - d * s_bar
    return loss, (a_bar, b_bar, c_bar, d_bar)


def bisected(a, b, depth):
    """An integral by recursive halving."""
    m = 0.5 * (a + b)
    if depth == 0:
        return (b - a) * math.sin(m) * math.exp(-m)
    return bisected(a, m, depth - 1) + bisected(m, b, depth - 1)


def bisected_by_hand(a, b, depth):
    m = 0.5 * (a + b)
    if depth == 0:
        sine, decay = math.sin(m), math.exp(-m)
        height = sine * decay
        m_bar = 0.5 * (b - a) * (math.cos(m) * decay - height)
        return (b - a) * height, (m_bar - height, m_bar + height)
    left, (left_a, left_b) = bisected_by_hand(a, m, depth - 1)
    right, (right_a, right_b) = bisected_by_hand(m, b, depth - 1)
    m_bar = 0.5 * (left_b + right_a)
    return left + right, (left_a + m_bar, right_b + m_bar)


def cube_root(a):
    """Newton's method to the last digit."""
    y = a
    while abs(y * y * y - a) > 1e-12 * a:
        y = y - (y * y * y - a) / (3.0 * y * y)
    return y


def cube_root_by_hand(a):
    kept = []
    y = a
    while abs(y * y * y - a) > 1e-12 * a:
        kept.append(y)
        y = y - (y * y * y - a) / (3.0 * y * y)
    y_bar, a_bar = 1.0, 0.0
    for before in reversed(kept):
        share = y_bar / (3.0 * before * before)
        a_bar += share
        y_bar = 2.0 * (y_bar / 3.0 - share * a / before)
    return y, (a_bar + y_bar,)


def moving_average(values, decay):
    """Exponential smoothing into a list; how rough the smooth line is."""
    smooth = [values[0]]
    for v in values[1:]:
        smooth.append(decay * smooth[-1] + (1.0 - decay) * v)
    rough = 0.0
    for i in range(1, len(smooth)):
        rough += (smooth[i] - smooth[i - 1]) ** 2
    return rough


def moving_average_by_hand(values, decay):
    last = values[0]
    smooth = [last]
    for v in values[1:]:
        last = decay * last + (1.0 - decay) * v
        smooth.append(last)
    rough, steps = 0.0, []
    for i in range(1, len(smooth)):
        step = smooth[i] - smooth[i - 1]
        rough += step**2
        steps.append(step)
    bars = [0.0] * len(values)
    carried, decay_bar = 0.0, 0.0
    for i in range(len(steps), 0, -1):
        own = carried + 2.0 * steps[i - 1]
        decay_bar += own * (smooth[i - 1] - values[i])
        bars[i] = own * (1.0 - decay)
        carried = own * decay - 2.0 * steps[i - 1]
    bars[0] = carried
    return rough, (bars, decay_bar)


def wave(n, phase):
    return [math.sin(0.7 * i + phase) + 0.1 * i for i in range(n)]


SCALAR = [
    Workload("kepler", "scalar", kepler, kepler_by_hand,
             lambda: (1.0, 0.1, -0.05, 0.95, 1.1, 0.02, 300), (0, 1, 2, 3, 4)),
    Workload("horner", "scalar", horner, horner_by_hand, lambda: (wave(60, 0.3), 0.97), (0, 1)),
    Workload("kalman", "scalar", kalman, kalman_by_hand,
             lambda: (0.3, 0.8, wave(200, 0.0)), (0, 1)),
    Workload("ode_fit", "scalar", ode_fit, ode_fit_by_hand,
             lambda: (1.1, 0.4, 0.2, 0.5, wave(150, 1.0), 0.02), (0, 1, 2, 3)),
    Workload("bisected", "scalar", bisected, bisected_by_hand, lambda: (0.1, 2.0, 6), (0, 1)),
    Workload("cube_root", "scalar", cube_root, cube_root_by_hand, lambda: (7.3,), (0,)),
    Workload("moving_average", "scalar", moving_average, moving_average_by_hand,
             lambda: (wave(100, 0.5), 0.8), (0, 1)),
]  # fmt: skip
