"""Distribution, as programs derive their own distributions from it, and the checks and functions that these import.

A subclass gives MindSpore's methods, such as `_log_prob(value, mean=None, sd=None)`, `_cdf`, `_mean`, `_sample(shape, ...)`; what it lacks is computed from
what it has. It names its parameters with `_add_parameter`. The distributions of this package have another base, which derives from this one.
"""
from ... import _paths, ops
from ...common import dtype as mstype
from ...common.parameter import Parameter
from ...common.tensor import Tensor
from ..cell import Cell

__path__ = _paths.extend([])  # A package of two modules in MindSpore.


def _number_array(value):
    """The elements of a Tensor or a Parameter as an array of NumPy."""
    return value.asnumpy()


def _require(holds, name, expected):
    if not holds:
        raise ValueError("[Distribution] %s, got a value out of range, expected %s" % (name, expected))


def cast_to_tensor(t, hint_type=mstype.float32):
    """A number, a list, an array or a Tensor as a Tensor of the dtype; a Parameter stays as it is."""
    if isinstance(t, Parameter):
        return t
    if t is None:
        raise ValueError("[cast_to_tensor] value, got None, expected numbers")
    if isinstance(t, bool) or not (isinstance(t, (Tensor, list, int, float)) or type(t).__name__ == "ndarray"):
        raise TypeError("[cast_to_tensor] value, got %s, expected numbers" % type(t).__name__)
    return Tensor(t, dtype=hint_type)


def set_param_type(args, hint_type):
    """The dtype that the parameters in a dict have together: that of its Tensors and arrays, or hint_type; float32 for integers and float64."""
    whole = mstype.int_type + mstype.uint_type
    common = None
    for name, arg in args.items():
        if not hasattr(arg, "dtype"):
            continue
        found = arg.dtype if isinstance(arg, Tensor) else Tensor(arg).dtype
        if common is not None and found != common:
            raise TypeError("[Distribution] dtype of %s, got %s, expected that of the other parameters, %s" % (name, found, common))
        common = found
    if common is None:
        return mstype.float32 if hint_type is None or hint_type in whole else hint_type
    return mstype.float32 if common in whole or common == mstype.float64 else common


def check_greater_equal_zero(value, name):
    """Raises ValueError for an element below 0."""
    _require((_number_array(value) >= 0).all(), name, "at least 0")


def check_greater_zero(value, name):
    """Raises ValueError for an element that is not above 0."""
    if value is None:
        raise ValueError("[Distribution] %s, got None, expected numbers above 0" % name)
    _require((_number_array(value) > 0).all(), name, "above 0")


def check_greater(a, b, name_a, name_b):
    """Raises ValueError unless the elements of b are above those of a; Parameters are not compared."""
    if a is None or b is None:
        raise ValueError("[Distribution] %s or %s, got None, expected numbers" % (name_a, name_b))
    if not isinstance(a, Parameter) and not isinstance(b, Parameter):
        _require((_number_array(a) < _number_array(b)).all(), name_b, "above %s" % name_a)


def check_prob(p):
    """Raises ValueError for an element that is not between 0 and 1."""
    if p is None:
        raise ValueError("[Distribution] probability, got None, expected numbers")
    _require(((_number_array(p) > 0) & (_number_array(p) < 1)).all(), "probability", "between 0 and 1")


def check_sum_equal_one(probs):
    """Raises ValueError unless the last axis adds up to 1."""
    import numpy
    if probs is None:
        raise ValueError("[Distribution] probabilities, got None, expected numbers")
    sums = _number_array(probs).sum(-1)
    eps = numpy.finfo(sums.dtype).eps
    _require(numpy.allclose(sums, 1, rtol=eps * 10, atol=eps), "probabilities", "a sum of 1")


def check_rank(probs):
    """Raises ValueError for probabilities without axes."""
    if probs is None or not probs.shape:
        raise ValueError("[Distribution] rank of probs, got %s, expected at least 1" % ("None" if probs is None else 0))


def check_distribution_name(name, expected_name):
    """Raises ValueError for the name of another distribution."""
    if name != expected_name:
        raise ValueError("[Distribution] name, got %r, expected %r" % (name, expected_name))


def raise_none_error(name):
    """The error for a parameter that was given neither to the distribution nor to the call."""
    raise TypeError("[Distribution] %s, got none, expected it when the distribution is made or with the call" % name)


def raise_not_implemented_util(func_name, obj, *args, **kwargs):
    """The error for a method that a distribution lacks."""
    raise NotImplementedError("[%s] %s is not offered for this distribution" % (obj, func_name))


def clamp_probs(probs):
    """Probabilities, at least the rounding of their dtype away from 0 and 1."""
    eps = ops.Eps()(probs)
    return ops.clip_by_value(probs, eps, 1 - eps)


def logits_to_probs(logits, is_binary=False):
    """The probabilities of logits."""
    return ops.sigmoid(logits) if is_binary else ops.softmax(logits, axis=-1)


def probs_to_logits(probs, is_binary=False):
    """The logits of probabilities."""
    kept = clamp_probs(probs)
    return ops.log(kept) - ops.log(1 - kept) if is_binary else ops.log(kept)


def _as_floats(x):
    return x if x.dtype in mstype.float_type else ops.cast(x, mstype.float32)


def exp_generic(input_x):
    """exp, of integers in float32."""
    return ops.exp(_as_floats(input_x))


def log_generic(input_x):
    """log, of integers in float32."""
    return ops.log(_as_floats(input_x))


def log1p_generic(x):
    """log(1 + x), of integers in float32."""
    return log_generic(x + 1.0)


def broadcast_to(x, target):
    """x in the shape of another Tensor."""
    return x if x.shape == target.shape else ops.broadcast_to(x, target.shape)


# {method: (methods of a subclass that give it, each with what is done to their result)}. A name without "_" is a method of this table.
_LOG, _EXP, _REST = ops.log, ops.exp, lambda share: 1.0 - share
_WAYS = {
    "prob": (("_prob", None), ("_log_prob", _EXP)), "log_prob": (("_log_prob", None), ("_prob", _LOG)),
    "cdf": (("_cdf", None), ("_log_cdf", _EXP), ("_survival_function", _REST), ("_log_survival", lambda x: 1.0 - ops.exp(x))),
    "survival_function": (("_survival_function", None), ("_log_survival", _EXP), ("cdf", _REST)),
    "log_cdf": (("_log_cdf", None), ("cdf", _LOG)), "log_survival": (("_log_survival", None), ("survival_function", _LOG)),
    "sd": (("_sd", None), ("_var", ops.sqrt)), "var": (("_var", None), ("_sd", ops.square)),
}
_WAYS.update((name, (("_" + name, None),)) for name in "mean mode entropy kl_loss cross_entropy sample get_dist_args get_dist_type".split())


def _routed(name):
    def method(self, *args, **kwargs):
        for way, then in _WAYS[name]:
            if hasattr(self, way):
                found = getattr(self, way)(*args, **kwargs)
                return found if then is None else then(found)
        return raise_not_implemented_util(name, self.name)
    method.__name__, method.__doc__ = name, "%s, by the methods of the subclass." % name
    return method


def check_seed_and_name(where, seed, name):
    """Raises unless the seed is None or an int of at least 0, and the name a text."""
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise TypeError("[%s] seed, got %s, expected an int or None" % (where, type(seed).__name__))
    if seed is not None and seed < 0:
        raise ValueError("[%s] seed, got %d, expected at least 0" % (where, seed))
    if not isinstance(name, str):
        raise TypeError("[%s] name, got %s, expected a str" % (where, type(name).__name__))


class Distribution(Cell):
    """Base class of distributions. Calling one calls a method by name: d("log_prob", x).

    param is a dict of the arguments of the subclass; its item "param_dict" is a dict of the parameters of the distribution.
    """

    def __init__(self, seed, dtype, name, param):
        super().__init__()
        check_seed_and_name(type(self).__name__, seed, name)
        self._name, self._seed, self._dtype = name, seed or 0, dtype
        self._parameters = {key: value for key, value in param.items() if key != "self" and key[0] != "_"}
        self._reset_parameters()
        given = self._parameters.get("param_dict", {})
        self.parameter_type = set_param_type(given, dtype)
        self._batch_shape = self._broadcast_shape = _shape_of(given)
        self._is_scalar_batch = all(value is None or isinstance(value, (int, float)) for value in given.values())
        self.cast_base, self.dtype_base, self.shape_base = ops.Cast(), ops.DType(), ops.Shape()
        self.sq_base, self.sqrt_base, self.exp_base, self.log_base = ops.Square(), ops.Sqrt(), ops.Exp(), ops.Log()
        self.broadcast = broadcast_to

    name = property(lambda self: self._name, doc="The name of the distribution.")
    dtype = property(lambda self: self._dtype, doc="The dtype of samples.")
    seed = property(lambda self: self._seed, doc="The seed that samples are drawn with.")
    parameters = property(lambda self: self._parameters, doc="The arguments that the distribution was made with.")
    is_scalar_batch = property(lambda self: self._is_scalar_batch, doc="Whether the parameters are numbers, not arrays.")
    batch_shape = property(lambda self: self._batch_shape, doc="The shape that the parameters broadcast to; None if they were not given.")
    broadcast_shape = property(lambda self: self._broadcast_shape, doc="As batch_shape.")

    def _reset_parameters(self):
        self.default_parameters, self.parameter_names = [], []

    def _add_parameter(self, value, name):
        """Adds a parameter, and returns it as a Tensor; None stays None."""
        value = None if value is None else cast_to_tensor(value, self.parameter_type)
        self.default_parameters.append(value)
        self.parameter_names.append(name)
        return value

    def _check_value(self, value, name):
        """The value, if it is a Tensor."""
        if not isinstance(value, Tensor):
            raise TypeError("[%s] %s, got %s, expected a Tensor" % (self.name, name, type(value).__name__))
        return value

    checktensor = _check_value

    def _check_param_type(self, *args):
        """The parameters of a call in one shape and in parameter_type: those in args, or where they are None, those of the distribution."""
        found = []
        for arg, name, default in zip(args, self.parameter_names, self.default_parameters):
            if arg is None:
                arg = default if default is not None else raise_none_error(name)
            found.append(ops.cast(self._check_value(arg, name), self.parameter_type))
        if len(found) == 1:
            return found[0]
        whole = found[0]
        for arg in found[1:]:
            whole = whole + arg
        return tuple([broadcast_to(arg, whole) for arg in found])

    def construct(self, name, *args, **kwargs):
        if name not in _WAYS:
            raise NotImplementedError("[%s] name, got %r, expected one of %s" % (type(self).__name__, name, ", ".join(_WAYS)))
        return getattr(self, name)(*args, **kwargs)


def _shape_of(given):
    """The shape that parameters broadcast to, or None where one is None."""
    if any(value is None for value in given.values()) or not given:
        return None
    total = 0.0
    for value in given.values():
        total = cast_to_tensor(value) + total
    return tuple(total.shape)


for _way in _WAYS:
    setattr(Distribution, _way, _routed(_way))
