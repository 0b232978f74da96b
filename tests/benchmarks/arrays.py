"""Programs on NumPy arrays: models and their fits, chains, stencils, a dict of parameters."""

import math

import numpy as np

from .workload import Workload


def logistic_regression(w, b, X, y):
    """Mean cross entropy; the logarithm is taken where it cannot overflow."""
    z = X @ w + b
    return np.mean(np.log1p(np.exp(-np.abs(z))) + np.maximum(z, 0.0) - y * z)


def logistic_regression_by_hand(w, b, X, y):
    z = X @ w + b
    small = np.exp(-np.abs(z))
    value = np.mean(np.log1p(small) + np.maximum(z, 0.0) - y * z)
    z_bar = np.where(z > 0.0, 1.0, small) / (1.0 + small)
    z_bar -= y
    z_bar /= len(y)
    return value, (z_bar @ X, z_bar.sum())


def softmax_regression(W, X, Y, strength):
    """Cross entropy of many classes, Y by one-hot rows, with a penalty."""
    z = X @ W
    z = z - z.max(axis=1, keepdims=True)
    e = np.exp(z)
    fit = np.mean(np.log(e.sum(axis=1)) - np.sum(z * Y, axis=1))
    return fit + strength * np.sum(W**2)


def softmax_regression_by_hand(W, X, Y, strength):
    z = X @ W
    z -= z.max(axis=1, keepdims=True)
    e = np.exp(z)
    totals = e.sum(axis=1)
    square = np.sum(W**2)
    value = np.mean(np.log(totals) - np.sum(z * Y, axis=1)) + strength * square
    e /= totals[:, None]
    e -= Y
    W_bar = X.T @ e
    W_bar /= len(X)
    W_bar += 2.0 * strength * W
    return value, (W_bar, square)


def classifier(params, X, y):
    """Two layers and a squared loss; the parameters in a dict."""
    hidden = np.tanh(X @ params["W1"] + params["b1"])
    out = 1.0 / (1.0 + np.exp(-(hidden @ params["W2"] + params["b2"])))
    return np.mean((out - y) ** 2)


def classifier_by_hand(params, X, y):
    W2 = params["W2"]
    hidden = np.tanh(X @ params["W1"] + params["b1"])
    out = 1.0 / (1.0 + np.exp(-(hidden @ W2 + params["b2"])))
    miss = out - y
    value = np.mean(miss**2)
    z_bar = miss * (1.0 - out)
    z_bar *= out
    z_bar *= 2.0 / len(y)
    h_bar = z_bar[:, None] * W2
    h_bar *= 1.0 - hidden**2
    bars = {"W1": X.T @ h_bar, "b1": h_bar.sum(axis=0), "W2": z_bar @ hidden, "b2": z_bar.sum()}
    return value, (bars,)


def hidden_chain(A, B, start, observed):
    """Log likelihood of what was observed of a hidden Markov chain, scaled at each step."""
    alpha = start * B[:, observed[0]]
    total = 0.0
    for t in range(1, len(observed)):
        scale = alpha.sum()
        total = total + math.log(scale)
        alpha = ((alpha / scale) @ A) * B[:, observed[t]]
    return total + math.log(alpha.sum())


def hidden_chain_by_hand(A, B, start, observed):
    alpha = start * B[:, observed[0]]
    total, kept = 0.0, []
    for t in range(1, len(observed)):
        scale = alpha.sum()
        total = total + math.log(scale)
        before = alpha / scale
        ahead = before @ A
        seen = B[:, observed[t]]
        kept.append((scale, before, ahead, seen, t))
        alpha = ahead * seen
    last = alpha.sum()
    alpha_bar = 1.0 / last
    A_bar, B_bar = np.zeros_like(A), np.zeros_like(B)
    for scale, before, ahead, seen, t in reversed(kept):
        B_bar[:, observed[t]] += alpha_bar * ahead
        ahead_bar = alpha_bar * seen
        A_bar += before[:, None] * ahead_bar
        before_bar = A @ ahead_bar
        alpha_bar = (before_bar + (1.0 - before_bar @ before)) / scale
    B_bar[:, observed[0]] += alpha_bar * start
    return total + math.log(last), (A_bar, B_bar, alpha_bar * B[:, observed[0]])


def option_tree(spot, strike, sigma, rate, expiry, n):
    """The price of a call by a binomial tree."""
    dt = expiry / n
    up = math.exp(sigma * math.sqrt(dt))
    growth = math.exp(rate * dt)
    p = (growth * up - 1.0) / (up * up - 1.0)
    values = np.maximum(spot * up ** np.arange(-n, n + 1.0, 2.0) - strike, 0.0)
    for _ in range(n):
        values = (p * values[1:] + (1.0 - p) * values[:-1]) / growth
    return values[0]


def option_tree_by_hand(spot, strike, sigma, rate, expiry, n):
    dt = expiry / n
    up = math.exp(sigma * math.sqrt(dt))
    growth = math.exp(rate * dt)
    p = (growth * up - 1.0) / (up * up - 1.0)
    exponents = np.arange(-n, n + 1.0, 2.0)
    powers = up**exponents
    values = np.maximum(spot * powers - strike, 0.0)
    kept = [values]
    for _ in range(n):
        values = (p * values[1:] + (1.0 - p) * values[:-1]) / growth
        kept.append(values)
    bar, p_bar, growth_bar = np.ones(1), 0.0, 0.0
    for k in range(n - 1, -1, -1):
        bar = bar / growth
        before = kept[k]
        growth_bar -= bar @ kept[k + 1]
        p_bar += bar @ before[1:] - bar @ before[:-1]
        wider = np.empty(n - k + 1)
        wider[1:] = p * bar
        wider[0] = 0.0
        wider[:-1] += (1.0 - p) * bar
        bar = wider
    bar = bar * (kept[0] > 0.0)
    spot_bar = bar @ powers
    up_bar = spot * ((bar * powers) @ exponents) / up
    below = up * up - 1.0
    growth_bar += p_bar * up / below
    up_bar += p_bar * (growth - 2.0 * up * p) / below
    gradients = (spot_bar, -bar.sum(), up_bar * up * math.sqrt(dt), growth_bar * growth * dt)
    return values[0], gradients


def relaxed_spins(field, coupling, steps):
    """Mean-field spins on a grid with a fixed rim, relaxed in place; the energy of their bonds."""
    spins = np.tanh(field)
    for _ in range(steps):
        around = spins[2:, 1:-1] + spins[:-2, 1:-1] + spins[1:-1, 2:] + spins[1:-1, :-2]
        spins[1:-1, 1:-1] = np.tanh(field[1:-1, 1:-1] + coupling * around)
    return -np.sum(spins[1:] * spins[:-1]) - np.sum(spins[:, 1:] * spins[:, :-1])


def relaxed_spins_by_hand(field, coupling, steps):
    rim = np.tanh(field)
    spins, kept = rim.copy(), []
    for _ in range(steps):
        around = spins[2:, 1:-1] + spins[:-2, 1:-1]
        around += spins[1:-1, 2:]
        around += spins[1:-1, :-2]
        inner = np.tanh(field[1:-1, 1:-1] + coupling * around)
        kept.append((around, inner))
        spins[1:-1, 1:-1] = inner
    value = -np.sum(spins[1:] * spins[:-1]) - np.sum(spins[:, 1:] * spins[:, :-1])
    bar = np.zeros_like(field)
    bar[1:] -= spins[:-1]
    bar[:-1] -= spins[1:]
    bar[:, 1:] -= spins[:, :-1]
    bar[:, :-1] -= spins[:, 1:]
    field_bar, coupling_bar = np.zeros_like(field), 0.0
    inner_bar, inside = bar[1:-1, 1:-1], field_bar[1:-1, 1:-1]
    for around, inner in reversed(kept):
        g = inner_bar * (1.0 - inner * inner)
        inner_bar[...] = 0.0
        inside += g
        coupling_bar += np.vdot(g, around)
        g *= coupling
        bar[2:, 1:-1] += g
        bar[:-2, 1:-1] += g
        bar[1:-1, 2:] += g
        bar[1:-1, :-2] += g
    field_bar += bar * (1.0 - rim * rim)
    return value, (field_bar, coupling_bar)


def factorised(U, V, R, strength):
    """The misfit of a matrix of low rank, with a penalty."""
    E = R - U @ V.T
    return np.sum(E * E) + strength * (np.sum(U * U) + np.sum(V * V))


def factorised_by_hand(U, V, R, strength):
    E = R - U @ V.T
    value = np.vdot(E, E) + strength * (np.vdot(U, U) + np.vdot(V, V))
    U_bar = E @ V
    U_bar *= -2.0
    U_bar += (2.0 * strength) * U
    V_bar = E.T @ U
    V_bar *= -2.0
    V_bar += (2.0 * strength) * V
    return value, (U_bar, V_bar)


def ridge(X, y, strength):
    """The misfit that is left after a ridge regression."""
    theta = np.linalg.solve(X.T @ X + strength * np.eye(X.shape[1]), X.T @ y)
    e = X @ theta - y
    return e @ e


def ridge_by_hand(X, y, strength):
    A = X.T @ X + strength * np.eye(X.shape[1])
    theta = np.linalg.solve(A, X.T @ y)
    e = X @ theta - y
    w = np.linalg.solve(A.T, 2.0 * (e @ X))
    A_bar = np.outer(w, -theta)
    X_bar = np.outer(2.0 * e, theta)
    X_bar += X @ (A_bar + A_bar.T)
    X_bar += np.outer(y, w)
    return e @ e, (X_bar, X @ w - 2.0 * e, np.trace(A_bar))


def robust_line(scale, shift, x, y):
    """Huber's loss of a line whose slope varies from point to point."""
    e = scale * x + shift - y
    size = np.abs(e)
    return np.sum(np.where(size < 1.0, 0.5 * e**2, size - 0.5))


def robust_line_by_hand(scale, shift, x, y):
    e = scale * x
    e += shift
    e -= y
    size = np.abs(e)
    value = np.sum(np.where(size < 1.0, 0.5 * e**2, size - 0.5))
    e_bar = np.clip(e, -1.0, 1.0, out=e)
    return value, (e_bar * x, e_bar.sum())


def drawn(*shapes):
    """Arrays of normal numbers, always the same."""
    rng = np.random.default_rng(7)
    return [rng.normal(size=shape) for shape in shapes]


def labelled(n, d):
    X, w, noise = drawn((n, d), d, n)
    return w * 0.5, 0.1, X, (X @ w + noise > 0.0) * 1.0


def one_hot(n, d, classes):
    W, X, Z = drawn((d, classes), (n, d), (n, classes))
    return 0.3 * W, X, (Z == Z.max(axis=1, keepdims=True)) * 1.0, 0.01


def network(n, d, hidden):
    W1, b1, W2, X, z = drawn((d, hidden), hidden, hidden, (n, d), n)
    return {"W1": 0.4 * W1, "b1": b1, "W2": W2, "b2": 0.2}, X, (z > 0.0) * 1.0


def chain(states, symbols, n):
    A, B, start = (
        np.abs(part) + 0.1 for part in drawn((states, states), (states, symbols), states)
    )
    observed = [(7 * t + t * t) % symbols for t in range(n)]
    return A / A.sum(1, keepdims=True), B / B.sum(1, keepdims=True), start / start.sum(), observed


def low_rank(n, m, rank):
    return [*drawn((n, rank), (m, rank), (n, m)), 0.1]


def line(n):
    scale, x, y = drawn(n, n, n)
    return scale, 0.2, x, y


BOTH, FIRST = (0, 1), (0,)
ARRAYS = [
    Workload("logistic", "small", logistic_regression, logistic_regression_by_hand,
             lambda: labelled(60, 5), BOTH),
    Workload("softmax", "small", softmax_regression, softmax_regression_by_hand,
             lambda: one_hot(40, 6, 4), (0, 3)),
    Workload("classifier", "small", classifier, classifier_by_hand,
             lambda: network(50, 6, 10), FIRST),
    Workload("hidden_chain", "small", hidden_chain, hidden_chain_by_hand,
             lambda: chain(4, 5, 60), (0, 1, 2)),
    Workload("option_tree", "small", option_tree, option_tree_by_hand,
             lambda: (100.0, 98.0, 0.3, 0.05, 1.0, 60), (0, 1, 2, 3)),
    Workload("relaxed_spins", "small", relaxed_spins, relaxed_spins_by_hand,
             lambda: (*drawn((16, 16)), 0.2, 20), BOTH),
    Workload("factorised", "small", factorised, factorised_by_hand,
             lambda: low_rank(20, 15, 4), BOTH),
    Workload("ridge", "small", ridge, ridge_by_hand,
             lambda: (*drawn((60, 6), 60), 0.5), (0, 1, 2)),
    Workload("logistic_large", "large", logistic_regression, logistic_regression_by_hand,
             lambda: labelled(20000, 60), BOTH),
    Workload("factorised_large", "large", factorised, factorised_by_hand,
             lambda: low_rank(500, 400, 12), BOTH),
    Workload("robust_large", "large", robust_line, robust_line_by_hand,
             lambda: line(200_000), BOTH),
    Workload("spins_large", "large", relaxed_spins, relaxed_spins_by_hand,
             lambda: (*drawn((300, 300)), 0.2, 10), BOTH),
]  # fmt: skip
