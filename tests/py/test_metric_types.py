"""The types of what metrics give are MindSpore's: numpy.float64 where it divides, so that .item() and .round() are there. Errors of wrong inputs."""
import numpy as np
import pytest

from msjit import Tensor, amp, nn, train

SCORES = Tensor(np.float32([[0.2, 0.5, 0.3], [0.3, 0.1, 0.6], [0.9, 0.05, 0.05], [0.1, 0.7, 0.2]]))
LABELS = Tensor(np.int32([1, 0, 0, 2]))
ROWS = Tensor(np.eye(3)[[1, 0, 0, 2]].astype(np.float32))
LINE = Tensor(np.float32([0.1, 0.2, 0.6, 0.9])), Tensor(np.float32([0.1, 0.25, 0.7, 0.9]))
BITS = Tensor(np.float32([[0, 1], [1, 1], [1, 0]])), Tensor(np.float32([[0, 1], [1, 0], [0, 1]]))
WORDS = [["a", "b", "c", "d", "e"]], [[["a", "b", "c", "d", "f"]]]


@pytest.mark.parametrize("metric, inputs, kind, value", [
    (train.Accuracy(), (SCORES, LABELS), np.float64, 0.5),
    (train.Accuracy("multilabel"), BITS, np.float64, 1 / 3),
    (train.Top1CategoricalAccuracy(), (SCORES, LABELS), np.float64, 0.5),
    (train.TopKCategoricalAccuracy(2), (SCORES, LABELS), np.float64, 1.0),
    (train.MAE(), LINE, np.float64, 0.0375),
    (train.MSE(), LINE, np.float64, 0.003125),
    (train.Loss(), (Tensor(0.5),), np.float64, 0.5),
    (train.BleuScore(), WORDS, np.float64, (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25),
    (train.Dice(), (SCORES, ROWS), float, None),
    (train.Perplexity(), (SCORES, LABELS), float, None),
])
def test_types(metric, inputs, kind, value):
    metric.update(*inputs)
    result = metric.eval()
    assert type(result) is kind
    if value is not None:
        np.testing.assert_allclose(result, value, rtol=1e-6)


def test_means_over_classes():
    for metric in (train.Precision(), train.Recall(), train.F1()):
        metric.update(SCORES, LABELS)
        assert type(metric.eval(True)) is np.float64 and metric.eval().shape == (3,)
    metric = train.Recall("multilabel")
    metric.update(*BITS)
    assert type(metric.eval(True)) is np.float64


def test_others():
    assert type(train.auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0]))) is np.float64
    metric = train.BleuScore()
    metric.update([["a"]], [[["b"]]])
    assert metric.eval().shape == () and metric.eval() == 0.0
    metric = train.ConfusionMatrixMetric(calculation_method=True)
    metric.update(Tensor(np.ones((2, 2, 4))), Tensor(np.ones((2, 2, 4))))
    assert type(metric.eval()) is float


def test_no_data():
    for metric in (train.Accuracy(), train.Loss(), train.MAE(), train.Top5CategoricalAccuracy()):
        with pytest.raises(RuntimeError):
            metric.eval()


@pytest.mark.parametrize("metric, inputs", [
    (train.F1(), (3, 4)), (train.F1(), (SCORES, LABELS[:-1])), (train.TopKCategoricalAccuracy(2), (SCORES[0], LABELS)),
    (train.TopKCategoricalAccuracy(2), (SCORES, LABELS[:-1])), (train.MAE(), (3, 4)), (train.CosineSimilarity(), (SCORES[0],)),
    (train.Precision(), (SCORES, LABELS - 1)), (train.ConfusionMatrix(3), (SCORES, LABELS + 1)), (train.ConfusionMatrix(3), (LABELS + 1, LABELS)),
    (train.Perplexity(), (SCORES, LABELS - 1)), (train.Perplexity(-5), (SCORES, LABELS + 1))])
def test_metrics_name_shapes_that_do_not_fit(metric, inputs):
    with pytest.raises(ValueError, match=r"^\[%s\] " % type(metric).__name__):
        metric.update(*inputs)


def test_wrong_types_are_named():
    with pytest.raises(TypeError, match=r"^\[Fbeta\] beta must be a number, got str"):
        train.Fbeta("a")
    with pytest.raises(TypeError, match=r"^\[all_finite\] argument, got int, expected a Tensor"):
        amp.all_finite(3)
    with pytest.raises(TypeError, match=r"^\[cell\] param_name must be a str, got int"):
        nn.Dense(2, 3).insert_param_to_cell(3, None)


def test_labels_that_are_ignored_need_not_be_classes():
    metric = train.Perplexity(-100)
    metric.update(Tensor([[0.5, 0.5], [0.25, 0.75]]), Tensor([0, -100]))
    assert metric.eval() == pytest.approx(2.0)
