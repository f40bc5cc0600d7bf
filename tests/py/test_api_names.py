"""MindSpore's names: those that programs use are there, others say why they are not, and paths can be imported."""
import importlib
import pathlib
import subprocess
import sys

import pytest

import msjit as ms
from msjit import Tensor, absent, nn, ops

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))

import api_names  # noqa: E402

# What MindSpore's tests and tutorials use, the most used first (two tiers of three): namespace, names.
USED = {
    "": """Tensor jit Parameter grad value_and_grad save_checkpoint load_checkpoint load_param_into_net STRICT export load set_context
        PYNATIVE_MODE GRAPH_MODE float32 int32 float16 tensor ParameterTuple mutable jit_class int64 bool_ float64 dtype_to_nptype
        int16 int8 Model""",
    "Tensor": """asnumpy shape astype dtype from_numpy transpose argmax size ndim itemsize nbytes strides value register_hook
        requires_grad sum clamp reshape add_ max set_data swapaxes expand_dims data resize min contiguous permute""",
    "nn": """Cell ReLU Dense SequentialCell Flatten SGD Softmax CrossEntropyLoss GraphCell BCEWithLogitsLoss Conv2d BatchNorm2d MaxPool2d
        CellDict CellList Momentum SoftmaxCrossEntropyWithLogits Conv2dTranspose Adam Dropout LeakyReLU Tanh AvgPool2d GELU Sigmoid
        Identity GroupNorm cosine_decay_lr BatchNorm1d MSELoss Pad""",
    "nn.Cell": """construct trainable_params set_inputs set_train to_float parameters_and_names set_grad register_backward_hook
        get_parameters apply register_forward_pre_hook register_forward_hook update_parameters_name""",
    "ops": """grad ones_like ones matmul zeros_like concat zeros stop_gradient binary_cross_entropy_with_logits stack GradOperation Add
        ReLU Mul randn add rand fill get_grad transpose jvp value_and_grad sub mul shape abs cat reshape sin relu sum sqrt all exp
        arange div standard_normal bmm pow sigmoid square cos softmax rrelu MatMul AddN AssignAdd Log Exp ReduceSum ReduceMax Sub
        TensorAdd Cast Print Cos Abs Assign Pow Sin FloorDiv Shape Div Equal ExpandDims Depend HyperMap Floor InplaceAdd InplaceSub
        MaxPool Median Round Slice Square""",
    "common.initializer": "Normal One initializer Uniform",
    "numpy": "float32 ones randn arange array full",
    "mint": "select",
    "train": "Model LossMonitor Metric",
    "amp": "DynamicLossScaler auto_mixed_precision FixedLossScaleManager all_finite build_train_network",
    "dataset": "MnistDataset GeneratorDataset NumpySlicesDataset ImageFolderDataset MindDataset",
    "dataset.vision": "Rescale Normalize HWC2CHW Resize RandomHorizontalFlip CenterCrop Decode",
    "dataset.transforms": "TypeCast",
    "mindrecord": "FileWriter",
}


@pytest.mark.parametrize("space", USED)
def test_names_in_use_are_offered(space):
    holder = {"Tensor": Tensor, "nn.Cell": nn.Cell}.get(space)
    holder = holder or importlib.import_module("msjit." + space if space else "msjit")
    for name in USED[space].split():
        value = getattr(holder, name)
        assert not isinstance(value, absent.Absent), name


class Rotary(nn.Cell):
    def __init__(self, fused):
        super().__init__()
        self.fused = fused
        self.kernel = ops.ApplyRotaryPosEmb(2).shard(((1, 1),)).add_prim_attr("cos_format", 2)
        self.other = ops.operations.DynamicRNN(forget_bias=0.5)

    def construct(self, x):
        if self.fused:
            return self.kernel(x, x)
        return x * 2


@pytest.mark.parametrize("wrap", [lambda f: f, lambda f: ms.jit(f, mode="PIJit"), ms.jit])
def test_primitives_of_other_devices_can_be_made(wrap):
    x = Tensor([1.0])
    assert wrap(lambda a: Rotary(False)(a))(x).asnumpy().tolist() == [2.0]
    plain, fused = Rotary(False), Rotary(True)
    assert wrap(lambda a: plain(a))(x).asnumpy().tolist() == [2.0]
    with pytest.raises(NotImplementedError, match=r"^\[ApplyRotaryPosEmb\] msjit.ops.ApplyRotaryPosEmb is not offered: it is a kernel"):
        wrap(lambda a: fused(a))(x)
    assert isinstance(plain.kernel, ops.Primitive) and plain.kernel.cos_format == 2 and plain.other.forget_bias == 0.5


def test_every_name_is_offered_or_has_a_reason():
    text, unexplained = api_names.page()
    assert not unexplained
    if sys.version_info < (3, 8):
        return  # whose standard library has fewer names
    assert api_names.PAGE.read_text() == text, "run tests/tools/api_names.py"


def test_refused_names_raise_when_called():
    for make in (lambda: ops.NeighborExchange(), lambda: ops.communication.TCPStore(), lambda: ms.ops.operations.GroupTopk()(1),
                 lambda: ms.DeviceCtx("meta"), lambda: Tensor([1.0]).offload(), lambda: ops.auto_generate.FlashAttentionScoreGrad()):
        with pytest.raises(NotImplementedError, match="is not offered: "):
            make()

    class Derived(ops.CustomOpBuilder):
        pass

    with pytest.raises(NotImplementedError, match="CustomOpBuilder is not offered"):
        Derived()
    assert not isinstance(Tensor([1.0]), ms.DeviceCtx)
    with pytest.raises(AttributeError):
        ops.no_such_name
    with pytest.raises(ImportError):
        from msjit.ops import no_such_name  # noqa: F401


def test_generated_names():
    from msjit.ops import auto_generate
    from msjit.ops.auto_generate import abs_op, gen_ops_prim, pyboost_exp, sum_ext  # noqa: F401
    x = Tensor([-1.0, 2.0])
    assert abs_op(x).tolist() == [1, 2] and sum_ext(x).item() == 1
    assert auto_generate.SumExt()(x).item() == 1 and auto_generate.contiguous(x).tolist() == [-1, 2]
    assert auto_generate.TupleToTensor()((1, 2), ms.float32).tolist() == [1, 2]
    assert auto_generate.inplace_exp(Tensor([0.0])).tolist() == [1]
    assert auto_generate.pyboost_exp(ops.Exp(), [Tensor([0.0])]).tolist() == [1]
    with pytest.raises(RuntimeError, match="expected 2: a primitive and a list"):
        auto_generate.pyboost_exp(x)
    with pytest.raises(NotImplementedError, match="kernel of a gradient"):
        auto_generate.dropout_grad_ext_op(x, x, 0.5)


PATHS = """ops.function.math_func ops.function.nn_func ops.operations.math_ops ops.operations._inner_ops ops.operations.nn_ops
    ops.composite.base ops.auto_generate.gen_ops_def ops.auto_generate.gen_ops_prim ops._primitive_cache ops._utils.utils
    ops.primitive ops.extend.math_func common.api common.generator common.mutable common.lazy_inline _c_expression hal.memory
    runtime.stream device_context.cpu.op_tuning multiprocessing parallel.shard version _checkparam mint.distributed numpy.math_ops
    graph.api""".split()


@pytest.mark.costly
@pytest.mark.parametrize("path", PATHS)
def test_paths(path):
    names = {"common.lazy_inline": "lazy_inline", "ops.operations._inner_ops": "Add", "graph.api": "jit", "ops.function.nn_func": "relu"}
    code = "import msjit.alias; msjit.alias.install('mindspore'); import mindspore.%s; from mindspore.%s import %s" % (
        path, path, names.get(path, "__name__"))
    run = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert run.returncode == 0, run.stdout.decode()


def test_paths_have_only_what_there_is():
    for path in ("ops.function", "ops.operations", "ops.composite", "numpy", "hal", "parallel"):
        with pytest.raises(ImportError):
            importlib.import_module("msjit.%s.no_such_module" % path)
        with pytest.raises(ImportError):
            exec("from msjit.%s import no_such_name" % path)
    from msjit.ops.operations import _inner_ops
    assert _inner_ops.Add is ops.Add
    for name, words in (("NoSuchKernel", "graph compiler"), ("NoSuchGrad", "kernel of a gradient")):
        with pytest.raises(NotImplementedError, match=words):
            getattr(_inner_ops, name)()


def test_cached_primitives():
    from msjit.ops._primitive_cache import _get_cache_prim
    assert _get_cache_prim(ops.ReduceSum)(True) is _get_cache_prim(ops.ReduceSum)(True)
    assert _get_cache_prim(ops.ReduceSum)(False) is not _get_cache_prim(ops.ReduceSum)(True)
    with pytest.raises(TypeError):
        _get_cache_prim(int)


def test_checks_of_arguments():
    from msjit import _checkparam as check
    assert check.check_positive_int(3, "n") == 3 and check.check_value_type("x", 1.5, [int, float]) == 1.5
    assert check.check_int_range(2, 0, 2, check.INC_BOTH) == 2 and check.twice(3) == (3, 3)
    for call, kind in ((lambda: check.check_positive_int(0, "n", "Op"), ValueError), (lambda: check.check_bool(1), TypeError),
                       (lambda: check.check_is_int(True), TypeError), (lambda: check.check_string("x", ["a"]), ValueError),
                       (lambda: check.check_value_type("x", True, [int]), TypeError),
                       (lambda: check.check_float_range(2.0, 0.0, 2.0, check.INC_LEFT), ValueError),
                       (lambda: check.check("a", 1, "b", 2, check.GT), ValueError)):
        with pytest.raises(kind):
            call()

    @check.args_type_check(a=int)
    def function(a, b=None):
        return a

    assert function(2) == 2
    with pytest.raises(TypeError):
        function("2")


def test_generators():
    state = ms.get_rng_state()
    first = ops.rand(4).tolist()
    ms.set_rng_state(state)
    assert ops.rand(4).tolist() == first and state.shape == (16,)
    ms.manual_seed(5)
    assert ms.initial_seed() == 5
    own = ms.Generator().manual_seed(7)
    assert own.initial_seed() == 7 and ms.initial_seed() == 5
    assert own.set_state(state) is None and own.get_state().tolist() == state.tolist()
    for wrong in (3, Tensor([1])):
        with pytest.raises((TypeError, ValueError)):
            ms.set_rng_state(wrong)


def test_generator_as_layers_that_draw_by_themselves_use_it():
    generator = ms.Generator()
    assert generator.initial_seed() == 0 and generator.get_state().asnumpy().tolist() == [0] * 16
    generator.manual_seed(7)
    one = Tensor(3, ms.int64)
    assert [int(value) for value in generator._step(one) + generator._step(one)] == [7, 0, 7, 3]
    with pytest.raises(TypeError, match="got int, expected a Tensor"):
        generator._step(3)


def test_draws_from_a_generator():
    from msjit import mint
    for draw in (lambda g: mint.rand(3, generator=g), lambda g: mint.randn(2, 2, generator=g), lambda g: mint.randperm(9, generator=g),
                 lambda g: mint.normal(0.0, 1.0, (4,), generator=g), lambda g: mint.randint(0, 99, (5,), generator=g),
                 lambda g: mint.bernoulli(Tensor([0.5] * 9), generator=g), lambda g: mint.multinomial(Tensor([1.0, 2.0]), 1, generator=g),
                 lambda g: Tensor([0.0] * 5).normal_(generator=g), lambda g: Tensor([0.0] * 5).uniform_(generator=g)):
        before = ms.get_rng_state().tolist()
        generator = ms.Generator().manual_seed(4)
        first, second = draw(generator).tolist(), draw(generator).tolist()
        assert draw(ms.Generator().manual_seed(4)).tolist() == first and ms.get_rng_state().tolist() == before
        assert len(str(first)) < 12 or first != second
        draw(ms.default_generator)
        assert ms.get_rng_state().tolist() != before
        with pytest.raises(TypeError):
            draw(3)


def test_devices():
    assert ms.hal.is_available("CPU") and not ms.hal.is_available("GPU") and ms.hal.device_count() == 1
    assert ms.runtime.synchronize() is None
    ms.hal.reset_peak_memory_stats()
    before, most = ms.hal.memory_allocated(), ms.hal.max_memory_allocated()
    x = ms.ops.zeros((1000, 1000))
    assert ms.hal.memory_allocated() == before + 4000000 and ms.hal.max_memory_allocated() == most + 4000000
    del x
    assert ms.hal.memory_allocated() == before and ms.runtime.memory_stats()["max_allocated_memory"] == most + 4000000
    for call in (lambda: ms.hal.is_available("x"), lambda: ms.hal.device_count("Ascend"),
                 lambda: ms.device_context.cpu.op_tuning.threads_num(0)):
        with pytest.raises(ValueError):
            call()
    from msjit.multiprocessing import cpu_count
    assert cpu_count() >= 1


@pytest.mark.jit
@pytest.mark.captures
def test_code_extra():
    from msjit import _c_expression as core

    @ms.jit(capture_mode="bytecode")
    def function(x):
        return x * 2

    function(Tensor([1.0]))
    function(Tensor([1.0]))
    found = core.get_code_extra(function.__wrapped__)
    assert found["stat"] == "GRAPH_CALLABLE" and found["break_count_"] == 0 and found["code"]["call_count_"] > 0 and found["code"]["phase_"]
    assert core.get_code_extra(lambda: 0) is None


def test_registered_attributes():
    class Scaled(ops.PrimitiveWithInfer):
        @ops.prim_attr_register
        def __init__(self, factor, shift=1.0):
            self.init_prim_io_names(inputs=["x"], outputs=["y"])

        def __call__(self, x):
            return x * self.factor + self.shift

    assert Scaled(3.0)(Tensor([2.0])).tolist() == [7] and Scaled(2.0, shift=0.0).shift == 0 and Scaled(1.0).name == "Scaled"
    with pytest.raises(NotImplementedError):
        ops.PrimitiveWithInfer("Name")(Tensor([1.0]))
