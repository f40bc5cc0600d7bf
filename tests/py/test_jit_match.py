"""Structural pattern matching inside captured regions."""

import sys

import pytest

import msjit as ms
from msjit import Tensor

pytestmark = [pytest.mark.jit, pytest.mark.skipif(sys.version_info < (3, 10), reason="no match statement")]

SOURCE = '''
import dataclasses


@dataclasses.dataclass
class Pair:
    a: float
    b: float = 2.0


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


def layers(t, config):
    match config:
        case {"kind": "scale", "by": by, **rest}:
            t = t * by + len(rest)
        case {"kind": "shift", "by": int(by) | float(by)}:
            t = t + by
        case [first, *others]:
            t = t * first - len(others)
        case Point(x, y=y):
            t = t * x + y
        case str():
            t = t - 1.0
        case None:
            t = -t
        case _:
            t = t / 2.0
    return t


def pairs(t, config):
    match config:
        case Point(x, y):
            return t * x - y
        case Pair(a, 2.0):
            return t * a
        case Pair(a, b):
            return t * a + b
'''
namespace = {}
if sys.version_info >= (3, 10):
    exec(SOURCE, namespace)


def configs():
    point = namespace["Point"]
    return [{"kind": "scale", "by": 2.0, "more": 1}, {"kind": "scale", "by": 3.0}, {"kind": "shift", "by": 4}, {"kind": "shift"},
            [2.0, 1, 1], (3.0,), [], point(2.0, 1.0), point(5.0, 7.0), "text", None, 7]


def test_results():
    layers = namespace["layers"]
    captured = ms.jit(layers, mode="PIJit")
    t = Tensor([1.0, 2.0, 3.0])
    for config in configs() * 2 + configs()[::-1]:
        assert captured(t, config).tolist() == layers(t, config).tolist(), config


@pytest.mark.captures
@pytest.mark.parametrize("index", range(12))
def test_one_region(index):
    captured = ms.jit(namespace["layers"], mode="PIJit", fullgraph=True)
    config = configs()[index]
    if isinstance(config, namespace["Point"]):  # its class may be registered as a sequence or mapping at any time
        with pytest.raises(ms.CompileError, match="match on Point object is not captured"):
            captured(Tensor([1.0, 2.0, 3.0]), config)
    else:
        assert captured(Tensor([1.0, 2.0, 3.0]), config).shape == (3,)


@pytest.mark.captures
def test_positional_patterns_of_a_dataclass():
    pairs, t = namespace["pairs"], Tensor([1.0, 2.0, 3.0])
    captured = ms.jit(pairs, mode="PIJit", fullgraph=True)
    for config in (namespace["Pair"](3.0), namespace["Pair"](3.0, 4.0), namespace["Point"](2.0, 1.0)) * 3:
        assert captured(t, config).tolist() == pairs(t, config).tolist()
