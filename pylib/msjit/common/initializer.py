"""Initial values of Parameters."""
import math

from .._native import Tensor
from . import dtype as mstype
from .checks import check_numeric, check_real, check_sizes
from .seed import generator


class Initializer:
    """Base class. A subclass defines sample(shape), which returns a NumPy array of float64 or float32, or _initialize(array), which fills one.

    >>> import msjit as ms
    >>> class Twos(ms.common.initializer.Initializer):
    ...     def _initialize(self, array):
    ...         array[:] = 2
    >>> ms.initializer(Twos(), (2,)).asnumpy().tolist()
    [2.0, 2.0]
    """

    def __init__(self, **kwargs):
        self._kwargs = kwargs

    def _initialize(self, array):
        array[...] = self.sample(array.shape)

    def sample(self, shape):
        """Values for a shape."""
        raise NotImplementedError("[initializer] %s defines no sample method" % type(self).__name__)

    def __call__(self, array):
        """Fills a NumPy array in place. Raises TypeError for an object without a shape."""
        if not hasattr(array, "shape"):
            raise TypeError("[initializer] array, got %s, expected an array" % type(array).__name__)
        self._initialize(array)

    def __repr__(self):
        fields = ", ".join("%s=%r" % item for item in sorted(self.__dict__.items()) if item[0] != "_kwargs")
        return "%s(%s)" % (type(self).__name__, fields)


class Constant(Initializer):
    """One value everywhere."""

    def __init__(self, value):
        self.value = value

    def sample(self, shape):
        import numpy
        return numpy.broadcast_to(numpy.asarray(self.value), shape)


class Zero(Constant):
    """Zeros."""

    def __init__(self):
        super().__init__(0)


class One(Constant):
    """Ones."""

    def __init__(self):
        super().__init__(1)


class Normal(Initializer):
    """Normal distribution with standard deviation sigma."""

    def __init__(self, sigma=0.01, mean=0.0):
        self.sigma, self.mean = check_numeric(sigma, "normal", "sigma"), check_numeric(mean, "normal", "mean")

    def sample(self, shape):
        return generator().normal(self.mean, self.sigma, shape)


class Uniform(Initializer):
    """Uniform distribution on [-scale, scale)."""

    def __init__(self, scale=0.07):
        self.scale = check_numeric(scale, "uniform", "scale")

    def sample(self, shape):
        return generator().uniform(-self.scale, self.scale, shape)


class TruncatedNormal(Initializer):
    """Normal distribution redrawn outside [a, b] standard deviations."""

    def __init__(self, sigma=0.01, mean=0.0, a=-2.0, b=2.0):
        for value, what in ((sigma, "sigma"), (mean, "mean"), (a, "a"), (b, "b")):
            check_numeric(value, "truncated_normal", what)
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def sample(self, shape):
        if self.a >= self.b:
            raise ValueError("[truncated_normal] a must be below b, got %s and %s" % (self.a, self.b))
        numbers = generator()
        values = numbers.normal(size=shape)
        outside = (values < self.a) | (values > self.b)
        for _ in range(1000):
            if not outside.any():
                break
            values[outside] = numbers.normal(size=int(outside.sum()))
            outside = (values < self.a) | (values > self.b)
        return values.clip(self.a, self.b) * self.sigma + self.mean


class XavierUniform(Initializer):
    """Uniform with variance 2 / (fan_in + fan_out), times gain squared."""

    def __init__(self, gain=1):
        self.gain = check_numeric(gain, "xavier_uniform", "gain")

    def sample(self, shape):
        fan_in, fan_out = fans(shape)
        bound = self.gain * math.sqrt(6.0 / (fan_in + fan_out))
        return generator().uniform(-bound, bound, shape)


class XavierNormal(Initializer):
    """Normal with variance 2 / (fan_in + fan_out), times gain squared."""

    def __init__(self, gain=1):
        self.gain = check_numeric(gain, "xavier_normal", "gain")

    def sample(self, shape):
        fan_in, fan_out = fans(shape)
        return generator().normal(0.0, self.gain * math.sqrt(2.0 / (fan_in + fan_out)), shape)


class HeUniform(Initializer):
    """Uniform that keeps the variance through a (leaky) ReLU."""

    def __init__(self, negative_slope=0, mode="fan_in", nonlinearity="leaky_relu"):
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def sample(self, shape):
        bound = math.sqrt(3.0) * _he_std(self, shape)
        return generator().uniform(-bound, bound, shape)


class HeNormal(HeUniform):
    """Normal that keeps the variance through a (leaky) ReLU."""

    def sample(self, shape):
        return generator().normal(0.0, _he_std(self, shape), shape)


class Orthogonal(Initializer):
    """A (semi-)orthogonal matrix over the first axis."""

    def __init__(self, gain=1.0):
        self.gain = check_numeric(gain, "orthogonal", "gain")

    def sample(self, shape):
        import numpy
        if len(shape) < 2:
            raise ValueError("[orthogonal] needs at least 2 dimensions, got %d" % len(shape))
        rows, cols = shape[0], int(numpy.prod(shape[1:]))
        q, r = numpy.linalg.qr(generator().normal(size=(max(rows, cols), min(rows, cols))))
        q = q * numpy.sign(numpy.diag(r))
        return self.gain * (q if rows >= cols else q.T).reshape(shape)


class Identity(Initializer):
    """The identity matrix."""

    def sample(self, shape):
        import numpy
        if len(shape) != 2:
            raise ValueError("[identity] needs 2 dimensions, got %d" % len(shape))
        return numpy.eye(*shape)


class Dirac(Initializer):
    """Kernels, of 3 to 5 axes, of a convolution that returns its channels unchanged: 1 in the middle, in each of `groups` groups."""

    def __init__(self, groups=1):
        if isinstance(groups, bool) or not isinstance(groups, int):
            raise TypeError("[dirac] groups, got %s, expected an int" % type(groups).__name__)
        if groups < 1:
            raise ValueError("[dirac] groups, got %d, expected 1 or more" % groups)
        self.groups = groups

    def sample(self, shape):
        import numpy
        if len(shape) not in (3, 4, 5) or shape[0] % self.groups:
            raise ValueError("[dirac] shape, got %s, expected 3 to 5 sizes, the first a multiple of %d" % (tuple(shape), self.groups))
        out, each = numpy.zeros(shape), shape[0] // self.groups
        for i in range(min(each, shape[1])):
            out[(slice(i, None, each), i) + tuple(size // 2 for size in shape[2:])] = 1
        return out


class VarianceScaling(Initializer):
    """Numbers of the variance scale / n, n being fan_in, fan_out or (fan_avg) their mean; see `distribution`.

    distribution: 'truncated_normal', 'untruncated_normal' or 'uniform'.
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal"):
        if isinstance(scale, bool) or not isinstance(scale, (int, float)):
            raise TypeError("[variance_scaling] scale, got %s, expected a number" % type(scale).__name__)
        if scale <= 0:
            raise ValueError("[variance_scaling] scale, got %s, expected above 0" % (scale,))
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError("[variance_scaling] mode, got %r, expected 'fan_in', 'fan_out' or 'fan_avg'" % (mode,))
        if distribution not in ("truncated_normal", "untruncated_normal", "uniform"):
            raise ValueError("[variance_scaling] distribution, got %r, expected 'truncated_normal', 'untruncated_normal' or "
                             "'uniform'" % (distribution,))
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def sample(self, shape):
        fan_in, fan_out = fans(shape)
        count = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, count)
        if self.distribution == "uniform":
            return Uniform((3 * variance) ** 0.5).sample(shape)
        if self.distribution == "untruncated_normal":
            return Normal(variance ** 0.5).sample(shape)
        # A normal distribution cut off at two standard deviations has 0.8796 of its standard deviation.
        return TruncatedNormal(variance ** 0.5 / 0.87962566103423978).sample(shape)


class Sparse(Initializer):
    """Matrices in each of whose columns the share `sparsity` is 0; the others are normal with the deviation sigma."""

    def __init__(self, sparsity, sigma=0.01):
        if not 0 <= check_real(sparsity, "sparse", "sparsity") <= 1:
            raise ValueError("[sparse] sparsity, got %s, expected a number in [0, 1]" % (sparsity,))
        self.sparsity, self.sigma = sparsity, sigma

    def sample(self, shape):
        import numpy
        if len(shape) != 2:
            raise ValueError("[sparse] shape, got %s, expected 2 sizes" % (tuple(shape),))
        out = Normal(self.sigma).sample(shape)
        order = generator()
        for column in range(shape[1]):
            out[order.permutation(shape[0])[:int(numpy.ceil(self.sparsity * shape[0]))], column] = 0
        return out


_BY_NAME = {
    "zeros": Zero, "zero": Zero, "ones": One, "one": One, "normal": Normal, "uniform": Uniform,
    "truncatednormal": TruncatedNormal, "truncated_normal": TruncatedNormal, "xavier_uniform": XavierUniform,
    "xavieruniform": XavierUniform, "xavier_normal": XavierNormal, "xaviernormal": XavierNormal,
    "he_uniform": HeUniform, "heuniform": HeUniform, "he_normal": HeNormal, "henormal": HeNormal,
    "orthogonal": Orthogonal, "identity": Identity, "dirac": Dirac, "variancescaling": VarianceScaling,
    "variance_scaling": VarianceScaling,
}


def fans(shape):
    """(fan_in, fan_out) of a weight stored output axis first. ValueError for fewer than two dimensions, as in MindSpore."""
    if len(shape) < 2:
        raise ValueError("[initializer] fan in and fan out need at least two dimensions, got shape %s" % (tuple(shape),))
    field = 1
    for size in shape[2:]:
        field *= size
    return shape[1] * field, shape[0] * field


def _calculate_fan_in_and_fan_out(shape):
    """As fans."""
    return fans(shape)


def _calculate_correct_fan(shape, mode):
    """The fan of a mode, "fan_in" or "fan_out"; ValueError for another one."""
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ValueError("[initializer] mode must be 'fan_in' or 'fan_out', got %r" % (mode,))
    return _calculate_fan_in_and_fan_out(shape)[mode.lower() == "fan_out"]


def _he_std(init, shape):
    if init.mode not in ("fan_in", "fan_out"):
        raise ValueError("[%s] mode must be 'fan_in' or 'fan_out', got %r" % (type(init).__name__, init.mode))
    fan = fans(shape)[init.mode == "fan_out"]
    if init.nonlinearity == "leaky_relu":
        gain = math.sqrt(2.0 / (1 + init.negative_slope ** 2))
    elif init.nonlinearity == "relu":
        gain = math.sqrt(2.0)
    elif init.nonlinearity == "tanh":
        gain = 5.0 / 3
    else:
        gain = 1.0
    return gain / math.sqrt(max(1, fan))


def _register(*aliases):
    """A decorator of Initializers: initializer() finds the class by its name in small letters and by the given names. The first class
    with a name keeps it."""
    def noted(cls):
        for name in (cls.__name__,) + aliases:
            _BY_NAME.setdefault(name.lower(), cls)
        return cls
    return noted


def initializer(init, shape=None, dtype=mstype.float32):
    """A new Tensor filled by a name ('normal', 'zeros', ...), a number, an Initializer or another Tensor.

    >>> import msjit as ms
    >>> from msjit.common.initializer import Normal
    >>> ms.initializer("ones", (2,)).asnumpy().tolist(), ms.initializer(Normal(0.02), (3, 4)).shape
    ([1.0, 1.0], (3, 4))
    """
    import numpy
    if isinstance(init, Tensor):
        if shape is not None and tuple(_shape(shape)) != tuple(init.shape):
            raise ValueError("[initializer] shape does not match, got %s, expected %s"
                             % (tuple(init.shape), tuple(_shape(shape))))
        return init
    if isinstance(init, str):
        if init.lower() not in _BY_NAME:
            raise ValueError("[initializer] unknown name %r, expected one of %s" % (init, ", ".join(sorted(_BY_NAME))))
        init = _BY_NAME[init.lower()]()
    elif isinstance(init, (bool, int, float)):
        init = Constant(init)
    elif isinstance(init, type) and issubclass(init, Initializer):
        init = init()
    if not isinstance(init, Initializer):
        raise TypeError("[initializer] expected a name, a number, an Initializer or a Tensor, got %s"
                        % type(init).__name__)
    shape = _shape(shape)
    kind = mstype.dtype_to_nptype(dtype)
    try:
        values = numpy.empty(shape, kind)
    except ValueError:  # more bytes than there are addresses
        raise ValueError("[initializer] shape, got %s, expected fewer elements" % (shape,)) from None
    init(values)
    tensor = Tensor(values)
    return tensor if tensor.dtype == dtype else tensor.astype(dtype)


def _shape(shape):
    if shape is None:
        return ()
    shape = check_sizes(shape, "initializer")
    for size in shape:
        if isinstance(size, bool) or not hasattr(size, "__index__"):
            raise TypeError("[initializer] size of a dimension, got %r, expected an int" % (size,))
        if size < 0:
            raise ValueError("[initializer] sizes must not be negative, got %s" % (shape,))
    return shape


_INITIALIZER_ALIAS = _BY_NAME  # MindSpore's name of the table

# -- names that initializers written for MindSpore import ------------------------------------------------------------------

def _assignment(arr, num):
    """An array with its elements set to those of num; a number for an array without axes."""
    if not arr.shape:
        return arr.reshape(1)[0] * 0 + num
    arr[:] = num[:] if hasattr(num, "shape") and num.shape else num
    return arr


def _calculate_gain(nonlinearity, param=None):
    """The number, by the name of a nonlinearity, that makes up for how much it shrinks its input (He et al. 2015)."""
    if nonlinearity in ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid"):
        return 1
    if nonlinearity in ("relu", "tanh"):
        return math.sqrt(2.0) if nonlinearity == "relu" else 5.0 / 3
    if nonlinearity != "leaky_relu":
        raise ValueError("[initializer] nonlinearity, got %r, expected 'relu', 'leaky_relu', 'tanh', 'sigmoid' or a linear one" % (nonlinearity,))
    if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
        raise ValueError("[initializer] param, got %r, expected a number" % (param,))
    return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))


def _init_random_normal(mean, sigma, shape):
    """An array of float32 drawn from a normal distribution."""
    return generator().normal(mean, sigma, shape).astype("float32")


def _init_random_uniform(a, b, shape):
    """An array of float32 drawn evenly from [a, b)."""
    return generator().uniform(a, b, shape).astype("float32")


def _init_truncated_normal(a, b, mean, sigma, shape):
    """An array of float32 from a normal distribution; numbers outside of [a, b] are drawn again."""
    import numpy
    draws = generator()
    out = draws.normal(mean, sigma, shape)
    while True:
        wrong = numpy.atleast_1d((out < a) | (out > b))
        if not wrong.any():
            return numpy.asarray(out).astype("float32")
        out = numpy.where(wrong, draws.normal(mean, sigma, shape), out)


__all__ = ["Constant", "Dirac", "HeNormal", "HeUniform", "Identity", "Initializer", "Normal", "One", "Orthogonal", "Sparse",
           "TruncatedNormal", "Uniform", "VarianceScaling", "XavierNormal", "XavierUniform", "Zero", "initializer"]
