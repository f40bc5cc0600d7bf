"""What MindSpore's pages on graph mode teach: jit on classes, mutable containers, Map and MultitypeFuncGraph, lazy_inline."""
import subprocess
import sys

import pytest

import msjit as ms
from jit_programs import assert_one_region
from msjit import Tensor, nn, ops


def scalar():
    return Tensor(3.0)


@pytest.mark.parametrize("options", [{}, {"capture_mode": "bytecode"}, {"fullgraph": True}])
def test_jit_of_a_class_of_cells(options):
    class Base(nn.Cell):
        def __init__(self, by=2):
            super().__init__()
            self.by = by

        def construct(self, x):
            return x * self.by

    @ms.jit(**options)
    class Net(Base):
        def construct(self, x):
            return super().construct(x) + 1

    Inherits = ms.jit(type("Inherits", (Base,), {}), **options)
    for _ in range(3):
        assert float(Net()(scalar())) == 7.0 and float(Net(5)(scalar())) == 16.0 and float(Inherits()(scalar())) == 6.0
    assert issubclass(Net, Base) and float(ms.grad(Net())(scalar())) == 2.0
    assert "construct" in vars(Inherits) and type(Base.construct) is type(scalar)  # the base stays as it was


@pytest.mark.parametrize("mode", [None, "PIJit", "PSJit"])
def test_gradients_by_a_mutable_dict(mode):
    def scaled(table):
        return table["a"] * table["b"][0] * table["n"]

    def slopes(table):
        return ms.grad(scaled)(table), ops.GradOperation(get_all=True)(scaled)(table), ms.grad(scaled)(dict(table))

    slopes = slopes if mode is None else ms.jit(slopes, mode=mode)
    for _ in range(2):
        by_table, by_all, plain = slopes(ms.mutable({"a": Tensor(2.0), "b": (Tensor(5.0), 1.5), "n": 3}))
        assert type(by_table) is dict and list(by_table) == ["a", "b", "n"] and by_table["n"] == 0 and by_table["b"][1] == 0.0
        assert float(by_table["a"]) == 15.0 and float(by_table["b"][0]) == 6.0 and float(by_all[0]["a"]) == 15.0 and plain == ()


def test_a_mutable_dict_is_a_copy():
    table = {"a": 1}
    changed = ms.mutable(table)
    changed["a"] = 2
    assert isinstance(changed, dict) and table == {"a": 1} and repr(changed) == "{'a': 2}"


@pytest.mark.jit
@pytest.mark.captures
def test_maps_over_tuples_are_captured():
    square, scale = ops.Map(ops.square), ops.Map()
    assert_one_region(lambda x: (square((x, x + 1)), scale(ops.mul, [x, x], (x, 2))), scalar)


@pytest.mark.parametrize("options", [{}, {"fullgraph": True}, {"mode": "PIJit"}])
def test_jit_of_primitives(options):
    x = Tensor([[4.0, 1.0], [0.0, 9.0]])
    for primitive in (ops.Sqrt(), ops.Softmax(), ops.ReduceAll(), ops.Squeeze(), ops.Trace(), ops.Triu(), ops.Argmax(), ops.GeLU()):
        value = x > 0.5 if isinstance(primitive, ops.ReduceAll) else x
        compiled, expected = ms.jit(primitive, **options), primitive(value)
        for _ in range(2):
            assert (compiled(value) == expected).all() and compiled(value).dtype == expected.dtype


@pytest.mark.parametrize("wrap", [lambda net: ms.jit(net, fullgraph=True), lambda net: ms.jit(nn.SequentialCell(net), fullgraph=True)])
def test_loaded_graphs_in_functions_of_level_strict(wrap, tmp_path):
    ms.export(nn.Tanh(), Tensor([0.0, 1.0]), file_name=str(tmp_path / "net"))
    net = wrap(nn.GraphCell(ms.load(str(tmp_path / "net.mindir"))))
    for _ in range(2):
        assert net(Tensor([0.0, 0.0])).tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match=r"\[graph_cell\] input .*, got Int32 \(2,\), expected float32 \(2,\)"):
        net(Tensor([0, 1], ms.int32))


def test_types_that_a_definition_may_name():
    graph = ops.MultitypeFuncGraph("graph")
    for known in ("Tensor", "Number", "Tensor[Float32]", "Tuple[Int32]", "MapTensor", "Function", ms.float32, float):
        graph.register(known)(abs)
    for wrong, error, text in (("Foo", RuntimeError, "type, got 'Foo'"), ("number", RuntimeError, "type, got 'number'"), (3, TypeError, "type, got int")):
        with pytest.raises(error, match=text):
            graph.register("Tensor", wrong)(abs)
    assert len(graph.entries) == 8


def test_lazy_inline_records_the_arguments():
    class Block(nn.Cell):
        @ms.lazy_inline(policy="front")
        def __init__(self, size, by=1):
            super().__init__()
            self.by, self.size = by, size

    class Named(nn.Cell):
        @ms.lazy_inline(attrs=["by"])
        def __init__(self, by):
            super().__init__()
            self.by = by

    assert Block(2, by=3).cell_init_args == "lazy_inline_Blockdict_values([2, 3])" and Block.__init__.__name__ == "__init__"
    assert Block(2).cell_init_args == "lazy_inline_Blockdict_values([2])" and Named(4).cell_init_args == "lazy_inline_Named[4]"


def test_options_of_recompute_are_bools():
    net = nn.Dense(1, 1)
    net.recompute(mp_comm_recompute=False, recompute_slice_activation=True)
    for wrong in ({"mp_comm_recompute": 1}, {"parallel_optimizer_comm_recompute": "a"}, {"recompute_slice_activation": None}):
        with pytest.raises(TypeError, match=r"\[recompute\] option, got"):
            net.recompute(**wrong)


def test_the_context_has_the_level_of_its_jit_config():
    before, level = ms.get_context("jit_config"), ms.get_context("jit_level")
    try:
        ms.set_context(jit_config={"jit_level": "O1"})
        assert ms.get_context("jit_level") == "O1" and ms.get_context("enable_compile_cache") is None
    finally:
        ms.set_context(jit_config=before, jit_level=level)


def test_submodules_are_attributes_without_an_import():
    paths = """common.api.jit nn.optim.sgd.SGD nn.wrap.cell_wrapper.WithLossCell dataset.engine.datasets.Dataset ops.composite.base.HyperMap
        numpy.math_ops.add experimental.optim.adamw.AdamW parallel.algo_parameter_config mindrecord.filewriter.FileWriter nn.loss.loss.LossBase"""
    program = "import msjit as ms\nprint(all([eval('ms.' + path) for path in %r.split()]), hasattr(ms.common, 'nothing'), hasattr(ms.nn.optim, 'nothing'))" % paths
    assert subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, universal_newlines=True, timeout=100).stdout == "True False False\n"
