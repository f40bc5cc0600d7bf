"""Transforms of images with bounding boxes; the numbers are those of MindSpore 2.10."""
import numpy as np
import pytest

from msjit import dataset as ds
from msjit.dataset import vision as V

IMAGE = np.random.RandomState(0).randint(0, 256, (10, 12, 3)).astype(np.uint8)
BOXES = np.array([[1, 2, 4, 3], [5, 5, 6, 4]], np.float32)


@pytest.mark.parametrize("op, shape, boxes", [
    (V.RandomHorizontalFlipWithBBox(1.0), (10, 12, 3), [[7, 2, 4, 3], [1, 5, 6, 4]]),
    (V.RandomVerticalFlipWithBBox(1.0), (10, 12, 3), [[1, 5, 4, 3], [5, 1, 6, 4]]),
    (V.RandomVerticalFlipWithBBox(0.0), (10, 12, 3), BOXES.tolist()),
    (V.ResizeWithBBox((5, 24)), (5, 24, 3), [[2, 1, 8, 1.5], [10, 2.5, 12, 2]]),
    (V.ResizeWithBBox(5), (5, 6, 3), [[0.5, 1, 2, 1.5], [2.5, 2.5, 3, 2]]),
    (V.RandomResizeWithBBox(5), (5, 6, 3), [[0.5, 1, 2, 1.5], [2.5, 2.5, 3, 2]]),
    (V.RandomCropWithBBox((12, 14), (1, 1, 1, 1)), (12, 14, 3), [[2, 3, 4, 3], [6, 6, 6, 4]]),
    (V.RandomCropWithBBox((12, 16), (2, 1)), (12, 16, 3), [[3, 3, 4, 3], [7, 6, 6, 4]]),
    (V.RandomResizedCropWithBBox((6, 6), (1, 1), (1.2, 1.2)), (6, 6, 3), [[0.5, 1.2, 2, 1.8], [2.5, 3, 3, 2.4]])],
    ids=lambda v: type(v).__name__)
def test_boxes(op, shape, boxes):
    before = BOXES.copy()
    image, found = op(IMAGE, BOXES)
    assert image.shape == shape and found.dtype == np.float32 and np.allclose(found, boxes) and (BOXES == before).all()


def test_images_are_those_of_the_transforms_without_boxes():
    assert np.array_equal(V.ResizeWithBBox((5, 7))(IMAGE, BOXES)[0], V.Resize((5, 7))(IMAGE))
    assert np.array_equal(V.RandomHorizontalFlipWithBBox(1.0)(V.ToPIL()(IMAGE), BOXES)[0], IMAGE[:, ::-1])


def test_crops_follow_their_boxes():
    image = np.zeros((10, 12, 1), np.uint8)
    image[5:7, 4:7] = 1
    boxes, seen = np.array([[4, 5, 3, 2, 9]], np.float32), set()
    for op in (V.RandomCropWithBBox((3, 4)), V.RandomCropWithBBox((11, 13), None, True)):
        for _ in range(40):
            part, found = op(image, boxes)
            seen.add(len(found))
            for x, y, width, height, number in found.astype(int).tolist():
                assert number == 9 and part[y:y + height, x:x + width].sum() == width * height == part.sum()
    assert seen == {0, 1}


def test_augmented_boxes():
    image, boxes = V.BoundingBoxAugment(V.Invert(), 1.0)(IMAGE, BOXES)
    want = IMAGE.copy()
    want[2:5, 1:5], want[5:9, 5:11] = 255 - IMAGE[2:5, 1:5], 255 - IMAGE[5:9, 5:11]
    assert np.array_equal(image, want) and (boxes == BOXES).all()
    assert np.array_equal(V.BoundingBoxAugment(V.Invert(), 0)(IMAGE, BOXES)[0], IMAGE)
    assert np.array_equal(V.BoundingBoxAugment(V.Resize(2), 1.0)(IMAGE, BOXES[:1])[0][2:5, 1:5], V.Resize((3, 4))(V.Resize(2)(IMAGE[2:5, 1:5])))
    data = ds.NumpySlicesDataset((IMAGE[None], BOXES[None]), ["image", "boxes"]).map(V.BoundingBoxAugment(V.Invert(), 1.0), ["image", "boxes"])
    assert np.array_equal(next(iter(data))[0].asnumpy(), want)


@pytest.mark.parametrize("make, error", [
    (lambda: V.BoundingBoxAugment(abs), TypeError), (lambda: V.BoundingBoxAugment(V.Invert(), 2), ValueError),
    (lambda: V.ResizeWithBBox(0), ValueError), (lambda: V.ResizeWithBBox(3)(IMAGE), RuntimeError),
    (lambda: V.ResizeWithBBox(3)(IMAGE, BOXES.astype(np.int32)), RuntimeError), (lambda: V.ResizeWithBBox(3)(IMAGE, BOXES[0]), RuntimeError),
    (lambda: V.ResizeWithBBox(3)(IMAGE, BOXES[:, :3]), RuntimeError), (lambda: V.ResizeWithBBox(3)(IMAGE, BOXES - 2), RuntimeError),
    (lambda: V.ResizeWithBBox(3)(IMAGE, BOXES * 2), RuntimeError), (lambda: V.RandomCropWithBBox(20)(IMAGE, BOXES), RuntimeError)])
def test_errors(make, error):
    with pytest.raises(error):
        make()
