"""Adam and its variants."""
from .. import ops
from .._native import Tensor, _msjit
from .assigned import decayed, wide, write
from .optimizer import Optimizer

_adam_step = _msjit.ops.adam_step


def _check(where, beta1, beta2, eps):
    """TypeError or ValueError for numbers that Adam cannot work with."""
    for name, value in (("beta1", beta1), ("beta2", beta2), ("eps", eps)):
        if not isinstance(value, float):
            raise TypeError("[%s] %s must be a float, got %s" % (where, name, type(value).__name__))
    for name, value in (("beta1", beta1), ("beta2", beta2)):
        if not 0 < value < 1:
            raise ValueError("[%s] %s must be in (0, 1), got %s" % (where, name, value))
    if not eps > 0:
        raise ValueError("[%s] eps must be positive, got %s" % (where, eps))


class _Adam(Optimizer):
    _prefixes = "moment1", "moment2"
    _powers_in_a_row = False  # whether MindSpore's powers of beta have one axis

    def _shown_numbers(self):
        powers = [("beta1_power", self.beta1 ** self.step_count), ("beta2_power", self.beta2 ** self.step_count)]
        return [(name, [value]) for name, value in powers] if self._powers_in_a_row else powers

    def __init__(self, params, learning_rate, beta1, beta2, eps, weight_decay, loss_scale):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        _check(self._where, beta1, beta2, eps)
        self.beta1, self.beta2, self.eps = float(beta1), float(beta2), float(eps)
        self.moment1 = self._state(self._prefixes[0])
        self.moment2 = self._state(self._prefixes[1])


class Adam(_Adam):
    """Adam (Kingma and Ba 2014); weight decay is added to the gradient: g = gradient + weight_decay * p.

    m = beta1 * m + (1 - beta1) * g; v = beta2 * v + (1 - beta2) * g^2;
    p -= rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + eps) in step t. use_nesterov puts beta1 * m + (1 - beta1) * g in the
    place of m, use_amsgrad the largest v so far in the place of v. params and learning_rate are explained at Optimizer.

    Raises TypeError for beta1, beta2 and eps that are no floats, ValueError for betas outside (0, 1) and an eps that is not positive.

    >>> import msjit as ms
    >>> net = ms.nn.Dense(1, 1, weight_init="ones", bias_init="zeros")
    >>> optimizer = ms.nn.Adam(net.trainable_params(), learning_rate=0.5)
    >>> step = ms.value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)
    >>> loss, gradients = step(ms.Tensor([[2.0]]))
    >>> done = optimizer(gradients)
    >>> round(float(net.weight), 3)
    0.5
    """

    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, use_locking=False,
                 use_nesterov=False, weight_decay=0.0, loss_scale=1.0, use_amsgrad=False, **kwargs):
        unknown = set(kwargs) - {"use_lazy", "use_offload"}
        if unknown:
            raise KeyError("[adam] keyword argument, got %s, expected use_lazy or use_offload" % sorted(unknown))
        for name, value in list(kwargs.items()) + [("use_nesterov", use_nesterov), ("use_amsgrad", use_amsgrad),
                                                   ("use_locking", use_locking)]:
            if not isinstance(value, bool):
                raise TypeError("[adam] %s must be a bool, got %s" % (name, type(value).__name__))
        if sum((use_amsgrad, kwargs.get("use_lazy", False), kwargs.get("use_offload", False))) > 1:
            raise ValueError("[adam] only one of use_amsgrad, use_lazy and use_offload can be True")
        super().__init__(params, learning_rate, beta1, beta2, eps, weight_decay, loss_scale)
        self._centres = not kwargs.get("use_offload", False)
        self.use_nesterov, self.use_amsgrad = use_nesterov, use_amsgrad
        self.vhat = self._state("vhat") if use_amsgrad else None

    def _step_rate(self, rate, step):
        return rate * (1.0 - self.beta2 ** (step + 1)) ** 0.5 / (1.0 - self.beta1 ** (step + 1))

    def _update(self, index, param, gradient, rate, decay):
        if self.use_amsgrad:
            self._update_amsgrad(index, param, decayed(gradient, param, decay), rate)
            return
        _adam_step(param, self.moment1[index], self.moment2[index], gradient, rate, self.beta1, self.beta2, self.eps,
                   decay, 0, False, self.use_nesterov)

    def _update_amsgrad(self, index, param, gradient, rate):
        m, v = self.moment1[index], self.moment2[index]
        new_m = wide(m) * self.beta1 + gradient * (1 - self.beta1)
        new_v = wide(v) * self.beta2 + gradient * gradient * (1 - self.beta2)
        largest = ops.maximum(wide(self.vhat[index]), new_v)
        write(param, wide(param) - rate * new_m / (ops.sqrt(largest) + self.eps))
        write(m, new_m), write(v, new_v), write(self.vhat[index], largest)


class LazyAdam(Adam):
    """Adam (Kingma and Ba 2014) under another name, with its arguments and errors.

    In MindSpore it updates only some rows for gradients that are RowTensors; there are none of these here.
    """

    _powers_in_a_row = True

    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, use_locking=False,
                 use_nesterov=False, weight_decay=0.0, loss_scale=1.0):
        super().__init__(params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov, weight_decay, loss_scale)


class AdamOffload(LazyAdam):
    """Adam (Kingma and Ba 2014) under another name, with its arguments and errors.

    In MindSpore it computes in the memory of the host, where everything is here.
    """


class AdamWeightDecay(Optimizer):
    """Adam without bias correction, whose weight decay does not go through the moments (Loshchilov and Hutter 2017).

    m = beta1 * m + (1 - beta1) * g; v = beta2 * v + (1 - beta2) * g^2; p -= rate * (m / (sqrt(v) + eps) + weight_decay * p).
    params and learning_rate are explained at Optimizer.

    Raises TypeError for beta1, beta2 and eps that are no floats, ValueError for betas outside (0, 1) and an eps that is not positive.

    >>> import msjit as ms
    >>> net = ms.nn.Dense(4, 2)
    >>> groups = [{"params": [net.weight], "weight_decay": 0.01}, {"params": [net.bias]}]
    >>> optimizer = ms.nn.AdamWeightDecay(groups, learning_rate=1e-3)
    >>> len(optimizer.parameters)
    2
    """

    _decoupled = True
    _centres = False

    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0):
        # The base is Optimizer itself: programs derive from this class and call the __init__ of its base.
        super().__init__(learning_rate, params, weight_decay)
        _check(self._where, beta1, beta2, eps)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.moments1, self.moments2 = self._state("adam_m"), self._state("adam_v")

    def __setattr__(self, name, value):
        if name in ("beta1", "beta2", "eps") and isinstance(value, Tensor):  # so a program sets them, as MindSpore does
            value = float(str(value.asnumpy().reshape(-1)[0]))  # the number as the program wrote it, not with float32's digits
        super().__setattr__(name, value)

    def _update(self, index, param, gradient, rate, decay):
        _adam_step(param, self.moments1[index], self.moments2[index], gradient, rate, self.beta1, self.beta2, self.eps,
                   decay, 0, True)
