"""The optimizers of experimental.optim, from which those of mint.optim derive."""
from .. import ops
from ..common import dtype as mstype
from ..common.tensor import Tensor
from .assigned import count, decayed, filled, rate_of, wide, write
from .grouped import GroupedOptimizer


def check_numbers(where, positive=(), signed=(), **options):
    """Raises where options of an optimizer are no numbers or below 0; those named in `positive` must be above it, `signed` ones may be below.
    betas is a tuple or list of two numbers below 1."""
    for name, value in options.items():
        if name == "betas" and not isinstance(value, (tuple, list)):
            raise TypeError("[%s] betas must be a tuple or list, got %s" % (where, type(value).__name__))
        numbers = value if name == "betas" else (value,)
        if name == "betas" and len(numbers) != 2:
            raise ValueError("[%s] betas must be 2 numbers, got %d" % (where, len(numbers)))
        for number in numbers:
            if not isinstance(number, (int, float, Tensor)):
                raise TypeError("[%s] %s must be a number, got %s" % (where, name, type(number).__name__))
            low = number <= 0 if name in positive else number < 0 and name not in signed
            if low or (name in ("betas", "rho") and number > 1) or (name == "betas" and number == 1):
                raise ValueError("[%s] %s is out of range, got %s" % (where, name, number))


def check_floats(where, betas, eps, weight_decay, lr):
    """As check_numbers for a kind of Adam of mint.optim, which takes a tuple and floats alone."""
    if not isinstance(betas, tuple):
        raise TypeError("[%s] betas must be a tuple, got %s" % (where, type(betas).__name__))
    if len(betas) != 2:
        raise ValueError("[%s] betas must be 2 floats, got %d" % (where, len(betas)))
    for name, value in (("betas", betas[0]), ("betas", betas[1]), ("eps", eps), ("weight_decay", weight_decay), ("lr", lr)):
        if not isinstance(value, float):
            raise TypeError("[%s] %s must be a float, got %s" % (where, name, type(value).__name__))
        if value < 0 or (name == "betas" and value >= 1):
            raise ValueError("[%s] %s is out of range, got %s" % (where, name, value))


class Adam(GroupedOptimizer):
    """Adam (Kingma and Ba 2014); weight decay is added to the gradient: g = gradient + weight_decay * p.

    m = beta1 * m + (1 - beta1) * g; v = beta2 * v + (1 - beta2) * g^2;
    p -= lr / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + eps) in step t. amsgrad puts the largest v so far in the place of v, and maximize
    changes the sign of the gradient.

    params is a list of Parameters, or of dicts with "params" and options of their own; lr is a float or a Tensor. Raises TypeError and
    ValueError for numbers that are none or out of range.
    """

    _decoupled = False
    _floats_only = False
    _step_shown = "state_step", (), mstype.int32, False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, amsgrad=False, *, maximize=False):
        where = type(self).__name__
        if self._floats_only:
            check_floats(where, betas, eps, weight_decay, lr)
        else:
            check_numbers(where, betas=betas, eps=eps, weight_decay=weight_decay, lr=lr)
        for name, value in (("amsgrad", amsgrad), ("maximize", maximize)):
            if not isinstance(value, bool):
                raise TypeError("[%s] %s must be a bool, got %s" % (where, name, type(value).__name__))
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
                                      maximize=maximize))
        self.exp_avg, self.exp_avg_sq = self._state("exp_avg"), self._state("exp_avg_sq")
        some = any(group["amsgrad"] for group in self.param_groups)
        self.max_exp_avg_sq = self._state("max_exp_avg_sq") if some else None

    def _shown_last(self):
        if self.max_exp_avg_sq is None:
            yield from (("max_exp_avg_sq." + name, filled(p, 0)) for name, p in zip(self._first_names, self.parameters))

    def _update(self, index, param, gradient, group):
        (beta1, beta2), decay, step = group["betas"], group["weight_decay"], self.step_count + 1
        p, rate = wide(param), rate_of(group)
        if self._decoupled:
            g = wide(gradient)
            p = p * (1 - rate * decay) if decay else p
        else:
            g = decayed(gradient, param, decay)
        m = wide(self.exp_avg[index]) * beta1 + g * (1 - beta1)
        v = wide(self.exp_avg_sq[index]) * beta2 + g * g * (1 - beta2)
        write(self.exp_avg[index], m), write(self.exp_avg_sq[index], v)
        if group["amsgrad"]:
            v = ops.maximum(wide(self.max_exp_avg_sq[index]), v)
            write(self.max_exp_avg_sq[index], v)
        root = self._root(v, 1.0 - beta2 ** step, group["eps"])
        write(param, p - rate / (1.0 - beta1 ** step) * m / root)

    def _root(self, squares, correction, eps):
        """The divisor of a step: the root of the corrected mean of squares, and eps."""
        return ops.sqrt(squares) / correction ** 0.5 + eps


class AdamW(Adam):
    """Adam whose weight decay shrinks the weights before the step instead (Loshchilov and Hutter 2017): p *= 1 - lr * weight_decay.

    Everything else is as in Adam, with g = gradient.
    """

    _decoupled = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *,
                 maximize=False):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class SGD(GroupedOptimizer):
    """Gradient descent: p -= lr * g, where g = gradient + weight_decay * p; maximize changes the sign of the gradient.

    With momentum: v = momentum * v + (1 - dampening) * g, where the first v is g; then p -= lr * v, or with nesterov
    p -= lr * (g + momentum * v). params and lr are explained at Adam.

    Raises ValueError for a negative momentum, and for nesterov without momentum or with dampening.
    """

    _buffer = "accum"
    _unused = {"grad_centralization": False}  # keys of MindSpore's groups that change nothing

    def __init__(self, params, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False):
        for name, value in (("momentum", momentum), ("dampening", dampening), ("weight_decay", weight_decay)):
            if not isinstance(value, (int, float)):
                raise TypeError("[SGD] %s must be a float, got %s" % (name, type(value).__name__))
        if momentum < 0:
            raise ValueError("[SGD] momentum must not be negative, got %s" % (momentum,))
        for name, value in (("nesterov", nesterov), ("maximize", maximize)):
            if not isinstance(value, bool):
                raise TypeError("[SGD] %s must be a bool, got %s" % (name, type(value).__name__))
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("[SGD] nesterov needs a momentum above 0 and no dampening, got %s and %s"
                             % (momentum, dampening))
        super().__init__(params, dict(self._unused, lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
                                      nesterov=nesterov, maximize=maximize))
        self.momentum_buf = self._state(self._buffer)

    def _shown_last(self):
        momenta = [group["momentum"] for group in self.param_groups for _ in group["params"]]
        waiting = [1 if self.step_count == 0 or momentum == 0 else 0 for momentum in momenta]  # whether the next gradient starts it
        return [("stat." + name, filled(p, value)) for name, p, value in zip(self._first_names, self.parameters, waiting)]

    def _adopt(self, name, values):
        super()._adopt(name, values)
        if name.startswith("stat.") and not values.any():  # the momentum has begun
            object.__setattr__(self, "step_count", max(self.step_count, 1))

    def _update(self, index, param, gradient, group):
        g, momentum = decayed(gradient, param, group["weight_decay"]), group["momentum"]
        if momentum != 0:
            buffer = wide(self.momentum_buf[index]) * momentum
            buffer = g if self.step_count == 0 else buffer + g * (1 - group["dampening"])
            write(self.momentum_buf[index], buffer)
            g = g + momentum * buffer if group["nesterov"] else buffer
        write(param, wide(param) - rate_of(group) * g)


class Adadelta(GroupedOptimizer):
    """Adadelta (Zeiler 2012): a = rho * a + (1 - rho) * g^2; u = sqrt(d + eps) / sqrt(a + eps) * g; d = rho * d + (1 - rho) * u^2; p -= lr * u.

    g is gradient + weight_decay * p; maximize changes the sign of the gradient. params and lr are explained at Adam.
    """

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.0, *, maximize=False):
        check_numbers("Adadelta", ("eps",), rho=rho, eps=eps, weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize))
        self.accum, self.accum_update = self._state("accum"), self._state("accum_update")

    def _update(self, index, param, gradient, group):
        g, rho, eps = decayed(gradient, param, group["weight_decay"]), group["rho"], group["eps"]
        accum, moves = wide(self.accum[index]) * rho + g * g * (1 - rho), wide(self.accum_update[index])
        move = ops.sqrt(moves + eps) / ops.sqrt(accum + eps) * g
        write(param, wide(param) - rate_of(group) * move)
        write(self.accum[index], accum), write(self.accum_update[index], moves * rho + move * move * (1 - rho))


class Adagrad(GroupedOptimizer):
    """Adagrad (Duchi, Hazan and Singer 2011): a += g^2; p -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(a) + eps) in step t.

    a starts at initial_accumulator_value, and g is gradient + weight_decay * p; maximize changes the sign of the gradient. params and lr are
    explained at Adam.
    """

    _step_shown = "step_t", (), mstype.int32, False

    def __init__(self, params, lr=1e-2, lr_decay=0.0, weight_decay=0.0, initial_accumulator_value=0.0, eps=1e-10, *,
                 maximize=False):
        check_numbers("Adagrad", ("eps",), lr_decay=lr_decay, weight_decay=weight_decay, eps=eps,
                      initial_accumulator_value=initial_accumulator_value)
        super().__init__(params, dict(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
                                      initial_accumulator_value=initial_accumulator_value, maximize=maximize))
        self.accum = self._state("accum", initial_accumulator_value)

    def _update(self, index, param, gradient, group):
        g = decayed(gradient, param, group["weight_decay"])
        accum = wide(self.accum[index]) + g * g
        rate = rate_of(group) / (1.0 + self.step_count * group["lr_decay"])
        write(param, wide(param) - rate * g / (ops.sqrt(accum) + group["eps"]))
        write(self.accum[index], accum)


class Adamax(GroupedOptimizer):
    """AdaMax (Kingma and Ba 2014): m = beta1 * m + (1 - beta1) * g; u = max(beta2 * u, |g| + eps); p -= lr / (1 - beta1^t) * m / u in step t.

    g is gradient + weight_decay * p; maximize changes the sign of the gradient. params and lr are explained at Adam. Raises TypeError and
    ValueError for betas and eps that are no floats or out of range.
    """

    _step_shown = "step_t", (), mstype.int32, True

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, *, maximize=False):
        check_numbers("Adamax", ("eps",), betas=betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize))
        self.exp_avg, self.exp_inf = self._state("exp_avg"), self._state("exp_inf")

    def _update(self, index, param, gradient, group):
        g, (beta1, beta2) = decayed(gradient, param, group["weight_decay"]), group["betas"]
        m = wide(self.exp_avg[index]) * beta1 + g * (1 - beta1)
        largest = ops.maximum(wide(self.exp_inf[index]) * beta2, ops.abs(g) + group["eps"])
        rate = rate_of(group) / (1.0 - beta1 ** (self.step_count + 1))
        write(param, wide(param) - rate * m / largest)
        write(self.exp_avg[index], m), write(self.exp_inf[index], largest)


class RMSprop(GroupedOptimizer):
    """RMSProp (Tieleman and Hinton 2012): s = alpha * s + (1 - alpha) * g^2; p -= lr * g / (sqrt(s) + eps).

    With momentum: v = momentum * v + g / (sqrt(s) + eps); p -= lr * v. With `centered` the square of a running mean of g is subtracted from s.
    g is gradient + weight_decay * p; maximize changes the sign of the gradient. params and lr are explained at Adam.
    """

    def __init__(self, params, lr=0.01, alpha=0.99, eps=1e-8, weight_decay=0.0, momentum=0.0, centered=False,
                 maximize=False):
        check_numbers("RMSprop", ("eps",), alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum)
        super().__init__(params, dict(lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum,
                                      centered=centered, maximize=maximize))
        self.mean_grad, self.mean_square, self.mom = self._state("mean_grad"), self._state("mean_square"), self._state("moment")

    def _update(self, index, param, gradient, group):
        g, alpha = decayed(gradient, param, group["weight_decay"]), group["alpha"]
        square = wide(self.mean_square[index]) * alpha + g * g * (1 - alpha)
        spread = square
        if group["centered"]:
            mean = wide(self.mean_grad[index]) * alpha + g * (1 - alpha)
            spread = square - mean * mean
            write(self.mean_grad[index], mean)
        move = g / (ops.sqrt(spread) + group["eps"])
        if group["momentum"] > 0:
            move = wide(self.mom[index]) * group["momentum"] + move
            write(self.mom[index], move)
        write(param, wide(param) - rate_of(group) * move)
        write(self.mean_square[index], square)


class RAdam(GroupedOptimizer):
    """Adam whose first steps, while the second moment is uncertain, do without it (Liu et al. 2019)."""

    _step_shown = "step_t", (), mstype.int32, True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        check_numbers("RAdam", ("eps",), betas=betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))
        self.exp_avg, self.exp_avg_sq = self._state("exp_avg"), self._state("exp_avg_sq")

    def _update(self, index, param, gradient, group):
        g, (beta1, beta2), step = decayed(gradient, param, group["weight_decay"]), group["betas"], count(self.step_count)
        m = wide(self.exp_avg[index]) * beta1 + g * (1 - beta1)
        v = wide(self.exp_avg_sq[index]) * beta2 + g * g * (1 - beta2)
        power = beta2 ** step
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * power / (1 - power)
        rect = ops.sqrt(ops.maximum((length - 4) * (length - 2), 0) * longest / ((longest - 4) * (longest - 2) * length))
        scale = ops.where(length > 5.0, ops.sqrt(1 - power) * rect / (ops.sqrt(v) + group["eps"]), ops.ones_like(v))
        write(param, wide(param) - m / (1 - beta1 ** step) * rate_of(group) * scale)
        write(self.exp_avg[index], m), write(self.exp_avg_sq[index], v)


class NAdam(GroupedOptimizer):
    """Adam with Nesterov's momentum, whose share falls with momentum_decay (Dozat 2016)."""

    _step_shown = "step_t", (), mstype.int32, True

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, momentum_decay=4e-3):
        check_numbers("NAdam", ("eps",), betas=betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                                      momentum_decay=momentum_decay))
        self.exp_avg, self.exp_avg_sq = self._state("exp_avg"), self._state("exp_avg_sq")
        self.mu_product = self._numbers("mu_product_", 1.0)

    def _update(self, index, param, gradient, group):
        g, (beta1, beta2), step = decayed(gradient, param, group["weight_decay"]), group["betas"], count(self.step_count)
        fall = group["momentum_decay"]
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * fall))
        mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * fall))
        product = self.mu_product[index].detach() * mu
        m = wide(self.exp_avg[index]) * beta1 + g * (1 - beta1)
        v = wide(self.exp_avg_sq[index]) * beta2 + g * g * (1 - beta2)
        root, rate = ops.sqrt(v / (1 - beta2 ** step)) + group["eps"], rate_of(group)
        p = wide(param) - rate * (1.0 - mu) / (1.0 - product) * g / root
        write(param, p - rate * mu_next / (1.0 - product * mu_next) * m / root)
        write(self.exp_avg[index], m), write(self.exp_avg_sq[index], v), write(self.mu_product[index], product)


class ASGD(GroupedOptimizer):
    """Gradient descent with a falling rate, and the mean of the parameters in `ax` from step t0 on (Polyak and Juditsky 1992)."""

    _step_shown = "step_t", (), mstype.int32, False

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0, maximize=False):
        check_numbers("ASGD", (), ("lambd", "alpha", "t0"), lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay,
                                      maximize=maximize))
        self.ax = self._state("ax")
        self.eta = self._numbers("eta_", 0.0)

    def _update(self, index, param, gradient, group):
        g, step = decayed(gradient, param, group["weight_decay"]), count(self.step_count)
        rate, lambd = rate_of(group), group["lambd"]
        eta = ops.where(step > 1, self.eta[index].detach(), rate)
        p = wide(param)
        p = p * (1.0 - lambd * eta) - eta * g
        ax, seen = wide(self.ax[index]), ops.maximum(step - (group["t0"] + 1.0), 1)
        write(param, p)
        write(self.ax[index], ops.where(seen > 1, ax + (p - ax) / seen, p))
        write(self.eta[index], rate / ops.pow(1.0 + lambd * rate * step, group["alpha"]))


class Rprop(GroupedOptimizer):
    """Steps whose size grows while the gradient keeps its sign and falls when it changes (Riedmiller and Braun 1993)."""

    _step_shown = "step_t", (), mstype.int32, False

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, maximize=False):
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError("[Rprop] etas, got %s, expected one below and one above 1" % (etas,))
        super().__init__(params, dict(lr=lr, etas=etas, step_sizes=step_sizes, maximize=maximize))
        self.prev, self.step_size = self._state("prev"), self._state("step_size")

    def _update(self, index, param, gradient, group):
        g, (shrink, grow), (least, most) = wide(gradient), group["etas"], group["step_sizes"]
        size = wide(self.step_size[index])
        size = ops.where(count(self.step_count) > 1, size, ops.ones_like(size) * rate_of(group))
        product = g * wide(self.prev[index])
        factor = ops.where(product > 0, grow, ops.where(product < 0, shrink, ops.ones_like(product)))
        size = ops.clip_by_value(size * factor, least, most)
        g = ops.where(product < 0, ops.zeros_like(g), g)
        write(param, wide(param) - ops.sign(g) * size)
        write(self.prev[index], g), write(self.step_size[index], size)
