"""Transforms of images and of other data. CASES are checksums of what MindSpore 2.10 gives for an array."""
import io

import numpy as np
import pytest

import msjit as ms
from msjit import dataset as ds
from msjit.dataset import transforms as T
from msjit.dataset import vision as V

IMAGE = ((np.arange(126) * 37 + np.arange(126)**2) % 256).astype(np.uint8).reshape(6, 7, 3)
CORNERS = [[0, 0], [6, 0], [6, 5], [0, 5]], [[1, 0], [6, 1], [5, 5], [0, 5]]


def checksum(a):
    return int((a.astype(np.int64).reshape(-1) * (np.arange(a.size) % 97 + 1)).sum())


CASES = [
    ("V.Resize((4, 5))", (4, 5, 3), 220106),
    ("V.Resize((9, 10))", (9, 10, 3), 1530035),
    ("V.Resize((4, 5), V.Inter.NEAREST)", (4, 5, 3), 248416),
    ("V.Resize((9, 5), V.Inter.BICUBIC)", (9, 5, 3), 714139),
    ("V.Resize((3, 4), V.Inter.AREA)", (3, 4, 3), 82930),
    ("V.Resize(3)", (3, 3, 3), 44732),
    ("V.CenterCrop((3, 4))", (3, 4, 3), 88326),
    ("V.CenterCrop(8)", (8, 8, 3), 771502),
    ("V.Crop((1, 2), (3, 4))", (3, 4, 3), 84554),
    ("V.Pad((1, 2, 3, 4), (9, 8, 7))", (12, 11, 3), 856259),
    ("V.Pad(2, padding_mode=V.Border.REFLECT)", (10, 11, 3), 1854142),
    ("V.Rotate(30)", (6, 7, 3), 660860),
    ("V.Rotate(30, V.Inter.BILINEAR, True, fill_value=(1, 2, 3))", (9, 9, 3), 774868),
    ("V.Affine(15, (0.1, 0.1), 1.1, (5, 5))", (6, 7, 3), 655412),
    ("V.HorizontalFlip()", (6, 7, 3), 671842),
    ("V.VerticalFlip()", (6, 7, 3), 674500),
    ("V.Invert()", (6, 7, 3), 637676),
    ("V.AdjustBrightness(1.5)", (6, 7, 3), 895149),
    ("V.AdjustGamma(2.0)", (6, 7, 3), 470255),
    ("V.Posterize(3)", (6, 7, 3), 606560),
    ("V.Solarize((20, 100))", (6, 7, 3), 932779),
    ("V.Equalize()", (6, 7, 3), 714539),
    ("V.ConvertColor(V.ConvertMode.COLOR_RGB2GRAY)", (6, 7), 106662),
    ("V.HWC2CHW()", (3, 6, 7), 600098),
    ("V.ResizedCrop(1, 2, 4, 5, (4, 4))", (4, 4, 3), 152558),
    ("V.PadToSize(10)", (10, 10, 3), 725124),
    ("V.Affine(-30, (0, 0), 0.7, 3, V.Inter.BICUBIC)", (6, 7, 3), 457546),
    ("V.Rotate(20, V.Inter.BICUBIC)", (6, 7, 3), 655516),
    ("V.Perspective(*CORNERS, V.Inter.AREA)", (6, 7, 3), 581535),
    ("V.AdjustHue(0.2)", (6, 7, 3), 645296),
    ("V.AdjustHue(-0.3)", (6, 7, 3), 711268),
    ("V.Solarize(100)", (6, 7, 3), 335532),
    ("V.ConvertColor(V.ConvertMode.COLOR_BGRA2BGR)", (6, 7, 3), 685264),
    ("V.ConvertColor(V.ConvertMode.COLOR_BGR2RGBA)", (6, 7, 4), 1165070),
]


@pytest.mark.parametrize("text, shape, expected", CASES)
def test_arrays(text, shape, expected):
    found = eval(text)(IMAGE)
    assert found.shape == shape and found.dtype == np.uint8
    assert checksum(found) == expected


def test_colours_of_floats():
    image = IMAGE / np.float32(255)
    gray = image @ np.float32([0.299, 0.587, 0.114])
    assert np.allclose(V.ConvertColor(V.ConvertMode.COLOR_RGB2GRAY)(image), gray, atol=1e-6)
    assert np.allclose(V.AdjustSaturation(1.5)(image), image + 0.5 * (image - gray[..., None]), atol=1e-6)
    assert np.allclose(V.AdjustContrast(1.4)(image), image + 0.4 * (image - gray.mean()), atol=1e-6)
    assert np.allclose(V.AdjustGamma(0.8, 1.2)(image), np.clip((1.2 * image) ** 0.8, 0, 1), atol=1e-6)
    assert np.allclose(V.AdjustBrightness(2)(gray), gray * 2) and np.allclose(V.Solarize(0)(image), 255 - image)
    assert V.ToPIL()(gray).mode == "F"


def test_images_of_one_channel_as_colours():
    found = V.ConvertColor(V.ConvertMode.COLOR_BGR2RGBA)(IMAGE[:, :, 0])
    assert (found[..., :3] == IMAGE[:, :, :1]).all() and (found[..., 3] == 255).all()
    four = np.concatenate([IMAGE, IMAGE[:, :, :1]], 2)
    assert (V.ConvertColor(V.ConvertMode.COLOR_BGR2BGRA)(four) == four).all()


def test_many_images_at_once():
    many = np.stack([IMAGE, IMAGE[::-1], 255 - IMAGE]).reshape(3, 1, 6, 7, 3)
    for op in (V.Resize((4, 5)), V.CenterCrop(4), V.HorizontalFlip(), V.Rotate(30), V.AdjustGamma(0.8), V.Normalize([1.0] * 3, [2.0] * 3)):
        assert np.array_equal(op(many), np.stack([op(one) for one in many.reshape(3, 6, 7, 3)])[:, None])
    found = V.RandomCrop(3)(np.stack([IMAGE] * 4))
    assert found.shape == (4, 3, 3, 3) and (found == found[0]).all()
    with pytest.raises(RuntimeError):
        V.Invert()(many)


def test_pillow_images_of_random_transforms():
    image = V.ToPIL()(IMAGE)
    moved = V.RandomAffine((15, 15), None, (1.2, 1.2), (3, 3, 4, 4), V.Inter.BICUBIC)(image)
    assert moved.mode == "RGB" and moved.size == (7, 6)
    assert np.array_equal(V.RandomAffine((0, 0))(image), IMAGE)
    lit = np.asarray(V.RandomLighting(0.0)(V.ToPIL()(IMAGE[:, :, 0])))
    assert (lit == IMAGE[:, :, :1]).all()
    for op in (V.RandomInvert(1.0), V.RandomEqualize(1.0), V.RandomAutoContrast(prob=1.0), V.RandomAdjustSharpness(2.0, 1.0)):
        assert np.array_equal(op(image), op(IMAGE)) and isinstance(op(image), np.ndarray)


def test_device():
    assert V.Resize(3).device("CPU")(IMAGE).shape == (3, 3, 3)
    for name, error in ((1, TypeError), ("GPU", ValueError), ("Ascend", NotImplementedError)):
        with pytest.raises(error):
            V.Resize(3).device(name)


def test_values():
    mean, std = [10.0, 20.0, 30.0], [2.0, 3.0, 4.0]
    want = (IMAGE.astype(np.float32) - np.float32(mean)) / np.float32(std)
    found = V.Normalize(mean, std)(IMAGE)
    assert found.dtype == np.float32 and np.array_equal(found, want)
    assert np.array_equal(V.Normalize(mean, std, is_hwc=False)(IMAGE.transpose(2, 0, 1)), want.transpose(2, 0, 1))
    scaled = V.Rescale(1 / 255.0, -0.5)(IMAGE)
    assert scaled.dtype == np.float32 and np.allclose(scaled, IMAGE / 255.0 - 0.5, atol=1e-6)
    assert V.ToTensor()(IMAGE).shape == (3, 6, 7) and V.ToTensor(ms.float16)(IMAGE[:, :, 0]).dtype == np.float16
    assert np.allclose(V.HsvToRgb(True)(V.RgbToHsv(True)(IMAGE / 255.0)), IMAGE / 255.0)
    erased = V.Erase(1, 2, 3, 2, (1, 2, 3))(IMAGE)
    assert erased[2, 3].tolist() == [1, 2, 3] and np.array_equal(erased[0], IMAGE[0])
    assert [p.shape for p in V.SlicePatches(2, 2)(IMAGE)] == [(3, 4, 3)] * 4
    assert V.Resize((5, 5))(IMAGE.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("op", [
    V.RandomHorizontalFlip(), V.RandomVerticalFlip(), V.RandomCrop(4, 1), V.RandomResizedCrop(5), V.RandomRotation(40),
    V.RandomColorAdjust(0.5, 0.5, 0.5, 0.2), V.RandomAffine(10, (0.1, 0.1), (0.8, 1.2), 5), V.RandomColor(), V.RandomSharpness(),
    V.RandomPosterize((1, 8)), V.RandomSolarize(), V.RandomLighting(2.0), V.CutOut(3), V.RandomInvert(), V.RandomResize(5),
    V.RandomPerspective(interpolation=V.Inter.BILINEAR)], ids=lambda op: type(op).__name__)
def test_random_transforms_repeat(op):
    ds.config.set_seed(3)
    try:
        data = ds.NumpySlicesDataset(np.stack([IMAGE] * 12), ["x"], shuffle=False).map(op, "x")
        first, second = [[row[0] for row in data.create_tuple_iterator(output_numpy=True)] for _ in range(2)]
    finally:
        ds.config.set_seed(ds.config.UNSEEDED)
    assert all(np.array_equal(a, b) for a, b in zip(first, second))
    assert any(not np.array_equal(first[0], other) for other in first[1:])
    both = op(IMAGE, IMAGE.copy())
    assert np.array_equal(both[0], both[1])


def test_random_erasing_and_crops():
    image = np.ones((3, 20, 20), np.float32)
    found = V.RandomErasing(1.0, value=(2, 3, 4))(image)
    assert found.max() == 4 and image.max() == 1 and V.RandomErasing(0.0)(image) is image
    with pytest.raises(RuntimeError, match="size, got .20, 20., expected at most"):
        V.RandomCrop(20)(IMAGE)
    assert V.RandomCrop(20, pad_if_needed=True)(IMAGE).shape == (20, 20, 3)


def test_mixed_batches():
    images = np.stack([np.full((4, 5, 3), v, np.uint8) for v in (0, 100, 200)])
    labels = np.eye(3, dtype=np.int64)
    data = ds.NumpySlicesDataset((images, labels), ["x", "y"], shuffle=False).batch(3)
    for op in (V.MixUpBatch(1.0), V.CutMixBatch(V.ImageBatchFormat.NHWC), V.CutMixBatch(V.ImageBatchFormat.NHWC, 0.5, 0.5)):
        x, y = next(data.map(op, ["x", "y"]).create_tuple_iterator(output_numpy=True))
        assert x.dtype == np.uint8 and y.dtype == np.float32
        np.testing.assert_allclose(y.sum(1), 1, rtol=1e-5)
        np.testing.assert_allclose(x.mean((1, 2, 3)), y @ [0, 100, 200], atol=1)  # each image has the colours of its labels
    with pytest.raises(RuntimeError, match="rank of the images"):
        V.MixUpBatch()(images[0], labels[0])
    assert V.UniformAugment([V.HorizontalFlip(), V.VerticalFlip()])(IMAGE).shape == IMAGE.shape
    flipped = V.RandomSelectSubpolicy([[(V.HorizontalFlip(), 1.0)]])(IMAGE)
    assert np.array_equal(flipped, IMAGE[:, ::-1])


def test_pillow_images(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    image = Image.fromarray(IMAGE)
    for op in (V.Resize((4, 5)), V.CenterCrop(4), V.Pad(2), V.RandomResizedCrop(4), V.RandomRotation(10), V.AdjustHue(0.1)):
        assert isinstance(op(image), Image.Image)
    data = io.BytesIO()
    image.save(data, "png")
    encoded = np.frombuffer(data.getvalue(), np.uint8)
    assert np.array_equal(V.Decode()(encoded), IMAGE) and V.Decode(True)(data.getvalue()).size == (7, 6)
    assert V.RandomCropDecodeResize(4)(encoded).shape == (4, 4, 3)
    assert np.array_equal(np.asarray(V.ToPIL()(IMAGE)), IMAGE) and len(V.FiveCrop(3)(image)) == 5
    assert len(V.TenCrop(3)(image)) == 10 and V.Grayscale()(image).mode == "L"
    with pytest.raises(RuntimeError, match="cannot decode"):
        V.Decode()(np.zeros(10, np.uint8))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        image.save(str(tmp_path / name / "1.png"))
    folder = ds.ImageFolderDataset(str(tmp_path), decode=True, shuffle=False, class_indexing={"b": 7, "a": 3})
    rows = list(folder.create_tuple_iterator(output_numpy=True))
    assert [int(r[1]) for r in rows] == [3, 7] and np.array_equal(rows[0][0], IMAGE) and rows[0][1].dtype == np.int32


def test_without_pillow(monkeypatch):
    import sys
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ImportError, match="pip install pillow"):
        V.Decode()(b"x")
    assert V.Resize((3, 3))(IMAGE).shape == (3, 3, 3)


@pytest.mark.parametrize("make, error", [
    (lambda: V.Resize(0), ValueError), (lambda: V.Resize("a"), TypeError), (lambda: V.Resize(3, "x"), TypeError),
    (lambda: V.Normalize([1], [0]), ValueError), (lambda: V.Normalize([1, 2], [1]), ValueError), (lambda: V.Normalize([300], [1]), ValueError),
    (lambda: V.RandomHorizontalFlip(2), ValueError), (lambda: V.Pad(-1), ValueError), (lambda: V.RandomRotation(-5), ValueError),
    (lambda: V.RandomResizedCrop(5, (2, 1)), ValueError), (lambda: V.RandomColorAdjust(hue=(0.6, 1)), ValueError),
    (lambda: V.HorizontalFlip()("a"), TypeError), (lambda: V.HorizontalFlip()(), RuntimeError), (lambda: V.HWC2CHW()(np.zeros(3)), RuntimeError),
    (lambda: V.Decode()(IMAGE), TypeError), (lambda: V.Normalize([1, 2], [1, 1])(IMAGE), RuntimeError),
    (lambda: V.Affine(1, (0, 0), 1, (1, 2, 3)), TypeError), (lambda: V.Erase(0, 0, 9, 9)(IMAGE), RuntimeError),
    (lambda: V.Erase(0, 0, 1, 1, (1, 2)), TypeError), (lambda: V.GaussianBlur((3,)), TypeError), (lambda: V.RgbToHsv(1), TypeError),
    (lambda: V.LinearTransformation([[1]], [1]), TypeError), (lambda: V.Pad((1, 2, 3)), ValueError), (lambda: V.Rotate(1, center=1), ValueError),
    (lambda: V.SlicePatches(1, 1, "a"), TypeError), (lambda: V.RandomColor((1,)), ValueError), (lambda: V.UniformAugment([]), ValueError),
    (lambda: V.MixUpBatch()(IMAGE), RuntimeError), (lambda: V.PadToSize(5)(IMAGE), RuntimeError),
    (lambda: V.Crop((5, 5), 4)(IMAGE), RuntimeError), (lambda: V.Resize((3, 3), V.Inter.ANTIALIAS)(IMAGE), TypeError),
    (lambda: T.OneHot(4)(np.array(4)), RuntimeError), (lambda: T.OneHot(4)(np.zeros((2, 3), int)), RuntimeError), (lambda: T.OneHot(4)(np.array(1.5)), RuntimeError), (lambda: T.OneHot(0), ValueError),
    (lambda: T.Compose([]), ValueError), (lambda: T.Compose([3]), TypeError), (lambda: T.Compose(3), TypeError),
    (lambda: T.PadEnd([1, 2])(np.zeros(2)), RuntimeError), (lambda: T.PadEnd([1.5]), TypeError), (lambda: T.TypeCast(None), TypeError),
    (lambda: T.TypeCast(ms.int8)(np.array("a")), RuntimeError), (lambda: T.Fill(None), TypeError), (lambda: T.Concatenate(0, [1]), TypeError),
    (lambda: T.Concatenate(0, np.zeros((1, 1))), ValueError), (lambda: T.Mask(T.Relational.EQ, [1]), TypeError), (lambda: T.Duplicate()(1, 2), RuntimeError),
    (lambda: T.Unique()(1, 2), RuntimeError), (lambda: T.Concatenate()(), RuntimeError), (lambda: T.Slice(7)(np.zeros(3)), RuntimeError), (lambda: T.TypeCast("no type"), TypeError)])
def test_bad_arguments(make, error):
    with pytest.raises(error):
        make()


def test_mix_up():
    images, labels = np.stack([np.full((2, 2, 1), i, np.uint8) for i in range(4)]), np.eye(4)
    mixed, shares = V.MixUp(4, 0.5)(images, labels)
    assert mixed.dtype == shares.dtype == np.float64
    for i in range(4):  # each with the next one
        assert set(np.nonzero(shares[i])[0]) <= {i, (i + 1) % 4} and abs(shares[i].sum() - 1) < 1e-12
        np.testing.assert_allclose(mixed[i], (shares[i] * np.arange(4)).sum(), atol=1e-6)
    op = V.MixUp(1, 0.5, is_single=False)
    assert (op(images, labels)[0] == images).all()  # there is no call before
    mixed, shares = op(images[::-1], labels[::-1])
    np.testing.assert_allclose(mixed[:, 0, 0, 0], shares @ np.arange(4), atol=1e-6)
    assert np.allclose(shares.sum(0), 1) and (shares[0, 1:3] == 0).all()
    assert V.ToNumpy()([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]


def test_transforms_of_data():
    a = np.arange(5)
    assert T.OneHot(4)(np.array(2)).tolist() == [0, 0, 1, 0]
    assert np.allclose(T.OneHot(4, 0.1)(np.array([1])), [0.025, 0.925, 0.025, 0.025])
    assert T.OneHot(2)(np.array([[0], [1]])).tolist() == T.OneHot(2)(np.array([0, 1])).tolist() == [[1, 0], [0, 1]]
    assert T.TypeCast(ms.int32)(np.array([1.7, -1.7])).tolist() == [1, -1] and T.TypeCast(np.float16)(a).dtype == np.float16
    assert T.Fill(3)(np.zeros((2, 2), np.float32)).tolist() == [[3, 3], [3, 3]]
    assert T.PadEnd([4], 9)(np.array([1, 2])).tolist() == [1, 2, 9, 9] and T.PadEnd([1])(a).tolist() == [0]
    assert T.PadEnd([4])(np.array(3)).tolist() == 3 and T.Slice(True)(a).tolist() == a.tolist()
    assert T.Mask(T.Relational.GE, b"b")(np.array(["a", "c"])).tolist() == [False, True] and isinstance(T.Mask(T.Relational.EQ, 1)(a[1]), np.ndarray)
    assert T.PadEnd([3], "z")(np.array(["a"])).tolist() == ["a", "z", "z"]
    assert T.Concatenate(0, np.array([7]), np.array([9]))(np.array([1, 2])).tolist() == [7, 1, 2, 9]
    assert [x.tolist() for x in T.Duplicate()(a[:2])] == [[0, 1], [0, 1]]
    assert [T.Slice(s)(a).tolist() for s in (1, [0, 2], slice(1, 3), None, Ellipsis, -1)] == [[1], [0, 2], [1, 2], [0, 1, 2, 3, 4],
                                                                                           [0, 1, 2, 3, 4], [4]]
    assert T.Slice(slice(0, 1), [0, 2])(np.arange(9).reshape(3, 3)).tolist() == [[0, 2]]
    assert T.Mask(T.Relational.GT, 2)(a).tolist() == [False] * 3 + [True] * 2
    assert [x.tolist() for x in T.Unique()(np.array([[3, 1], [3, 2]]))] == [[3, 1, 2], [0, 1, 0, 2], [2, 1, 1]]
    assert T.Compose([lambda x: x + 1, lambda x: (x, x * 2)])(np.array(1)) == (2, 4)
    assert T.RandomApply([lambda x: x + 1], 1.0)(a[:1]).tolist() == [1] and T.RandomOrder([lambda x: x + 1] * 2)(a[:1]) == [2]


def test_older_module_paths():
    from msjit.dataset.transforms import c_transforms
    from msjit.dataset.vision import c_transforms as vision
    from msjit.dataset.vision import py_transforms
    assert vision.Resize is V.Resize and py_transforms.Compose is T.Compose and c_transforms.TypeCast is T.TypeCast


def test_contrast_around_a_mean_between_two_numbers():
    """The mean luminance is 44.5, and counts as 44; MindSpore's numbers."""
    image = np.arange(90, dtype=np.uint8).reshape(5, 6, 3)
    assert V.AdjustContrast(1.5)(image).ravel()[15:24].tolist() == [0, 2, 4, 5, 6, 8, 10, 11, 12]
    assert V.AdjustContrast(0.3)(image).ravel()[:6].tolist() == [31, 31, 31, 32, 32, 32]
