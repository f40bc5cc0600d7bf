"""Metrics of msjit.train."""
import numpy as np
import pytest

from msjit import Tensor, train

R = np.random.RandomState(0)
SCORES, LABELS = R.rand(6, 3).astype(np.float32), np.int32([0, 1, 2, 1, 0, 2])
MASK, TRUTH = np.float32([[1, 0, 1], [0, 0, 1]]), np.float32([[1, 0, 1], [1, 0, 1]])


def value(metric, *rows, **keywords):
    for row in rows:
        metric.update(*[Tensor(x) if isinstance(x, np.ndarray) else x for x in row])
    return metric.eval(**keywords)


def test_class_metrics():
    predicted = SCORES.argmax(1)
    table = np.array([[((LABELS == i) & (predicted == j)).sum() for j in range(3)] for i in range(3)])
    hits, true, found = table.diagonal(), table.sum(1), np.maximum(table.sum(0), 1e-300)
    one_hot = np.eye(3, dtype=np.float32)[LABELS]
    assert value(train.Accuracy(), (SCORES, LABELS), (SCORES, one_hot)) == hits.sum() / 6
    np.testing.assert_allclose(value(train.Precision(), (SCORES, LABELS)), hits / found)
    np.testing.assert_allclose(value(train.Recall(), (SCORES, LABELS), average=True), (hits / true).mean())
    np.testing.assert_allclose(value(train.Fbeta(2.0), (SCORES, LABELS)), 5 * hits / (4 * true + found))
    np.testing.assert_allclose(value(train.F1(), (SCORES, one_hot), average=True), (2 * hits / (true + found)).mean())
    assert np.array_equal(value(train.ConfusionMatrix(3), (SCORES, LABELS)), table)
    np.testing.assert_allclose(value(train.ConfusionMatrix(3, "target"), (predicted.astype(np.int32), LABELS)),
                               table / true[:, None])
    assert value(train.TopKCategoricalAccuracy(3), (SCORES, LABELS)) == 1
    assert value(train.Top1CategoricalAccuracy(), (SCORES, LABELS)) == hits.sum() / 6
    assert value(train.Accuracy("multilabel"), (MASK, TRUTH)) == 0.5
    np.testing.assert_allclose(value(train.Recall("multilabel"), (MASK, TRUTH)), [1, 0.5])
    chosen = train.Accuracy().set_indexes([2, 0])
    chosen.update(Tensor(LABELS), None, Tensor(SCORES))
    assert chosen.eval() == hits.sum() / 6


def test_other_metrics():
    assert value(train.MAE(), (MASK, TRUTH)) == 0.5 and value(train.MSE(), (2 * MASK, TRUTH)) == 2.0
    assert value(train.Loss(), (np.float32(2.0) * np.ones(()),), (np.float32([1, 3]),)) == 2.0
    np.testing.assert_allclose(value(train.Perplexity(1), (SCORES, LABELS)),
                               np.exp(-np.log(SCORES[[0, 2, 4, 5], LABELS[[0, 2, 4, 5]]]).mean()), rtol=1e-6)
    unit = SCORES / np.linalg.norm(SCORES, axis=1, keepdims=True)
    np.testing.assert_allclose(value(train.CosineSimilarity(reduction="sum", zero_diagonal=False), (SCORES,)),
                               (unit @ unit.T).sum(1), rtol=1e-5)
    np.testing.assert_allclose(value(train.Dice(), (MASK, TRUTH)), 6 / (3 + 4 + 1e-5) / 2)
    scores, labels = np.float32([.9, .8, .8, .3, .2, .1]), np.int32([1, 0, 1, 1, 0, 0])
    fpr, tpr, thresholds = value(train.ROC(pos_label=1), (scores, labels))
    np.testing.assert_allclose(tpr, [0, 1 / 3, 2 / 3, 1, 1, 1])
    np.testing.assert_allclose(fpr, [0, 0, 1 / 3, 1 / 3, 2 / 3, 1])
    assert train.auc(fpr, tpr) == pytest.approx(7.5 / 9) and thresholds[0] == pytest.approx(1.9)
    assert len(value(train.ROC(class_num=3), (SCORES, LABELS))[0]) == 3
    words, references = [["a", "b", "c", "d", "e"]], [[["a", "b", "c", "d", "x"]]]
    assert value(train.BleuScore(), (words, references)) == pytest.approx((4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)


def test_errors_of_metrics():
    for name in train.names():
        assert name == "auc" or train.get_metric_fn(name, *{"topk": [1], "confusion_matrix": [3]}.get(name, []))
    for call, error in ((lambda: train.Accuracy("x"), TypeError), (lambda: value(train.Accuracy()), RuntimeError),
                        (lambda: value(train.Accuracy(), (SCORES,)), ValueError),
                        (lambda: value(train.Accuracy("multilabel"), (SCORES, TRUTH)), ValueError),
                        (lambda: value(train.Loss(), (SCORES,)), ValueError), (lambda: train.ConfusionMatrix(3, "x"), ValueError),
                        (lambda: train.auc(np.float32([0, 2, 1]), np.float32([0, 1, 2])), ValueError),
                        (lambda: train.Accuracy().set_indexes("x"), ValueError), (lambda: train.BleuScore(5), ValueError)):
        with pytest.raises(error, match=r"^\[\w+\] "):
            call()
