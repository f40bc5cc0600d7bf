"""Losses against their formulas in NumPy: values, gradients by finite differences, compiled."""
import itertools

import numpy as np
import pytest

import msjit as ms
from jit_same import same
from msjit import Tensor, nn, ops

R = np.random.RandomState(0)
X, Y, Z = (R.randn(3, 4).astype(np.float32) for _ in range(3))
P = (R.rand(3, 4) * 0.9 + 0.05).astype(np.float32)
SIGN = np.sign(R.randn(3, 4)).astype(np.float32)
BITS = (R.rand(3, 4) > 0.5).astype(np.float32)
CLASSES, PAIRS = np.int32([1, 0, 3]), np.int32([1, -1, 1])
MARGINS = np.int32([[1, 3, -1, 0], [0, -1, 2, 1], [-1, 0, 1, 2]])


def norm(x, p=2, eps=1e-6):
    return (np.abs(x + eps) ** p).sum(-1) ** (1 / p)


def logsoftmax(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def cosines(x, y):
    return (x * y).sum(1) / np.sqrt((x * x).sum(1) * (y * y).sum(1))


def multi_margin(x, t, margin, p, w):
    gap = np.maximum(margin - x[range(3), t][:, None] + x, 0) ** p * w[t][:, None]
    gap[range(3), t] = 0
    return gap.sum(1) / 4


def multilabel_margin(x, rows):
    out = []
    for scores, row in zip(x, rows):
        targets = list(itertools.takewhile(lambda t: t >= 0, row))
        out.append(sum(max(0, 1 - scores[t] + scores[i]) for t in targets for i in range(4) if i not in targets) / 4)
    return np.array(out)


def focal(x, t, w):
    logs = logsoftmax(x)[range(3), t]
    return -(1 - np.exp(logs)) ** 2 * logs * w[t]


def stirling(t):
    return np.where(t > 1, (t + 0.5) * np.log(np.maximum(t, 1)) - t + 0.5 * np.log(2 * np.pi), 0)


# name, class, keywords, inputs, element losses in NumPy
CASES = [
    ("hinge", nn.HingeEmbeddingLoss, dict(margin=1.5), (X, SIGN), np.where(SIGN > 0, X, np.maximum(0, 1.5 - X))),
    ("ranking", nn.MarginRankingLoss, dict(margin=0.3), (X, Y, SIGN), np.maximum(0, -SIGN * (X - Y) + 0.3)),
    ("multilabel_soft", nn.MultiLabelSoftMarginLoss, dict(weight=Tensor(P)), (X, BITS),
     (P * (BITS * np.log1p(np.exp(-X)) + (1 - BITS) * np.log1p(np.exp(X)))).mean(-1)),
    ("multi_margin", nn.MultiMarginLoss, dict(p=2, margin=0.5, weight=Tensor(P[0])), (X, CLASSES),
     multi_margin(X, CLASSES, 0.5, 2, P[0])),
    ("multilabel_margin", nn.MultilabelMarginLoss, {}, (X, MARGINS), multilabel_margin(X, MARGINS)),
    ("soft_margin", nn.SoftMarginLoss, {}, (X, SIGN), np.log1p(np.exp(-SIGN * X))),
    ("triplet1", nn.TripletMarginLoss, dict(p=1), (X, Y, Z), np.maximum(norm(X - Y, 1) - norm(X - Z, 1) + 1, 0)),
    ("triplet3", nn.TripletMarginLoss, dict(p=3, swap=True, margin=2.0), (X, Y, Z),
     np.maximum(norm(X - Y, 3) - np.minimum(norm(X - Z, 3), norm(Y - Z, 3)) + 2, 0)),
    ("triplet_distance", nn.TripletMarginWithDistanceLoss, dict(margin=2.0), (X, Y, Z),
     np.maximum(norm(X - Y, eps=0) - norm(X - Z, eps=0) + 2, 0)),
    ("cosine", nn.CosineEmbeddingLoss, dict(margin=0.1), (X, Y, PAIRS),
     np.where(PAIRS == 1, 1 - cosines(X, Y), np.maximum(0, cosines(X, Y) - 0.1))),
    ("kl_div", nn.KLDivLoss, {}, (X, P), P * (np.log(P) - X)),
    ("gaussian", nn.GaussianNLLLoss, dict(full=True, eps=0.5), (X, Y, P),
     0.5 * (np.log(np.maximum(P, 0.5)) + (X - Y) ** 2 / np.maximum(P, 0.5)) + 0.5 * np.log(2 * np.pi)),
    ("poisson", nn.PoissonNLLLoss, dict(full=True), (X, 4 * P), np.exp(X) - 4 * P * X + stirling(4 * P)),
    ("poisson_rate", nn.PoissonNLLLoss, dict(log_input=False), (P, BITS), P - BITS * np.log(P + 1e-8)),
    ("focal", nn.FocalLoss, dict(weight=Tensor(P[0])), (X, CLASSES[:, None]), focal(X, CLASSES, P[0])),
    ("mae", nn.MAELoss, {}, (X, Y), np.abs(X - Y)),
]
IDS = [case[0] for case in CASES]


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("name, cls, keywords, inputs, expected", CASES, ids=IDS)
def test_values(name, cls, keywords, inputs, expected):
    for reduction, reduce in (("none", lambda x: x), ("mean", np.mean), ("sum", np.sum)):
        found = cls(reduction=reduction, **keywords)(*[Tensor(x) for x in inputs])
        close(found.asnumpy(), reduce(expected))
        assert found.dtype == ms.float32
    with pytest.raises(ValueError, match="reduction, got 'x'"):
        cls(reduction="x", **keywords)


@pytest.mark.parametrize("name, cls, keywords, inputs, expected", CASES, ids=IDS)
def test_gradients(name, cls, keywords, inputs, expected):
    loss, rest = cls(reduction="sum", **keywords), [Tensor(x) for x in inputs[1:]]
    gradient = ms.grad(loss)(Tensor(inputs[0]), *rest).asnumpy()
    direction = np.random.RandomState(5).randn(*inputs[0].shape).astype(np.float32)
    ends = [float(loss(Tensor(inputs[0] + e * direction), *rest).asnumpy()) for e in (1e-3, -1e-3)]
    np.testing.assert_allclose((gradient * direction).sum(), (ends[0] - ends[1]) / 2e-3, rtol=2e-2, atol=2e-2)


@pytest.mark.jit
@pytest.mark.parametrize("name, cls, keywords, inputs, expected", CASES, ids=IDS)
def test_compiled(name, cls, keywords, inputs, expected):
    loss = cls(**keywords)

    def call(*inputs):
        return loss(*inputs)
    same(call, lambda v: tuple(Tensor(x) for x in inputs), exact=False)


def test_overlaps_and_samples():
    union = (P * P).sum() + BITS.sum() + 1e-5
    close(nn.DiceLoss()(Tensor(P), Tensor(BITS)).asnumpy(), 1 - 2 * (P * BITS).sum() / union)
    shares = np.exp(logsoftmax(X))
    each = [1 - 2 * (s * b).sum() / ((s * s).sum() + b.sum() + 1e-5) for s, b in zip(shares.T, BITS.T)]
    close(nn.MultiClassDiceLoss(ignore_indiex=1)(Tensor(X), Tensor(BITS)).asnumpy(), (sum(each) - each[1]) / 4)
    close(nn.RMSELoss()(Tensor(X), Tensor(Y)).asnumpy(), np.sqrt(((X - Y) ** 2).mean()))
    close(nn.KLDivLoss("batchmean")(Tensor(X), Tensor(P)).asnumpy(), (P * (np.log(P) - X)).sum() / 3)
    weights, biases = R.randn(5, 4).astype(np.float32), R.randn(5).astype(np.float32)
    sampled, truth = (np.int32([0, 3]), P[:, :1], P[0, :2]), np.int32([[1], [0], [3]])
    scores = np.concatenate([(weights[truth[:, 0]] * X).sum(1, keepdims=True) + biases[truth] - np.log(P[:, :1]),
                             X @ weights[[0, 3]].T + biases[[0, 3]] - np.log(P[0, :2])], 1)
    loss = nn.SampledSoftmaxLoss(2, 5, 1, tuple(Tensor(x) for x in sampled))
    close(loss(Tensor(weights), Tensor(biases), Tensor(truth), Tensor(X)).asnumpy(), -logsoftmax(scores)[:, 0])


def ctc(log_probs, target, blank):
    """By going through all paths."""
    total = 0.0
    for path in itertools.product(range(log_probs.shape[1]), repeat=log_probs.shape[0]):
        labels = [k for k, _ in itertools.groupby(path) if k != blank]
        if labels == list(target):
            total += np.exp(sum(log_probs[t, k] for t, k in enumerate(path)))
    return -np.log(total)


def test_ctc():
    logs = logsoftmax(R.randn(5, 2, 3)).astype(np.float32)
    targets = np.int32([[1, 1], [2, 0]])
    lengths = Tensor(np.int32([5, 4])), Tensor(np.int32([2, 1]))
    expected = np.array([ctc(logs[:, 0], [1, 1], 0), ctc(logs[:4, 1], [2], 0)])
    for given in (targets, np.int32([1, 1, 2])):  # rows, or one behind the other
        loss = ops.ctc_loss(Tensor(logs), Tensor(given), *lengths, reduction="none")[0]
        close(loss.asnumpy(), expected)
    close(nn.CTCLoss()(Tensor(logs), Tensor(targets), *lengths).asnumpy(), (expected / [2, 1]).mean())
    close(nn.CTCLoss(reduction="sum")(Tensor(logs), Tensor(targets), *lengths).asnumpy(), expected.sum())
    short = Tensor(np.int32([2, 4])), lengths[1]  # two equal labels need a blank between them
    assert np.isinf(ops.ctc_loss(Tensor(logs), Tensor(targets), *short, reduction="none")[0].asnumpy()[0])
    fn = nn.CTCLoss(reduction="sum", zero_infinity=True)
    close(fn(Tensor(logs), Tensor(targets), *short).asnumpy(), expected[1])
    gradient = ms.grad(fn)(Tensor(logs), Tensor(targets), *short).asnumpy()
    assert not gradient[:, 0].any() and np.isfinite(gradient).all()
    gradient = ms.grad(fn)(Tensor(logs), Tensor(targets), *lengths).asnumpy()
    np.testing.assert_allclose(gradient.sum(-1)[:4], -1, rtol=1e-4)  # each step is in one class of each path
    single = nn.CTCLoss(reduction="none")(Tensor(logs[:, 0]), Tensor(targets[0]), Tensor(np.int32([5])),
                                          Tensor(np.int32([2])))
    close(single.asnumpy(), expected[0])


@pytest.mark.parametrize("call, error", [
    (lambda: nn.HingeEmbeddingLoss("x"), TypeError), (lambda: nn.MarginRankingLoss(1)(Tensor(X), Tensor(Y), Tensor(SIGN)), TypeError),
    (lambda: nn.MultiMarginLoss(p=3), ValueError), (lambda: nn.MultiMarginLoss(margin=1), TypeError),
    (lambda: nn.SoftMarginLoss()(Tensor(X), Tensor(Y[:2])), ValueError), (lambda: nn.CosineEmbeddingLoss(2.0), ValueError),
    (lambda: nn.GaussianNLLLoss(eps=0.0), ValueError), (lambda: nn.FocalLoss(gamma=2), TypeError),
    (lambda: nn.FocalLoss()(Tensor(X), Tensor(CLASSES)), ValueError), (lambda: nn.MultiClassDiceLoss(activation="x"), ValueError),
    (lambda: nn.MultilabelMarginLoss()(Tensor(X), Tensor(CLASSES)), ValueError), (lambda: nn.KLDivLoss()(Tensor(X), 3), TypeError),
    (lambda: nn.CTCLoss(blank=9)(Tensor(X[:, None]), Tensor([[1]]), Tensor([3]), Tensor([1])), ValueError),
    (lambda: nn.SampledSoftmaxLoss(2, 5, sampled_values=3), TypeError)])
def test_errors(call, error):
    with pytest.raises(error, match=r"^\[\w+\] "):
        call()


def test_one_hot_cross_entropy_has_the_gradient_of_mindspore():
    logits, weights = np.array([[1, 2, 5], [3, 1, 300]], np.float32), np.array([2, 3], np.float32)
    exps = np.exp(logits - logits.max(1, keepdims=True))
    softmax = exps / exps.sum(1, keepdims=True)
    for labels in ([[0, 1, 0], [0, 0, 1]], [[0.5, 0.25, 0.5], [0, 0, 0]]):
        labels = np.array(labels, np.float32)
        for loss in (nn.SoftmaxCrossEntropyWithLogits(), lambda a, b: ms.ops.SoftmaxCrossEntropyWithLogits()(a, b)[0]):
            for run in (loss, ms.jit(lambda a, b: loss(a, b), mode="PIJit")):
                got = run(Tensor(logits), Tensor(labels)).asnumpy()
                np.testing.assert_allclose(got, -(labels * (np.log(softmax + 1e-45))).sum(1), 1e-4, 1e-4)
            found = ms.grad(lambda a, b: (loss(a, b) * Tensor(weights)).sum(), (0, 1))(Tensor(logits), Tensor(labels))
            np.testing.assert_allclose(found[0].asnumpy(), (softmax - labels) * weights[:, None], 1e-5, 1e-6)
            assert not found[1].asnumpy().any()  # whatever the labels add up to


def test_sampled_softmax_draws_its_classes():
    weights, biases = Tensor(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)), Tensor([0.1, 0.2, 0.3, 0.4])
    labels, x = Tensor([1, 2], ms.int32), Tensor([[1.0, 2, 3], [0.5, 1, 0]])
    drawn = ms.ops.uniform_candidate_sampler(Tensor([[1], [2]]), 1, 2, True, 4, 7, True)
    assert sorted(drawn[0].asnumpy().tolist()) == [0, 3]  # none of the labels
    want = nn.SampledSoftmaxLoss(2, 4, 1, sampled_values=drawn)(weights, biases, labels, x).asnumpy()
    for given in (labels, labels.reshape(2, 1)):
        assert nn.SampledSoftmaxLoss(2, 4, 1, seed=7)(weights, biases, given, x).asnumpy() == pytest.approx(want)
    free = nn.SampledSoftmaxLoss(1, 4, 1, remove_accidental_hits=False)
    assert len({float(free(weights, biases, labels, x)[0]) for _ in range(30)}) > 1
    with pytest.raises(ValueError, match="uniform_candidate_sampler"):
        nn.SampledSoftmaxLoss(3, 4, 1)(weights, biases, labels, x)


@pytest.mark.parametrize("collapse, merge", [(False, True), (True, True), (False, False), (True, False)])
def test_ctc_options_of_the_primitive(collapse, merge):
    """Against the sum over all paths; the last class is the blank."""
    scores, labels = np.random.RandomState(1).standard_normal((4, 1, 3)).astype(np.float32), [1, 1, 0]
    wanted = [1, 0] if collapse else labels
    logs = scores[:, 0] - np.log(np.exp(scores[:, 0]).sum(-1, keepdims=True))
    total = 0
    for path in itertools.product(range(3), repeat=4):
        seen = [label for i, label in enumerate(path) if label < 2 and not (merge and i and path[i - 1] == label)]
        total += np.exp(logs[range(4), path].sum()) if seen == wanted else 0
    op = ops.operations.CTCLoss(preprocess_collapse_repeated=collapse, ctc_merge_repeated=merge)
    loss, grad = op(Tensor(scores), Tensor([[0, 0], [0, 1], [0, 2]]), Tensor(np.int32(labels)), Tensor(np.int32([4])))
    close(loss.asnumpy(), [-np.log(total)])
    close(grad.asnumpy().sum(-1), np.zeros((4, 1)))


def test_greedy_decoding_as_a_primitive():
    scores = Tensor(np.log(np.array([[[0.7, 0.2, 0.1]], [[0.6, 0.3, 0.1]], [[0.1, 0.1, 0.8]], [[0.1, 0.8, 0.1]]], np.float32)))
    places, classes, shape, total = ops.CTCGreedyDecoder()(scores, Tensor([4], ms.int32))
    assert classes.asnumpy().tolist() == [0, 1] and places.asnumpy().tolist() == [[0, 0], [0, 1]] and shape.asnumpy().tolist() == [1, 2]
    assert np.allclose(total.asnumpy(), -np.log([[0.7 * 0.6 * 0.8 * 0.8]]))


def test_ctc_of_more_labels_than_steps():
    op = ops.operations.CTCLoss(ignore_longer_outputs_than_inputs=True)
    loss, grad = op(Tensor(np.ones((2, 1, 4), np.float32)), Tensor([[0, 0], [0, 1], [0, 2]]), Tensor(np.int32([0, 1, 2])), Tensor(np.int32([2])))
    assert np.isinf(loss.asnumpy()).all() and not grad.asnumpy().any()  # as MindSpore 2.10 has it
    with pytest.raises(TypeError, match="ctc_merge_repeated, got int, expected a bool"):
        ops.operations.CTCLoss(ctc_merge_repeated=1)(Tensor(np.ones((2, 1, 4), np.float32)), Tensor([[0, 0]]), Tensor(np.int32([0])), Tensor(np.int32([2])))
