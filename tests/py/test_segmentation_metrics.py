"""Distances of surfaces and rates of confusion matrices: numbers of MindSpore 2.10."""
import tracemalloc

import numpy as np
import pytest

from msjit import Tensor, nn, ops, train

X = np.array([[3, 0, 1], [1, 3, 0], [1, 0, 2]])
Y = np.array([[0, 2, 1], [1, 2, 1], [0, 0, 1]])


def value(metric, *inputs):
    metric.update(*inputs)
    return metric.eval()


@pytest.mark.parametrize("metric, expected", [
    ("euclidean", (1.4142135623730951, 0.8047378541243649, 0.7357022603955158, 1.0)),
    ("chessboard", (1, 2 / 3, 2 / 3, 2 / 3)), ("taxicab", (2, 1.0, 5 / 6, 5 / 3))])
def test_distances(metric, expected):
    made = [train.HausdorffDistance(metric), nn.MeanSurfaceDistance(False, metric), nn.MeanSurfaceDistance(True, metric),
            nn.RootMeanSquareDistance(False, metric)]
    np.testing.assert_allclose([value(m, Tensor(X), Y, 0) for m in made], expected, 1e-12)


@pytest.mark.parametrize("label, keywords, expected", [
    (0, {"percentile": 50.0}, 1.0), (1, {"percentile": 50.0}, 0.5), (2, {"percentile": 50.0}, 1.8251407699364424),
    (1, {"directed": True}, 1.0), (2, {"directed": True}, 1.4142135623730951), (1, {"crop": False}, 2.0),
    (2, {"crop": False}, 2.23606797749979), (2, {"percentile": 50.0, "directed": True, "distance_metric": "taxicab"}, 2.0)])
def test_hausdorff(label, keywords, expected):
    assert abs(value(nn.HausdorffDistance(**keywords), X, Y.tolist(), label) - expected) < 1e-12


def test_both_directions_and_volumes():
    for label, mean, root in ((1, 0.5416666666666666, 0.8897565210026093), (2, 1.6196771661547689, 1.6583123951777001)):
        assert abs(value(nn.MeanSurfaceDistance(True), X, Y, label) - mean) < 1e-12
        assert abs(value(nn.RootMeanSquareDistance(True), X, Y, label) - root) < 1e-12
    cube = np.arange(27).reshape(3, 3, 3)
    assert abs(value(nn.HausdorffDistance(), cube % 4, cube % 3, 1) - 1.4142135623730951) < 1e-12
    assert value(nn.MeanSurfaceDistance(), X, Y, 3) == np.inf


def test_large_masks_take_little_memory():
    """Less than the distances of all pairs, whose parts take 400 MB."""
    ones = np.zeros((142, 142), int)
    ones[::2, ::2] = 1
    tracemalloc.start()
    try:
        assert value(nn.HausdorffDistance("chessboard"), ones, np.roll(ones, 1, 0), 1) == 1
        assert tracemalloc.get_traced_memory()[1] < 130e6
    finally:
        tracemalloc.stop()


PRED = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0], [1, 0, 1]])
LABEL = np.array([[0, 1, 0], [1, 0, 1], [0, 0, 1], [1, 0, 1]])


@pytest.mark.parametrize("name, expected", [
    ("sensitivity", 0.5), ("tpr", 0.5), ("recall", 0.5), ("accuracy", 0.75), ("f1 score", 2 / 3), ("prevalence threshold", 0),
    ("informedness", 0.5), ("threat score", 0.5), ("specificity", 1.0), ("matthews_correlation_coefficient", 0.57735027)])
def test_rates(name, expected):
    found = value(nn.ConfusionMatrixMetric(False, name), Tensor(PRED), LABEL)
    np.testing.assert_allclose(found, [expected], 1e-6)
    both = nn.ConfusionMatrixMetric(False, name)
    both.update(PRED[:1], LABEL[:1]), both.update(PRED[1:], LABEL[1:])
    np.testing.assert_allclose(both.eval(), [expected], 1e-6)


def test_rates_of_each_example_and_channels():
    assert value(nn.ConfusionMatrixMetric(True, "accuracy"), PRED, LABEL).tolist() == [0.75]
    each = (PRED == LABEL).astype(float)
    for how, expected in (("none", each), ("mean", each.mean()), ("sum_batch", each.sum(0)), ("mean_channel", each.mean(1))):
        np.testing.assert_allclose(value(nn.ConfusionMatrixMetric(False, "acc", True, how), PRED, LABEL), expected)


@pytest.mark.parametrize("call, error", [
    (lambda: nn.HausdorffDistance(percentile=50), TypeError), (lambda: nn.HausdorffDistance("z"), ValueError),
    (lambda: nn.HausdorffDistance(percentile=101.0), ValueError), (lambda: nn.HausdorffDistance().eval(), RuntimeError),
    (lambda: nn.HausdorffDistance().update(X, Y), ValueError), (lambda: nn.HausdorffDistance().update(X, Y[:2], 0), ValueError),
    (lambda: nn.MeanSurfaceDistance().update(X, Y, 9), ValueError), (lambda: nn.MeanSurfaceDistance(1), TypeError),
    (lambda: nn.RootMeanSquareDistance().update(X, Y, "0"), TypeError), (lambda: nn.HausdorffDistance(crop=1), TypeError),
    (lambda: nn.ConfusionMatrixMetric(metric_name="magic"), NotImplementedError), (lambda: nn.ConfusionMatrixMetric(1), TypeError),
    (lambda: nn.ConfusionMatrixMetric(decrease="z"), ValueError), (lambda: nn.ConfusionMatrixMetric().eval(), RuntimeError),
    (lambda: nn.ConfusionMatrixMetric().update(PRED, LABEL[:2]), ValueError),
    (lambda: nn.ConfusionMatrixMetric().update(PRED, LABEL * 2), ValueError)])
def test_errors(call, error):
    with pytest.raises(error, match=r"^\[\w+\] "):
        call()


@pytest.mark.parametrize("shape, keywords, expected", [
    ((1, 4), {}, [0.5, 1.7, 4.9, 4.8]), ((1, 4), {"margin": 1}, [0.1, 0.5, 1.6, 4.4]), ((1, 4), {"margin": 0, "pad_val": 1.0}, [0, 0, 0, 0]),
    ((1, 4), {"n_batch": 1}, [0.5, 1.7, 4.9, 4.8]), ((1, 2, 3), {"margin": 1}, [[0, 2, 10], [24, 30, 24]]),
    ((1, 2, 4), {"margin": 1, "b_box": [-1, -1, 1, 2]}, [[2, 10], [16, 44]]), ((1, 2, 4), {"margin": 1, "b_box": [0, 0, 1, 1]}, 2),
    ((1, 2, 1, 4), {"margin": 1, "pad_val": 1.5}, [[-1.5, -2.5, 1, 14], [1, 7, 26, 76]])])
def test_occlusion_sensitivity(shape, keywords, expected):
    """Numbers of MindSpore 2.10."""
    class Net(nn.Cell):
        def construct(self, x):
            x = x.reshape(x.shape[0], -1)
            return ops.stack((x.sum(1), (x * Tensor(np.tile(np.float32([1, 2, 4, 8]), 2)[:x.shape[1]])).sum(1)), 1)
    image = np.float32([[0.1, 0.2, 0.3, 0.4]]) if shape == (1, 4) else np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    metric = train.OcclusionSensitivity(**keywords)
    metric.update(Net(), image, np.array(1))
    np.testing.assert_allclose(metric.eval(), expected, 1e-5, 1e-6)
    metric.clear()
    for call, error in ((metric.eval, RuntimeError), (lambda: metric.update(Net(), image), ValueError),
                        (lambda: metric.update(3, image, np.array(1)), TypeError), (lambda: metric.update(Net(), 3, np.array(1)), TypeError),
                        (lambda: metric.update(Net(), image, np.array([1, 0])), RuntimeError),
                        (lambda: nn.OcclusionSensitivity(margin=(1,)), TypeError), (lambda: nn.OcclusionSensitivity("a"), TypeError)):
        with pytest.raises(error):
            call()
