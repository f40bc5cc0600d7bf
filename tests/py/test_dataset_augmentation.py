"""AutoAugment and its kin, and the functions that read, write and encode images."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor
from msjit.dataset import NumpySlicesDataset, vision
from msjit.dataset.vision import augmentation
from msjit.dataset.vision.utils import AutoAugmentPolicy, ImageReadMode, Inter

IMAGE = (np.random.RandomState(0).rand(20, 24, 3) * 255).astype(np.uint8)


@pytest.mark.parametrize("policy", list(AutoAugmentPolicy))
def test_policies(policy):
    pairs = augmentation._parsed(augmentation._POLICIES[policy])
    assert len(pairs) == 25 and all(len(pair) == 2 for pair in pairs)
    for name, prob, level in (item for pair in pairs for item in pair):
        assert 0 <= prob <= 1 and (level is None) == (name in augmentation._PLAIN) and (level is None or 0 <= level <= 9)
    assert vision.AutoAugment(policy, Inter.BILINEAR, (1, 2, 3))(IMAGE).shape == IMAGE.shape


OPERATIONS = augmentation._RAND + ("Invert",)


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_are_those_of_the_transforms(name):
    def run(strength):
        return augmentation._operation(IMAGE, name, strength, Inter.NEAREST, (7,), "test")
    expected = {
        "Identity": (0, IMAGE), "Rotate": (30.0, vision.Rotate(30, fill_value=7)(IMAGE)), "Posterize": (5, IMAGE & 0xf8),
        "Solarize": (100.0, np.where(IMAGE >= 100, 255 - IMAGE, IMAGE)), "Invert": (0, 255 - IMAGE),
        "AutoContrast": (0, vision.AutoContrast()(IMAGE)), "Equalize": (0, vision.Equalize()(IMAGE)),
        "Brightness": (-0.3, vision.AdjustBrightness(0.7)(IMAGE)), "Color": (0.5, vision.AdjustSaturation(1.5)(IMAGE)),
        "Contrast": (0.5, vision.AdjustContrast(1.5)(IMAGE)), "Sharpness": (0.5, vision.AdjustSharpness(1.5)(IMAGE)),
        "TranslateX": (3.0, np.concatenate([np.full((20, 3, 3), 7, np.uint8), IMAGE[:, :-3]], 1)),
        "TranslateY": (-2.0, np.concatenate([IMAGE[2:], np.full((2, 24, 3), 7, np.uint8)], 0)),
    }
    if name in expected:
        strength, wanted = expected[name]
        np.testing.assert_array_equal(run(strength), wanted)
    else:  # shears move rows (columns) away from the middle, and leave the middle
        moved = run(0.3)
        assert moved.shape == IMAGE.shape and (moved != IMAGE).any()
        np.testing.assert_array_equal(run(0.0), IMAGE)


def test_strengths():
    def at(name, level, wide=False, bins=31):
        return augmentation._strengths(name, bins, (331, 662, 3), wide)[level]
    assert at("TranslateX", 30) == 300 and at("TranslateY", 30) == 150 and at("TranslateX", 30, True) == 32
    assert at("Posterize", 0) == 8 and at("Posterize", 30) == 4 and at("Posterize", 30, True) == 2
    assert at("Solarize", 0) == 255 and at("Solarize", 30) == 0 and at("Rotate", 15) == 15 and at("Rotate", 30, True) == 135
    assert abs(at("ShearX", 10) - 0.1) < 1e-12 and abs(at("Color", 30) - 0.9) < 1e-12 and abs(at("Color", 30, True) - 0.99) < 1e-12


def test_draws_reach_all_and_follow_the_seed():
    before = ms.dataset.config.get_seed()
    try:
        def read(make):
            ms.dataset.config.set_seed(5)
            rows = NumpySlicesDataset([IMAGE] * 6, ["image"], shuffle=False).map(make(), ["image"])
            return [row[0] for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        for make in (vision.RandAugment, vision.TrivialAugmentWide, vision.AutoAugment):
            first, second = read(make), read(make)
            assert all((a == b).all() for a, b in zip(first, second)) and any((a != first[0]).any() for a in first)
        ms.dataset.config.set_seed(5)
        seen = {name for _ in range(400) for name, _ in vision.TrivialAugmentWide()._draw(IMAGE)}
        assert seen == set(augmentation._RAND)
        signs = {np.sign(s) for _ in range(200) for name, s in vision.RandAugment(magnitude=30)._draw(IMAGE) if name == "Rotate"}
        assert signs == {-1, 1}
    finally:
        ms.dataset.config.set_seed(before)
    assert (vision.RandAugment(0)(IMAGE) == IMAGE).all()


def test_files(tmp_path):
    pytest.importorskip("PIL")
    path = str(tmp_path / "a.png")
    vision.write_png(path, IMAGE)
    np.testing.assert_array_equal(vision.read_image(path), IMAGE)
    assert vision.read_image(path, ImageReadMode.GRAYSCALE).shape == (20, 24, 1)
    np.testing.assert_array_equal(vision.Decode()(vision.read_file(path)), IMAGE)
    np.testing.assert_array_equal(vision.Decode()(vision.encode_png(Tensor(IMAGE), 0)), IMAGE)
    gray = IMAGE[:, :, :1]
    vision.write_jpeg(path, gray, 95)
    assert vision.read_image(path).shape == (20, 24, 1) and vision.read_image(path, ImageReadMode.COLOR).shape == (20, 24, 3)
    assert len(vision.encode_jpeg(IMAGE, 10)) < len(vision.encode_jpeg(IMAGE, 90))
    vision.write_file(path, np.arange(5, dtype=np.uint8))
    assert vision.read_file(path).tolist() == [0, 1, 2, 3, 4]
    assert vision.get_image_size(IMAGE) == [20, 24] and vision.get_image_num_channels(IMAGE[:, :, 0]) == 1
    pil = vision.ToPIL()(IMAGE)
    assert vision.get_image_size(pil) == [20, 24] and vision.get_image_num_channels(pil) == 3


@pytest.mark.parametrize("call, error", [
    (lambda: vision.RandAugment(-1), ValueError), (lambda: vision.RandAugment("a"), TypeError), (lambda: vision.RandAugment(2, 31), ValueError),
    (lambda: vision.RandAugment(num_magnitude_bins=1), ValueError), (lambda: vision.RandAugment(interpolation=3), TypeError),
    (lambda: vision.RandAugment(fill_value=300), ValueError), (lambda: vision.TrivialAugmentWide(fill_value=(1, 2)), TypeError),
    (lambda: vision.AutoAugment("imagenet2"), TypeError), (lambda: vision.RandAugment()(IMAGE[:, :, 0]), RuntimeError),
    (lambda: vision.AutoAugment()(IMAGE.astype(np.float32)), RuntimeError), (lambda: vision.read_file("/no/such"), RuntimeError),
    (lambda: vision.read_file(3), TypeError), (lambda: vision.write_file("/no/such/file", IMAGE[0, 0]), RuntimeError),
    (lambda: vision.write_file("x", IMAGE), RuntimeError), (lambda: vision.encode_png(IMAGE, 10), ValueError),
    (lambda: vision.encode_jpeg(IMAGE, 0), ValueError), (lambda: vision.encode_jpeg(IMAGE.astype(float)), RuntimeError),
    (lambda: vision.get_image_size(3), TypeError)])
def test_errors(call, error):
    with pytest.raises(error, match=r"^\[\w+\] "):
        call()


def test_a_file_that_is_no_image(tmp_path):
    pytest.importorskip("PIL")
    path = str(tmp_path / "a.png")
    for data in (b"", b"GIF89a", b"\x89PNG\r\n\x1a\n" + b"\0" * 40):
        with open(path, "wb") as file:
            file.write(data)
        with pytest.raises(RuntimeError, match=r"^\[read_image\] file, got"):
            vision.read_image(path)


def test_auto_contrast_has_the_last_bits_of_mindspore():
    # Computed in double the greatest value of the first row becomes 254.
    image = np.stack([np.linspace(low, high, 5).astype(np.uint8) for low, high in ((1, 58), (3, 200))])[:, :, None]
    stretched = [vision.AutoContrast()(row[None])[0, :, 0].tolist() for row in image]
    assert stretched == [[0, 62, 125, 187, 255], [0, 63, 126, 190, 254]]
