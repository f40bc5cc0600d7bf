"""Transforms of sounds: shapes, some numbers and the sum of all, as MindSpore 2.10 gives them (audio_numbers.json); errors."""
import json
import os

import numpy as np
import pytest

import msjit as ms
from msjit.dataset import NumpySlicesDataset, audio

_draws = np.random.RandomState(0)
DATA = {"w": (_draws.randn(2, 400) * 0.3).astype(np.float32), "c": _draws.randn(2, 5, 4, 2).astype(np.float32),
        "s": np.abs(_draws.randn(2, 201, 6)).astype(np.float32)}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "audio_numbers.json")) as _file:
    NUMBERS = json.load(_file)


@pytest.mark.parametrize("call, expected", NUMBERS, ids=[row[0] for row in NUMBERS])
def test_numbers(call, expected):
    found = eval(call, dict(vars(audio), np=np, **DATA))
    found = found if isinstance(found, tuple) else (found,)
    assert len(found) == len(expected)
    for array, (shape, dtype, some, total) in zip(found, expected):
        assert list(array.shape) == shape and array.dtype == dtype
        flat = array.ravel()
        np.testing.assert_allclose(flat[[0, 1, 2, -2, -1]] if flat.size > 5 else flat, some, 1e-4, 1e-4)
        assert abs(np.abs(array).sum() - total) <= 1e-4 * total + 0.01


def test_random_masks_in_a_pipeline():
    before = ms.dataset.config.get_seed()
    try:
        def read():
            ms.dataset.config.set_seed(4)
            rows = NumpySlicesDataset([np.ones((3, 6, 8), np.float32)] * 4, ["x"], shuffle=False)
            rows = rows.map([audio.TimeMasking(True, 4), audio.FrequencyMasking(True, 3, 0, 2.0)], ["x"])
            return [row[0] for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        first = read()
        assert all((a == b).all() for a, b in zip(first, read())) and set(np.unique(first)) == {0, 1, 2}
        masked = [(x == 0).all(1).sum(1) for x in first]
        assert max(np.ravel(masked)) <= 4 and len(set(np.ravel(masked))) > 1
    finally:
        ms.dataset.config.set_seed(before)


def test_doubles_and_round_trips():
    sound = np.linspace(-1, 1, 50)
    assert audio.Gain(0.0)(sound).dtype == np.float64 and (audio.Gain(0.0)(sound) == sound).all()
    np.testing.assert_allclose(audio.MuLawDecoding()(audio.MuLawEncoding()(sound)), sound, atol=0.02)
    np.testing.assert_allclose(audio.DBToAmplitude(1.0, 1.0)(audio.AmplitudeToDB()(sound ** 2 + 1)), sound ** 2 + 1, 1e-6)


@pytest.mark.parametrize("call, error", [
    (lambda: audio.Gain("a"), TypeError), (lambda: audio.Gain()(3), TypeError), (lambda: audio.Gain()(np.array(["a"])), RuntimeError),
    (lambda: audio.Gain()(), RuntimeError), (lambda: audio.Vol(0, audio.GainType.POWER), ValueError), (lambda: audio.create_dct(0, 1), ValueError),
    (lambda: audio.create_dct(1, 1, 1), TypeError), (lambda: audio.melscale_fbanks(9, 40.0, 5.0, 5, 80), ValueError),
    (lambda: audio.melscale_fbanks(9, 4.0, 5.0, 5, 80, 1), TypeError), (lambda: audio.linear_fbanks(9, -1.0, 1.0, 1, 1), ValueError),
    (lambda: audio.InverseMelScale(20, tolerance_loss=0), ValueError),
    (lambda: audio.AmplitudeToDB("power"), TypeError), (lambda: audio.AmplitudeToDB(top_db=-1.0), ValueError),
    (lambda: audio.Contrast(101.0), ValueError), (lambda: audio.Fade(9)(np.ones(3)), RuntimeError), (lambda: audio.Angle()(np.ones((2, 3))), RuntimeError),
    (lambda: audio.TimeMasking(False, 9)(np.ones((2, 3))), RuntimeError), (lambda: audio.Spectrogram(8, 9), ValueError),
    (lambda: audio.Spectrogram(8, center=False)(np.ones(4)), RuntimeError), (lambda: audio.MelScale(n_stft=9)(np.ones((8, 2))), RuntimeError),
    (lambda: audio.MelScale(f_min=9000.0), ValueError), (lambda: audio.MFCC(n_mfcc=200), ValueError), (lambda: audio.MFCC(melkwargs=3), TypeError),
    (lambda: audio.Vol(-1.0), ValueError), (lambda: audio.Vad(44100), NotImplementedError),
    (lambda: audio.Biquad(1, 0, 0, 0, 0, 0), ValueError), (lambda: audio.LFilter([1.0], [1.0, 2.0]), ValueError), (lambda: audio.Flanger(44100)(np.ones(5)), RuntimeError),
    (lambda: audio.DeemphBiquad(8000), ValueError), (lambda: audio.MaskAlongAxis(3, 9, 0.5, 2)(np.ones((2, 5))), RuntimeError),
    (lambda: audio.PhaseVocoder(1.0, np.ones((3, 1)))(np.ones((4, 5, 2))), RuntimeError), (lambda: audio.Resample(0), ValueError),
    (lambda: audio.DetectPitchFrequency(16000)(np.ones(100)), RuntimeError)])
def test_errors(call, error):
    with pytest.raises(error, match=r"^\[\w+\] "):
        call()


def test_random_transforms():
    spectrum, steps = np.ones((3, 20, 30)), np.linspace(-0.9, 0.9, 200)
    found = audio.MaskAlongAxisIID(5, 0.0, 2)(spectrum)
    assert (spectrum == 1).all() and ((found == 0).all(1).sum(1) <= 5).all()
    for density in audio.DensityFunction:
        for shaped in (False, True):
            found = audio.Dither(density, shaped)(steps) * 2 ** 15
            assert (found == np.round(found) if not shaped else found == found).all() and np.abs(found - steps * 2 ** 15).max() < 8
    strengths = audio.Spectrogram(power=1.0)(np.sin(np.arange(4000) * 0.3)[None])
    error = [np.abs(audio.Spectrogram(power=1.0)(audio.GriffinLim(n_iter=n, power=1.0)(strengths)) - strengths).mean() for n in (1, 60)]
    assert error[1] < 0.6 * error[0]
    mel = audio.MelScale(4, 16000, n_stft=12)(np.abs(np.cos(np.arange(60.0))).reshape(1, 12, 5))
    back = audio.InverseMelScale(12, 4, 16000)(mel)
    assert back.shape == (1, 12, 5) and (back >= 0).all()
    np.testing.assert_allclose(audio.MelScale(4, 16000, n_stft=12)(back), mel, atol=0.05)


def test_pitch():
    tone = np.sin(np.arange(8000) * (2 * np.pi * 200 / 8000)) + 0.3 * np.sin(np.arange(8000) * (2 * np.pi * 600 / 8000))
    found = audio.DetectPitchFrequency(8000, win_length=5)(tone[None])
    assert found.shape == (1, 98) and found.dtype == np.float32
    np.testing.assert_allclose(found[0, :90], 200, 1e-5)  # 40 values a period
