"""msjit.mint.optim: Adam, AdamW and SGD."""
from .. import _paths
from ..common import dtype as _mstype
from ..optim import grouped_optimizers as _grouped

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.

_STEP = "state_step", (1,), _mstype.float32, False


class Adam(_grouped.Adam):
    __doc__ = _grouped.Adam.__doc__

    _floats_only = True
    _step_shown = _STEP

    def _shown_last(self):
        return ()


class AdamW(_grouped.AdamW):
    __doc__ = _grouped.AdamW.__doc__

    _floats_only = True
    _step_shown = _STEP

    def _shown_last(self):
        return ()

    def _step_value(self, shape):
        return [self.step_count - 1]  # MindSpore counts from -1 here

    def _adopt(self, name, values):
        super()._adopt(name, values + 1)


class SGD(_grouped.SGD):
    __doc__ = _grouped.SGD.__doc__

    _buffer = "momentum_buf"
    _unused = {}
    _step_shown = "step_t", (), _mstype.int32, False

    def _shown_last(self):
        return ()


FusedAdamW = AdamW

__all__ = ["Adam", "AdamW", "FusedAdamW", "SGD"]

_paths.reach(__name__)
