"""FormulaDistribution: the base class of the distributions of this package.

A distribution gets its parameters when it is made, or else after the other arguments of every call. A subclass lists its parameters in
`_names` and defines formulas: `_log_prob(x, ...)`, `_cdf(x, ...)`, `_mean(...)`, `_var(...)`, `_mode(...)`, `_entropy(...)`,
`_kl(..., ...)` of the parameters of both distributions, and `_drawn(shape, ...)`.
"""
from ... import ops
from ...common import dtype as mstype
from ...common.tensor import Tensor
from .own import Distribution, check_seed_and_name


def as_parameter(value, where, name):
    """Converts a number, a list, an array or a Tensor to a Tensor of floats; None stays None."""
    if value is None:
        return None
    if isinstance(value, Tensor):
        return value if value.dtype in (mstype.float16, mstype.float32, mstype.float64) else ops.cast(value, mstype.float32)
    try:
        return Tensor(value, mstype.float32)
    except (TypeError, ValueError):
        raise TypeError("[%s] %s, got %s, expected numbers" % (where, name, type(value).__name__)) from None


def _missing(what):
    def formula(self, *args):
        raise NotImplementedError("[%s] %s is not offered for this distribution" % (type(self).__name__, what))
    return formula


class FormulaDistribution(Distribution):
    """Base class of the distributions here. Calling one calls a method by name: d("log_prob", x)."""

    _names = ()
    _shown = {}  # other names of parameters, for printing
    _whole = False  # whether the dtype of samples may be an integer

    def __init__(self, seed, dtype, name, param):
        super(Distribution, self).__init__()
        where = type(self).__name__
        check_seed_and_name(where, seed, name)
        if not (dtype in mstype.float_type or (self._whole and dtype in mstype.int_type + mstype.uint_type)):
            raise TypeError("[%s] dtype, got %s, expected %s" % (where, dtype, "a number's" if self._whole else "a float's"))
        self._name, self._seed, self._dtype, self._parameters = name, seed or 0, dtype, param
        self._given = tuple(as_parameter(param.get(key), where, key) for key in self._names)
        if all(value is not None for value in self._given):
            self._check(*self._given)

    def _check(self, *params):
        """Raises ValueError where parameters are out of range."""

    def _require(self, holds, name, expected):
        if not bool(holds.all()):
            raise ValueError("[%s] %s, got a value out of range, expected %s" % (type(self).__name__, name, expected))

    @property
    def dtype(self):
        """The dtype of samples."""
        return self._dtype

    @property
    def is_scalar_batch(self):
        """Whether the parameters are numbers, not arrays."""
        return self.batch_shape == ()

    @property
    def batch_shape(self):
        """The shape that the parameters broadcast to; None if they were not given."""
        if any(value is None for value in self._given):
            return None
        total = self._given[0]
        for value in self._given[1:]:
            total = total + value
        return tuple(total.shape)

    broadcast_shape = batch_shape

    @property
    def default_parameters(self):
        """The parameters as a list of Tensors; None in place of one that comes with the calls."""
        return list(self._given)

    @property
    def parameter_names(self):
        """The names of the parameters, a list."""
        return list(self._names)

    @property
    def parameter_type(self):
        """The dtype in which the parameters are computed."""
        return self._dtype if self._dtype in mstype.float_type else mstype.float32

    def _arguments(self, args, named=None):
        """The parameters of a call: those given with it, by position or name, else those of the distribution."""
        if len(args) > len(self._names):
            raise TypeError("[%s] parameters, got %d, expected %s" % (type(self).__name__, len(args), ", ".join(self._names)))
        found = [own if value is None else as_parameter(value, type(self).__name__, key)
                 for key, value, own in zip(self._names, args + (None,) * len(self._names), self._given)]
        for key, value in (named or {}).items():
            key = "probs" if key == "probs1" else key  # MindSpore's name for it in calls
            if key not in self._names:
                raise TypeError("[%s] parameter, got %r, expected one of %s" % (type(self).__name__, key, ", ".join(self._names)))
            if value is not None:
                found[self._names.index(key)] = as_parameter(value, type(self).__name__, key)
        for key, value in zip(self._names, found):
            if value is None:
                raise TypeError("[%s] %s, got none, expected it when the distribution is made or with the call"
                                % (type(self).__name__, key))
        return found

    def _value(self, value):
        if not isinstance(value, Tensor):
            raise TypeError("[%s] value, got %s, expected a Tensor" % (type(self).__name__, type(value).__name__))
        return value if value.dtype in (mstype.float16, mstype.float32, mstype.float64) else ops.cast(value, mstype.float32)

    # -- of values ----------------------------------------------------------------------------------------------

    def log_prob(self, value, *args, **named):
        """Logarithm of the density at value, or of its probability for a discrete distribution."""
        return self._log_prob(self._value(value), *self._arguments(args, named))

    def prob(self, value, *args, **named):
        """The density at value, or its probability for a discrete distribution."""
        return ops.exp(self.log_prob(value, *args, **named))

    def cdf(self, value, *args, **named):
        """The probability of a sample that is at most value."""
        return self._cdf(self._value(value), *self._arguments(args, named))

    def log_cdf(self, value, *args, **named):
        """Logarithm of cdf."""
        return ops.log(self.cdf(value, *args, **named))

    def survival_function(self, value, *args, **named):
        """The probability of a sample above value: 1 - cdf."""
        return 1 - self.cdf(value, *args, **named)

    def log_survival(self, value, *args, **named):
        """Logarithm of survival_function."""
        return ops.log(self.survival_function(value, *args, **named))

    # -- of the parameters --------------------------------------------------------------------------------------

    def mean(self, *args, **named):
        """The mean of the distribution."""
        return self._mean(*self._arguments(args, named))

    def var(self, *args, **named):
        """The variance of the distribution."""
        return self._var(*self._arguments(args, named))

    def sd(self, *args, **named):
        """The standard deviation of the distribution."""
        return ops.sqrt(self.var(*args, **named))

    def mode(self, *args, **named):
        """The most probable value."""
        return self._mode(*self._arguments(args, named))

    def entropy(self, *args, **named):
        """The entropy, in nats."""
        return self._entropy(*self._arguments(args, named))

    def kl_loss(self, dist, *args, **named):
        """Kullback-Leibler divergence KL(self

        other), where other is of the same kind.

        dist names the kind. The parameters of other come first in args; those of self may follow. As keywords, those of
        other end in _b.
        """
        count = len(self._names)
        if dist != type(self).__name__:
            raise ValueError("[%s] dist, got %r, expected %r" % (type(self).__name__, dist, type(self).__name__))
        other = {key[:-2]: value for key, value in named.items() if key[-2:] == "_b"}
        own = {key: value for key, value in named.items() if key[-2:] != "_b"}
        if len(args) not in (count, 2 * count) and not (other and not args):
            raise TypeError("[%s] parameters of the other distribution, got %d, expected %s"
                            % (type(self).__name__, len(args), ", ".join(self._names)))
        return self._kl(*(self._arguments(args[count:], own) + self._arguments(args[:count], other)))

    def cross_entropy(self, dist, *args, **named):
        """The cross entropy of self and another distribution: entropy + kl_loss."""
        own = {key: value for key, value in named.items() if key[-2:] != "_b"}
        return self.entropy(*args[len(self._names):], **own) + self.kl_loss(dist, *args, **named)

    def sample(self, shape=(), *args, **named):
        """Draws samples: of shape `shape` plus the shape of the parameters, in the distribution's dtype."""
        if not isinstance(shape, tuple):
            raise TypeError("[%s] shape, got %s, expected a tuple" % (type(self).__name__, type(shape).__name__))
        params = self._arguments(args, named)
        total = params[0]
        for value in params[1:]:
            total = total + value
        return ops.cast(self._drawn(shape + self._sample_tail(tuple(total.shape)), *params), self._dtype)

    def _sample_tail(self, batch):
        return batch

    def construct(self, name, *args, **kwargs):
        if name not in _CALLS:
            raise NotImplementedError("[%s] name, got %r, expected one of %s" % (type(self).__name__, name, ", ".join(_CALLS)))
        return getattr(self, name)(*args, **kwargs)

    def get_dist_type(self):
        """Returns the name of the class of the distribution."""
        return type(self).__name__

    def get_dist_args(self, *args):
        """Returns the parameters of a call as Tensors."""
        return tuple(self._arguments(args))

    def extend_repr(self):
        if self.batch_shape:
            return "batch_shape = %s" % (self.batch_shape,)
        return ", ".join("%s = %s" % (self._shown.get(key, key), value) for key, value in zip(self._names, self._given))

    _log_prob, _cdf, _mean, _var = _missing("log_prob"), _missing("cdf"), _missing("mean"), _missing("var")
    _mode, _entropy, _kl, _drawn = _missing("mode"), _missing("entropy"), _missing("kl_loss"), _missing("sample")


_CALLS = ("log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival", "mean", "var", "sd", "mode", "entropy", "kl_loss",
          "cross_entropy", "sample", "get_dist_type", "get_dist_args")


def open_uniform(shape):
    """Uniform random numbers in (0, 1)."""
    return ops.maximum(ops.rand(shape, dtype=mstype.float32), 1e-7)
