"""Distributions and bijectors: the numbers of MindSpore 2.10 (tools/gen_probability_numbers.py), samples, arguments, gradients."""
import importlib.util
import json
import math
import os

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn
from msjit.nn.probability import bijector as B
from msjit.nn.probability import distribution as D

HERE = os.path.dirname(os.path.abspath(__file__))
_spec = importlib.util.spec_from_file_location("gen_probability_numbers", os.path.join(HERE, "..", "tools", "gen_probability_numbers.py"))
gen = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(gen)
with open(os.path.join(HERE, "probability_numbers.json")) as _file:
    NUMBERS = json.load(_file)
CALLS = dict(gen.calls(D, B, lambda value: Tensor(np.float32(value))))
MORE = {"Bernoulli.mode": [0.0], "Poisson.kl_loss": [2 * math.log(2 / 3) + 1]}  # which MindSpore does not compute


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_numbers(name):
    expected = MORE.get(name, NUMBERS[name])
    if expected is None:
        with pytest.raises((NotImplementedError, ValueError), match=r"^\[\w+\] "):
            CALLS[name]()
        return
    found = CALLS[name]()
    np.testing.assert_allclose(np.ravel(found.asnumpy()).astype(float), [float(v) for v in expected], 1e-3, 2e-5)


SAMPLED = [name for name in gen.DISTRIBUTIONS if name not in ("Cauchy", "HalfNormal", "Laplace", "StudentT", "LogNormal")]


@pytest.mark.parametrize("name", SAMPLED)
def test_samples_have_mean_and_variance(name):
    ms.set_seed(7)
    made = getattr(D, name)(*gen.DISTRIBUTIONS[name][0])
    found = made.sample((20000,)).asnumpy().astype(float)
    assert found.shape == (20000,) + (() if name == "Categorical" else made.batch_shape)
    mean, sd = float(np.ravel(made.mean().asnumpy())[0]), float(np.ravel(made.sd().asnumpy())[0])
    assert abs(found.mean() - mean) < 5 * sd / math.sqrt(20000) and abs(found.std() - sd) < 0.06 * sd
    ms.set_seed(7)
    assert (made.sample((20000,)).asnumpy() == found).all()


def test_other_samples():
    ms.set_seed(3)
    cauchy, log = D.Cauchy(1.0, 2.0).sample((20001,)).asnumpy(), D.LogNormal(1.0, 0.5).sample((20000,)).asnumpy()
    assert abs(np.median(cauchy) - 1) < 0.1 and abs(np.log(log).mean() - 1) < 0.02 and abs(np.log(log).std() - 0.5) < 0.02
    assert D.Bernoulli(0.5).sample((4,)).dtype == ms.int32 and D.Normal([0.0, 1.0], 1.0).sample((3,)).shape == (3, 2)
    assert D.Normal().sample((2,), Tensor([0.0]), Tensor([1.0])).shape == (2, 1)
    with pytest.raises(NotImplementedError, match="sample is not offered"):
        D.Laplace(0.0, 1.0).sample((2,))


def test_transformed_and_inverted():
    made = B.Exp()(D.Normal(0.0, 1.0))
    log = D.LogNormal(0.0, 1.0)
    x = Tensor([0.5, 1.0, 3.0])
    for method in ("prob", "log_prob", "cdf", "survival_function"):
        np.testing.assert_allclose(getattr(made, method)(x).asnumpy(), getattr(log, method)(x).asnumpy(), 1e-5, 1e-6)
    assert made.sample((4,)).shape == (4,) and B.Invert(B.Exp()).forward(x).tolist() == B.Exp().inverse(x).tolist()
    affine = D.TransformedDistribution(B.ScalarAffine(2.0, 3.0), D.Normal(1.0, 2.0))
    assert float(affine.mean()) == 5 and abs(float(affine.var()) - 16) < 1e-4
    assert abs(float(affine.entropy()) - float(D.Normal(5.0, 4.0).entropy())) < 1e-5
    with pytest.raises(ValueError, match="a bijector that is not affine"):
        made.mean()


@pytest.mark.parametrize("mode", [lambda f: f] + [lambda f: ms.jit(f, mode="PIJit")] * ms.has_jit)
def test_in_a_network_with_gradients(mode):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.normal = D.Normal(0.0, 1.0)
            self.free = D.Normal()

        def construct(self, x, mean, sd):
            return (self.normal("log_prob", x) - self.free("log_prob", x, mean, sd)).sum()
    x, mean, sd = Tensor([0.5, -1.0]), Tensor([1.0]), Tensor([2.0])
    value, grads = mode(ms.value_and_grad(Net(), (0, 1, 2)))(x, mean, sd)
    xs = x.asnumpy()
    assert abs(float(value) - (-0.5 * xs ** 2 + 0.5 * ((xs - 1) / 2) ** 2 + math.log(2)).sum()) < 1e-5
    np.testing.assert_allclose(grads[0].asnumpy(), -xs + (xs - 1) / 4, 1e-5)
    np.testing.assert_allclose(grads[1].asnumpy(), [(-(xs - 1) / 4).sum()], 1e-5)
    np.testing.assert_allclose(grads[2].asnumpy(), [(0.5 - (xs - 1) ** 2 / 8).sum()], 1e-5)


@pytest.mark.parametrize("call, error", [
    (lambda: D.Normal(0.0, -1.0), ValueError), (lambda: D.Normal("a", 1.0), TypeError), (lambda: D.Bernoulli(1.5), ValueError),
    (lambda: D.Categorical([0.5, 0.6]), ValueError), (lambda: D.Categorical(0.5), ValueError), (lambda: D.Uniform(2.0, 1.0), ValueError),
    (lambda: D.Normal(0.0, 1.0, seed="x"), TypeError), (lambda: D.Normal(0.0, 1.0, name=3), TypeError),
    (lambda: D.Normal().prob(Tensor([1.0])), TypeError), (lambda: D.Normal(0.0, 1.0).prob(*[Tensor([1.0])] * 4), TypeError),
    (lambda: D.Normal(0.0, 1.0).prob(np.ones(1)), TypeError), (lambda: D.Normal(0.0, 1.0).kl_loss("Gamma", 0.0, 1.0), ValueError),
    (lambda: D.Normal(0.0, 1.0).kl_loss("Normal", 0.0), TypeError), (lambda: D.Normal(0.0, 1.0).sample([2]), TypeError),
    (lambda: D.Normal(0.0, 1.0)("magic"), NotImplementedError), (lambda: D.Normal(0.0, 1.0, dtype=ms.int32), TypeError), (lambda: B.Exp()("magic"), ValueError), (lambda: B.Exp().forward(3), TypeError),
    (lambda: B.PowerTransform(-1.0), ValueError), (lambda: B.GumbelCDF(0.0, 0.0), ValueError), (lambda: B.Invert(3), TypeError),
    (lambda: D.TransformedDistribution(3, D.Normal(0.0, 1.0)), TypeError), (lambda: D.TransformedDistribution(B.Exp(), 3), TypeError)])
def test_errors(call, error):
    with pytest.raises(error, match=r"^\[\w+\] "):
        call()


def test_parameters_by_name():
    import msjit.nn.probability.distribution as msd
    normal, x = msd.Normal(1.0, 2.0), Tensor([1.0, 2.0])
    other = msd.Normal(0.5, 2.0)
    assert normal.log_prob(x, mean=0.5).asnumpy() == pytest.approx(other.log_prob(x).asnumpy())
    assert float(normal.mean(mean=Tensor(3.0))) == 3 and float(normal("sd", sd=Tensor(3.0))) == 3
    assert float(normal.kl_loss("Normal", mean_b=0.5, sd_b=2.0)) == pytest.approx(float(normal.kl_loss("Normal", 0.5, 2.0)))
    assert float(normal.kl_loss("Normal", 0.5, 2.0, sd=3.0)) == pytest.approx(float(msd.Normal(1.0, 3.0).kl_loss("Normal", 0.5, 2.0)))
    assert normal.sample((2,), mean=5.0, sd=1e-9).asnumpy() == pytest.approx([5, 5])
    assert float(msd.Bernoulli(0.5).mean(probs1=Tensor(0.25))) == 0.25
    with pytest.raises(TypeError, match="mu"):
        normal.prob(x, mu=1.0)


def test_bayesian_layers():
    from msjit import nn, ops
    from msjit.nn.probability import bnn_layers as bnn
    ms.set_seed(1)
    prior, spread = 0.1, np.log1p(np.exp(-4.0))
    kl = np.log(spread / prior) + (prior ** 2 + 0.09) / (2 * spread ** 2) - 0.5
    for layer, x, count, sigma in ((bnn.DenseReparam(3, 2), np.ones((4, 3)), 8, 2.0), (bnn.DenseLocalReparam(3, 2), np.ones((4, 3)), 8, 2.0),
                                   (bnn.ConvReparam(3, 2, 3, pad_mode="valid", has_bias=True), np.ones((2, 3, 3, 3)), 56, 28 ** 0.5)):
        names = [p.name for p in layer.get_parameters() if "posterior" in p.name]
        assert names == [kind + part for kind in ("weight_posterior.", "bias_posterior.") for part in ("mean", "untransformed_std")]
        for param in layer.get_parameters():
            param.set_data(Tensor(np.full(param.shape, -4.0 if "untransformed" in param.name else 0.3, np.float32)))
        assert float(layer.compute_kl_loss()) == pytest.approx(kl * count, 1e-3)
        for run in (layer, ms.jit(lambda x, layer=layer: layer(x), mode="PIJit")):
            drawn = np.stack([run(Tensor(x.astype(np.float32))).asnumpy() for _ in range(200)])
            assert drawn.mean() == pytest.approx(0.3 * count / 2, rel=0.02) and drawn.std(0).mean() == pytest.approx(spread * sigma, rel=0.15)
    net = nn.SequentialCell([bnn.DenseReparam(3, 2, activation="relu"), nn.Dense(2, 2)])
    whole = bnn.WithBNNLossCell(net, nn.MSELoss(), 0, 0.5)
    want = 0.5 * float(net[0].compute_kl_loss())
    assert whole.backbone_network is net and float(whole(ops.ones((4, 3)), ops.ones((4, 2)))) == pytest.approx(want)
    grads = ms.grad(whole, None, net.trainable_params())(ops.ones((4, 3)), ops.ones((4, 2)))
    assert all(np.isfinite(grad.asnumpy()).all() for grad in grads) and grads[0].asnumpy().any()
    for bad, error in ((lambda: bnn.DenseReparam(0, 2), ValueError), (lambda: bnn.DenseReparam(2, 2, weight_prior_fn=int), TypeError),
                       (lambda: bnn.WithBNNLossCell(net, nn.MSELoss(), -1), ValueError)):
        with pytest.raises(error):
            bad()


def test_how_they_are_printed_and_described():
    normal = D.Normal(0.0, 1.0)
    assert str(normal) == "Normal(mean = 0.0, standard deviation = 1.0)" and str(B.ScalarAffine(2.0, 1.0)) == "ScalarAffine(scale = 2.0, shift = 1.0)"
    assert str(D.Normal(Tensor([0.0, 1.0]), Tensor([1.0, 2.0]))) == "Normal(batch_shape = (2,))"
    assert str(D.Cauchy(0.0, 1.0)) == "Cauchy(location = 0.0, scale = 1.0)" and str(B.Exp()) == "Exp(exp)"
    assert normal.parameter_names == ["mean", "sd"] and [float(x) for x in normal.default_parameters] == [0.0, 1.0]
    assert normal.broadcast_shape == () and normal.parameter_type == ms.float32 and normal.seed == 0
    given = normal.prob(Tensor([1.0]), Tensor([1.0]))  # the first parameter alone; the others are the distribution's
    np.testing.assert_allclose(given.asnumpy(), [1 / math.sqrt(2 * math.pi)], 1e-6)
