"""Minimisation under constraints by augmented Lagrange functions, which Adam steps down (scipy.optimize.minimize's 'LAGRANGE')."""
import collections
import math

from .. import ops
from ..autograd import value_and_grad
from ..common.parameter import Parameter
from ..common.tensor import Tensor

LagrangeResults = collections.namedtuple("LagrangeResults", "succeeded best_value object_value loss_value")


def _bounded(lower, upper):
    """The function that maps all numbers to those between bounds, of which either may be None."""
    if lower is None and upper is None:
        return lambda x: x
    if lower is None:
        return lambda x: upper - x * x
    if upper is None:
        return lambda x: x * x + lower
    return lambda x: (upper - lower) * ops.sigmoid(x) + lower


class _Penalty:
    """The weights of the constraints: how much each counts, and how steeply what goes beyond it."""

    def __init__(self, count):
        self.weights, self.steepness, self.allowed = [1.0] * count, 1.0, 1.0

    def of(self, excess):
        """What is added to the objective for a list of scalars, which are to be below 0."""
        total = 0
        for weight, value in zip(self.weights, excess):
            share = weight / self.steepness
            total = total + ops.relu(share + value) ** 2 - share ** 2
        return self.steepness / 2 * total

    def update(self, excess):
        """Moves the weights where the constraints hold well enough, else makes the penalty steeper."""
        off = math.sqrt(sum(max(value, -weight / self.steepness) ** 2 for weight, value in zip(self.weights, excess)))
        if off <= self.allowed:
            self.weights = [max(weight + self.steepness * value, 0.0) for weight, value in zip(self.weights, excess)]
            self.allowed /= self.steepness ** 0.9
        else:
            self.steepness *= 1.1
            self.allowed = 1.0 / self.steepness ** 0.1


def check_lagrange(func, constraints, tol, coincide_fun=None):
    """TypeError for what is no function, ValueError for another number of tolerances."""
    for what, value in [("func", func)] + [("constraint", one) for one in constraints]:
        if not callable(value):
            raise TypeError("[minimize] %s, got %s, expected a function" % (what, type(value).__name__))
    if coincide_fun is not None and not callable(coincide_fun):
        raise TypeError("[minimize] coincide_fun, got %s, expected a function" % type(coincide_fun).__name__)
    if tol is not None and len(tol) != len(constraints):
        raise ValueError("[minimize] number of tol, got %d, expected %d as of constraints" % (len(tol), len(constraints)))


def minimize_lagrange(func, x0, constraints, save_tol=None, obj_weight=1.0, lower=None, upper=None, learning_rate=0.1, coincide_fun=None,
                      rounds=10, steps=1000, log_sw=False):
    """LagrangeResults: the best x that was met, as a NumPy array, whose constraints are below save_tol (1 each by default).

    x0 is where the search starts, in the numbers that the bounds map. coincide_fun(x) is what func and constraints get as a second argument.
    Each of `rounds` takes `steps` steps of Adam and then weighs the constraints anew; log_sw logs each step.
    """
    import numpy

    from ..optim import Adam
    x, penalty, bounded = Parameter(Tensor(x0), name="x"), _Penalty(len(constraints)), _bounded(lower, upper)
    tolerance = numpy.ones(len(constraints), numpy.float32) if save_tol is None else numpy.asarray(
        save_tol.asnumpy() if isinstance(save_tol, Tensor) else save_tol)

    def weighed():
        place = bounded(x)
        given = (place,) if coincide_fun is None else (place, coincide_fun(place))
        excess, value = [constraint(*given) for constraint in constraints], func(*given)
        return (obj_weight * value + penalty.of(excess)).sum(), excess, value, place
    optimizer = Adam([x], learning_rate)
    step = value_and_grad(weighed, None, [x], has_aux=True)
    best = LagrangeResults(False, x0.asnumpy(), None, ops.ones(len(constraints)))
    for turn in range(rounds):
        for i in range(steps):
            (total, excess, value, place), gradients = step()
            excess = numpy.array([float(one) for one in excess], numpy.float32)
            if log_sw:
                from .. import log
                log.info("round %d, step %d: objective %f, constraints %s, sum %f", turn, i, float(value), excess, float(total))
            value = value.asnumpy() if isinstance(value, Tensor) else numpy.float32(value)
            if best.object_value is None:
                best = best._replace(object_value=value)
            if len(excess) and (excess - tolerance).max() < 0 and value < best.object_value:
                best = LagrangeResults(True, place.asnumpy().copy(), value, excess)
            optimizer(gradients)
        penalty.update([float(one) for one in excess])
    return best._replace(object_value=0 if best.object_value is None else best.object_value)
