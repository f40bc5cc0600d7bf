"""Hue, saturation and value: between them and red, green and blue, and turning the hue of an image.

Bytes are turned as OpenCV's full-range conversions do: the circle has 256 steps on the way there and 255 on the way back.
"""
import numpy as np


def rgb_to_hsv(rgb):
    """Hue, saturation and value of arrays whose last axis has red, green and blue."""
    rgb = np.asarray(rgb, np.float64)
    high, low = rgb.max(-1), rgb.min(-1)
    spread = high - low
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(spread[..., None] > 0, (high[..., None] - rgb) / spread[..., None], 0.0)
        sat = np.where(high > 0, spread / high, 0.0)
    red, green, blue = part[..., 0], part[..., 1], part[..., 2]
    turn = np.where(rgb[..., 0] == high, blue - green,
                    np.where(rgb[..., 1] == high, 2.0 + red - blue, 4.0 + green - red))
    return np.stack([np.where(spread > 0, turn / 6.0 % 1.0, 0.0), sat, high], -1)


def hsv_to_rgb(hsv):
    """The inverse of rgb_to_hsv."""
    hsv = np.asarray(hsv, np.float64)
    turn, sat, value = hsv[..., 0], hsv[..., 1], hsv[..., 2]
    sector = np.floor(turn * 6.0)
    rest = turn * 6.0 - sector
    low, down, up = value * (1 - sat), value * (1 - sat * rest), value * (1 - sat * (1 - rest))
    sector = sector.astype(np.int64) % 6
    red = np.choose(sector, [value, down, low, low, up, value])
    green = np.choose(sector, [up, value, value, down, low, low])
    blue = np.choose(sector, [low, low, up, value, value, down])
    return np.stack([red, green, blue], -1)


_BITS = 12
_HALF = 1 << (_BITS - 1)


def _shares(whole):
    """round(whole / i) with 12 bits of fraction, for i from 0 to 255."""
    at = np.arange(256, dtype=np.float64)
    at[0] = np.inf
    return np.rint(whole * (1 << _BITS) / at).astype(np.int64)


_OF_VALUE, _OF_SPREAD = _shares(255), _shares(256 / 6.0)


def with_hue(image, factor):
    """An (..., 3) image of uint8 with its hue turned by a share of the circle, from -0.5 to 0.5."""
    red, green, blue = np.moveaxis(image.astype(np.int64), -1, 0)
    high = np.maximum(np.maximum(red, green), blue)
    spread = high - np.minimum(np.minimum(red, green), blue)
    sat = (spread * _OF_VALUE[high] + _HALF) >> _BITS
    turn = np.where(high == red, green - blue, np.where(high == green, blue - red + 2 * spread, red - green + 4 * spread))
    turn = (turn * _OF_SPREAD[spread] + _HALF) >> _BITS
    turn = (turn + int(factor * 255)) % 256
    hsv = np.stack([turn / 255.0, sat / 255.0, high / 255.0], -1)
    return np.clip(np.rint(hsv_to_rgb(hsv) * 255), 0, 255).astype(np.uint8)
