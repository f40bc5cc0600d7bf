"""A graph network finds the groups of people who mostly know each other.

    python examples/graph_network.py [--quick]

Each step sees one of eight parts of the graph, with numbers of nodes and edges of its own. The sizes become symbols: two or three
captures serve all parts. Each part is planned for its sizes when it is first met, so rounds after the first run at full speed.
"""
import sys

import numpy as np
from _common import parse, parser, run

import msjit as ms
from msjit import Tensor, nn, ops

GROUPS, FEATURES, PARTS = 4, 16, 8


class GraphLayer(nn.Cell):
    """The mean of a node's neighbours, and the node itself, each through a dense layer."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.own = nn.Dense(inputs, outputs)
        self.others = nn.Dense(inputs, outputs, has_bias=False)

    def construct(self, x, source, target):
        count = x.shape[0]
        sums = ops.unsorted_segment_sum(ops.gather(x, source, 0), target, count)
        degrees = ops.unsorted_segment_sum(ops.ones_like(target).astype(ms.float32), target, count)
        return self.own(x) + self.others(sums / ops.maximum(degrees, 1.0).expand_dims(-1))


class GraphNetwork(nn.Cell):
    """Features [nodes, FEATURES] and edges (source, target) to logits [nodes, GROUPS]."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer1 = GraphLayer(FEATURES, width)
        self.layer2 = GraphLayer(width, width)
        self.head = nn.Dense(width, GROUPS)

    def construct(self, x, source, target):
        x = ops.relu(self.layer1(x, source, target))
        x = ops.relu(self.layer2(x, source, target))
        return self.head(x)


def make_graph(nodes, seed=0):
    """(features, source, target, group): edges are ten times likelier inside a group; features say little on their own."""
    rng = np.random.RandomState(seed)
    group = rng.randint(0, GROUPS, nodes).astype(np.int32)
    same = group[:, None] == group[None]
    linked = np.triu(rng.rand(nodes, nodes) < np.where(same, 20.0 / nodes, 2.0 / nodes), 1)
    source, target = np.nonzero(linked | linked.T)
    centres = rng.standard_normal((GROUPS, FEATURES))
    features = centres[group] * 0.5 + rng.standard_normal((nodes, FEATURES)) * 1.5
    return features.astype(np.float32), source.astype(np.int32), target.astype(np.int32), group


def part_of(graph, rng):
    """The graph of a random part of the nodes: between half and three quarters of them."""
    features, source, target, group = graph
    keep = rng.permutation(len(group))[:rng.randint(len(group) // 2, len(group) * 3 // 4)]
    place = np.full(len(group), -1, np.int32)
    place[keep] = np.arange(len(keep))
    inside = (place[source] >= 0) & (place[target] >= 0)
    return [Tensor(a) for a in (features[keep], place[source[inside]], place[target[inside]], group[keep])]


def main() -> int:
    options = parse(parser(__doc__, steps=200, quick=24))
    graph = make_graph(200 if options.quick else 1500)
    parts = [part_of(graph, np.random.RandomState(number)) for number in range(PARTS)]
    nets = {}

    def make(compiled, options):
        net = nets["last"] = GraphNetwork(32 if options.quick else 64)
        optimizer = nn.Adam(net.trainable_params(), learning_rate=5e-3)

        def loss_of(x, source, target, group):
            return ops.cross_entropy(net(x, source, target), group)
        value_and_grad = ms.value_and_grad(loss_of, None, optimizer.parameters)

        @compiled
        def train_step(x, source, target, group):
            loss, gradients = value_and_grad(x, source, target, group)
            optimizer(gradients)
            return loss

        return lambda number: train_step(*parts[number % PARTS])

    def finish(step, mode):
        features, source, target, group = make_graph(len(graph[3]), seed=0)
        fresh = np.random.RandomState(99).permutation(len(group))[:len(group) // 4]
        logits = nets["last"](Tensor(features), Tensor(source), Tensor(target)).asnumpy()
        return "%.1f %% of %d nodes are in their group" % (100 * (logits.argmax(1) == group)[fresh].mean(), len(fresh))

    return run("graph network on a planted partition", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
