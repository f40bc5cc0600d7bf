"""Primitives that do one step of an optimizer: they write to the Parameters passed in, and return the new values.

Numbers (learning rate, decays) may be floats or Tensors of one element. Some attributes have no effect, because MindSpore's
CPU kernels do not read them: use_locking, use_nesterov and gradient_scale of ApplyMomentum, and update_slots of
ApplyAdagrad.
"""
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check_tensor
from . import registry as _k
from .other_func import _written
from .primitive import REQUIRED as _REQUIRED
from .primitive import rows as _rows

_LOCK = {"use_locking": False}
_NESTEROV = {"use_locking": False, "use_nesterov": False}


def _put(variable, value):
    _k.assign(variable, value if value.dtype == variable.dtype else _k.cast(value, variable.dtype))
    return _written(variable)


def _number(value):
    """Reshapes a Tensor of one element to no axes; leaves a float as it is."""
    return _k.reshape(value, ()) if isinstance(value, _Tensor) else value


def _mean(variable, part, value):
    """Writes variable * part + value * (1 - part) to the variable."""
    return _put(variable, variable.detach() * part + value * (1.0 - part))


def _root(x):
    return _k.sqrt(x) if isinstance(x, _Tensor) else x ** 0.5


def _momentum(p, variable, accumulation, learning_rate, gradient, momentum):
    """One step of SGD with momentum, in place: accumulation = momentum accumulation + gradient; variable -= learning_rate accumulation.

    Returns the new variable. use_nesterov and gradient_scale have no effect, as in MindSpore on a CPU. The Parameters and the gradient have one
    shape; numbers are floats or Tensors of one element.
    """
    _put(accumulation, accumulation.detach() * _number(momentum) + gradient)
    return _put(variable, variable.detach() - accumulation.detach() * _number(learning_rate))


def _keras_momentum(p, var, accum, lr, grad, momentum):
    """One step of SGD with momentum as Keras defines it, in place: accum = momentum accum - lr grad; var += accum.

    use_nesterov adds momentum accum - lr grad instead. Returns (var, accum). The Parameters and the gradient have one shape; numbers are floats or
    Tensors of one element.
    """
    lr, momentum = _number(lr), _number(momentum)
    _put(accum, accum.detach() * momentum - grad * lr)
    step = accum.detach() * momentum - grad * lr if p.use_nesterov else accum.detach()
    return _put(var, var.detach() + step), _written(accum)


def _adam_step(p, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient):
    """Updates both moments; returns the step that Adam adds to the variable."""
    beta1, beta2 = _number(beta1), _number(beta2)
    lr = _number(lr) * _root(1.0 - _number(beta2_power)) / (1.0 - _number(beta1_power))
    _mean(m, beta1, gradient)
    _mean(v, beta2, _k.square(gradient))
    first = m.detach() * beta1 + gradient * (1.0 - beta1) if p.use_nesterov else m.detach()
    return first * (-lr) / (_k.sqrt(v.detach()) + _number(epsilon))


def _adam(p, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient):
    """One step of Adam (Kingma and Ba 2014), in place: m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2.

    Then var -= lr sqrt(1 - beta2_power) / (1 - beta1_power) m / (sqrt(v) + epsilon), where the powers are beta^t of step t. use_nesterov takes beta1
    m + (1 - beta1) g in the place of m. Called with (var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient); returns (var, m, v).
    The Parameters and the gradient have one shape; numbers are floats or Tensors of one element.
    """
    step = _adam_step(p, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient)
    return _put(var, var.detach() + step), _written(m), _written(v)


def _adam_weight_decay(p, var, m, v, lr, beta1, beta2, epsilon, decay, gradient):
    """One step of Adam with decoupled weight decay (Loshchilov and Hutter 2017), without the correction of the first steps, in place.

    m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2, var -= lr (m / (sqrt(v) + epsilon) + decay var). The gradient is cast to the dtype of
    m, in which the step is computed. Returns (var, m, v).
    """
    gradient = _k.cast(gradient, m.dtype)
    _mean(m, _number(beta1), gradient)
    _mean(v, _number(beta2), _k.square(gradient))
    wide = _k.cast(var.detach(), m.dtype)
    step = m.detach() / (_k.sqrt(v.detach()) + _number(epsilon)) + wide * _number(decay)
    return _put(var, wide - step * _number(lr)), _written(m), _written(v)


def _cast_adam(p, var, m, v, lr, beta1, beta2, epsilon, decay, gradient, global_norm=1.0):
    """One step as AdamWeightDecay does it, of gradient / global_norm cast to the dtype of m, in place. Returns (var, m, v)."""
    return _adam_weight_decay(p, var, m, v, lr, beta1, beta2, epsilon, decay,
                              _k.cast(gradient, m.dtype) / _number(global_norm))


def _amsgrad(p, var, m, v, vhat, beta1_power, beta2_power, lr, *rest):
    """One step of AMSGrad (Reddi et al. 2018), in place: m and v as in Adam, vhat = max(vhat, v).

    Then var -= lr sqrt(1 - beta2_power) / (1 - beta1_power) m / (sqrt(vhat) + epsilon). Called with (var, m, v, vhat, beta1_power, beta2_power, lr,
    gradient); ApplyAdamWithAmsgradV2 takes beta1, beta2 and epsilon before the gradient. Returns (var, m, v, vhat). The Parameters and the gradient
    have one shape; numbers are floats or Tensors of one element.
    """
    if len(rest) not in (1, 4):
        raise TypeError("[%s] number of inputs, got %d, expected 8, or 11 for ApplyAdamWithAmsgradV2" % (p.name, 7 + len(rest)))
    given = len(rest) == 4  # ApplyAdamWithAmsgradV2
    beta1, beta2, epsilon = map(_number, rest[:3]) if given else (p.beta1, p.beta2, p.epsilon)
    lr = _number(lr) * _root(1.0 - _number(beta2_power)) / (1.0 - _number(beta1_power))
    _mean(m, beta1, rest[-1])
    _mean(v, beta2, _k.square(rest[-1]))
    _put(vhat, _k.maximum(vhat.detach(), v.detach()))
    return _put(var, var.detach() - m.detach() * lr / (_k.sqrt(vhat.detach()) + epsilon)), _written(m), _written(v), _written(vhat)


def _ada_max(p, var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad):
    """One step of AdaMax (Kingma and Ba 2014, section 7.1), in place: m = beta1 m + (1 - beta1) g, v = max(beta2 v, |g|).

    Then var -= lr / (1 - beta1_power) m / (v + epsilon). Returns (var, m, v). The Parameters and the gradient have one shape; numbers are floats or
    Tensors of one element.
    """
    _mean(m, _number(beta1), grad)
    _put(v, _k.maximum(v.detach() * _number(beta2), _k.abs(grad)))
    step = m.detach() * (_number(lr) / (1.0 - _number(beta1_power)))
    return _put(var, var.detach() - step / (v.detach() + _number(epsilon))), _written(m), _written(v)


def _adadelta(p, var, accum, accum_update, lr, rho, epsilon, grad):
    """One step of Adadelta (Zeiler 2012), in place: accum = rho accum + (1 - rho) g^2.

    With step = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) g it is accum_update = rho accum_update + (1 - rho) step^2 and var -= lr step.
    Returns (var, accum, accum_update). The Parameters and the gradient have one shape; numbers are floats or Tensors of one element.
    """
    rho, epsilon = _number(rho), _number(epsilon)
    _mean(accum, rho, _k.square(grad))
    step = _k.sqrt(accum_update.detach() + epsilon) * _k.rsqrt(accum.detach() + epsilon) * grad
    _mean(accum_update, rho, _k.square(step))
    return _put(var, var.detach() - step * _number(lr)), _written(accum), _written(accum_update)


def _adagrad(p, var, accum, lr, grad):
    """One step of Adagrad (Duchi et al. 2011), in place: accum += g^2; var -= lr g / sqrt(accum).

    ApplyAdagradV2 adds epsilon to the root; update_slots has no effect, as in MindSpore on a CPU. Returns (var, accum). The Parameters and the
    gradient have one shape; numbers are floats or Tensors of one element.
    """
    _put(accum, accum.detach() + _k.square(grad))
    root = _k.sqrt(accum.detach())
    root = root + p.epsilon if hasattr(p, "epsilon") else root  # ApplyAdagradV2
    return _put(var, var.detach() - grad * _number(lr) / root), _written(accum)


def _adagrad_da(p, var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step):
    """One step of Adagrad by dual averaging (Duchi et al. 2011), in place: the sums of all gradients G and of their squares S determine var.

    With t = global_step, var = -lr sign(G) max(|G| - l1 t, 0) / (sqrt(S) + l2 lr t). Returns the new var. The Parameters and the gradient have one
    shape; numbers are floats or Tensors of one element.
    """
    lr, l1, l2, step = (_number(value) for value in (lr, l1, l2, global_step))
    _put(gradient_accumulator, gradient_accumulator.detach() + grad)
    _put(gradient_squared_accumulator, gradient_squared_accumulator.detach() + _k.square(grad))
    total = gradient_accumulator.detach()
    total = _k.sign(total) * _k.maximum(_k.abs(total) - l1 * step, 0.0)
    return _put(var, total * (-lr) / (_k.sqrt(gradient_squared_accumulator.detach()) + l2 * lr * step))


def _signed(weigh, *said):
    def rule(p, var, m, lr, factor, sign_decay, beta, grad):
        _mean(m, _number(beta), grad)
        agree = _k.sign(grad) * _k.sign(m.detach()) * _number(sign_decay)
        return _put(var, var.detach() - weigh(_number(factor), agree) * grad * _number(lr)), _written(m)
    rule.__name__ = "_signed"
    rule.__doc__ = """One step of %s (Bello et al. 2017), in place: m = beta m + (1 - beta) g, s = sign_decay sign(g) sign(m); var -= lr %s g.

    Called with (var, m, lr, %s, sign_decay, beta, grad); returns (var, m). The Parameters and the gradient have one shape; numbers
    are floats or Tensors of one element.
    """ % said
    return rule


def _centered_rms(p, var, mean_gradient, mean_square, moment, grad, learning_rate, decay, momentum, epsilon):
    """One step of centred RMSProp (Graves 2013), in place: means of g and g^2, each decay * old + (1 - decay) * new.

    moment = momentum moment + lr g / sqrt(mean_square - mean_gradient^2 + epsilon); var -= moment. Returns the new var. The Parameters and the
    gradient have one shape; numbers are floats or Tensors of one element.
    """
    _mean(mean_square, _number(decay), _k.square(grad))
    _mean(mean_gradient, _number(decay), grad)
    spread = mean_square.detach() - _k.square(mean_gradient.detach()) + _number(epsilon)
    _put(moment, moment.detach() * _number(momentum) + grad * _number(learning_rate) * _k.rsqrt(spread))
    return _put(var, var.detach() - moment.detach())


def _rms(p, var, mean_square, moment, learning_rate, grad, decay, momentum, epsilon):
    """One step of RMSProp (Tieleman and Hinton 2012), in place: mean_square = decay mean_square + (1 - decay) g^2.

    moment = momentum moment + lr g / sqrt(mean_square + epsilon); var -= moment. Returns the new var. The Parameters and the gradient have one
    shape; numbers are floats or Tensors of one element.
    """
    _mean(mean_square, _number(decay), _k.square(grad))
    step = grad * _number(learning_rate) * _k.rsqrt(mean_square.detach() + _number(epsilon))
    _put(moment, moment.detach() * _number(momentum) + step)
    return _put(var, var.detach() - moment.detach())


def _ftrl(p, var, accum, linear, grad, lr, l1, l2, lr_power):
    """One step of FTRL-proximal (McMahan et al. 2013), in place, for p = lr_power: n = accum + g^2, linear += g - (n^-p - accum^-p) / lr var.

    Then accum = n, and var = (sign(linear) l1 - linear) / (n^-p / lr + 2 l2) where |linear| > l1, else 0. Returns the new var. The Parameters and
    the gradient have one shape; numbers are floats or Tensors of one element.
    """
    lr, l1, l2, power = (_number(value) for value in (lr, l1, l2, lr_power))
    before, after = accum.detach(), accum.detach() + _k.square(grad)
    raised = _k.pow(after, -power)
    _put(linear, linear.detach() + grad - (raised - _k.pow(before, -power)) / lr * var.detach())
    _put(accum, after)
    found = linear.detach()
    small = _k.less_equal(_k.abs(found), l1)
    return _put(var, _k.where(small, 0.0, (_k.sign(found) * l1 - found) / (raised / lr + l2 * 2.0)))


def _shrunk(start, rate, l1, l2):
    return _k.sign(start) * _k.maximum(_k.abs(start) - rate * l1, 0.0) / (rate * l2 + 1.0)


def _proximal_descent(p, var, alpha, l1, l2, delta):
    """One step of proximal gradient descent, in place: w = var - alpha delta; var = sign(w) max(|w| - alpha l1, 0) / (1 + alpha l2).

    Returns the new var (Duchi and Singer 2009). The Parameters and the gradient have one shape; numbers are floats or Tensors of one element.
    """
    alpha = _number(alpha)
    return _put(var, _shrunk(var.detach() - delta * alpha, alpha, _number(l1), _number(l2)))


def _proximal_adagrad(p, var, accum, lr, l1, l2, grad):
    """One proximal step of Adagrad, in place: accum += g^2, r = lr / sqrt(accum), w = var - r g.

    var = sign(w) max(|w| - r l1, 0) / (1 + r l2) (Duchi and Singer 2009). Returns (var, accum). The Parameters and the gradient have one shape;
    numbers are floats or Tensors of one element.
    """
    _put(accum, accum.detach() + _k.square(grad))
    rate = _k.rsqrt(accum.detach()) * _number(lr)
    return _put(var, _shrunk(var.detach() - grad * rate, rate, _number(l1), _number(l2))), _written(accum)


def _sgd(p, parameters, gradient, learning_rate, accum, momentum, stat):
    """One step of SGD, in place: g = gradient + weight_decay parameters; accum = momentum accum + (1 - dampening) g; parameters -= lr accum.

    Where stat is positive, in the first step, accum = g, and stat becomes 0. nesterov moves by lr (g + momentum accum). Returns the new parameters.
    The Parameters and the gradient have one shape; numbers are floats or Tensors of one element.
    """
    momentum = _number(momentum)
    if p.weight_decay:
        gradient = gradient + parameters.detach() * p.weight_decay
    _check_tensor(stat, "sgd")
    first = _k.greater(stat.detach(), 0)
    _check_tensor(accum, "sgd")
    later = accum.detach() * momentum + gradient * (1.0 - p.dampening)
    _put(accum, _k.where(first, gradient, later))
    _put(stat, _k.where(first, _k.zeros_like(stat.detach()), stat.detach()))
    step = gradient + accum.detach() * momentum if p.nesterov else accum.detach()
    _check_tensor(parameters, "sgd")
    return _put(parameters, parameters.detach() - step * _number(learning_rate))


def _descent(p, var, alpha, delta):
    """One step of gradient descent, in place: var -= alpha delta. Returns the new var. The Parameters and the gradient have one shape; numbers are
    floats or Tensors of one element.
    """
    return _put(var, var.detach() - delta * _number(alpha))


def _lars(p, weight, gradient, norm_weight, norm_gradient, weight_decay, learning_rate):
    """The gradient with its decay, scaled to the norm of the weight: what nn.LARS hands on. The norms come as sums of squares."""
    decay, size, slope = _number(weight_decay), _k.sqrt(norm_weight), _k.sqrt(norm_gradient)
    trust = p.hyperpara * size / (slope + decay * size + p.epsilon)
    if p.use_clip:
        trust = _k.minimum(trust / _number(learning_rate), _k.ones_like(trust))
    return _k.cast(trust * (gradient + decay * weight), gradient.dtype)


__all__ = _rows(globals(), (
    ("LARSUpdate", {"epsilon": 1e-05, "hyperpara": 0.001, "use_clip": False}, _lars),
    ("ApplyMomentum", {"use_nesterov": False, "use_locking": False, "gradient_scale": 1.0}, _momentum),
    ("ApplyKerasMomentum", _NESTEROV, _keras_momentum), ("Adam", _NESTEROV, _adam),
    ("AdamNoUpdateParam", _NESTEROV, _adam_step), ("AdamWeightDecay", _LOCK, _adam_weight_decay),
    ("FusedCastAdamWeightDecay", _LOCK, _cast_adam),
    ("ApplyAdamWithAmsgrad", {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "use_locking": False}, _amsgrad),
    ("ApplyAdamWithAmsgradV2", _LOCK, _amsgrad), ("ApplyAdaMax", {}, _ada_max), ("ApplyAdadelta", {}, _adadelta),
    ("ApplyAdagrad", {"update_slots": True}, _adagrad),
    ("ApplyAdagradV2", {"epsilon": _REQUIRED, "update_slots": True}, _adagrad), ("ApplyAdagradDA", _LOCK, _adagrad_da),
    ("ApplyAddSign", {}, _signed(lambda alpha, agree: agree + alpha, "AddSign", "(alpha + s)", "alpha")),
    ("ApplyPowerSign", {}, _signed(lambda logbase, agree: _k.exp(agree * logbase), "PowerSign", "exp(logbase s)", "logbase")),
    ("ApplyCenteredRMSProp", _LOCK, _centered_rms), ("ApplyRMSProp", _LOCK, _rms), ("ApplyFtrl", _LOCK, _ftrl),
    ("ApplyGradientDescent", {}, _descent), ("ApplyProximalGradientDescent", {}, _proximal_descent),
    ("ApplyProximalAdagrad", _LOCK, _proximal_adagrad),
    ("SGD", {"dampening": 0.0, "weight_decay": 0.0, "nesterov": False}, _sgd),
))
