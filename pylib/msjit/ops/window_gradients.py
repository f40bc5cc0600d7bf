"""Primitives for the gradients of pooling, convolutions, resized images, boxes and padding, as rows.

`dout` is the gradient by the result. The other arguments (inputs, results, positions of the maxima) and their order are
MindSpore's. All are computed with ordinary operators, so they can be differentiated and compiled themselves.
"""
from .. import function_transforms as _transforms
from . import array_func as _a
from . import box_func as _b
from . import image_func as _im
from . import nn_func as _n
from . import operations as _op
from . import pad_func as _p
from . import pool_func as _po
from . import registry as _k
from . import window_func as _w
from .gradient_kernels import _numbers, _pulled
from .primitive import REQUIRED as _REQUIRED
from .primitive import rows as _rows
from .resize_func import resize as _resize


def _linear(operation, shape, dout):
    """Computes the gradient of a linear operation by its input, which it does not need."""
    return _pulled(operation, (_a.zeros(_numbers(shape), dout.dtype),), dout)[0]


def _size(shape):
    count = 1
    for n in shape:
        count *= n
    return count


def _flat(x):
    """Joins all axes after the second one: (N, C, ...) to three axes."""
    if x.ndim < 2:
        raise ValueError("[pool_gradient] rank of the input, got %d, expected 2 or more" % x.ndim)
    return _k.reshape(x, (x.shape[0], x.shape[1], _size(x.shape[2:])))


def _picked(x, places):
    """Takes the elements of x at flat positions in its planes, which are all axes after the second one."""
    found = _k.gather_elements(_flat(x), _k.cast(_flat(places), _op._mstype.int64) % _size(x.shape[2:]), 2)
    return _k.reshape(found, places.shape)


def _scattered(dout, places, shape):
    """Sums dout at flat positions in the planes of a tensor of zeros of a shape."""
    return _linear(lambda x: _picked(x, places), shape, dout)


def _at_places(p, x, dout, places):
    return _scattered(dout, places, x.shape)


def _places_last(p, dout, x, places):
    return _scattered(dout, places, x.shape)


def _last(value, count=3):
    """The last `count` numbers of an attribute, without those for the first two axes."""
    return tuple(value)[-count:] if isinstance(value, (tuple, list)) else value


def _max_pool(p, x, out, dout):
    """Takes dout, of the shape of x, at the positions of the maxima: the gradient of MaxPoolGrad by dout."""
    return _transforms.jvp(_op.MaxPool(p.kernel_size, p.strides, p.pad_mode), (x,), (dout,))[1]


def _max_pool_3d(p, x, out, dout):
    return _transforms.jvp(_op.MaxPool3D(_last(p.kernel_size), _last(p.strides), p.pad_mode), (x,), (dout,))[1]


def _average(p, shape, dout):
    return _linear(_op.AvgPool(_last(p.kernel_size, 2), _last(p.strides, 2), p.pad_mode), shape, dout)


def _max_v1(p, x, out, dout):
    return _pulled(_op.MaxPool(_last(p.kernel_size, 2), _last(p.strides, 2), p.pad_mode), (x,), dout)[0]


def _conv_3d(p):
    return _op.Conv3D(p.out_channel, p.kernel_size, p.mode, p.pad_mode, p.pad, _last(p.stride), _last(p.dilation), p.group)


def _conv_3d_weight(p, x, dout, shape):
    return _linear(lambda weight: _conv_3d(p)(x, weight), shape, dout)


def _conv_3d_input(p, weight, dout, shape):
    return _linear(lambda x: _conv_3d(p)(x, weight), shape, dout)


def depthwise(p, x, weight):
    """Convolves each channel alone, with a weight (multiplier, channels, height, width)."""
    _w._rank(p.name, weight, 4)
    multiplier, channels = weight.shape[:2]
    weight = _k.reshape(_k.transpose(weight, (1, 0, 2, 3)), (channels * multiplier, 1) + tuple(weight.shape[2:]))
    pad = getattr(p, "pad_list", p.pad) if p.pad == 0 and p.pad_mode == "pad" else p.pad
    return _n.conv2d(x, weight, None, _last(p.stride, 2), p.pad_mode, pad, _last(p.dilation, 2), channels)


def dilation_2d(p, x, weight):
    """Computes the maximum, over a window, of element plus weight; the weight is (channels, height, width)."""
    _w._rank(p.name, weight, 3)
    if not isinstance(p.pad_mode, str):
        raise TypeError("[%s] pad_mode, got %s, expected a str" % (p.name, type(p.pad_mode).__name__))
    kernel, stride, spread = tuple(weight.shape[1:]), _pair(p, "stride"), _pair(p, "dilation")
    pads = _w._pads(p.name, x.shape[2:], kernel, stride, spread, p.pad_mode.lower(), 0)
    x = _k.pad(x, [0, 0] + [a for a, _ in pads], [0, 0] + [b for _, b in pads], -float("inf"))
    counts = [(n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], kernel, stride, spread)]
    out = None
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            cut = tuple(slice(at * d, at * d + (c - 1) * s + 1, s) for at, d, c, s in zip((row, column), spread, counts, stride))
            part = x[(slice(None), slice(None)) + cut] + _k.reshape(weight[:, row, column], (-1, 1, 1))
            out = part if out is None else _k.where(part > out, part, out)
    return out


def _pair(p, name):
    return _w._tuple(_last(getattr(p, name), 2), 2, p.name, name)


def _resized(mode):
    """A rule (dout, image) for the gradient of the resizing primitives; only the shape of image counts."""
    def rule(p, dout, image):
        return _linear(lambda x: _resize(x, dout.shape[2:], mode, p.align_corners, p.half_pixel_centers), image.shape, dout)
    return rule


def _nearest(p, dout, size):
    return _linear(lambda x: _resize(x, dout.shape[2:], "nearest", p.align_corners, p.half_pixel_centers),
                   tuple(dout.shape[:2]) + _numbers(size), dout)


def _line(p, dout, x):
    return _linear(lambda x: _op.ResizeLinear1D(p.coordinate_transformation_mode)(x, dout.shape[2:]), x.shape, dout)


def _stretched(x, sizes, mode, align_corners):
    """Resizes the axes of x after the second; mode 'cubic' repeats the outermost elements beyond the ends."""
    if mode == "cubic":
        return _resize(x, sizes, "bicubic", align_corners, not align_corners, [n / size for n, size in zip(x.shape[2:], sizes)])
    return _resize(x, sizes, mode, align_corners, mode != "nearest" and not align_corners)


def resize_v2(p, x, roi, scales, sizes):
    """Resizes x to sizes; roi and scales have no effect."""
    if p.mode not in ("nearest", "linear", "cubic"):
        raise ValueError("[%s] mode, got %r, expected 'nearest', 'linear' or 'cubic'" % (p.name, p.mode))
    return _stretched(x, _numbers(sizes)[2:], p.mode, p.coordinate_transformation_mode == "align_corners")


def _resize_v2(p, dout, roi, scales, sizes):
    return _linear(lambda x: resize_v2(p, x, roi, scales, dout.shape), sizes, dout)


def upsampled(mode):
    """A rule (x, output_size, scales, align_corners) for the primitives Upsample...."""
    def rule(p, x, output_size=None, scales=None, align_corners=False):
        if (output_size is None) == (scales is None):
            raise ValueError("[%s] output_size and scales, got %s and %s, expected one of them" % (p.name, output_size, scales))
        sizes = _numbers(output_size) if scales is None else [int(n * s) for n, s in zip(x.shape[2:], scales)]
        return _stretched(x, sizes, mode, vars(p).get("align_corners", align_corners))
    return rule


def _upsampled(mode):
    """A rule (dout, input_size, output_size, scales, align_corners) for their gradients."""
    def rule(p, dout, input_size, output_size=None, scales=None, align_corners=False):
        return _linear(lambda x: upsampled(mode)(p, x, tuple(dout.shape[2:]), None, align_corners), input_size, dout)
    return rule


def _grid_3d(p, dout, x, grid):
    return _pulled(_op.GridSampler3D(p.interpolation_mode, p.padding_mode, p.align_corners), (x, grid), dout)


def _affine(p, dout, size):
    sizes = _numbers(size)
    return _linear(lambda theta: _im.affine_grid(theta, sizes, p.align_corners), (sizes[0], len(sizes) - 2, len(sizes) - 1), dout)


def _roi_align(p, dout, rois, shape):
    return _linear(lambda x: _b.roi_align(x, rois, p.pooled_height, p.pooled_width, p.spatial_scale, p.sample_num, 1), shape, dout)


def _cropped_image(p, dout, boxes, indices, size):
    found = _linear(lambda x: _im.crop_and_resize(x, boxes, indices, tuple(dout.shape[1:3]), p.method, 0.0), size, dout)
    return _k.cast(found, p.T)


def _cropped_boxes(p, dout, images, boxes, indices):
    return _pulled(lambda boxes: _im.crop_and_resize(images, boxes, indices, tuple(dout.shape[1:3]), p.method, 0.0), (boxes,), dout)[0]


def _pads_of(p, dout, paddings):
    pads = _numbers(paddings)
    pairs = list(zip(pads[::2], pads[1::2])) if p.paddings_contiguous else list(zip(pads[:len(pads) // 2], pads[len(pads) // 2:]))
    shape = list(dout.shape)
    for back, (before, after) in enumerate(pairs, 1):
        shape[-back] -= before + after
    return _linear(lambda x: _op.PadV3(p.mode, p.paddings_contiguous)(x, paddings), shape, dout)


def _padded(mode):
    """A rule (dout, x, padding) for the gradient of a padding layer."""
    def rule(p, dout, x, padding):
        return _linear(lambda x: _p.pad(x, list(_numbers(padding)), mode), x.shape, dout)
    return rule


_PLANE = {"kernel_size": 1, "strides": 1, "pad_mode": "VALID", "data_format": "NCHW"}
_MASK = {"kernel_size": _REQUIRED, "strides": None, "pads": 0, "dilation": (1, 1), "ceil_mode": False, "argmax_type": _op._mstype.int64}
_VOLUME = {"ksize": _REQUIRED, "strides": _REQUIRED, "pads": _REQUIRED, "dilation": (1, 1, 1), "ceil_mode": False, "data_format": "NCDHW"}
_CONV = {"out_channel": _REQUIRED, "kernel_size": _REQUIRED, "mode": 1, "pad_mode": "valid", "pad": 0, "stride": 1, "dilation": 1,
         "group": 1, "data_format": "NCDHW"}
_DEPTHWISE = {"channel_multiplier": _REQUIRED, "kernel_size": _REQUIRED, "pad_mode": "valid", "pad": 0, "pad_list": (0, 0, 0, 0),
              "mode": 3, "stride": 1, "dilation": 1, "group": 1}
_DILATION = {"stride": _REQUIRED, "dilation": _REQUIRED, "pad_mode": "SAME", "data_format": "NCHW"}
_RESIZE = {"align_corners": False, "half_pixel_centers": False}
_RESIZE_V2 = {"coordinate_transformation_mode": "half_pixel", "mode": "nearest"}
_UNPOOL = {"ksize": _REQUIRED, "strides": 0, "pads": 0, "output_shape": (), "data_format": "NCHW"}
__all__ = _rows(globals(), (
    ("AdaptiveAvgPool3DGrad", {}, lambda p, dout, shape:
     _linear(lambda x: _po.adaptive_avg_pool3d(x, tuple(dout.shape[-3:])), shape, dout)),
    ("AdaptiveMaxPool2DGrad", {}, _places_last), ("AdaptiveMaxPool3DGrad", {}, _places_last),
    ("MaxPoolGradWithArgmax", _PLANE, _at_places), ("MaxPoolGradWithArgmaxV2", _MASK, _at_places),
    ("MaxPoolGradWithIndices", _MASK, _at_places), ("MaxPool3DGradWithArgmax", _VOLUME, _at_places),
    ("FractionalMaxPoolGradWithFixedKsize", {"data_format": "NCHW"}, _at_places),
    ("FractionalMaxPool3DGradWithFixedKsize", {"data_format": "NCDHW"}, _at_places),
    ("MaxPoolGradGrad", _PLANE, _max_pool), ("MaxPool3DGradGrad", dict(_PLANE, data_format="NCDHW"), _max_pool_3d),
    ("MaxPoolGradGradWithArgmax", _PLANE, lambda p, x, dout, places: _picked(dout, places)),
    ("MaxUnpool2DGrad", _UNPOOL, lambda p, x, dout, places: _picked(dout, places)),
    ("MaxUnpool3DGrad", dict(_UNPOOL, data_format="NCDHW"), lambda p, x, dout, places: _picked(dout, places)),
    ("AvgPoolGradV1", _PLANE, _average), ("AvgPoolGradGe", _PLANE, lambda p, x, out, dout: _average(p, x.shape, dout)),
    ("MaxPoolGradV1", _PLANE, _max_v1),
    ("MaxPoolV1", dict(_PLANE, pad_mode="valid"), lambda p, x:
     _op.MaxPool(_last(p.kernel_size, 2), _last(p.strides, 2), p.pad_mode)(x)),
    ("AvgPoolV1", dict(_PLANE, pad_mode="valid"), lambda p, x:
     _op.AvgPool(_last(p.kernel_size, 2), _last(p.strides, 2), p.pad_mode)(x)),
    ("Conv3DBackpropFilter", _CONV, _conv_3d_weight), ("Conv3DBackpropInput", _CONV, _conv_3d_input),
    ("DepthwiseConv2dNative", {key: _DEPTHWISE[key] for key in
                               "channel_multiplier kernel_size mode pad_mode pad stride dilation group".split()}, depthwise),
    ("DepthwiseConv2dNativeBackpropFilter", _DEPTHWISE, lambda p, x, shape, dout:
     _linear(lambda weight: depthwise(p, x, weight), shape, dout)),
    ("DepthwiseConv2dNativeBackpropInput", _DEPTHWISE, lambda p, shape, weight, dout:
     _linear(lambda x: depthwise(p, x, weight), shape, dout)),
    ("Dilation2D", _DILATION, dilation_2d),
    ("Dilation2DBackpropInput", _DILATION, lambda p, x, weight, dout:
     _pulled(lambda x: dilation_2d(p, x, weight), (x,), dout)[0]),
    ("Dilation2DBackpropFilter", _DILATION, lambda p, x, weight, dout:
     _pulled(lambda weight: dilation_2d(p, x, weight), (weight,), dout)[0]),
    ("ResizeBicubicGrad", _RESIZE, _resized("bicubic")), ("ResizeNearestNeighborV2Grad", _RESIZE, _nearest),
    ("ResizeLinear1DGrad", {"coordinate_transformation_mode": "align_corners"}, _line),
    ("ResizeV2", _RESIZE_V2, resize_v2), ("ResizeV2Grad", _RESIZE_V2, _resize_v2),
    ("GridSampler3DGrad", {"interpolation_mode": "bilinear", "padding_mode": "zeros", "align_corners": False, "output_mask": (1, 1)},
     _grid_3d),
    ("AffineGridGrad", {"align_corners": False}, _affine),
    ("ROIAlignGrad", {"pooled_height": _REQUIRED, "pooled_width": _REQUIRED, "spatial_scale": _REQUIRED, "sample_num": 2}, _roi_align),
    ("CropAndResizeGradImage", {"T": _REQUIRED, "method": "bilinear"}, _cropped_image),
    ("CropAndResizeGradBoxes", {"method": "bilinear"}, _cropped_boxes),
    ("PadV3Grad", {"mode": "reflect", "paddings_contiguous": True}, _pads_of),
))
for _name, _mode, _attributes in (
        ("Nearest1D", "nearest", {}), ("Nearest2D", "nearest", {}), ("Nearest3D", "nearest", {}), ("Linear1D", "linear", {}),
        ("Bilinear2D", "linear", {}), ("Bicubic2D", "cubic", {}), ("Trilinear3D", "linear", {"align_corners": False})):
    __all__ += _rows(globals(), (("Upsample" + _name, _attributes, upsampled(_mode)),
                                 ("Upsample%sGrad" % _name, _attributes, _upsampled(_mode))))
for _name, _mode in (("Reflection", "reflect"), ("Replication", "replicate")):
    __all__ += _rows(globals(), [("%sPad%dDGrad" % (_name, n), {}, _padded(_mode)) for n in (1, 2, 3)])
