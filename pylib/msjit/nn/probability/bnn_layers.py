"""Bayesian layers: each call draws the weights from normal distributions, whose means and standard deviations are learnt."""
from ... import _paths, ops
from ...common import dtype as mstype
from ...common.initializer import Normal as _Random
from ...common.initializer import initializer
from ...common.parameter import Parameter
from ..cell import Cell
from ..conv import Conv2d
from ..layer import get_activation
from .distribution import Normal

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.


class NormalPrior(Cell):
    """The normal distribution of weights that is assumed before any data, called as `prior("kl_loss", "Normal", mean, sd)`."""

    def __init__(self, dtype=mstype.float32, mean=0, std=0.1):
        super().__init__()
        self.normal = Normal(mean, std, dtype=dtype)

    def construct(self, *inputs):
        return self.normal(*inputs)


class NormalPosterior(Cell):
    """The learnt normal distribution of weights, called as `posterior("sample")`.

    Its mean is learnt, and its standard deviation is log(1 + exp(untransformed_std)).
    """

    def __init__(self, name, shape, dtype=mstype.float32, loc_mean=0, loc_std=0.1, untransformed_scale_mean=-5,
                 untransformed_scale_std=0.1):
        super().__init__()
        if not isinstance(name, str):
            raise TypeError("[NormalPosterior] name, got %s, expected a str" % type(name).__name__)
        self.mean = Parameter(initializer(_Random(loc_std, loc_mean), shape, dtype), name=name + ".mean")
        self.untransformed_std = Parameter(initializer(_Random(untransformed_scale_std, untransformed_scale_mean), shape, dtype),
                                           name=name + ".untransformed_std")
        self.normal = Normal(dtype=dtype)

    def spread(self):
        """Returns the standard deviations."""
        return ops.log1p(ops.exp(self.untransformed_std))

    def construct(self, *inputs):
        return self.normal(*inputs, mean=self.mean, sd=self.spread())


def normal_post_fn(name, shape):
    """Makes a NormalPosterior of a name and a shape."""
    return NormalPosterior(name=name, shape=shape)


def _made(where, what, function, *args):
    made = function if isinstance(function, Cell) else function(*args)
    if not isinstance(made, Cell):
        raise TypeError("[%s] %s, got %s, expected a Cell or a function that gives one" % (where, what, type(made).__name__))
    return made


class _Variational:
    """The base class of Bayesian layers."""

    def _distribute(self, shape, size, priors, posteriors):
        where = type(self).__name__
        self.weight_prior = _made(where, "weight_prior_fn", priors[0])
        self.weight_posterior = _made(where, "weight_posterior_fn", posteriors[0], "bnn_weight", shape)
        if self.has_bias:
            self.bias_prior = _made(where, "bias_prior_fn", priors[1])
            self.bias_posterior = _made(where, "bias_posterior_fn", posteriors[1], "bnn_bias", [size])

    def compute_kl_loss(self):
        """Returns the Kullback-Leibler divergence of the learnt distributions from the priors, summed over all weights."""
        def of(prior, posterior):
            return ops.sum(prior("kl_loss", "Normal", posterior.mean, posterior.spread()))
        loss = of(self.weight_prior, self.weight_posterior)
        return loss + of(self.bias_prior, self.bias_posterior) if self.has_bias else loss


class _DenseVariational(_Variational, Cell):
    def __init__(self, in_channels, out_channels, activation=None, has_bias=True, weight_prior_fn=NormalPrior,
                 weight_posterior_fn=normal_post_fn, bias_prior_fn=NormalPrior, bias_posterior_fn=normal_post_fn):
        super().__init__()
        for name, count in (("in_channels", in_channels), ("out_channels", out_channels)):
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                raise ValueError("[%s] %s, got %r, expected an int above 0" % (type(self).__name__, name, count))
        if not isinstance(has_bias, bool):
            raise TypeError("[%s] has_bias, got %r, expected a bool" % (type(self).__name__, has_bias))
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        self._distribute([out_channels, in_channels], out_channels, (weight_prior_fn, bias_prior_fn),
                         (weight_posterior_fn, bias_posterior_fn))
        self.activation = get_activation(activation) if isinstance(activation, str) else activation

    def construct(self, x):
        out = self._weighed(x)
        out = out + self.bias_posterior("sample") if self.has_bias else out
        return out if self.activation is None else self.activation(out)

    def extend_repr(self):
        return "in_channels=%d, out_channels=%d, has_bias=%s" % (self.in_channels, self.out_channels, self.has_bias)


class DenseReparam(_DenseVariational):
    """A dense layer that draws its weights at each call (reparametrisation)."""

    def _weighed(self, x):
        return ops.matmul(x, ops.swapaxes(self.weight_posterior("sample"), 0, 1))


class DenseLocalReparam(_DenseVariational):
    """A dense layer that draws each product with the weights directly (local reparametrisation)."""

    def _weighed(self, x):
        mean = ops.matmul(x, ops.swapaxes(self.weight_posterior.mean, 0, 1))
        spread = ops.sqrt(ops.matmul(ops.square(x), ops.swapaxes(ops.square(self.weight_posterior.spread()), 0, 1)) + 1e-20)
        return mean + spread * ops.standard_normal(mean.shape)


class ConvReparam(_Variational, Conv2d):
    """A 2-D convolution that draws its weights at each call. As in MindSpore, its own `weight` exists but has no effect."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1, group=1,
                 has_bias=False, weight_prior_fn=NormalPrior, weight_posterior_fn=normal_post_fn, bias_prior_fn=NormalPrior,
                 bias_posterior_fn=normal_post_fn):
        super().__init__(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group)
        self.has_bias = has_bias
        self._distribute(list(self.weight.shape), out_channels, (weight_prior_fn, bias_prior_fn),
                         (weight_posterior_fn, bias_posterior_fn))

    def construct(self, x):
        return self.conv2d.run(x, self.weight_posterior("sample"), self.bias_posterior("sample") if self.has_bias else None)


class WithBNNLossCell(Cell):
    """The loss of a network times dnn_factor, plus the KL losses of its Bayesian layers times bnn_factor."""

    def __init__(self, backbone, loss_fn, dnn_factor=1, bnn_factor=1):
        super().__init__(auto_prefix=False)
        for name, value in (("dnn_factor", dnn_factor), ("bnn_factor", bnn_factor)):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError("[WithBNNLossCell] %s, got %s, expected a number" % (name, type(value).__name__))
            if value < 0:
                raise ValueError("[WithBNNLossCell] %s, got %s, expected 0 or more" % (name, value))
        self._backbone, self._loss_fn, self.dnn_factor, self.bnn_factor = backbone, loss_fn, dnn_factor, bnn_factor
        self._layers = [cell for _, cell in backbone.cells_and_names() if isinstance(cell, _Variational)]

    def construct(self, x, label):
        loss = self._loss_fn(self._backbone(x), label) * self.dnn_factor
        for layer in self._layers:
            loss = loss + layer.compute_kl_loss() * self.bnn_factor
        return loss

    @property
    def backbone_network(self):
        """The network without the loss."""
        return self._backbone


__all__ = ["ConvReparam", "DenseReparam", "DenseLocalReparam", "NormalPrior", "NormalPosterior", "WithBNNLossCell"]
