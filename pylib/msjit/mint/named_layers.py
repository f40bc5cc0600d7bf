"""Layers of nn whose calls take mint's parameter names."""
from .. import nn as _nn
from . import functional


def _of(base, name=None):
    """Makes a subclass of a layer of nn whose call names its argument `input`."""
    def construct(self, input):
        return base.construct(self, input)
    return type(name or base.__name__, (base,), {"construct": construct, "__doc__": base.__doc__, "__module__": __name__,
                                                 "_sequences": (tuple, list)})


ConstantPad1d, ConstantPad2d, ConstantPad3d = _of(_nn.ConstantPad1d), _of(_nn.ConstantPad2d), _of(_nn.ConstantPad3d)
ReflectionPad1d, ReflectionPad2d = _of(_nn.ReflectionPad1d), _of(_nn.ReflectionPad2d)
ReflectionPad3d = _of(_nn.ReflectionPad3d)
ReplicationPad1d, ReplicationPad2d = _of(_nn.ReplicationPad1d), _of(_nn.ReplicationPad2d)
ReplicationPad3d = _of(_nn.ReplicationPad3d)
Flatten, LogSigmoid, Mish, SELU = _of(_nn.Flatten), _of(_nn.LogSigmoid), _of(_nn.Mish), _of(_nn.SeLU, "SELU")
Sigmoid, Tanh = _of(_nn.Sigmoid), _of(_nn.Tanh)


class UpsampleExt(_nn.Cell):
    """Resizes the axes after (N, C) to `size` (an int or one for each axis) or by `scale_factor`, as mint.nn.functional.interpolate.

    Raises ValueError for another mode, for a rank that the mode does not take, and unless size or scale_factor is given.
    """

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def construct(self, input):
        return functional.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                                      self.recompute_scale_factor)


class _TwoNames(_nn.Cell):
    """A loss of nn whose call names its arguments `input` and `target`."""

    def construct(self, input, target):
        return super().construct(input, target)


class BCELoss(_nn.Cell):
    """Binary cross entropy of probabilities and targets in [0, 1]: -(t * log(p) + (1 - t) * log(1 - p)), as nn.BCELoss.

    Both have one shape. `weight` multiplies each element's loss; reduction is 'mean', 'sum' or 'none'. Raises ValueError for two shapes and for
    another reduction, TypeError for integers.
    """

    def __init__(self, weight=None, reduction="mean"):
        super().__init__()
        self.bce_loss = _nn.BCELoss(weight, reduction)

    def construct(self, input, target):
        return self.bce_loss(input, target)


class CrossEntropyLoss(_TwoNames, _nn.CrossEntropyLoss):
    """Cross entropy, -log(softmax(x))[target], of logits (N, C, ...) and class indices (N, ...) or class probabilities (N, C, ...).

    It is nn.CrossEntropyLoss. weight (C,) multiplies the loss of each class; targets equal to ignore_index count as 0. reduction is 'mean', 'sum'
    or 'none'. Raises ValueError for shapes that do not fit and for another reduction.
    """


class MSELoss(_TwoNames, _nn.MSELoss):
    """Squared error (input - target)^2, element by element, with broadcasting; reduction is 'mean', 'sum' or 'none'.

    Raises ValueError for shapes that do not broadcast and for another reduction.
    """


class NLLLoss(_TwoNames, _nn.NLLLoss):
    """Negative log likelihood: -weight[c] * input[n, c] where c = target[n], of log probabilities (N, C, ...) and class indices (N, ...).

    reduction 'mean' divides by the sum of the weights that count; 'sum' and 'none' do not. Raises ValueError for shapes that do not fit and for
    another reduction, IndexError for a class outside [0, C).
    """


class CosineEmbeddingLoss(_nn.CosineEmbeddingLoss):
    """Cosine loss: 1 - cos where the target is 1, max(0, cos - margin) where it is -1; cos is the cosine of the angle of the inputs along axis 1.

    reduction is 'mean', 'sum' or 'none'. Raises TypeError for a margin that is no float, ValueError for one outside [-1, 1].
    """

    def construct(self, input1, input2, target):
        return super().construct(input1, input2, target)


class MaxUnpool2d(_nn.MaxUnpool2d):
    """Puts the results of MaxPool2d, (N, C, H, W) or (C, H, W), back at the indices that it returned, with zeros elsewhere.

    H becomes (H - 1) * stride - 2 * padding + kernel_size, unless the call gives output_size. Raises ValueError where the shapes of the two
    differ, IndexError for an index outside the plane.
    """

    def construct(self, input, indices, output_size=None):
        return super().construct(input, indices, output_size)
