"""Conversion between hue, saturation and value, and red, green and blue."""
import numpy as np


def rgb_to_hsv(rgb):
    """Converts arrays whose last axis has red, green and blue to hue, saturation and value."""
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
    """Converts hue, saturation and value to red, green and blue; the inverse of rgb_to_hsv."""
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
