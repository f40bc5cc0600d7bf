"""SGD and Momentum."""
from .._native import _msjit
from ..common.tensor import Tensor
from .assigned import filled
from .optimizer import Optimizer

_sgd_step = _msjit.ops.sgd_step
_momentum_step = _msjit.ops.momentum_step


def _fraction(value, where, what):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError("[%s] %s must be a float, got %s" % (where, what, type(value).__name__))
    if value < 0:
        raise ValueError("[%s] %s must not be negative, got %s" % (where, what, value))
    return float(value)


class _WithMomentum(Optimizer):
    """An optimizer whose momentum is a number that every step reads."""

    @property
    def momentum(self):
        """The momentum, a Parameter; what is written to it counts from the next step on.

        Setting it to a Tensor or a Parameter of one element writes that value; TypeError for anything else.
        """
        self._take_shown()
        return self._show("momentum", self._momentum)

    @momentum.setter
    def momentum(self, value):
        if not isinstance(value, Tensor):
            raise TypeError("[%s] momentum, got %s, expected a Tensor" % (self._where, type(value).__name__))
        object.__setattr__(self, "_momentum", float(value.asnumpy()))

    def _adopt(self, name, values):
        if name == "momentum":
            object.__setattr__(self, "_momentum", float(values))
        else:
            super()._adopt(name, values)


class SGD(_WithMomentum):
    """Stochastic gradient descent: p -= rate * g, with weight decay, g = gradient + weight_decay * p.

    With momentum: v = momentum * v + (1 - dampening) * g, where the first v is g; then p -= rate * v, or with nesterov
    p -= rate * (g + momentum * v). params and learning_rate are explained at Optimizer.

    Raises ValueError for a negative momentum or dampening, and for nesterov without momentum or with dampening.

    >>> import msjit as ms
    >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
    >>> done = ms.nn.SGD([weight], learning_rate=0.5)((ms.Tensor([1.0]),))
    >>> weight.asnumpy().tolist()
    [0.5]
    """

    def __init__(self, params, learning_rate=0.1, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False,
                 loss_scale=1.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self._momentum = _fraction(momentum, "sgd", "momentum")
        self.dampening = _fraction(dampening, "sgd", "dampening")
        if not isinstance(nesterov, bool):
            raise TypeError("[sgd] nesterov must be a bool, got %s" % type(nesterov).__name__)
        if nesterov and (self._momentum <= 0 or self.dampening != 0):
            raise ValueError("[sgd] nesterov needs a momentum above 0 and no dampening, got %s and %s"
                             % (momentum, dampening))
        self.nesterov = nesterov
        self.accum = self._state("accum") if self._momentum else None

    def _shown_numbers(self):
        yield "momentum", self._momentum
        if self.accum is None:
            yield from (("accum." + name, filled(p, 0)) for name, p in zip(self._first_names, self.parameters))

    def _shown_last(self):
        waiting = 1 if self.step_count == 0 or not self._momentum else 0  # whether the next gradient starts the momentum
        return [("stat." + name, filled(p, waiting)) for name, p in zip(self._first_names, self.parameters)]

    def _update(self, index, param, gradient, rate, decay):
        if self.accum is None:
            _sgd_step(param, gradient, rate, decay)
            return
        # the first step starts the momentum with the whole gradient
        dampening = 0.0 if self.step_count == 0 else self.dampening
        _momentum_step(param, self.accum[index], gradient, rate, self._momentum, decay, dampening, self.nesterov)


class Momentum(_WithMomentum):
    """Gradient descent with a velocity: v = momentum * v + g; p -= rate * v, where g = gradient + weight_decay * p.

    With use_nesterov: p -= rate * (g + momentum * v). params and learning_rate are explained at Optimizer.

    Raises TypeError for a momentum that is no float, ValueError for a negative one.

    >>> import msjit as ms
    >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
    >>> optimizer = ms.nn.Momentum([weight], learning_rate=0.5, momentum=0.5)
    >>> done = [optimizer((ms.Tensor([1.0]),)) for _ in range(2)]  # velocities 1 and 1.5
    >>> weight.asnumpy().tolist()
    [-0.25]
    """

    def __init__(self, params, learning_rate, momentum, weight_decay=0.0, loss_scale=1.0, use_nesterov=False):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if isinstance(momentum, int):
            raise TypeError("[momentum] momentum must be a float, got %s" % type(momentum).__name__)
        self._momentum = _fraction(momentum, "momentum", "momentum")
        if not isinstance(use_nesterov, bool):
            raise TypeError("[momentum] use_nesterov must be a bool, got %s" % type(use_nesterov).__name__)
        self.use_nesterov = use_nesterov
        self.moments = self._state("moments")

    def _shown_numbers(self):
        return [("momentum", self._momentum)]

    def _update(self, index, param, gradient, rate, decay):
        _momentum_step(param, self.moments[index], gradient, rate, self._momentum, decay, 0.0, self.use_nesterov)
