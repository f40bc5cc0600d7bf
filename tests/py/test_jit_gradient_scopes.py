"""What must not change when a gradient transform is captured: histories that outlive it, writes inside it, scopes around it, exceptions,
and Parameters that change between calls."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, ParameterTuple, Tensor, nn, ops
from msjit._native import _msjit

pytestmark = pytest.mark.jit
MODES = [dict(mode="PIJit"), dict()]
X = Tensor(np.array([[1.0, -2.0, 3.0], [0.5, 2.0, -1.0]], np.float32))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.full((2, 3), 2.0, np.float32)), name="w")
        self.b = Parameter(Tensor(np.full((2, 3), 0.5, np.float32)), name="b")
        self.count = Parameter(Tensor(0.0), name="count", requires_grad=False)
        self.kept = None

    def construct(self, x):
        return (self.w * x * x + self.b).sum()


def weights_of(net):
    return ParameterTuple([net.w, net.b])


def plain(net):
    def step(x):
        value, gradients = ms.value_and_grad(net, None, weights_of(net))(x)
        for parameter, gradient in zip((net.w, net.b), gradients):
            ops.assign_sub(parameter, gradient * 0.1)
        return value, gradients
    return step


def only_gradients(net):
    def step(x):
        return ms.grad(net, None, weights_of(net))(x)
    return step


def keeps_history(net):
    def forward(x):
        net.kept = net.w * x
        return net.kept.sum()

    def step(x):
        gradients = ms.grad(forward, None, weights_of(net))(x)
        return gradients, _msjit.is_tracked(net.kept)
    return step


def keeps_detached(net):
    def forward(x):
        net.kept = (net.w * x).detach()
        return (net.w * x).sum()

    def step(x):
        gradients = ms.grad(forward, None, weights_of(net))(x)
        return gradients, _msjit.is_tracked(net.kept), net.kept
    return step


def keeps_a_number(net):
    def forward(x):
        value = net(x)
        net.kept = float(value)
        return value

    def step(x):
        return ms.grad(forward, None, weights_of(net))(x), net.kept
    return step


def writes_in_the_midst(net):
    def forward(x):
        before = (net.w * x).sum()
        ops.assign(net.w, net.w * 2)
        return before + (net.w * x * x).sum()

    def step(x):
        return ms.grad(forward, None, weights_of(net))(x), net.w
    return step


def counts_in_the_midst(net):
    def forward(x):
        ops.assign_add(net.count, 1.0)
        return net(x) * net.count

    def step(x):
        return ms.grad(forward, None, weights_of(net))(x), net.count * 1
    return step


def writes_before_the_pullback(net):
    def step(x):
        value, pullback = ms.vjp(lambda a: (net.w * a * a).sum(), x)
        ops.assign_add(net.w, 1.0)
        return value, pullback(ops.ones_like(value))
    return step


def looks_into_the_weights(net):
    """A view made before the update shows it."""
    def step(x):
        view = net.w.reshape(3, 2)
        gradients = ms.grad(net, None, weights_of(net))(x)
        ops.assign_sub(net.w, gradients[0])
        return view * 1, view.sum()
    return step


def returns_a_view(net):
    def step(x):
        view = net.w[0]
        ops.assign_sub(net.w, ms.grad(net, None, weights_of(net))(x)[0])
        return view
    return step


def uses_views(net):
    """Views that nobody looks at after the update."""
    def forward(x):
        return (net.w.T.reshape(-1)[:4] * x.reshape(-1)[:4]).sum() + net.b[0].sum()

    def step(x):
        gradients = ms.grad(forward, None, weights_of(net))(x)
        for parameter, gradient in zip((net.w, net.b), gradients):
            ops.assign_sub(parameter, gradient)
        return net.w * 1, net.b * 1
    return step


def branches(net):
    def forward(x):
        value = net(x)
        if value > 10:
            value = value * 2
        return value

    def step(x):
        return ms.grad(forward, None, weights_of(net))(x)
    return step


def loops(net):
    def forward(x):
        value = net(x)
        while value < 100:
            value = value * 2
        return value

    def step(x):
        return ms.value_and_grad(forward, None, weights_of(net))(x)
    return step


def looks_at_a_value(net):
    def forward(x):
        value = net(x)
        return value * 3 if value.asnumpy() > 0 else value

    def step(x):
        return ms.grad(forward, None, weights_of(net))(x)
    return step


class Rule(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout * 10, dout * 100


def own_rule(net):
    rule = Rule()

    def step(x):
        return ms.grad(lambda a: rule(a, net.w).sum(), 0, weights_of(net))(x)
    return step


def raises(net):
    def forward(x):
        if x.shape[0] == 1:
            raise ValueError("one row")
        return net(x)

    def step(x):
        try:
            ms.grad(forward, None, weights_of(net))(x[:1])
        except ValueError as error:
            return str(error), _msjit.grad_level(), ms.grad(forward, None, weights_of(net))(x)
    return step


def raises_through(net):
    """Nothing of the update is done."""
    def step(x):
        gradients = ms.grad(net, None, weights_of(net))(x)
        ops.assign_sub(net.w, gradients[0])
        ops.assign_sub(net.b, gradients[1][:, :2])
    return step


def without_recording(net):
    def step(x):
        with ms.no_grad():
            return net(x) * 2, _msjit.grad_recording(), _msjit.grad_level()
    return step


def by_a_frozen_weight(net):
    def step(x):
        return ms.grad(net, None, ParameterTuple([net.w, net.count]))(x)
    return step


def by_a_tensor(net):
    def step(x):
        return ms.grad(net, 0, [x])(x)
    return step


def both_names(net):
    net.again = net.w

    def forward(x):
        return (net.w * net.again * x).sum()

    def step(x):
        gradients = ms.grad(forward, None, ParameterTuple([net.again]))(x)
        ops.assign_sub(net.again, gradients[0] * 0.1)
        return gradients, net.w * 1
    return step


STEPS = [plain, keeps_history, keeps_detached, keeps_a_number, writes_in_the_midst, counts_in_the_midst,
         writes_before_the_pullback, looks_into_the_weights, returns_a_view, uses_views, branches, loops, looks_at_a_value,
         own_rule, raises, raises_through, without_recording, by_a_frozen_weight, by_a_tensor, both_names]


def flat(value):
    if isinstance(value, Tensor):
        return [value.asnumpy().copy()]
    return [a for item in value for a in flat(item)] if isinstance(value, (tuple, list)) else [value]


def outcome(step, net, x):
    """What a call gives or raises, the state of the tape afterwards, and the Parameters."""
    try:
        result = flat(step(x))
    except Exception as error:  # noqa: BLE001 - any exception is part of the outcome
        result = [type(error), str(error)]
    return result + [_msjit.grad_level(), _msjit.grad_recording()] + flat([net.w, net.b, net.count])


def same(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        if isinstance(b, np.ndarray):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
        else:
            assert a == b


def compare(make, options, around=lambda step, net, x: outcome(step, net, x), calls=4, change=None):
    nets = Net(), Net()
    steps = make(nets[0]), ms.jit(make(nets[1]), **options)
    for call in range(calls):
        if change is not None:
            for net in nets:
                change(net, call)
        same(around(steps[1], nets[1], X + float(call)), around(steps[0], nets[0], X + float(call)))


@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize("make", STEPS)
def test_steps(make, options):
    compare(make, options)


@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize("make", [plain, counts_in_the_midst, without_recording, own_rule])
def test_inside_other_scopes(make, options):
    def under_no_grad(step, net, x):
        with ms.no_grad():
            return outcome(step, net, x)

    def under_grad(step, net, x):
        def total(a):
            result = step(a)
            return sum(t.sum() for t in (result if isinstance(result, tuple) else (result,)) if isinstance(t, Tensor))
        return outcome(ms.grad(total), net, x)

    def by_turns(step, net, x):
        return outcome(step, net, x) + under_no_grad(step, net, x) + under_grad(step, net, x) + outcome(step, net, x)
    for around in (under_no_grad, under_grad, by_turns):
        compare(make, options, around)


@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize("make", [plain, only_gradients, both_names, uses_views])
def test_parameters_change_between_calls(make, options):
    def freeze(net, call):
        net.b.requires_grad = call % 2 == 0

    def replace(net, call):
        if call == 2:
            net.w = Parameter(Tensor(np.full((2, 3), 7.0, np.float32)), name="w")

    def set_data(net, call):
        net.w.set_data(Tensor(np.full((2, 3), float(call), np.float32)))

    def through_numpy(net, call):
        net.w.asnumpy()[0, call % 3] = 5.0

    def share(net, call):
        if call == 2:
            net.b = net.w

    def tie(net, call):
        if call == 2:
            net.again = Parameter(net.w.value(), name="again")
    for change in (freeze, replace, set_data, through_numpy, share, tie):
        compare(make, options, change=change, calls=5)


@pytest.mark.parametrize("options", MODES)
def test_tracked_input(options):
    """A tensor that the program itself differentiates by, outside all transforms."""
    def step_of(net):
        def step(x):
            gradient = ms.grad(lambda a: (a * a * net.w).sum())(x)
            return (gradient * x).sum()
        return step

    def around(step, net, x):
        leaf = Tensor(x.asnumpy())
        leaf.requires_grad_()
        step(leaf).backward()
        return flat([leaf.grad])
    compare(step_of, options, around)


@pytest.mark.parametrize("options", MODES)
def test_shared_by_two_optimizers(options):
    def step_of(net):
        first, second = nn.SGD([net.w, net.b], 0.01), nn.Adam([net.w], 0.1)

        def step(x):
            gradients = ms.grad(net, None, weights_of(net))(x)
            first(gradients)
            second(gradients[:1])
            return gradients
        return step
    compare(step_of, options)
