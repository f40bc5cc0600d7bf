"""Primitives of the gradients of windows and sizes give what the gradients of the operations are."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops
from msjit.ops import auto_generate
from msjit.ops.operations import _grad_ops as G
from msjit.ops.operations import image_ops, nn_ops


def numbers(*shape, seed=0):
    return Tensor((np.random.RandomState(seed).rand(*shape) * 2 - 1).astype(np.float32))


X, Y = numbers(2, 3, 6, 6), numbers(2, 2, 4, 4, 4, seed=1)
VOLUME = (2, 2, 2, 2, 2)


def pulled(operation, dout, *inputs):
    return ms.vjp(operation, *inputs)[1](dout)


def close(found, expected, **limits):
    found = found if isinstance(found, (tuple, list)) else (found,)
    expected = expected if isinstance(expected, (tuple, list)) else (expected,)
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a.asnumpy(), np.asarray(b), **dict(dict(rtol=2e-4, atol=2e-5), **limits))


def first(operation):
    return lambda *inputs: operation(*inputs)[0]


def test_places_of_the_largest():
    dout, dout3 = numbers(2, 3, 3, 3), numbers(*VOLUME)
    for name, attributes in (("MaxPoolWithArgmax", (2, 2)), ("MaxPoolWithArgmaxV2", (2, 2))):
        operation = getattr(ops.operations, name)(*attributes)
        gradient = getattr(G, name.replace("With", "GradWith"))(*attributes)
        close(gradient(X, dout, operation(X)[1]), pulled(first(operation), dout, X))
    operation = ops.operations.MaxPool3DWithArgmax((2, 2, 2), (2, 2, 2), (0, 0, 0))
    gradient = G.MaxPool3DGradWithArgmax((2, 2, 2), (2, 2, 2), (0, 0, 0))
    close(gradient(Y, dout3, operation(Y)[1]), pulled(first(operation), dout3, Y))
    plane, solid = ops.AdaptiveMaxPool2D((3, 3)), ops.operations.AdaptiveMaxPool3D()
    close(G.AdaptiveMaxPool2DGrad()(dout, X, plane(X)[1]), pulled(first(plane), dout, X))
    size = Tensor(np.array([2, 2, 2], np.int32))
    close(G.AdaptiveMaxPool3DGrad()(dout3, Y, solid(Y, size)[1]), pulled(lambda y: solid(y, size)[0], dout3, Y))
    places = Tensor(np.array([0, 3, 7, 20, 1, 35] * 4).reshape(2, 3, 2, 2))
    found = G.FractionalMaxPoolGradWithFixedKsize()(X, ops.ones((2, 3, 2, 2), ms.float32), places)
    assert found.sum().item() == 24 and found.shape == X.shape


def test_second_gradients_of_pooling():
    places = ops.MaxPoolWithArgmax(2, 2)(X)[1]
    expected = (X * 2).asnumpy().reshape(2, 3, 3, 2, 3, 2).max((3, 5))
    close(G.MaxPoolGradGrad(2, 2)(X, ops.MaxPool(2, 2)(X), X * 2), expected)
    close(G.MaxPoolGradGradWithArgmax(2, 2)(X, X * 2, places), expected)
    close(G.MaxPool3DGradGrad((1, 1, 2, 2, 2), (1, 1, 2, 2, 2))(Y, None, Y * 3), ops.MaxPool3D(2, 2)(Y).asnumpy() * 3)
    close(G.MaxUnpool2DGrad(2, 2, 0, (2, 3, 6, 6))(None, X * 2, places % 36), expected)


def test_averages():
    dout = numbers(2, 3, 3, 3)
    close(G.AvgPoolGradV1(2, 2)(Tensor([2, 3, 6, 6]), dout), pulled(nn_ops.AvgPoolV1(2, 2), dout, X))
    close(G.MaxPoolGradV1(2, 2)(X, None, dout), pulled(nn_ops.MaxPoolV1((1, 1, 2, 2), (1, 1, 2, 2)), dout, X))
    close(G.AdaptiveAvgPool3DGrad()(numbers(*VOLUME), Tensor([2, 2, 4, 4, 4])),
          pulled(ops.AdaptiveAvgPool3D((2, 2, 2)), numbers(*VOLUME), Y))


def test_convolutions():
    weight, dout = numbers(3, 2, 3, 3, 3, seed=2), numbers(2, 3, 2, 2, 2, seed=3)
    dx, dw = pulled(ops.Conv3D(3, 3), dout, Y, weight)
    close(G.Conv3DBackpropFilter(3, 3)(Y, dout, (3, 2, 3, 3, 3)), dw)
    close(nn_ops.Conv3DBackpropInput(3, 3)(weight, dout, (2, 2, 4, 4, 4)), dx)
    weight = numbers(2, 3, 3, 3, seed=4)
    y = ops.DepthwiseConv2dNative(2, 3)(X, weight)
    x, w = X.asnumpy(), weight.asnumpy()
    assert y.shape == (2, 6, 4, 4)
    assert abs(y.asnumpy()[1, 3, 2, 1] - (x[1, 1, 2:5, 1:4] * w[1, 1]).sum()) < 1e-5  # channel 1, its second result
    dx, dw = pulled(ops.DepthwiseConv2dNative(2, 3), y, X, weight)
    close(G.DepthwiseConv2dNativeBackpropFilter(2, 3)(X, (2, 3, 3, 3), y), dw)
    close(G.DepthwiseConv2dNativeBackpropInput(2, 3)((2, 3, 6, 6), weight, y), dx)


@pytest.mark.parametrize("mode, side", [("SAME", 6), ("VALID", 4)])
def test_dilation(mode, side):
    weight = numbers(3, 3, 3, seed=5)
    y = ops.Dilation2D(1, (1, 1, 1, 1), mode)(X, weight)
    x, edge = X.asnumpy(), 1 if mode == "SAME" else 0
    x = np.pad(x, ((0, 0), (0, 0), (edge, edge), (edge, edge)), "constant", constant_values=-np.inf)
    parts = [x[:, :, r:r + side, c:c + side] + weight.asnumpy()[:, r, c].reshape(3, 1, 1) for r in range(3) for c in range(3)]
    close(y, np.max(parts, 0))
    dx, dw = pulled(ops.Dilation2D(1, 1, mode), y, X, weight)
    close(G.Dilation2DBackpropInput(1, 1, mode)(X, weight, y), dx)
    close(G.Dilation2DBackpropFilter(1, 1, mode)(X, weight, y), dw)
    assert abs(dw.sum().item() - y.sum().item()) < 1e-2


def test_sizes():
    image, line = numbers(2, 3, 4, 5), numbers(2, 3, 4)
    for flags in ((False, False), (True, False), (False, True)):
        close(G.ResizeBicubicGrad(*flags)(X, image), pulled(lambda x: ops.ResizeBicubic(*flags)(x, (6, 6)), X, image))
        found = G.ResizeNearestNeighborV2Grad(*flags)(X, (4, 5))
        assert found.shape == (2, 3, 4, 5) and abs((found.sum() - X.sum()).item()) < 1e-4
    close(G.ResizeLinear1DGrad("half_pixel")(X[:, :, 0], line),
          pulled(lambda x: ops.operations.ResizeLinear1D("half_pixel")(x, (6,)), X[:, :, 0], line))


def test_sizes_second_version():
    row = numbers(2, 3, 1, 7)
    close(image_ops.ResizeV2()(row, None, None, Tensor([2, 3, 1, 10])), row.asnumpy()[..., [0, 0, 1, 2, 2, 3, 4, 4, 5, 6]])
    for corners, mode in (("align_corners", "linear"), ("half_pixel", "cubic")):
        operation = image_ops.ResizeV2(corners, mode)
        sizes = Tensor([2, 3, 1, 10])
        y = operation(row, None, None, sizes)
        close(G.ResizeV2Grad(corners, mode)(y, None, None, (2, 3, 1, 7)), pulled(lambda x: operation(x, None, None, sizes), y, row))
    with pytest.raises(ValueError, match=r"\[ResizeV2\] mode"):
        image_ops.ResizeV2("half_pixel", "area")(row, None, None, (2, 3, 1, 10))


UPSAMPLE = [("Nearest1D", 1, ()), ("Nearest2D", 2, ()), ("Linear1D", 1, (True,)), ("Bilinear2D", 2, (False,)), ("Bicubic2D", 2, (False,))]


@pytest.mark.parametrize("name, rank, last", UPSAMPLE, ids=[row[0] for row in UPSAMPLE])
def test_upsampled(name, rank, last):
    x = numbers(2, 3, *(4,) * rank)
    operation, gradient = (getattr(auto_generate, "Upsample%s%s" % (name, end))() for end in ("", "Grad"))
    y = operation(x, (6,) * rank, None, *last)
    assert y.shape == (2, 3) + (6,) * rank
    close(y, operation(x, None, (1.5,) * rank, *last))
    close(gradient(y, x.shape, (6,) * rank, None, *last), pulled(lambda x: operation(x, (6,) * rank, None, *last), y, x))


def test_volumes_upsampled():
    dout = numbers(2, 2, 6, 6, 6)
    close(G.UpsampleNearest3DGrad()(dout, Y.shape, (6, 6, 6)), pulled(lambda y: ops.UpsampleNearest3D()(y, (6, 6, 6)), dout, Y))
    close(G.UpsampleTrilinear3DGrad(True)(dout, Y.shape, (6, 6, 6)),
          pulled(lambda y: ops.UpsampleTrilinear3D(True)(y, (6, 6, 6)), dout, Y))
    with pytest.raises(ValueError, match=r"\[UpsampleNearest2D\] output_size and scales"):
        nn_ops.UpsampleNearest2D()(X)


def test_grids_and_boxes():
    grid = numbers(2, 2, 2, 2, 3) * 0.7
    dout = numbers(*VOLUME)
    close(G.GridSampler3DGrad()(dout, Y, grid), pulled(ops.GridSampler3D(), dout, Y, grid))
    size = Tensor(np.array([2, 3, 4, 5], np.int32))
    close(G.AffineGridGrad()(numbers(2, 4, 5, 2), size),
          pulled(lambda t: ops.AffineGrid()(t, (2, 3, 4, 5)), numbers(2, 4, 5, 2), numbers(2, 2, 3)))
    rois = Tensor(np.array([[0, 0, 0, 4, 4], [1, 1, 1, 5, 4]], np.float32))
    dout = numbers(2, 3, 2, 2)
    close(G.ROIAlignGrad(2, 2, 1.0)(dout, rois, (2, 3, 6, 6)), pulled(lambda x: ops.ROIAlign(2, 2, 1.0)(x, rois), dout, X))
    images, dout = numbers(2, 5, 5, 3), numbers(2, 3, 3, 3)
    boxes, which = Tensor(np.array([[0.13, 0.21, 0.7, 0.83], [0.01, 0.1, 0.9, 0.61]], np.float32)), Tensor(np.array([0, 1], np.int32))

    def crop(x, b):
        return ops.CropAndResize()(x, b, which, (3, 3))
    dx, db = pulled(crop, dout, images, boxes)
    close(image_ops.CropAndResizeGradImage(ms.float32)(dout, boxes, which, Tensor([2, 5, 5, 3])), dx)
    close(image_ops.CropAndResizeGradBoxes()(dout, images, boxes, which), db)


def test_padding():
    for mode in ("reflect", "edge", "circular"):
        operation = ops.PadV3(mode)
        close(G.PadV3Grad(mode)(numbers(2, 3, 9, 8), Tensor([1, 1, 2, 1])),
              pulled(lambda x: operation(x, Tensor([1, 1, 2, 1])), numbers(2, 3, 9, 8), X))
    for name, mode in (("ReflectionPad2DGrad", "reflect"), ("ReplicationPad2DGrad", "replicate")):
        close(getattr(auto_generate, name)()(numbers(2, 3, 9, 8), X, (1, 1, 2, 1)),
              pulled(lambda x: ops.pad(x, [1, 1, 2, 1], mode), numbers(2, 3, 9, 8), X))


@pytest.mark.jit
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_compiled(mode):
    gradient = G.ResizeBicubicGrad()

    def function(dout, image):
        return gradient(dout, image)
    image = numbers(2, 3, 4, 5)
    close(ms.jit(function, mode=mode)(X, image), function(X, image))


def test_differentiated():
    weight = numbers(3, 2, 3, 3, 3, seed=2)
    dout = numbers(2, 3, 2, 2, 2, seed=3)
    found = ms.grad(lambda d: (G.Conv3DBackpropFilter(3, 3)(Y, d, weight.shape) * weight).sum())(dout)
    close(found, ops.Conv3D(3, 3)(Y, weight))


@pytest.mark.parametrize("wrap", [lambda f: f, lambda f: ms.jit(f, mode="PIJit"), ms.jit])
def test_boxes_have_no_gradient(wrap):
    """As in MindSpore: networks choose boxes by their overlap, and cut out parts at boxes that another part has found."""
    images, boxes = numbers(1, 2, 6, 6), Tensor(np.array([[0.0, 0.5, 0.5, 3.0, 2.0]], np.float32))
    by_image, by_boxes = wrap(ms.grad(lambda x, b: ops.ROIAlign(2, 2, 1.0)(x, b).sum(), (0, 1)))(images, boxes)
    assert abs(by_image.asnumpy()).sum() > 0 and by_boxes.asnumpy().tolist() == [[0.0] * 5]
    gradients = wrap(ms.grad(lambda a, b: ops.IOU()(a, b).sum(), (0, 1)))(boxes[:, 1:], Tensor(np.zeros((1, 4), np.float32)))
    assert [gradient.asnumpy().tolist() for gradient in gradients] == [[[0.0] * 4]] * 2
