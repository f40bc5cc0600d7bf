"""mindspore.scipy.optimize: a line search, minimisation by BFGS and L-BFGS, and the assignment of least cost.

The loops are plain Python. The function and its gradient run as the program defines them, eagerly or compiled.
"""
import collections
import math

from .. import _paths, ops
from ..autograd import grad as _grad
from ..common import dtype as mstype
from ..common.tensor import Tensor
from ..ops import registry as _k

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.

OptimizeResults = collections.namedtuple("OptimizeResults", "x success status fun jac hess_inv nfev njev nit")
LineSearchResults = collections.namedtuple("LineSearchResults", "failed nit nfev ngev k a_k f_k g_k status")
_Point = collections.namedtuple("_Point", "at value slope gradient")
_ZOOMS = 10


class _Line:
    """A function along a direction; it counts its calls."""

    def __init__(self, f, jac, start, direction):
        self.f, self.jac, self.start, self.direction, self.calls = f, jac, start, direction, 0

    def __call__(self, at):
        self.calls += 1
        place = self.start + at * self.direction
        return self.point(at, float(self.f(place)), self.jac(place))

    def point(self, at, value, gradient):
        """A point whose value and gradient are already known."""
        return _Point(at, value, float((gradient * self.direction).sum()), gradient)


def _cubic(low, high, third):
    """The minimum of the cubic through three points with the slope of the first one, or NaN."""
    try:
        db, dc = high.at - low.at, third.at - low.at
        b, c = high.value - low.value - low.slope * db, third.value - low.value - low.slope * dc
        scale = (db * dc) ** 2 * (db - dc)
        cube, square = (dc ** 2 * b - db ** 2 * c) / scale, (db ** 3 * c - dc ** 3 * b) / scale
        return low.at + (-square + math.sqrt(square * square - 3 * cube * low.slope)) / (3 * cube)
    except (ZeroDivisionError, ValueError, OverflowError):
        return math.nan


def _quadratic(low, high):
    """The minimum of the parabola through two points with the slope of the first one, or NaN."""
    try:
        step = high.at - low.at
        return low.at - low.slope * step ** 2 / (2 * (high.value - low.value - low.slope * step))
    except (ZeroDivisionError, OverflowError):
        return math.nan


def _between(low, high, third):
    """The point that the zoom tries next: the cubic's minimum, else the parabola's, else the middle."""
    least, most = sorted((low.at, high.at))
    if third is not None:
        at, edge = _cubic(low, high, third), 0.2 * (most - least)
        if least + edge < at < most - edge:
            return at
    at, edge = _quadratic(low, high), 0.1 * (most - least)
    return at if least + edge < at < most - edge else (low.at + high.at) / 2


def _zoom(line, origin, low, high, c1, c2):
    """Looks between two points for one that meets the strong Wolfe conditions; returns (point, found). Algorithm 3.6 of
    Nocedal and Wright."""
    third, nothing = None, _Point(1.0, low.value, low.slope, origin.gradient)  # MindSpore returns this if no point is found
    for _ in range(_ZOOMS):
        point = line(_between(low, high, third))
        if point.value > origin.value + c1 * point.at * origin.slope or point.value >= low.value:
            third, high = high, point
            continue
        if abs(point.slope) <= -c2 * origin.slope:
            return point, True
        if point.slope * (high.at - low.at) >= 0:
            third, high = high, low
        else:
            third = low
        low = point
    return nothing, False


def _searched(line, origin, first, c1, c2, maxiter):
    """Line search, algorithm 3.5 of Nocedal and Wright: (point, status, tries).

    status is 0 if the conditions hold, 1 if the zoom failed, 3 if the tries ran out.
    """
    before, at = origin, first
    for i in range(1, maxiter + 1):
        point = line(at)
        if point.value > origin.value + c1 * at * origin.slope or (point.value >= before.value and i > 1):
            point, found = _zoom(line, origin, before, point, c1, c2)
            return point, 0 if found else 1, i
        if abs(point.slope) <= -c2 * origin.slope:
            return point, 0, i
        if point.slope >= 0:
            point, found = _zoom(line, origin, point, before, c1, c2)
            return point, 0 if found else 1, i
        before, at = point, 2 * at
    return before, 3, maxiter


def _first_step(origin, old_value):
    if old_value is None or origin.slope == 0:
        return 1.0
    guess = 1.01 * 2 * (origin.value - old_value) / origin.slope
    return min(guess, 1.0) if math.isfinite(guess) else 1.0


def line_search(f, xk, pk, jac=None, gfk=None, old_fval=None, old_old_fval=None, c1=1e-4, c2=0.9, maxiter=20):
    """Finds a step from xk (N,) along pk (N,) at which the scalar function f meets the strong Wolfe conditions.

    jac is the gradient function; without it the gradient is computed. old_fval and gfk are the value and gradient at xk, old_old_fval is
    the value before. Returns LineSearchResults: a_k is the step, f_k and g_k are the value and gradient there. status is 0, or 1 if no
    step was found between two points, or 3 if `maxiter` tries ran out. Raises TypeError unless xk and pk are Tensors.
    """
    for name, value in (("xk", xk), ("pk", pk)):
        if not isinstance(value, Tensor):
            raise TypeError("[line_search] %s, got %s, expected a Tensor" % (name, type(value).__name__))
    line = _Line(f, _grad(f) if jac is None else jac, xk, pk)
    origin = line(0.0) if old_fval is None or gfk is None else line.point(0.0, float(old_fval), gfk)
    first = _first_step(origin, None if old_old_fval is None else float(old_old_fval))
    point, status, tries = _searched(line, origin, first, c1, c2, maxiter)
    return LineSearchResults(status != 0, tries, line.calls, line.calls, tries + 1, point.at, point.value, point.gradient, status)


def _least_curvature(kept, gradient, move, change):
    """The direction uphill that the last moves and changes of the gradient say: algorithm 7.4 of Nocedal and Wright.

    kept is a list of them, the newest last. A pair of too little curvature is not kept, and the gradient itself is taken.
    """
    curvature = (change * move).sum()
    if float(curvature) <= 1e-10:
        return gradient
    kept.append((move, change, 1.0 / curvature))
    q, parts = gradient, []
    for s, y, rate in reversed(kept):
        part = (rate * s * q).sum()
        q = q - part * y
        parts.append(part)
    r = curvature / (change * change).sum() * q
    for s, y, rate in kept:
        r = r + parts.pop() * s - (rate * y * r).sum() * s
    return r


def _lbfgs(f, x0, jac=None, history_size=20, maxiter=None, norm=math.inf, gtol=1e-5, line_search_maxiter=10):
    """L-BFGS: what the inverse of the Hessian does is made of the last `history_size` steps."""
    kept = collections.deque(maxlen=history_size)
    return _descended(f, x0, jac, maxiter, norm, gtol, line_search_maxiter, lambda gradient: gradient,
                      lambda gradient, move, change: _least_curvature(kept, gradient, move, change), lambda: None)


class _Inverse:
    """The inverse of the Hessian, as BFGS knows it: algorithm 6.1 of Nocedal and Wright."""

    def __init__(self, x0):
        self.identity = self.matrix = _k.eye(x0.shape[0], x0.shape[0], x0.dtype)

    def uphill(self, gradient):
        """The direction for a gradient."""
        return ops.matmul(self.matrix, gradient)

    def learn(self, gradient, move, change):
        """The direction for a gradient, after a move and the change of the gradient that came with it."""
        scale = 1.0 / float((change * move).sum())
        left = self.identity - scale * ops.outer(move, change)
        self.matrix = ops.matmul(ops.matmul(left, self.matrix), ops.swapaxes(left, 0, 1)) + scale * ops.outer(move, move)
        return self.uphill(gradient)


def _bfgs(f, x0, jac=None, maxiter=None, norm=math.inf, gtol=1e-5, line_search_maxiter=10):
    """BFGS, with the whole inverse of the Hessian."""
    inverse = _Inverse(x0)
    return _descended(f, x0, jac, maxiter, norm, gtol, line_search_maxiter, inverse.uphill, inverse.learn, lambda: inverse.matrix)


def _descended(f, x0, jac, maxiter, norm, gtol, line_search_maxiter, uphill, learn, inverse):
    """OptimizeResults of line searches against the directions that `uphill` gives first and `learn` after each step."""
    jac = _grad(f) if jac is None else jac
    maxiter = 200 * x0.size if maxiter is None else maxiter
    x, value, gradient = x0, float(f(x0)), jac(x0)
    old, calls, done, status = value + float(ops.norm(gradient)) / 2, 1, float(ops.norm(gradient, ord=norm)) < gtol, -1
    k, direction = 0, -uphill(gradient)
    while k < maxiter:
        found = line_search(f, x, direction, jac, gradient, value, old, maxiter=line_search_maxiter)
        calls += found.nfev
        if found.failed:
            status = 2 + found.status
            break
        move, change = found.a_k * direction, found.g_k - gradient
        x, old, value, gradient = x + move, value, found.f_k, found.g_k
        done = float(ops.norm(gradient, ord=norm)) < gtol
        if done:
            break
        direction = -learn(gradient, move, change)
        k += 1
    status = 0 if done else 1 if k == maxiter else status
    return OptimizeResults(x, done and status == 0, status, value, gradient, inverse(), calls, calls, k)


def minimize(func, x0, args=(), method=None, jac=None, hess=None, hessp=None, bounds=None, constraints=(), tol=None,
             callback=None, options=None):
    """Minimises func(x, *args) from x0 (N,) on; returns OptimizeResults. method: 'BFGS', or 'LBFGS' for many numbers.

    Method 'LAGRANGE' finds an x at which all `constraints`, functions of x, are below `tol`. Its options are those of
    scipy.lagrange.minimize_lagrange, and it returns (succeeded, best_value, object_value, loss_value).

    options are maxiter, norm and gtol (bound of the gradient's norm at the end), line_search_maxiter; 'LBFGS' has history_size, the number of
    earlier steps it uses, and gives no hess_inv. jac(x) is the gradient; without it the gradient is computed. Raises ValueError for a missing
    or unknown method, TypeError for args that are not a tuple and for unknown options.

    >>> from msjit import Tensor, ops
    >>> from msjit.scipy.optimize import minimize
    >>> found = minimize(lambda x: ((x - 2) ** 2).sum(), ops.zeros(3), method="LBFGS")
    >>> found.success, found.x.tolist()
    (True, [2.0, 2.0, 2.0])
    """
    if method is None:
        raise ValueError("[minimize] method, got None, expected 'BFGS', 'LBFGS' or 'LAGRANGE'")
    if not isinstance(args, tuple):
        raise TypeError("[minimize] args, got %s, expected a tuple" % type(args).__name__)
    if method.lower() == "lagrange":
        from .lagrange import check_lagrange, minimize_lagrange
        check_lagrange(func, constraints, tol, (options or {}).get("coincide_fun"))
        return minimize_lagrange(func, x0, constraints, tol, **(options or {}))
    if method.lower() not in ("bfgs", "lbfgs"):
        raise ValueError("[minimize] method, got %r, expected 'BFGS', 'LBFGS' or 'LAGRANGE'" % (method,))
    return (_bfgs if method.lower() == "bfgs" else _lbfgs)(lambda x: func(x, *args), x0, jac, **(options or {}))


def linear_sum_assignment(cost_matrix, maximize, dimension_limit=None):
    """Pairs rows and columns of costs (M, N) at the least total cost, or the greatest with maximize.

    Returns (rows, columns), int64 Tensors of min(M, N) elements. With dimension_limit, an int or Tensor, only the first so
    many columns are used; pairs that are missing are -1.

    Raises TypeError unless cost_matrix is a Tensor and maximize a bool, ValueError for another shape, for NaN and for a dimension_limit
    outside 1 to N.
    """
    import numpy
    if not isinstance(cost_matrix, Tensor):
        raise TypeError("[linear_sum_assignment] cost_matrix, got %s, expected a Tensor" % type(cost_matrix).__name__)
    if not isinstance(maximize, bool):
        raise TypeError("[linear_sum_assignment] maximize, got %s, expected a bool" % type(maximize).__name__)
    costs = cost_matrix.asnumpy().astype(numpy.float64)
    if costs.ndim != 2:
        raise ValueError("[linear_sum_assignment] shape of cost_matrix, got %s, expected (M, N)" % (costs.shape,))
    pairs = min(costs.shape)
    if dimension_limit is not None:
        limit = int(dimension_limit)
        if not 0 < limit <= costs.shape[1]:
            raise ValueError("[linear_sum_assignment] dimension_limit, got %d, expected 1 to %d" % (limit, costs.shape[1]))
        costs = costs[:, :limit]
    if numpy.isnan(costs).any():
        raise ValueError("[linear_sum_assignment] cost_matrix, got NaN somewhere, expected numbers")
    costs = -costs if maximize else costs
    flipped = costs.shape[0] > costs.shape[1]
    columns = _assigned(costs.T if flipped else costs)
    rows = numpy.arange(len(columns))
    if flipped:
        order = numpy.argsort(columns)
        rows, columns = columns[order], rows[order]
    left = numpy.full(pairs - len(rows), -1)
    return Tensor(numpy.concatenate([rows, left]), mstype.int64), Tensor(numpy.concatenate([columns, left]), mstype.int64)


def _assigned(costs):
    """The column of each row of costs (M, N), M <= N, by shortest augmenting paths with dual prices."""
    import numpy
    rows, columns = costs.shape
    row_price, column_price = numpy.zeros(rows), numpy.zeros(columns + 1)
    owner = numpy.full(columns + 1, -1)  # the last entry is a virtual column that holds the row being assigned
    for row in range(rows):
        owner[columns], column = row, columns
        least, before = numpy.full(columns, numpy.inf), numpy.full(columns, columns)
        seen = numpy.zeros(columns + 1, bool)
        while owner[column] >= 0:
            seen[column], at = True, owner[column]
            free = numpy.flatnonzero(~seen[:columns])
            reduced = costs[at, free] - row_price[at] - column_price[free]
            better = reduced < least[free]
            least[free[better]], before[free[better]] = reduced[better], column
            column = free[numpy.argmin(least[free])]
            step = least[column]
            row_price[owner[seen]] += step
            column_price[seen] -= step
            least[free] -= step
        while column != columns:
            previous = before[column]
            owner[column], column = owner[previous], previous
    found = numpy.empty(rows, numpy.int64)
    for column in range(columns):
        if owner[column] >= 0:
            found[owner[column]] = column
    return found


__all__ = ["minimize", "line_search", "linear_sum_assignment"]

_paths.reach(__name__)
