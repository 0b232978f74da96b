"""Functions of this module are called by those of others: its names are not theirs."""

import math
import operator

import numpy as np
import scipy.special as sp
from numpy import hypot, tanh
from scipy.special import expit
from scipy.special import log1p as log_of_one_more


def logistic(v):
    return np.sum(sp.expit(v) * v)


def by_name(v):
    return np.sum(expit(v) + log_of_one_more(v) * v)


def with_functions_of_numpy(v):
    return np.sum(tanh(v) * hypot(v, 2.0))


def with_functions_of_python(v):
    return operator.mul(math.exp(v[0]), v[1]) * math.hypot(v[0], 2.0)


def through_an_own_function(v):
    return logistic(v * v) + by_name(v)
