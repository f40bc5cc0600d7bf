"""Bijectors: invertible functions with the logarithms of their derivatives."""
from ... import _paths, ops
from ...common.tensor import Tensor
from ..cell import Cell
from .base import as_parameter

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.


class Bijector(Cell):
    """Base class of bijectors; a subclass defines `_forward`, `_inverse` and `_forward_log`.

    Calling one with a name calls the method of that name; calling it with a Distribution makes a TransformedDistribution.
    """

    def __init__(self, is_constant_jacobian=False, is_injective=True, name=None, dtype=None, param=None):
        super().__init__()
        for key, value in (("is_constant_jacobian", is_constant_jacobian), ("is_injective", is_injective)):
            if not isinstance(value, bool):
                raise TypeError("[%s] %s, got %s, expected a bool" % (type(self).__name__, key, type(value).__name__))
        self.name, self.dtype = name or type(self).__name__, dtype
        self.is_constant_jacobian, self.is_injective, self.parameters = is_constant_jacobian, is_injective, param or {}

    def _value(self, value):
        if not isinstance(value, Tensor):
            raise TypeError("[%s] value, got %s, expected a Tensor" % (type(self).__name__, type(value).__name__))
        return value

    def extend_repr(self):
        return ", ".join("%s = %s" % item for item in self.parameters.items())

    def forward(self, value):
        """Computes f(value)."""
        return self._forward(self._value(value))

    def inverse(self, value):
        """Computes the x with f(x) = value."""
        return self._inverse(self._value(value))

    def forward_log_jacobian(self, value):
        """Computes log |f'(value)|."""
        return self._forward_log(self._value(value))

    def inverse_log_jacobian(self, value):
        """Computes the logarithm of the absolute derivative of the inverse, at value."""
        return -self._forward_log(self._inverse(self._value(value)))

    def construct(self, name, *args, **kwargs):
        from .own import Distribution
        from .transformed import TransformedDistribution
        if isinstance(name, Distribution):
            return TransformedDistribution(self, name)
        if name not in ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian"):
            raise ValueError("[%s] name, got %r, expected forward, inverse, forward_log_jacobian or inverse_log_jacobian"
                             % (type(self).__name__, name))
        return getattr(self, name)(*args, **kwargs)


class PowerTransform(Bijector):
    """The function (1 + power * x)^(1 / power), or exp(x) where power is 0.

    Raises ValueError for a negative power, TypeError for one that is no number.
    """

    def __init__(self, power=0.0, name="PowerTransform"):
        super().__init__(name=name, param={"power": power})
        if isinstance(power, bool) or not isinstance(power, (int, float)):
            raise TypeError("[%s] power, got %s, expected a float" % (type(self).__name__, type(power).__name__))
        if power < 0:
            raise ValueError("[%s] power, got %s, expected 0 or more" % (type(self).__name__, power))
        self.power = power

    def _forward(self, x):
        return ops.exp(x) if self.power == 0 else ops.exp(ops.log1p(x * self.power) / self.power)

    def _inverse(self, y):
        return ops.log(y) if self.power == 0 else ops.expm1(ops.log(y) * self.power) / self.power

    def _forward_log(self, x):
        return x if self.power == 0 else (1 / self.power - 1) * ops.log1p(x * self.power)


class Exp(PowerTransform):
    """The function exp(x), with the inverse log(y): PowerTransform with power 0."""

    def __init__(self, name="Exp"):
        super().__init__(0.0, name)

    def extend_repr(self):
        return "exp"


class ScalarAffine(Bijector):
    """The function scale * x + shift, with the inverse (y - shift) / scale. Raises TypeError for anything but numbers."""

    def __init__(self, scale=1.0, shift=0.0, name="ScalarAffine"):
        super().__init__(True, True, name, None, {"scale": scale, "shift": shift})
        self.scale, self.shift = as_parameter(scale, name, "scale"), as_parameter(shift, name, "shift")

    def _forward(self, x):
        return self.scale * x + self.shift

    def _inverse(self, y):
        return (y - self.shift) / self.scale

    def _forward_log(self, x):
        return ops.log(ops.abs(self.scale))


class Softplus(Bijector):
    """The function log(1 + exp(sharpness * x)) / sharpness, without overflow. Raises TypeError for a sharpness that is no number."""

    def __init__(self, sharpness=1.0, name="Softplus"):
        super().__init__(name=name, param={"sharpness": sharpness})
        self.sharpness = as_parameter(sharpness, name, "sharpness")

    def _forward(self, x):
        z = self.sharpness * x
        return (ops.relu(z) + ops.log1p(ops.exp(-ops.abs(z)))) / self.sharpness

    def _inverse(self, y):
        z = self.sharpness * y
        return (z + ops.log(-ops.expm1(-z))) / self.sharpness

    def _forward_log(self, x):
        z = self.sharpness * x
        return -ops.relu(-z) - ops.log1p(ops.exp(-ops.abs(z)))


class GumbelCDF(Bijector):
    """The distribution function of the Gumbel distribution: exp(-exp(-(x - loc) / scale)). Raises ValueError for a scale that is not positive."""

    def __init__(self, loc=0.0, scale=1.0, name="GumbelCDF"):
        super().__init__(name=name, param={"loc": loc, "scale": scale})
        self.loc, self.scale = as_parameter(loc, name, "loc"), as_parameter(scale, name, "scale")
        if not bool((self.scale > 0).all()):
            raise ValueError("[GumbelCDF] scale, got a value out of range, expected above 0")

    def _forward(self, x):
        return ops.exp(-ops.exp((self.loc - x) / self.scale))

    def _inverse(self, y):
        return self.loc - self.scale * ops.log(-ops.log(y))

    def _forward_log(self, x):
        z = (x - self.loc) / self.scale
        return -z - ops.exp(-z) - ops.log(self.scale)


class Invert(Bijector):
    """The inverse of a bijector: its forward is the bijector's inverse. Raises TypeError for anything but a Bijector."""

    def __init__(self, bijector, name=""):
        if not isinstance(bijector, Bijector):
            raise TypeError("[Invert] bijector, got %s, expected a Bijector" % type(bijector).__name__)
        super().__init__(bijector.is_constant_jacobian, bijector.is_injective, name or "Invert" + bijector.name)
        self._bijector = bijector

    @property
    def bijector(self):
        """The bijector that is inverted."""
        return self._bijector

    def _forward(self, x):
        return self._bijector.inverse(x)

    def _inverse(self, y):
        return self._bijector.forward(y)

    def _forward_log(self, x):
        return self._bijector.inverse_log_jacobian(x)


__all__ = ["Bijector", "PowerTransform", "Exp", "ScalarAffine", "Softplus", "GumbelCDF", "Invert"]
