"""Optimizers that divide by statistics of earlier gradients: RMSProp, Adagrad, Adadelta, AdaMax, FTRL, ProximalAdagrad."""
from .. import ops
from ..common.checks import check_bool
from .assigned import check_float, decayed, wide, write
from .optimizer import Optimizer


class RMSProp(Optimizer):
    """RMSProp (Tieleman and Hinton 2012): s = decay * s + (1 - decay) * g^2; v = momentum * v + rate * g / sqrt(s + epsilon); p -= v.

    s starts at 1. With `centered`, the square of a running mean of g is subtracted from s before the root. g is
    gradient + weight_decay * p. params and learning_rate are explained at Optimizer.

    Raises TypeError for decay, momentum and epsilon that are no floats, ValueError for negative ones.

    >>> import msjit as ms
    >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
    >>> optimizer = ms.nn.RMSProp([weight], learning_rate=0.1, decay=0.5)
    >>> done = optimizer((ms.Tensor([2.0]),))
    >>> 0.8 < float(weight) < 0.9
    True
    """

    def __init__(self, params, learning_rate=0.1, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False,
                 centered=False, loss_scale=1.0, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.decay = check_float(decay, "rmsprop", "decay", 0)
        self.momentum = check_float(momentum, "rmsprop", "momentum", 0)
        self.epsilon = check_float(epsilon, "rmsprop", "epsilon", 0, None, True)
        check_bool(use_locking, "rmsprop", "use_locking")
        self.centered = check_bool(centered, "rmsprop", "centered")
        self.mg = self._state("mean_grad") if centered else None
        self.ms = self._state("mean_square", "ones")
        self.moment = self._state("moment")

    def _update(self, index, param, gradient, rate, decay):
        g = decayed(gradient, param, decay)
        square = wide(self.ms[index]) * self.decay + g * g * (1 - self.decay)
        spread = square
        if self.centered:
            mean = wide(self.mg[index]) * self.decay + g * (1 - self.decay)
            spread = square - mean * mean
            write(self.mg[index], mean)
        move = wide(self.moment[index]) * self.momentum + rate * g / ops.sqrt(spread + self.epsilon)
        write(param, wide(param) - move)
        write(self.ms[index], square), write(self.moment[index], move)


class Adagrad(Optimizer):
    """Adagrad (Duchi, Hazan and Singer 2011): a += g^2; p -= rate * g / sqrt(a), where g = gradient + weight_decay * p.

    a starts at `accum`; without update_slots it stays there. params and learning_rate are explained at Optimizer. Raises TypeError for an
    accum that is no float, ValueError for a negative one.
    """

    def __init__(self, params, accum=0.1, learning_rate=0.001, update_slots=True, loss_scale=1.0, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_float(accum, "adagrad", "accum", 0)
        self.update_slots = check_bool(update_slots, "adagrad", "update_slots")
        self.accum = self._state("accum", accum)

    def _update(self, index, param, gradient, rate, decay):
        g = decayed(gradient, param, decay)
        accum = wide(self.accum[index])
        if self.update_slots:
            accum = accum + g * g
            write(self.accum[index], accum)
        write(param, wide(param) - rate * g / ops.sqrt(accum))


class Adadelta(Optimizer):
    """Adadelta (Zeiler 2012): a = rho * a + (1 - rho) * g^2; u = sqrt(d + epsilon) / sqrt(a + epsilon) * g;
    d = rho * d + (1 - rho) * u^2; p -= rate * u.

    g is gradient + weight_decay * p. params and learning_rate are explained at Optimizer. Raises TypeError for rho and epsilon that are no
    floats, ValueError for a rho outside [0, 1] and a negative epsilon.
    """

    def __init__(self, params, learning_rate=1.0, rho=0.9, epsilon=1e-6, loss_scale=1.0, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = check_float(rho, "adadelta", "rho", 0, 1)
        self.epsilon = check_float(epsilon, "adadelta", "epsilon", 0)
        self.accum, self.accum_update = self._state("accum"), self._state("accum_update")

    def _update(self, index, param, gradient, rate, decay):
        g = decayed(gradient, param, decay)
        moves = wide(self.accum_update[index])
        accum = wide(self.accum[index]) * self.rho + g * g * (1 - self.rho)
        move = ops.sqrt(moves + self.epsilon) / ops.sqrt(accum + self.epsilon) * g
        write(param, wide(param) - rate * move)
        write(self.accum[index], accum)
        write(self.accum_update[index], moves * self.rho + move * move * (1 - self.rho))


class AdaMax(Optimizer):
    """AdaMax (Kingma and Ba 2014): m = beta1 * m + (1 - beta1) * g; v = max(beta2 * v, |g|); p -= rate / (1 - beta1^t) * m / (v + eps).

    g is gradient + weight_decay * p. params and learning_rate are explained at Optimizer. Raises TypeError for beta1, beta2 and eps that are
    no floats, ValueError for betas outside (0, 1) and an eps that is not positive.
    """

    def __init__(self, params, learning_rate=0.001, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0.0,
                 loss_scale=1.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1 = check_float(beta1, "adamax", "beta1", 0, 1, True)
        self.beta2 = check_float(beta2, "adamax", "beta2", 0, 1, True)
        self.eps = check_float(eps, "adamax", "eps", 0, None, True)
        self.moment1, self.moment2 = self._state("moment1"), self._state("moment2")

    def _shown_numbers(self):
        return [("beta1_power", [self.beta1 ** self.step_count])]

    def _step_rate(self, rate, step):
        return rate / (1.0 - self.beta1 ** (step + 1))

    def _update(self, index, param, gradient, rate, decay):
        g = decayed(gradient, param, decay)
        m = wide(self.moment1[index]) * self.beta1 + g * (1 - self.beta1)
        v = ops.maximum(wide(self.moment2[index]) * self.beta2, ops.abs(g))
        write(param, wide(param) - rate * m / (v + self.eps))
        write(self.moment1[index], m), write(self.moment2[index], v)


class FTRL(Optimizer):
    """Follow the regularised leader (McMahan et al. 2013), which makes weights exactly 0.

    n' = n + g^2; z = z + g - (n'^q - n^q) / rate * p; p = (l1 * sign(z) - z) / (n'^q / rate + 2 * l2) where |z| > l1, else 0. q is
    -lr_power, n starts at initial_accum, and g is gradient + weight_decay * p. params and learning_rate are explained at Optimizer; the
    rate must be one float.

    Raises ValueError for a rate that changes or belongs to a group, TypeError and ValueError for numbers that are none or out of range.
    """

    def __init__(self, params, initial_accum=0.1, learning_rate=0.001, lr_power=-0.5, l1=0.0, l2=0.0, use_locking=False,
                 loss_scale=1.0, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_lr or any(g.rate is not self._groups[0].rate for g in self._groups):
            raise ValueError("[ftrl] learning_rate, got a changing rate or rates of groups, expected one float")
        check_float(learning_rate, "ftrl", "learning_rate", 0, None, True)
        check_float(initial_accum, "ftrl", "initial_accum", 0)
        check_bool(use_locking, "ftrl", "use_locking")
        self.lr_power = check_float(lr_power, "ftrl", "lr_power", None, 0)
        self.l1, self.l2 = check_float(l1, "ftrl", "l1", 0), check_float(l2, "ftrl", "l2", 0)
        self.moments, self.linear = self._state("moments", initial_accum), self._state("linear")
        self._decays = [True] * len(self.parameters)

    def _update(self, index, param, gradient, rate, decay):
        g, p = decayed(gradient, param, decay), wide(param)
        old = wide(self.moments[index])
        new = old + g * g
        power = self._power(new)
        linear = wide(self.linear[index]) + g - (power - self._power(old)) / rate * p
        moved = (self.l1 * ops.sign(linear) - linear) / (power / rate + 2 * self.l2)
        write(param, ops.where(ops.abs(linear) > self.l1, moved, ops.zeros_like(moved)))
        write(self.moments[index], new), write(self.linear[index], linear)

    def _power(self, x):
        return ops.sqrt(x) if self.lr_power == -0.5 else ops.pow(x, -self.lr_power)


class ProximalAdagrad(Optimizer):
    """Adagrad with shrinkage (Duchi and Singer 2009): a += g^2; s = rate / sqrt(a); q = p - s * g;
    p = sign(q) * max(|q| - s * l1, 0) / (1 + s * l2).

    a starts at accum, and g is gradient + weight_decay * p. params and learning_rate are explained at Optimizer. Raises TypeError and
    ValueError for numbers that are none or negative.
    """

    def __init__(self, params, accum=0.1, learning_rate=0.001, l1=0.0, l2=0.0, use_locking=False, loss_scale=1.0,
                 weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_float(accum, "proximaladagrad", "accum", 0)
        check_bool(use_locking, "proximaladagrad", "use_locking")
        self.l1 = check_float(l1, "proximaladagrad", "l1", 0)
        self.l2 = check_float(l2, "proximaladagrad", "l2", 0)
        self.accum = self._state("accum", accum)

    def _update(self, index, param, gradient, rate, decay):
        g = decayed(gradient, param, decay)
        accum = wide(self.accum[index]) + g * g
        own = rate / ops.sqrt(accum)
        p = wide(param) - own * g
        if self.l1 > 0:
            p = ops.sign(p) * ops.maximum(ops.abs(p) - own * self.l1, 0)
        write(param, p / (1 + own * self.l2))
        write(self.accum[index], accum)
