"""networkx (shortest paths) and toolz (curried functions)."""

import math

import numpy as np
import pytest
from libraries import library

from astad.testing import check_gradient

networkx = library("networkx")
toolz = library("toolz")

EDGES = [(0, 1), (1, 3), (0, 2), (2, 3), (1, 2)]
LENGTHS = np.array([1.0, 2.0, 0.7, 1.3, 0.4])


def length_of_the_shortest_path(lengths):
    graph = networkx.Graph()
    for (start, end), length in zip(EDGES, lengths):
        graph.add_edge(start, end, weight=length)
    return networkx.dijkstra_path_length(graph, 0, 3)


def last_of_a_pipeline(xs):
    squares = toolz.curry(map, lambda x: x * x)
    large = toolz.curry(filter, lambda x: x > 0.2)
    waves = toolz.curry(toolz.accumulate, lambda total, x: total + math.sin(x))
    return toolz.pipe(xs, squares, large, waves, list, toolz.last)


OBJECTIVES = {
    "shortest path": (length_of_the_shortest_path, (LENGTHS,)),
    "pipeline": (last_of_a_pipeline, (np.array([0.3, 0.9, -0.7, 1.1]),)),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_gradient_agrees_with_differences(name):
    objective, args = OBJECTIVES[name]
    check_gradient(objective, *args, rtol=1e-5)
