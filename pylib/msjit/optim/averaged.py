"""ASGD and Rprop."""
from .. import ops
from ..common import dtype as mstype
from .assigned import check_float, count, decayed, wide, write
from .optimizer import Optimizer


class ASGD(Optimizer):
    """Averaged gradient descent (Polyak and Juditsky 1992): p = p * (1 - lambd * eta) - eta * g, where eta = rate / (1 + lambd * rate * (t - 1))^alpha.

    `ax` has a Tensor for each Parameter: the Parameter itself up to step t0, and from then on the mean of its values since. g is
    gradient + weight_decay * p. params and learning_rate are explained at Optimizer. Raises TypeError for numbers that are no floats.
    """

    def __init__(self, params, learning_rate=0.1, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self.lambd = check_float(lambd, "asgd", "lambd")
        self.alpha = check_float(alpha, "asgd", "alpha")
        self.t0 = check_float(t0, "asgd", "t0")
        self.eta = self._numbers("eta_", 0.0)
        self.ax = self._state("ax_")

    def _shown_numbers(self):
        return [("mu_" + name, 1.0 / max(1.0, self.step_count - self.t0)) for name in self._first_names]

    def _update(self, index, param, gradient, rate, decay):
        step = self.step_count
        eta = rate if step == 0 else self.eta[index].detach()
        p = wide(param)
        p = p * (1.0 - self.lambd * eta) - eta * decayed(gradient, param, decay)
        write(param, p)
        ax = wide(self.ax[index])
        seen = ops.maximum(count(step) - (self.t0 + 1.0), 1)
        write(self.ax[index], ops.where(seen > 1, ax + (p - ax) / seen, p))
        rate = ops.registry.zeros((), dtype=mstype.float32) + rate  # a sum: graphs keep step and rate open
        ops.assign(self.eta[index], rate / ops.pow(1.0 + self.lambd * rate * (step + 1), self.alpha))


class Rprop(Optimizer):
    """Resilient propagation (Riedmiller and Braun 1993), which uses only the sign of a gradient: p -= sign(g) * size.

    Each element has a size of its own, at first the rate. It is multiplied by etas[1] where g has the sign of the step before, by etas[0]
    where it has the other one, and stays within step_sizes. Where the sign has changed, p does not move in this step. params and
    learning_rate are explained at Optimizer.

    Raises TypeError for etas and step_sizes that are no tuples, ValueError unless etas[0] < 1 < etas[1] and step_sizes ascend.
    """

    def __init__(self, params, learning_rate=0.1, etas=(0.5, 1.2), step_sizes=(1e-6, 50.), weight_decay=0.):
        super().__init__(learning_rate, params, weight_decay)
        for name, value in (("etas", etas), ("step_sizes", step_sizes)):
            if not isinstance(value, tuple):
                raise TypeError("[rprop] %s must be a tuple, got %s" % (name, type(value).__name__))
            if len(value) != 2:
                raise ValueError("[rprop] %s must be 2 floats, got %d" % (name, len(value)))
        if step_sizes[0] > step_sizes[1]:
            raise ValueError("[rprop] step_sizes must be (least, greatest), got %s" % (step_sizes,))
        self.etaminus = check_float(etas[0], "rprop", "etaminus", 0.0, 1.0, True)
        self.etaplus = check_float(etas[1], "rprop", "etaplus", 1.0, None, True)
        self.step_size_min = check_float(step_sizes[0], "rprop", "step_sizes[0]")
        self.step_size_max = check_float(step_sizes[1], "rprop", "step_sizes[1]")
        self.prev, self.step_size = self._state("prev"), self._state("step_size")

    def _update(self, index, param, gradient, rate, decay):
        g = decayed(gradient, param, decay)
        size = wide(self.step_size[index])
        if self.step_count == 0:
            size = ops.ones_like(size) * rate
        product = g * wide(self.prev[index])
        factor = ops.where(product > 0, self.etaplus, ops.where(product < 0, self.etaminus, ops.ones_like(product)))
        size = ops.clip_by_value(size * factor, self.step_size_min, self.step_size_max)
        g = ops.where(product < 0, ops.zeros_like(g), g)
        write(param, wide(param) - ops.sign(g) * size)
        write(self.prev[index], g), write(self.step_size[index], size)
