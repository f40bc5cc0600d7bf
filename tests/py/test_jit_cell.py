"""jit(cell): it stands wherever the Cell can, follows the Cell's construct, and is copied and pickled like the Cell."""
import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops

pytestmark = pytest.mark.jit
X = Tensor(np.arange(6).reshape(2, 3).astype(np.float32))
MODES = [dict(mode="PIJit"), dict()]
WITH_STRICT = MODES + [pytest.param(dict(fullgraph=True), marks=pytest.mark.captures)]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones(3, np.float32)), name="w")
        self.inner = nn.Dense(3, 2, weight_init="ones", has_bias=False)

    def construct(self, x):
        return self.inner(x) + self.w.sum()


class Other(Net):
    def construct(self, x):
        return self.inner(x) * 100


def double(x):
    return x * 2


jitted = ms.jit(double, mode="PIJit")


@ms.jit
def decorated(x):
    return x * 3


def doubled_sum(value):
    return float(jitted(Tensor([value])).sum())


@pytest.mark.parametrize("options", MODES, ids=str)
def test_the_construct_of_now_runs(options):
    class Mine(Net):
        def construct(self, x):
            return x + 1

    net = Mine()
    run = ms.jit(net, **options)
    assert run(X).tolist() == (X + 1).tolist()
    Mine.construct = lambda self, x: x + 2
    assert run(X).tolist() == (X + 2).tolist()
    net.construct = lambda x: x + 3
    assert run(X).tolist() == (X + 3).tolist()
    del net.construct
    assert run(X).tolist() == (X + 2).tolist()
    net.__class__ = Other
    assert run(X).tolist() == net(X).tolist()
    run.__class__ = Net
    assert type(net) is Net and run(X).tolist() == net(X).tolist()


class Hundredfold(nn.Cell):
    def __call__(self, x):
        return super().__call__(x) * 100

    def construct(self, x):
        return x + 1


class Inherits(Hundredfold):
    def construct(self, x):
        return x + 2


class Layer(nn.Dense):
    def __call__(self, x):
        return super().__call__(x) * 2


class Static(nn.Cell):
    @staticmethod
    def __call__(x):
        return x * 7


@pytest.mark.parametrize("make", [Hundredfold, Inherits, lambda: Layer(3, 2), Static])
@pytest.mark.parametrize("options", WITH_STRICT, ids=str)
def test_a_call_of_its_own(options, make):
    """A call of jit(cell) does all that a call of the Cell does, hooks included."""
    cell = make()
    run = ms.jit(cell, **options)
    for _ in range(3):
        assert run(X).tolist() == cell(X).tolist()
    hook = cell.register_forward_hook(lambda cell, inputs, output: output + 1)
    if "fullgraph" not in options:  # a Python hook cannot be part of one graph
        assert run(X).tolist() == cell(X).tolist()
    hook.remove()
    assert run(X).tolist() == cell(X).tolist()


@pytest.mark.parametrize("options", WITH_STRICT, ids=str)
def test_a_call_of_its_own_given_later(options):
    class Late(nn.Cell):
        def construct(self, x):
            return x + 1

    cell = Late()
    run = ms.jit(cell, **options)
    assert run(X).tolist() == (X + 1).tolist()
    Late.__call__ = lambda self, x: self.construct(x) * 9
    for _ in range(3):
        assert run(X).tolist() == cell(X).tolist() == ((X + 1) * 9).tolist()
    del Late.__call__
    for _ in range(3):
        assert run(X).tolist() == (X + 1).tolist()


@pytest.mark.captures
@pytest.mark.parametrize("options", WITH_STRICT, ids=str)
def test_a_call_of_its_own_is_captured(options):
    run = ms.jit(Hundredfold(), **options)
    run(X)
    ms.reset()
    for _ in range(3):
        run(X)
    totals = ms.stats()
    assert totals["captured_calls"] == 3 and totals["breaks"] == 0 and totals["eager_ops"] == 0


@pytest.mark.parametrize("options", MODES, ids=str)
def test_it_passes_for_the_cell(options, tmp_path):
    net = Net()
    run = ms.jit(net, **options)
    assert isinstance(run, nn.Cell) and isinstance(run, Net) and run.__wrapped__ is net
    assert list(run.parameters_dict()) == list(net.parameters_dict())
    assert run.trainable_params()[0] is net.w
    assert run.set_train() is run and net.training and run.set_grad() is run
    ms.save_checkpoint(run, str(tmp_path / "net.ckpt"))
    assert sorted(ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == sorted(net.parameters_dict())
    run.note = 3
    assert net.note == 3 and run.note == 3
    del run.note
    assert not hasattr(net, "note") and not hasattr(run, "note")
    assert "jit(" in repr(run) and "w" in dir(run)


@pytest.mark.parametrize("options", MODES, ids=str)
def test_as_a_part_of_other_cells(options):
    class Outer(nn.Cell):
        def __init__(self, part):
            super().__init__()
            self.part = part
            self.parts = nn.SequentialCell(part, nn.ReLU())

        def construct(self, x):
            return self.part(x) + self.parts(x)

    part = Net()
    plain, outer = Outer(part), Outer(ms.jit(part, **options))
    for _ in range(3):
        assert outer(X).tolist() == plain(X).tolist()
    assert [p is q for p, q in zip(outer.get_parameters(), plain.get_parameters())] == [True] * 2
    outer.set_train()
    assert part.training
    whole = ms.jit(outer, mode="PIJit")
    for _ in range(3):
        assert whole(X).tolist() == plain(X).tolist()


@pytest.mark.parametrize("options", MODES, ids=str)
def test_copies_and_pickles(options):
    net = Net()
    run = ms.jit(net, **options)
    for made in (copy.deepcopy(run), pickle.loads(pickle.dumps(run))):
        assert isinstance(made, Net) and made.__wrapped__ is not net and made(X).tolist() == net(X).tolist()
        made.w.set_data(made.w * 5)
        assert made(X).tolist() != net(X).tolist()
    assert copy.copy(run).__wrapped__ is not net and copy.copy(run)(X).tolist() == net(X).tolist()


def test_functions_are_copied_as_functions_are():
    assert copy.copy(jitted) is jitted and copy.deepcopy(jitted) is jitted
    assert copy.deepcopy({"f": jitted})["f"] is jitted
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    made = pickle.loads(pickle.dumps(jitted))
    assert made.__wrapped__ is double and made(X).tolist() == (X * 2).tolist()
    assert made.__jit_options__ == jitted.__jit_options__
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(ms.jit(lambda x: x, mode="PIJit"))


class WithMethod:
    factor = 5

    @ms.jit
    def method(self, x):
        return x * self.factor


@pytest.mark.costly
@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_a_pool_maps_what_is_jitted(start):
    net = Net()
    works = [(jitted, lambda x: x * 2), (decorated, lambda x: x * 3), (WithMethod().method, lambda x: x * 5),
             (ms.jit(net, mode="PIJit"), net), (ms.jit(net), net)]
    for work, _ in works[:3]:
        work(X)  # the child must also work if the parent has compiled the function already
    with multiprocessing.get_context(start).Pool(1) as pool:
        for work, plain in works:
            assert [t.tolist() for t in pool.map(work, [X, X + 1])] == [plain(X).tolist(), plain(X + 1).tolist()]


# -- GRAPH_MODE ---------------------------------------------------------------------------------------------------


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE, jit_syntax_level=ms.LAX)


def test_switching_the_mode(graph_mode):
    net = Net()
    expected = Net()
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        for _ in range(2):
            assert net(X).tolist() == [[6, 6], [15, 15]]
    assert ms.get_context("mode") == ms.GRAPH_MODE
    assert expected(X).tolist() == net(X).tolist()


def test_the_construct_of_now_runs_in_graph_mode(graph_mode):
    class Mine(Net):
        def construct(self, x):
            return x + 1

    net = Mine()

    def check(expected):
        for _ in range(3):
            assert net(X).tolist() == expected.tolist()

    check(X + 1)
    Mine.construct = lambda self, x: x + 2
    check(X + 2)
    net.construct = lambda x: x + 3
    check(X + 3)
    del net.construct
    check(X + 2)
    net.__class__ = Other
    check(net.inner(X) * 100)


@pytest.mark.captures
def test_a_call_of_a_cell_is_one_graph(graph_mode):
    net = nn.SequentialCell(nn.Dense(3, 3), nn.ReLU(), Other())
    ms.reset()
    for _ in range(3):
        net(X)
    totals = ms.stats()
    assert totals["captured_calls"] == 3 and totals["breaks"] == 0 and totals["eager_ops"] == 0


def test_hooks_precision_and_gradients(graph_mode):
    net, seen = Net(), []
    handle = net.register_forward_hook(lambda cell, inputs, output: seen.append(1))
    net(X)
    handle.remove()
    assert seen == [1]
    gradients = ms.grad(lambda x: net(x).sum())(X).tolist()
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert gradients == ms.grad(lambda x: net(x).sum())(X).tolist()
    half = Net().to_float(ms.float16)
    eager = half(X)
    ms.set_context(mode=ms.GRAPH_MODE)
    assert half(X).tolist() == eager.tolist() and half(X).dtype == eager.dtype


class Tries(nn.Cell):
    def construct(self, x):
        try:
            return x + 1
        except ValueError:
            return x


def test_syntax_levels(graph_mode):
    net = Tries()
    assert net(X).tolist() == (X + 1).tolist()  # LAX is the default
    strict = Tries()
    strict.set_jit_config(ms.JitConfig(jit_syntax_level="STRICT"))
    with pytest.raises(ms.CompileError, match="a try statement"):
        strict(X)
    ms.set_context(jit_syntax_level=ms.STRICT)
    with pytest.raises(ms.CompileError, match="level STRICT of PSJit, got a try statement"):
        Tries()(X)
    lax = Tries()
    lax.set_jit_config(ms.JitConfig(jit_syntax_level="LAX"))
    assert lax(X).tolist() == (X + 1).tolist()
    ms.set_context(jit_config={"jit_syntax_level": "LAX"})
    assert Tries()(X).tolist() == (X + 1).tolist()


def test_a_compiled_construct_decides_for_itself(graph_mode):
    class Bytecode(nn.Cell):
        @ms.jit(mode="PIJit")
        def construct(self, x):
            try:
                return x + 1
            except ValueError:
                return x

    ms.set_context(jit_syntax_level=ms.STRICT)
    assert Bytecode()(X).tolist() == (X + 1).tolist()


def test_the_first_parameter_may_have_any_name(graph_mode):
    class Named(nn.Cell):
        def construct(this, x):
            return x + this.training

    assert Named()(X).tolist() == X.tolist()


def test_parameters_written_in_a_graph(graph_mode):
    class Counts(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = Parameter(Tensor(0, ms.int32), name="count")

        def construct(self, x):
            self.count = self.count + 1
            ops.assign_add(self.count, 1)
            return x * self.count

    net = Counts()
    assert [float(net(X).max()) for _ in range(3)] == [10, 20, 30] and int(net.count) == 6
