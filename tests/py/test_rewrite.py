"""Networks that are changed node by node."""
import sys

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops
from msjit.rewrite import (
    Node,
    NodeType,
    PatternEngine,
    PatternNode,
    Replacement,
    ScopedValue,
    SymbolTree,
    ValueType,
    VarNode,
)

name = ScopedValue.create_naming_value


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(x) * 2


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, weight_init="ones")
        self.bn = nn.BatchNorm2d(2)
        self.relu = nn.ReLU()
        self.layers = nn.CellList([nn.Tanh(), nn.Sigmoid()])
        self.block = Block()
        self.add = ops.Add()

    def construct(self, x, y=None):
        """Not a node."""
        x = self.relu(self.bn(self.conv(x)))
        if y is not None and y.ndim:
            x = x + y
        a, b = ops.split(x, 1, axis=1)
        z = self.add(a, self.layers[1](b))
        z = self.block(z)
        return z.sum() + 1.0, [part * 2 for part in (a, b)]


X = Tensor(np.random.RandomState(0).rand(1, 1, 4, 4).astype(np.float32))


def values(result):
    return [item.asnumpy() for item in (result[0], *result[1])]


def same(first, second):
    for a, b in zip(values(first), values(second)):
        np.testing.assert_array_equal(a, b)


def described(tree):
    return [(n.get_name(), n.get_node_type().name, [str(t) for t in n.get_targets()], [str(a) for a in n.get_args()]) for n in tree.nodes()]


def test_nodes():
    tree = SymbolTree.create(Net())
    found = described(tree)
    assert found[:9] == [
        ("input_x", "Input", ["x"], []), ("input_y", "Input", ["y"], []), ("conv", "CallCell", ["conv_var"], ["x"]),
        ("bn", "CallCell", ["bn_var"], ["conv_var"]), ("relu", "CallCell", ["x"], ["bn_var"]),
        ("if_node", "ControlFlow", [], found[5][3]), ("split", "CallFunction", ["a", "b"], ["x", "1"]),
        ("layers", "CallCell", ["layers_var"], ["b"]), ("add", "CallPrimitive", ["z"], ["a", "layers_var"])]
    assert [row[1] for row in found[9:]] == ["Tree", "CallFunction", "MathOps", "CallMethod", "Output"]
    relu, split = tree.get_node("relu"), tree.get_node("split")
    assert relu.get_instance_type() is nn.ReLU and split.get_instance_type() is ops.split and split.get_kwargs() == {"axis": name_of(1)}
    assert [n.get_name() for n in relu.get_inputs()] == ["bn"] and [n.get_name() for n in relu.get_users()] == ["if_node"]
    assert [n.get_name() for n in tree.get_inputs()] == ["input_x", "input_y"] and tree.get_node("none") is None
    assert tree.get_node("layers").get_instance() is tree.get_origin_network().layers[1]
    block = tree.get_node("block").get_sub_tree()
    assert [n.get_name() for n in block.nodes()] == ["input_x", "relu", "binop_mult", "return"]
    assert len(tree.nodes(all_nodes=True)) == len(tree.nodes()) + 4


def name_of(value):
    return ScopedValue.create_variable_value(value)


@pytest.mark.parametrize("mode", [None, "PIJit", pytest.param("PSJit", marks=pytest.mark.skipif(
    sys.version_info < (3, 9), reason="the new network has no source"))])
def test_an_unchanged_tree_gives_the_same_network(mode):
    net = Net()
    made = SymbolTree.create(net).get_network()
    assert isinstance(made, Net) and type(made).__name__ == "NetOpt" and made.conv.weight is net.conv.weight
    assert [p.name for p in made.trainable_params()] == [p.name for p in net.trainable_params()]
    run = made if mode is None else ms.jit(made.construct, mode=mode)
    for _ in range(3):
        same(run(X), net(X))
        same(run(X, ops.ones((1, 2, 4, 4))), net(X, ops.ones((1, 2, 4, 4))))


def test_changes():
    net = Net()
    tree = SymbolTree.create(net)
    tanh = Node.create_call_cell(nn.Tanh(), [tree.unique_name("x")], [name("conv_var")], name="act")
    assert tree.insert(tree.after(tree.get_node("conv")), tanh) is tanh and str(tanh.get_targets()[0]) == "x_1"
    tree.get_node("bn").set_arg_by_node(0, tanh)
    tree.replace(tree.get_node("relu"), [Node.create_call_function(ops.abs, ["x"], [name("bn_var")]),
                                         Node.create_call_cell(nn.ReLU6(), ["x"], [name("x")])])
    tree.erase("layers")
    tree.get_node("add").set_arg(1, "b")
    sub = tree.get_node("block").get_sub_tree()
    sub.replace(sub.get_node("relu"), [Node.create_call_cell(nn.Sigmoid(), sub.get_node("relu").get_targets(), [name("x")])])
    made = tree.get_network()
    x = nn.ReLU6()(ops.abs(net.bn(ops.tanh(net.conv(X)))))
    a, b = ops.split(x, 1, axis=1)
    same(made(X), ((ops.sigmoid(a + b) * 2).sum() + 1.0, [a * 2, b * 2]))
    assert "act" in made.name_cells() and "act" not in net.name_cells() and type(net.block) is Block
    if sys.version_info >= (3, 9):
        assert "x_1 = self.act(conv_var)\n        bn_var = self.bn(x_1)\n        x = abs(bn_var)\n        x = self.ReLU6(x)" in tree.get_code()


def test_training_a_changed_network():
    net = Net()
    tree = SymbolTree.create(net)
    tree.erase(tree.get_node("if_node"))
    made = tree.get_network().set_train()
    step = ms.value_and_grad(lambda x: made(x)[0], None, made.trainable_params())
    before = net.conv.weight.asnumpy().copy()
    nn.SGD(made.trainable_params(), 0.1)(step(X)[1])
    assert (net.conv.weight.asnumpy() != before).any() or (net.bn.beta.asnumpy() != 0).any()


class Order(nn.Cell):
    """Notes what is computed, in order."""

    def __init__(self):
        super().__init__()
        self.seen = []
        self.__own = 3

    def note(self, value):
        self.seen.append(value)
        return value

    def construct(self, x):
        first = self.note(1) + (self.note(2) if x else self.note(3)) * self.note(4)
        second = x and self.note(5)
        third = max(self.note(6), *[self.note(7) for _ in range(2)], key=lambda v: -v)
        total = 0
        while total < 2:
            total += self.note(1)
        return first, second, third, 0 < self.note(8) < self.note(9), -self.note(2), self.__own, {"a": total}["a"]


@pytest.mark.parametrize("x", [0, 1])
def test_what_is_computed_and_when(x):
    net = Order()
    want = net(x)
    seen = list(net.seen)
    made = SymbolTree.create(net).get_network()
    del net.seen[:]
    assert made(x) == want and made.seen == seen


def test_refused():
    class Derived(Block):
        def construct(self, x):
            return super().construct(x)

    tree = SymbolTree.create(Net())
    other = SymbolTree.create(Net())
    new = Node.create_call_cell(nn.ReLU(), ["x"], [name("x")])
    for call, kind, text in (
            (lambda: SymbolTree.create(3), TypeError, "expected Cell"), (lambda: SymbolTree.create(Derived()), NotImplementedError, "super"),
            (lambda: tree.before("none"), RuntimeError, "of this tree"), (lambda: tree.after(other.get_node("relu")), RuntimeError, "of this tree"),
            (lambda: Node.create_call_cell(3, ["x"]), TypeError, "Cell or Primitive"), (lambda: Node.create_call_cell(nn.ReLU(), 3), TypeError, "list"),
            (lambda: Node.create_call_cell(nn.ReLU(), ["x"], [3]), TypeError, "ScopedValue"), (lambda: new.set_arg(4, "x"), ValueError, "below 1"),
            (lambda: new.set_arg_by_node(0, tree.get_node("split")), ValueError, "out_idx"),
            (lambda: tree.insert(tree.before("relu"), tree.get_node("bn")), ValueError, "a new one"),
            (lambda: tree.erase("input_x"), ValueError, "parameters"), (lambda: Node.create_call_function(3, ["x"]), TypeError, "function"),
            (lambda: ScopedValue.create_variable_value(nn.ReLU()).expression(), TypeError, "object of ReLU")):
        with pytest.raises(kind, match=text):
            call()
    tree.erase("conv")
    with pytest.raises(RuntimeError, match="bn reads conv_var"):
        tree.get_network()


def test_values():
    assert (str(name("conv", "self")), repr(name_of((1, "a")))) == ("self.conv", "(1, a)") and name("x") == name("x") != name("y")
    assert [str(v) for v in ScopedValue.create_name_values(["a", "b"], ["", "self"])] == ["a", "self.b"]
    assert name_of(None).type is ValueType.ConstantValue and name_of({"k": [1]}).type is ValueType.DictValue
    assert NodeType.CellContainer.value == 10 and len({name("x"), name("x"), name_of("x")}) == 2


class Chain(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, weight_init="ones")
        self.bn = nn.BatchNorm2d(2)
        self.relu = nn.ReLU()
        self.inner = Inner()
        self.conv2, self.bn2 = nn.Conv2d(2, 2, 3), nn.BatchNorm2d(2)

    def construct(self, x):
        x = self.relu(self.bn(self.conv(x)))
        x = self.inner(x)
        kept = self.conv2(x)
        return self.bn2(kept) + kept


class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.bn = nn.Conv2d(2, 2, 3, weight_init="ones"), nn.BatchNorm2d(2)

    def construct(self, x):
        return self.bn(self.conv(x))


class Fused(nn.Cell):
    def __init__(self, conv):
        super().__init__()
        self.conv = conv

    def construct(self, x):
        return self.conv(x) * 3


class Fuse(Replacement):
    def build(self, pattern, is_chain_pattern, matched):
        assert is_chain_pattern and pattern.type() is nn.BatchNorm2d
        conv, bn = matched.values()
        return [Node.create_call_cell(Fused(conv.get_instance()), bn.get_targets(), conv.get_args(), name="fused")]


def test_patterns():
    net = Chain()
    tree = SymbolTree.create(net)
    assert PatternEngine([nn.Conv2d, nn.BatchNorm2d], Fuse()).apply(tree)
    names = [n.get_name() for n in tree.nodes()]
    assert names == ["input_x", "fused", "relu", "inner", "conv2", "bn2", "binop_add", "return"]  # what conv2 gives is used elsewhere too
    assert [n.get_name() for n in tree.get_node("inner").get_sub_tree().nodes()] == ["input_x", "fused", "return"]
    made = tree.get_network()
    kept = net.conv2(net.inner.conv(ops.relu(net.conv(X) * 3)) * 3)
    np.testing.assert_allclose(made(X).asnumpy(), (net.bn2(kept) + kept).asnumpy(), rtol=1e-5)
    assert not PatternEngine([nn.Conv2d, nn.BatchNorm2d], Fuse()).apply(SymbolTree.create(Fused(nn.Conv2d(1, 1, 1))))
    assert not PatternEngine([nn.Conv2d, nn.BatchNorm2d]).apply(SymbolTree.create(net))


def test_patterns_of_several_inputs():
    class Two(nn.Cell):
        def __init__(self):
            super().__init__()
            self.add, self.relu, self.tanh = ops.Add(), nn.ReLU(), nn.Tanh()

        def construct(self, x, y):
            return self.add(self.relu(x), self.tanh(y))

    class Second(Replacement):
        def build(self, pattern, is_chain_pattern, matched):
            assert list(matched) == ["r", "add"] and not is_chain_pattern
            return [Node.create_call_cell(ops.Mul(), matched["add"].get_targets(), [matched["r"].get_args()[0], matched["add"].get_args()[1]])]
    tree = SymbolTree.create(Two())
    pattern = PatternNode("add", ops.Add, [PatternNode("r", nn.ReLU), VarNode()])
    assert not PatternEngine(PatternNode("add", ops.Add, [VarNode()]), Second()).apply(tree)
    assert PatternEngine(pattern, Second()).apply(tree)
    x, y = Tensor([-1.0, 2.0]), Tensor([0.5, 0.5])
    np.testing.assert_allclose(tree.get_network()(x, y).asnumpy(), (x * ops.tanh(y)).asnumpy(), rtol=1e-6)
    whole = PatternNode.create_pattern_from_node(tree.get_node("Mul"))
    assert whole.type() is ops.Mul and [part.name() for part in whole.get_inputs()] == ["input_x", "tanh"]
    for call in (lambda: PatternEngine(3), lambda: PatternEngine([3]), lambda: PatternEngine(pattern, 3), lambda: PatternNode(3),
                 lambda: pattern.add_input(3), lambda: PatternEngine(pattern).apply(3), Replacement):
        with pytest.raises(TypeError):
            call()
