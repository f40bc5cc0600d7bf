"""Primitives that do one optimizer step on some rows of Parameters: `gradient` has a row for each of `indices`.

Gradients of a repeated row are summed. SparseApplyAdagradV2, SparseApplyFtrl and SparseApplyFtrlV2 instead do one step for
each of them, one after the other, as in MindSpore.
"""
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from .other_func import _written
from .primitive import REQUIRED as _REQUIRED
from .primitive import rows as _rows


def _number(value):
    return _k.reshape(value, ()) if isinstance(value, _Tensor) else value


def _summed(variable, gradient, indices):
    """The gradient of the whole variable: zeros except in the indexed rows."""
    return _k.zeros_like(variable.detach()).index_add(0, indices, gradient)


def _on_rows(variables, gradient, indices, step):
    """Writes step(rows, gradient) to the rows; returns the variables."""
    gradient = _summed(variables[0], gradient, indices)[indices]
    values = step([variable.detach()[indices] for variable in variables], gradient)
    for variable, value in zip(variables, values):
        if value is not None:
            variable[indices] = value
    return tuple(_written(variable) for variable in variables)


def _in_turn(variables, gradient, indices, step):
    """Does a step for each gradient of a repeated row, in order; returns the variables."""
    import numpy
    if _check(indices, "SparseApply").ndim != 1:
        raise ValueError("[SparseApply] indices has a wrong rank, got %d, expected 1" % indices.ndim)
    named = indices.asnumpy()
    _, first, counts = numpy.unique(named, return_inverse=True, return_counts=True)
    order = numpy.zeros(len(named), numpy.int64)  # how often the row occurred before
    seen = numpy.zeros(len(counts), numpy.int64)
    for at, row in enumerate(first):
        order[at], seen[row] = seen[row], seen[row] + 1
    for turn in range(int(counts.max()) if len(named) else 0):
        chosen = _Tensor(numpy.flatnonzero(order == turn))
        _on_rows(variables, gradient[chosen], indices[chosen], step)
    return tuple(_written(variable) for variable in variables)


def _adagrad(p, var, accum, gradient, indices):
    def step(rows, g):
        total = rows[1] + g * g if p.update_slots else rows[1]
        root = _k.sqrt(total) + getattr(p, "epsilon", 0.0)
        return rows[0] - g * p.lr / root, total if p.update_slots else None
    run = _in_turn if hasattr(p, "epsilon") else _on_rows
    return run((var, accum), gradient, indices, step)


def _ftrl(p, var, accum, linear, gradient, indices):
    def step(rows, g):
        value, before, sum_ = rows
        shrunk = g + value * (2.0 * p.l2_shrinkage) if hasattr(p, "l2_shrinkage") else g
        after = before + g * g
        raised = _k.pow(after, -p.lr_power)
        sum_ = sum_ + shrunk - (raised - _k.pow(before, -p.lr_power)) / p.lr * value
        small = _k.less_equal(_k.abs(sum_), p.l1)
        return _k.where(small, 0.0, (_k.sign(sum_) * p.l1 - sum_) / (raised / p.lr + p.l2 * 2.0)), after, sum_
    run = _on_rows if p.name == "FusedSparseFtrl" else _in_turn
    return run((var, accum, linear), gradient, indices, step)


def _proximal(p, var, accum, lr, l1, l2, gradient, indices):
    lr, l1, l2 = _number(lr), _number(l1), _number(l2)

    def step(rows, g):
        total = rows[1] + g * g
        rate = _k.rsqrt(total) * lr
        start = rows[0] - g * rate
        return _k.sign(start) * _k.maximum(_k.abs(start) - rate * l1, 0.0) / (rate * l2 + 1.0), total
    return _on_rows((var, accum), gradient, indices, step)


def _moved(p, rows, g, rate, beta1, beta2, epsilon):
    """Returns (var, m, v) after a step of Adam."""
    value, m, v = rows
    m, v = m * beta1 + g * (1.0 - beta1), v * beta2 + g * g * (1.0 - beta2)
    first = m * beta1 + g * (1.0 - beta1) if p.use_nesterov else m
    return value - first * rate / (_k.sqrt(v) + epsilon), m, v


def _adam(lazy):
    def rule(p, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient, indices):
        beta1, beta2, epsilon = _number(beta1), _number(beta2), _number(epsilon)
        left = 1.0 - _number(beta2_power)
        rate = _number(lr) * (_k.sqrt(left) if isinstance(left, _Tensor) else left ** 0.5) / (1.0 - _number(beta1_power))
        if lazy:
            return _on_rows((var, m, v), gradient, indices, lambda rows, g: _moved(p, rows, g, rate, beta1, beta2, epsilon))
        all_rows = [variable.detach() for variable in (var, m, v)]
        for variable, value in zip((var, m, v), _moved(p, all_rows, _summed(var, gradient, indices), rate, beta1, beta2, epsilon)):
            _k.assign(variable, value)
        return _written(var), _written(m), _written(v)
    return rule


def _rms(p, var, ms, mom, lr, gradient, indices):
    def step(rows, g):
        mean = rows[1] * p.rho + g * g * (1.0 - p.rho)
        moved = rows[2] * p.momentum + g * _number(lr) / _k.sqrt(mean + p.epsilon)
        return rows[0] - moved, mean, moved
    return _on_rows((var, ms, mom), gradient, indices, step)


def _adadelta(p, var, accum, accum_updates, lr, rho, gradient, indices):
    lr, rho = _number(lr), _number(rho)

    def step(rows, g):
        total = rows[1] * rho + g * g * (1.0 - rho)
        change = _k.sqrt(rows[2] + p.epsilon) / _k.sqrt(total + p.epsilon) * g
        return rows[0] - change * lr, total, rows[2] * rho + change * change * (1.0 - rho)
    return _on_rows((var, accum, accum_updates), gradient, indices, step)


_LOCK = {"use_locking": False}
_NESTEROV = {"use_locking": False, "use_nesterov": False}
_FTRL = {"lr": _REQUIRED, "l1": _REQUIRED, "l2": _REQUIRED, "lr_power": _REQUIRED, "use_locking": False}
__all__ = _rows(globals(), (
    ("SparseApplyAdagrad", {"lr": _REQUIRED, "update_slots": True, "use_locking": False}, _adagrad),
    ("SparseApplyAdagradV2", {"lr": _REQUIRED, "epsilon": _REQUIRED, "use_locking": False, "update_slots": True}, _adagrad),
    ("SparseApplyFtrl", _FTRL, _ftrl), ("FusedSparseFtrl", _FTRL, _ftrl),
    ("SparseApplyFtrlV2", {"lr": _REQUIRED, "l1": _REQUIRED, "l2": _REQUIRED, "l2_shrinkage": _REQUIRED, "lr_power": _REQUIRED,
                           "use_locking": False}, _ftrl),
    ("SparseApplyRMSProp", {"rho": _REQUIRED, "momentum": _REQUIRED, "epsilon": _REQUIRED, "use_locking": False}, _rms),
    ("SparseApplyAdadelta", {"epsilon": _REQUIRED, "use_locking": False}, _adadelta),
    ("SparseApplyProximalAdagrad", _LOCK, _proximal), ("FusedSparseProximalAdagrad", _LOCK, _proximal),
    ("FusedSparseAdam", _NESTEROV, _adam(False)), ("FusedSparseLazyAdam", _NESTEROV, _adam(True)),
))
