"""Distributions of the values of a bijector."""
from ... import ops
from .base import FormulaDistribution
from .bijector import Bijector
from .own import Distribution


class TransformedDistribution(FormulaDistribution):
    """The distribution of bijector.forward(x), where x follows a distribution.

    Mean, variance and entropy need an affine bijector; others raise ValueError.
    """

    def __init__(self, bijector, distribution, seed=None, name="transformed_distribution"):
        if not isinstance(bijector, Bijector):
            raise TypeError("[TransformedDistribution] bijector, got %s, expected a Bijector" % type(bijector).__name__)
        if not isinstance(distribution, Distribution):
            raise TypeError("[TransformedDistribution] distribution, got %s, expected a Distribution" % type(distribution).__name__)
        super().__init__(seed, distribution.dtype, name, dict(distribution.parameters))
        self._bijector, self._distribution = bijector, distribution
        self.is_linear_transformation = bijector.is_constant_jacobian

    @property
    def bijector(self):
        """The bijector."""
        return self._bijector

    @property
    def distribution(self):
        """The distribution before the bijector."""
        return self._distribution

    @property
    def batch_shape(self):
        """The batch shape of the distribution before the bijector."""
        return self._distribution.batch_shape

    def log_prob(self, value, *args):
        """Logarithm of the density at value."""
        inner = self._distribution.log_prob(self._bijector.inverse(self._value(value)), *args)
        return inner + self._bijector.inverse_log_jacobian(value)

    def cdf(self, value, *args):
        """The probability of a sample that is at most value; correct only for an increasing bijector."""
        return self._distribution.cdf(self._bijector.inverse(self._value(value)), *args)

    def mean(self, *args):
        """The mean; raises ValueError unless the bijector is affine."""
        if not self.is_linear_transformation:
            raise ValueError("[TransformedDistribution] mean, got a bijector that is not affine, expected one that is")
        return self._bijector.forward(self._distribution.mean(*args))

    def var(self, *args):
        """The variance; raises ValueError unless the bijector is affine."""
        if not self.is_linear_transformation:
            raise ValueError("[TransformedDistribution] var, got a bijector that is not affine, expected one that is")
        var = self._distribution.var(*args)
        return var * ops.exp(2 * self._bijector.forward_log_jacobian(var))

    def entropy(self, *args):
        """The entropy; raises ValueError unless the bijector is affine."""
        if not self.is_linear_transformation:
            raise ValueError("[TransformedDistribution] entropy, got a bijector that is not affine, expected one that is")
        inner = self._distribution.entropy(*args)
        return inner + self._bijector.forward_log_jacobian(inner)

    def sample(self, shape=(), *args):
        """Draws samples of the distribution and transforms them."""
        return self._bijector.forward(self._distribution.sample(shape, *args))
