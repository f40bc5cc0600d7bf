"""Distributions that programs define as MindSpore's own are defined."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops
from msjit.nn.probability import own
from msjit.nn.probability.distribution import Distribution, Normal


class Laplace(Distribution):
    """Parameters by _add_parameter, formulas by methods that begin with "_"."""

    def __init__(self, mean=None, sd=None, seed=None, dtype=ms.float32, name="Laplace"):
        param = dict(locals())
        param["param_dict"] = {"mean": mean, "sd": sd}
        super(Laplace, self).__init__(seed, dtype, name, param)
        self._mean_value, self._sd_value = self._add_parameter(mean, "mean"), self._add_parameter(sd, "sd")
        if self._sd_value is not None:
            own.check_greater_zero(self._sd_value, "sd")
        self.exp, self.log, self.cast = own.exp_generic, own.log_generic, ops.Cast()

    def extend_repr(self):
        return "mean = {}".format(self._mean_value)

    def _mean(self, mean=None, sd=None):
        return self._check_param_type(mean, sd)[0]

    def _var(self, mean=None, sd=None):
        _, sd = self._check_param_type(mean, sd)
        return 2 * sd * sd

    def _log_prob(self, value, mean=None, sd=None):
        value = self.cast(self._check_value(value, "value"), self.dtype)
        mean, sd = self._check_param_type(mean, sd)
        return -ops.abs(value - mean) / sd - self.log(2 * sd)

    def _cdf(self, value, mean=None, sd=None):
        mean, sd = self._check_param_type(mean, sd)
        z = (value - mean) / sd
        return ops.select(z < 0, 0.5 * self.exp(z), 1 - 0.5 * self.exp(-z))

    def _kl_loss(self, dist, mean_b, sd_b, mean=None, sd=None):
        own.check_distribution_name(dist, "Laplace")
        return self.log(sd_b / self._check_param_type(mean, sd)[1])

    def _sample(self, shape=(), mean=None, sd=None):
        return ops.zeros(shape + (3,), self.dtype) + self._check_param_type(mean, sd)[0]


X = np.float32([0.5, -1.0, 2.0])
SD = np.float32([1.0, 2.0, 3.0])
LOG = -np.abs(X) / SD - np.log(2 * SD)
CDF = np.where(X < 0, 0.5 * np.exp(X / SD), 1 - 0.5 * np.exp(-X / SD))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fixed, self.free = Laplace(0.0, SD.tolist()), Laplace()

    def construct(self, x, m, s):
        d = self.fixed
        return (d.log_prob(x), d("prob", x), d.cdf(x), d.log_cdf(x), d.survival_function(x), d.log_survival(x), d.sd(), d.var(), d.mean(),
                self.free.log_prob(x, m, s), d.kl_loss("Laplace", m, s), d.sample((2,)))


@pytest.mark.parametrize("wrap", [lambda net: net, lambda net: ms.jit(net.construct, mode="PIJit"), lambda net: ms.jit(net.construct)])
def test_methods_by_what_the_subclass_gives(wrap):
    found = wrap(Net())(Tensor(X), Tensor([1.0]), Tensor([2.0]))
    expected = (LOG, np.exp(LOG), CDF, np.log(CDF), 1 - CDF, np.log(1 - CDF), 2 ** 0.5 * SD, 2 * SD * SD, 0 * SD,
                -np.abs(X - 1) / 2 - np.log(4), np.log(2 / SD), np.zeros((2, 3)))
    for got, wanted in zip(found, expected):
        assert got.asnumpy() == pytest.approx(wanted, abs=1e-5)
    assert ms.grad(lambda x: Net().fixed.log_prob(x).sum())(Tensor(X)).asnumpy() == pytest.approx(-np.sign(X) / SD)


def test_attributes():
    fixed, free = Laplace(0.0, SD.tolist(), seed=3), Laplace()
    assert (fixed.batch_shape, fixed.is_scalar_batch, fixed.parameter_type, fixed.seed, fixed.name) == ((3,), False, ms.float32, 3, "Laplace")
    assert free.batch_shape is None and free.is_scalar_batch and free.default_parameters == [None, None]
    assert fixed.parameter_names == ["mean", "sd"] and fixed.parameters["sd"] == SD.tolist() and "mean = 0.0" in repr(fixed)
    assert isinstance(Normal(0.0, 1.0), Distribution)


@pytest.mark.parametrize("call, error", [
    (lambda: Laplace(0.0, 1.0).mode(), NotImplementedError), (lambda: Laplace(0.0, 1.0)("median"), NotImplementedError),
    (lambda: Laplace().log_prob(Tensor(X)), TypeError), (lambda: Laplace(0.0, 1.0).log_prob(3.0), TypeError), (lambda: Laplace(0.0, -1.0), ValueError),
    (lambda: Laplace(0.0, 1.0, name=3), TypeError), (lambda: Laplace(0.0, 1.0, seed=-1), ValueError), (lambda: Normal(0.0, 1.0, seed=-1), ValueError),
    (lambda: Laplace(Tensor([1.0]), Tensor([1])), TypeError), (lambda: Laplace(0.0, 1.0).kl_loss("Normal", Tensor(X), Tensor(X)), ValueError)])
def test_errors(call, error):
    with pytest.raises(error, match=r"^\[\w+\] "):
        call()


def test_checks():
    own.check_prob(Tensor([0.5])), own.check_sum_equal_one(Tensor([0.25, 0.75])), own.check_rank(Tensor([1.0])), own.check_greater_equal_zero(Tensor([0.0]), "x")
    assert own.probs_to_logits(Tensor([0.5]), True).asnumpy() == pytest.approx([0.0]) and float(own.logits_to_probs(Tensor(0.0), True)) == 0.5
    assert own.log1p_generic(Tensor([0, 1])).asnumpy() == pytest.approx([0.0, np.log(2)]) and own.cast_to_tensor([1, 2]).dtype == ms.float32
    for call in (lambda: own.check_prob(Tensor([1.0])), lambda: own.check_sum_equal_one(Tensor([0.5, 0.6])), lambda: own.check_rank(Tensor(1.0)),
                 lambda: own.check_greater(Tensor([2.0]), Tensor([1.0]), "a", "b"), lambda: own.check_greater_equal_zero(Tensor([-1.0]), "x")):
        with pytest.raises(ValueError):
            call()
