"""Further methods of Tensor: functions of ops that take self first, and their in-place variants."""
from .._native import Tensor
from ..gradient_hooks import register_hook
from .checks import check_axis, check_int, check_numeric, check_sequence, scaled
from .error_names import ERRORS, rename
from .generator import drawn
from .methods_shared import put_method, written, written_text
from .tensor import check_tensor

_FUNCTIONS = """addbmm addcdiv addcmul addmv addr adjoint allclose aminmax angle arccos arccosh arcsin arcsinh
    arctan arctan2 arctanh argwhere baddbmm bincount bitwise_left_shift bitwise_not bitwise_right_shift cholesky
    cholesky_inverse cholesky_solve conj copysign cov cross cummax cummin cumprod deg2rad det diagflat
    diagonal_scatter diff digamma dsplit erfinv fills fliplr flipud fmax fmin fold frac gather_nd gcd
    ger heaviside histc hsplit hypot i0 imag index_fill inplace_update inverse is_complex is_floating_point isneginf
    isposinf isreal kron kthvalue lcm ldexp lerp lgamma log10 log2 log_matrix_determinant logaddexp2 logcumsumexp logdet logit
    lstsq masked_scatter masked_select matrix_determinant matrix_power moveaxis msort multinomial mvlgamma nanmean
    nanmedian nanquantile positive quantile rad2deg random_categorical real renorm reverse rot90
    select_scatter sgn signbit sinc slice_scatter slogdet svd tensor_split top_k type_as unfold
    unique_consecutive unique_with_pad unsorted_segment_max unsorted_segment_min unsorted_segment_prod
    unsorted_segment_sum vsplit xdivy xlogy lstsq pinv""".split()

# Methods that write the result of a function to self: the name without "_" is that of the function.
_WRITTEN = """clamp_ erfinv_ exp_ floor_ floor_divide_ log_ masked_fill_ masked_scatter_ remainder_ sigmoid_ sign_
    sqrt_ tanh_ pow_ neg_ abs_ relu_ addmm_ ceil_ round_ sin_ cos_ square_ reciprocal_ rsqrt_ trunc_ tril_ triu_""".split()


_SETTERS = ("masked_fill", "masked_scatter")  # these set elements, as x[mask] = value does


def _written(name):
    converts = name in _SETTERS

    def method(self, *args, **kwargs):
        try:
            return written(name + "_", self, getattr(_ops, name)(self, *args, **kwargs), converts)
        except ERRORS as error:
            rename(error, name + "_")
            raise

    method.__name__ = method.__qualname__ = name + "_"
    method.__doc__ = written_text(name, getattr(_ops, name), converts)
    return method


def _set(self, value):
    return written("in_place", self, value, converts=True)


def _renamed(name, function, *args, **kwargs):
    """The result of a function; its errors carry the name of the method."""
    try:
        return function(*args, **kwargs)
    except ERRORS as error:
        rename(error, name)
        raise


def _scatter(self, *args, axis=None, dim=None, index=None, src=None, value=None, reduce=None):
    """A copy in which elements are replaced or, with reduce 'add', added to: out[i][index[i][j]] = src[i][j] for dim 1 of a matrix.

    index is a Tensor of integers with as many axes as self; src has its shape, or is a number. Raises IndexError for an index outside the axis,
    ValueError for an axis that self does not have and for another rank, NotImplementedError for another reduce.
    """
    given = list(args) + [None] * (3 - len(args))
    dim = axis if dim is None else dim
    if dim is None:
        dim = given.pop(0)
    index = given.pop(0) if index is None else index
    src = value if src is None else src
    src = given.pop(0) if src is None else src
    if reduce not in (None, "add"):
        raise NotImplementedError("[scatter] reduce, got %r, expected None or 'add'" % (reduce,))
    src = src if isinstance(src, Tensor) else _k.full((), src, self.dtype)
    return _renamed("scatter", _elements_scattered, self, index, src, dim, "none" if reduce is None else reduce)


def _scatter_(self, *args, **kwargs):
    """As scatter, written to self; returns self."""
    return _set(self, _renamed("scatter_", _scatter, self, *args, **kwargs))


def _next(given, value, where, what):
    """A parameter: the value given by keyword, or the next one by position, which is taken off the list."""
    if value is not None:
        return value
    if not given:
        raise TypeError("[%s] missing argument '%s', got none, expected one" % (where, what))
    return given.pop(0)


def _scatter_add(self, *args, dim=None, index=None, src=None, indices=None, updates=None):
    """x.scatter_add(indices, updates): adds slices at coordinates; x.scatter_add(dim, index, src): adds one element at each index, as scatter.

    A copy; what is named twice is added to twice. Coordinates are those of ops.tensor_scatter_add. Raises IndexError for an index outside,
    ValueError for shapes that do not fit.
    """
    given, where = list(args), "scatter_add"
    if len(args) == 3 or dim is not None or index is not None or src is not None:
        dim, index = _next(given, dim, where, "dim"), _next(given, index, where, "index")
        return _renamed(where, _elements_scattered, self, index, _next(given, src, where, "src"), dim, "add")
    indices = _next(given, indices, where, "indices")
    return _ops.tensor_scatter_add(self, indices, _next(given, updates, where, "updates"))


def _scatter_add_(self, dim, index, src):
    """Adds one element at each index along an axis, as scatter with reduce 'add', in place; returns self."""
    return _set(self, _renamed("scatter_add_", _elements_scattered, self, index, src, dim, "add"))


def _index_add_(self, dim, index, source, *, alpha=1):
    """alpha times slice i of source added to slice index[i] along an axis, in place; returns self. A slice named twice is added to twice.

    Raises IndexError for an index outside the axis, ValueError for an axis that self does not have.
    """
    return _set(self, _renamed("index_add_", _slices_added, self, index, source if alpha == 1 else scaled(source, alpha, "index_add_", "source"), dim))


def _index_copy_(self, dim, index, tensor):
    """Slice index[i] along an axis replaced by slice i of the tensor, in place; returns self.

    Raises IndexError for an index outside the axis, ValueError for an axis that self does not have.
    """
    axis = check_axis(dim, self.ndim, "index_copy_", "dim")
    return _set(self, _renamed("index_copy_", _k.index_update, [self, tensor, index], [axis], False))


def _index_put(self, indices, values, accumulate=False):
    """A copy with values written, or with accumulate added, at advanced indices: out[indices] = values, for a tuple of Tensors of integers or bools.

    values, a Tensor or a number, broadcasts to the elements picked, and is cast to the dtype of self. Raises IndexError for an index outside,
    ValueError for values that do not broadcast.
    """
    return _renamed("index_put", _written_at, self, indices, values, accumulate, "index_put")


def _written_at(self, indices, values, accumulate, where):
    parts = []
    check_sequence(indices, where, "indices", "a tuple or a list of Tensors")
    values = values if isinstance(values, Tensor) else _k.full((), values, self.dtype)
    for index in indices:
        if check_tensor(index, where, "index").dtype == _bool():
            parts += [column for column in _ops.unbind(_ops.nonzero(index), 1)]
        else:
            parts.append(index)
    return _k.index_update([self, _k.cast(values, self.dtype)] + parts, list(range(len(parts))), accumulate)


def _index_fill_(self, dim, index, value):
    """A number in the slices `index` along an axis, in place; returns self. IndexError for an index outside, ValueError for an axis outside."""
    return _set(self, _ops.index_fill(self, dim, index, value))


def _diag(self, diagonal=0):
    """The square matrix with the elements of a vector on its main diagonal, as ops.diag; with `diagonal` that of a matrix, or a vector on it.

    A positive diagonal is above the main one. Raises ValueError for a tensor without axes.
    """
    if not diagonal:
        return _ops.diag(self)
    from ..mint import diag
    return diag(self, diagonal)


def _reverse_sequence(self, seq_lengths, seq_dim=0, batch_dim=0):
    """Reverses the first seq_lengths[i] elements along seq_dim, for each i along batch_dim."""
    return _ops.reverse_sequence(self, seq_lengths, seq_dim, batch_dim)


def _bool():
    from . import dtype
    return dtype.bool_


def _index_put_(self, indices, values, accumulate=False):
    """As index_put, written to self; returns self."""
    return _set(self, _renamed("index_put_", _written_at, self, indices, values, accumulate, "index_put_"))


def _take(self, indices=None, axis=None, mode="clip", *, index=None):
    """Elements of the flattened tensor, or slices along an axis, by index; the result has the shape of indices in the place of the axis.

    An index outside the range is moved to its nearest end (mode 'clip'), counted around ('wrap'), or raises IndexError ('raise'). Raises ValueError
    for another mode and for an axis that self does not have.
    """
    indices = index if indices is None else indices
    flat = _k.reshape(self, (-1,)) if axis is None else self
    axis = 0 if axis is None else check_axis(axis, self.ndim, "take")
    size = flat.shape[axis]
    if mode == "wrap":
        indices = _k.mod(indices, size)
    elif mode == "clip":
        indices = _k.clip(indices, -size, size - 1)
    elif mode != "raise":
        raise ValueError("[take] mode, got %r, expected 'clip', 'wrap' or 'raise'" % (mode,))
    return _k.gather(flat, indices, axis)


def _choose(self, choices, mode="clip"):
    """out[i] = choices[self[i]][i]: each element is the number of a tensor; the result has the element of that tensor at the same position.

    choices is a list of tensors and numbers that broadcast to self, or a Tensor whose first axis counts them. A number outside is moved to the
    nearest (mode 'clip'), counted around ('wrap'), or raises IndexError. TypeError for a self that holds no integers.
    """
    stacked = choices
    if not isinstance(choices, Tensor):
        check_sequence(choices, "choose", "choices", "a Tensor, a tuple or a list")
        stacked = _k.stack([_k.broadcast_to(item if isinstance(item, Tensor) else Tensor(item), self.shape) for item in choices], 0)
    elif not choices.ndim:
        raise ValueError("[choose] rank of choices, got 0, expected 1 or more")
    places = _k.clip(self, 0, stacked.shape[0] - 1) if mode == "clip" else _k.mod(self, stacked.shape[0]) \
        if mode == "wrap" else self
    return _k.squeeze(_k.gather_elements(stacked, _k.expand_dims(places, 0), 0), 0)


def _fill_diagonal(self, fill_value, wrap=False):
    """A copy with a number on the main diagonal, the elements [i, i, ..., i]; wrap: of a tall matrix again below, after a row without.

    Raises ValueError for fewer than two axes, and where more than two have different sizes.
    """
    if self.ndim < 2:
        raise ValueError("[fill_diagonal] input must have at least 2 axes, got %d" % self.ndim)
    if self.ndim > 2 and len(set(self.shape)) != 1:
        raise ValueError("[fill_diagonal] sizes must be equal, got %s" % (tuple(self.shape),))
    step, block = 1, self.size
    for size in self.shape[:0:-1]:
        step = step * size + 1
    if self.ndim == 2:
        step = self.shape[1] + 1
        block = block if wrap else min(block, self.shape[1] * self.shape[1])
    places = Tensor(list(range(0, block, step)), _int64())
    flat = _k.index_update([_k.reshape(self, (-1,)), _k.full((), fill_value, self.dtype), places], [0], False)
    return _k.reshape(flat, self.shape)


def _int64():
    from . import dtype
    return dtype.int64


def _fill_diagonal_(self, fill_value, wrap=False):
    """As fill_diagonal, written to self; returns self."""
    return _set(self, _fill_diagonal(self, fill_value, wrap))


def _normal_(self, mean=0, std=1, *, generator=None):
    """Normal numbers with a mean and standard deviation, in place; returns self. generator is an ms.Generator.

    Raises TypeError for a mean or deviation that is no number, and for a tensor of integers.
    """
    if generator is not None:
        return drawn("normal_", generator, _normal_, self, mean, std)
    mean, std = check_numeric(mean, "normal_", "mean"), check_numeric(std, "normal_", "std")
    return written("normal_", self, _ops.standard_normal(self.shape) * std + mean)


def _uniform_(self, from_=0, to=1, *, generator=None):
    """Uniform numbers in [from_, to), in place; returns self. generator is an ms.Generator.

    Raises TypeError for bounds that are no numbers, and for a tensor of integers.
    """
    if generator is not None:
        return drawn("uniform_", generator, _uniform_, self, from_, to)
    low, high = check_numeric(from_, "uniform_", "from_"), check_numeric(to, "uniform_", "to")
    return written("uniform_", self, _ops.rand(*self.shape) * (high - low) + low)


def _random_(self, from_=0, to=None, *, generator=None):
    """Uniform integers in [from_, to) or, given one number, in [0, from_), by default [0, 2^24), in place; returns self.

    generator is an ms.Generator. Raises ValueError unless the lower bound is below the upper one.
    """
    if generator is not None:
        return drawn("random_", generator, _random_, self, from_, to)
    low, high = (from_, to) if to is not None else (0, from_ or 2 ** 24)
    return _set(self, _ops.randint(low, high, self.shape))


def _bernoulli_(self, p=0.5, *, generator=None):
    """1 with probability p, else 0, in place; returns self. p is a number or a Tensor that broadcasts; generator is an ms.Generator."""
    if generator is not None:
        return drawn("bernoulli_", generator, _bernoulli_, self, p)
    return _set(self, _k.less(_ops.rand(*self.shape), p))


def _bernoulli(self, p=0.5, seed=None, *, generator=None):
    """1 with probability p, else 0, in the shape and dtype of self; p is a number or a Tensor. seed and generator are as in ops.bernoulli."""
    if generator is not None:
        return drawn("bernoulli", generator, _bernoulli, self, p)
    return _ops.bernoulli(self, p, seed)


def _exponential_(self, lambd=1, *, generator=None):
    """Numbers with density lambd exp(-lambd x), in place: -log(1 - u) / lambd for uniform u; returns self. generator is an ms.Generator.

    Raises TypeError for a lambd that is no number, and for a tensor of integers.
    """
    if generator is not None:
        return drawn("exponential_", generator, _exponential_, self, lambd)
    return written("exponential_", self, -_k.log1p(-_ops.rand(*self.shape)) / check_numeric(lambd, "exponential_", "lambd"))


def _uniform(self, from_=0.0, to=1.0, generator=None):
    """Uniform numbers in [from_, to) in the shape and dtype of self, as a new tensor. generator is an ms.Generator.

    Raises TypeError for bounds that are no numbers, and for a tensor of integers.
    """
    if generator is not None:
        return drawn("uniform", generator, _uniform, self, from_, to)
    low, high = check_numeric(from_, "uniform", "from_"), check_numeric(to, "uniform", "to")
    return _k.cast(_ops.rand(*self.shape) * (high - low) + low, self.dtype)


def _new_empty(self, size, dtype=None, device=None):
    """Zeros in the shape `size`, because memory is never left uninitialised; dtype is that of self by default.

    Raises ValueError for a negative size. device has no effect.
    """
    return _ops.zeros(size, self.dtype if dtype is None else dtype)


def _sum_to_size(self, *size):
    """Sums over axes until the shape is the wanted one, ints or one tuple: the reverse of a broadcast to the shape of self.

    Raises ValueError for a shape that does not broadcast to that of self.
    """
    return _k.sum_to(self, size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size)


def _resize(self, *new_shape):
    """A copy of the elements in row order in another shape, ints or one tuple: surplus ones are dropped, missing ones are zeros.

    Raises ValueError for a negative size, TypeError for one that is no int.
    """
    shape = new_shape[0] if len(new_shape) == 1 and isinstance(new_shape[0], (tuple, list)) else new_shape
    total = 1
    for size in shape:
        if check_int(size, "resize", "size of an axis") < 0:
            raise ValueError("[resize] sizes must not be negative, got %s" % (tuple(shape),))
        total *= size
    flat = _k.reshape(self, (-1,))
    flat = flat[:total] if total <= self.size else _k.pad(flat, [0], [total - self.size], 0)
    return _k.reshape(flat, shape)


def _argmax_with_value(self, axis=0, keep_dims=False):
    """(largest element along an axis, its index, int64); of equal elements the first. With axis None the largest of all, and index 0.

    With keep_dims the axis stays, with size 1. Raises ValueError for an axis that self does not have.
    """
    return _ops.max(self, axis, keep_dims)


def _argmin_with_value(self, axis=0, keep_dims=False):
    """(smallest element along an axis, its index, int64); of equal elements the first. With axis None the smallest of all, and index 0.

    With keep_dims the axis stays, with size 1. Raises ValueError for an axis that self does not have.
    """
    return _ops.min(self, axis, keep_dims)


def _triangular_solve(self, A, upper=True, transpose=False, unitriangular=False):
    """(X, A), where A X = self for a triangular A (..., n, n) and right sides self (..., n, k).

    upper says which triangle of A is read; transpose solves A^T X = self; unitriangular takes the diagonal as ones.
    """
    from ..mint import triangular_solve
    return triangular_solve(self, A, upper, transpose, unitriangular)


def bind():
    """Adds the methods to Tensor that it does not have yet; called once, after bind() of methods.py."""
    global _k, _ops, _elements_scattered, _slices_added
    from .. import ops as _ops
    from ..ops import registry as _k
    from ..ops.index_func import elements_scattered as _elements_scattered
    from ..ops.index_func import slices_added as _slices_added
    own = {
        "register_hook": register_hook, "scatter": _scatter, "scatter_": _scatter_, "scatter_add": _scatter_add, "scatter_add_": _scatter_add_,
        "index_add_": _index_add_, "index_copy_": _index_copy_, "index_fill_": _index_fill_, "diag": _diag, "reverse_sequence": _reverse_sequence, "index_put": _index_put, "index_put_": _index_put_,
        "take": _take, "choose": _choose, "fill_diagonal": _fill_diagonal, "fill_diagonal_": _fill_diagonal_,
        "normal_": _normal_, "uniform_": _uniform_, "random_": _random_, "bernoulli_": _bernoulli_, "bernoulli": _bernoulli, "inv": _ops.inverse,
        "exponential_": _exponential_, "uniform": _uniform, "new_empty": _new_empty, "sum_to_size": _sum_to_size,
        "resize": _resize, "argmax_with_value": _argmax_with_value, "argmin_with_value": _argmin_with_value,
        "scatter_sub": _ops.tensor_scatter_sub, "scatter_mul": _ops.tensor_scatter_mul,
        "scatter_div": _ops.tensor_scatter_div, "scatter_max": _ops.tensor_scatter_max,
        "scatter_min": _ops.tensor_scatter_min, "triangular_solve": _triangular_solve, "soft_shrink": _ops.softshrink,
        "byte": lambda self: _k.cast(self, "uint8"), "is_signed": lambda self: str(self.dtype)[:4] not in ("UInt", "Bool"),
    }
    own["byte"].__doc__ = "The tensor as uint8."
    own["is_signed"].__doc__ = "Whether the dtype has negative numbers."
    for name in _FUNCTIONS:
        own[name] = getattr(_ops, name)
    for name in _WRITTEN:
        own[name] = _written(name[:-1])
    for name, function in own.items():
        put_method(name, function)


__all__ = ["bind"]
