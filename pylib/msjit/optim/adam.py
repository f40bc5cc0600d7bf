"""Adam and AdamWeightDecay."""
from .._native import _msjit
from .optimizer import Optimizer

_adam_step = _msjit.ops.adam_step


class _Adam(Optimizer):
    def __init__(self, params, learning_rate, beta1, beta2, eps, weight_decay, loss_scale):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        for name, value in (("beta1", beta1), ("beta2", beta2), ("eps", eps)):
            if not isinstance(value, float):
                raise TypeError("[%s] %s must be a float, got %s" % (self._where, name, type(value).__name__))
        for name, value in (("beta1", beta1), ("beta2", beta2)):
            if not 0 < value < 1:
                raise ValueError("[%s] %s must be in (0, 1), got %s" % (self._where, name, value))
        if not eps > 0:
            raise ValueError("[%s] eps must be positive, got %s" % (self._where, eps))
        self.beta1, self.beta2, self.eps = float(beta1), float(beta2), float(eps)
        self.moment1 = self._state("moment1")
        self.moment2 = self._state("moment2")


class Adam(_Adam):
    """Adam with bias correction; weight decay is added to the gradient."""

    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, use_locking=False,
                 use_nesterov=False, weight_decay=0.0, loss_scale=1.0, use_amsgrad=False, **kwargs):
        unknown = set(kwargs) - {"use_lazy", "use_offload"}
        if unknown:
            raise KeyError("[adam] keyword argument, got %s, expected use_lazy or use_offload" % sorted(unknown))
        if use_nesterov or use_amsgrad:
            raise NotImplementedError("[adam] use_nesterov and use_amsgrad are not offered yet")
        super().__init__(params, learning_rate, beta1, beta2, eps, weight_decay, loss_scale)

    def _step_rate(self, rate, step):
        return rate * (1.0 - self.beta2 ** (step + 1)) ** 0.5 / (1.0 - self.beta1 ** (step + 1))

    def _update(self, index, param, gradient, rate, decay):
        _adam_step(param, self.moment1[index], self.moment2[index], gradient, rate, self.beta1, self.beta2, self.eps,
                   decay)


class AdamWeightDecay(_Adam):
    """Adam without bias correction; weight decay is subtracted from the weights themselves."""

    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0):
        super().__init__(params, learning_rate, beta1, beta2, eps, weight_decay, 1.0)

    def _update(self, index, param, gradient, rate, decay):
        _adam_step(param, self.moment1[index], self.moment2[index], gradient, rate, self.beta1, self.beta2, self.eps,
                   decay, 0, True)
