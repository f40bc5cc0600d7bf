"""Primitives for images: colours, resizing, boxes, and pooling with positions."""
from ..common import dtype as _mstype
from ..common.tensor import check_tensor as _check
from . import activation_func as _ac
from . import box_func as _b
from . import image_func as _im
from . import pool_func as _po
from . import registry as _k
from . import window_func as _w
from .glimpses import extract_glimpse as _glimpse
from .operands import check_items as _check_items
from .operands import whole as _whole
from .primitive import REQUIRED as _REQUIRED
from .primitive import plain_rows as _plain_rows
from .primitive import rows as _rows
from .resize_func import resize as _resize
from .scaled_images import scale_and_translate as _scaled

_FOUR = (0.0, 0.0, 0.0, 0.0)


def _channels(where, images):
    if _check(images, where).ndim < 1 or images.shape[-1] != 3:
        raise ValueError("[%s] size of the last axis, got shape %s, expected 3" % (where, tuple(images.shape)))
    return images[..., 0], images[..., 1], images[..., 2]


def rgb_to_hsv(images):
    """Converts RGB colours along the last axis to hue, saturation and value, all in [0, 1]."""
    red, green, blue = _channels("RGBToHSV", images)
    value = _k.maximum(_k.maximum(red, green), blue)
    spread = value - _k.minimum(_k.minimum(red, green), blue)
    safe, none = _k.where(_k.equal(spread, 0), 1.0, spread), _k.equal(spread, 0)
    hue = _k.where(_k.equal(value, red), (green - blue) / safe,
                   _k.where(_k.equal(value, green), (blue - red) / safe + 2.0, (red - green) / safe + 4.0)) / 6.0
    hue = _k.where(none, 0.0, hue)
    saturation = _k.where(_k.greater(value, 0), spread / _k.where(_k.greater(value, 0), value, 1.0), 0.0)
    return _k.stack([_k.where(_k.less(hue, 0), hue + 1.0, hue), saturation, value], -1)


def hsv_to_rgb(images):
    """Converts hue, saturation and value along the last axis of (N, H, W, 3) to RGB colours."""
    if _check(images, "HSVToRGB").ndim != 4:
        raise ValueError("[HSVToRGB] rank, got %d, expected 4" % images.ndim)
    return _of_hsv(images)


def _of_hsv(images):
    hue, saturation, value = _channels("HSVToRGB", images)
    place = hue * 6.0
    shares = [_k.clip(_k.abs(place - 3.0) - 1.0, 0.0, 1.0), _k.clip(2.0 - _k.abs(place - 2.0), 0.0, 1.0),
              _k.clip(2.0 - _k.abs(place - 4.0), 0.0, 1.0)]
    return _k.stack([value * (1.0 - saturation + saturation * share) for share in shares], -1)


def _adjust_hue(image, delta):
    """Adds delta to the hue of RGB colours along the last axis; 1 is a full turn."""
    hsv = rgb_to_hsv(_check(image, "AdjustHue"))
    hue = hsv[..., 0] + delta
    return _of_hsv(_k.stack([hue - _k.floor(hue), hsv[..., 1], hsv[..., 2]], -1))


def _adjust_saturation(image, scale):
    """Multiplies the saturation of RGB colours along the last axis by scale, up to 1."""
    hsv = rgb_to_hsv(_check(image, "AdjustSaturation"))
    return _of_hsv(_k.stack([hsv[..., 0], _k.clip(hsv[..., 1] * scale, 0.0, 1.0), hsv[..., 2]], -1))


def _resize_line(p, x, size):
    mode = p.coordinate_transformation_mode
    if mode not in ("align_corners", "half_pixel"):
        raise ValueError("[%s] coordinate_transformation_mode, got %r, expected 'align_corners' or 'half_pixel'" % (p.name, mode))
    if _check(x, p.name).ndim != 3:
        raise ValueError("[%s] rank of x, got %d, expected 3" % (p.name, x.ndim))
    sizes = size.tolist() if hasattr(size, "tolist") else size
    sizes = (sizes,) if isinstance(sizes, int) else _check_items(sizes, p.name, "size", "ints")
    sizes = [_whole(n, p.name, "size") for n in sizes]
    if len(sizes) != 1:
        raise ValueError("[%s] size, got %d numbers, expected 1" % (p.name, len(sizes)))
    return _resize(x, sizes, "linear", mode == "align_corners",
                   mode == "half_pixel")


def _volume_sizes(p, x, output_size, scales):
    if _check(x, p.name).ndim != 5:
        raise ValueError("[%s] rank of x, got %d, expected 5" % (p.name, x.ndim))
    if (output_size is None) == (scales is None):
        raise ValueError("[%s] output_size and scales, got %s and %s, expected one of them" % (p.name, output_size, scales))
    sizes = output_size if scales is None else [n * s for n, s in zip(x.shape[2:], _check_items(scales, p.name, "scales", "floats"))]
    sizes = [_whole(n, p.name, "size") for n in _check_items(sizes, p.name, "output_size", "ints")]
    if len(sizes) != 3:
        raise ValueError("[%s] sizes, got %d, expected 3" % (p.name, len(sizes)))
    return sizes


def _nearest_volume(p, x, output_size=None, scales=None):
    return _resize(x, _volume_sizes(p, x, output_size, scales), "nearest", False, False)


def _linear_volume(p, x, output_size=None, scales=None):
    return _resize(x, _volume_sizes(p, x, output_size, scales), "linear", p.align_corners, not p.align_corners)


def _overlap_weights(length, size, align_corners):
    """Weights (size, length) of the input elements that each output element covers; the last input element extends beyond the end."""
    import numpy
    scale = (length - 1) / (size - 1) if align_corners and size > 1 else length / size
    edges = numpy.arange(size + 1) * scale
    cells = numpy.arange(max(length, int(numpy.ceil(edges[-1]))))
    share = numpy.minimum(edges[1:, None], cells + 1) - numpy.maximum(edges[:-1, None], cells)
    share = numpy.maximum(share, 0) / scale
    share[:, length - 1] += share[:, length:].sum(1)
    return share[:, :length]


def _resize_area(p, images, size):
    """Resizes (N, H, W, C) images; each element is the mean of the area it covers, float32."""
    from ..common.tensor import Tensor
    if _check(images, p.name).ndim != 4:
        raise ValueError("[%s] rank of images, got %d, expected 4" % (p.name, images.ndim))
    if tuple(_check(size, p.name).shape) != (2,):
        raise ValueError("[%s] shape of size, got %s, expected (2,)" % (p.name, tuple(size.shape)))
    x = _k.cast(images, _mstype.float32)
    for axis, wanted in zip((1, 2), size.tolist()):
        weights = Tensor(_overlap_weights(x.shape[axis], wanted, p.align_corners).astype("float32"))
        moved = _k.swapaxes(x, axis, 3)
        x = _k.swapaxes(_k.matmul(moved, weights, False, True), axis, 3)
    return x


def _planar_max(p, x):
    kernel = _w._tuple(p.kernel_size, 2, p.name, "kernel_size")
    stride = kernel if p.strides is None else _w._tuple(p.strides, 2, p.name, "strides")
    pads, dilation = _w._tuple(p.pads, 2, p.name, "pads"), _w._tuple(p.dilation, 2, p.name, "dilation")
    values, places = _k.max_pool2d_with_index(x, kernel, stride, (pads[0], pads[0], pads[1], pads[1]), p.ceil_mode, dilation)
    return values, _k.cast(places, p.argmax_type)


def _solid_max(p, x):
    values, places = _po.max_pool3d(x, p.ksize, p.strides, p.pads, p.dilation, p.ceil_mode, True)
    return values, _k.cast(places, p.argmax_type)


def _unpool(count):
    def rule(p, x, argmax):
        def last(value):
            value = tuple(value) if isinstance(value, (tuple, list)) else value
            return value[-count:] if isinstance(value, tuple) else value
        strides = last(p.strides)
        return _po._unpooled(p.name, x, argmax, last(p.ksize), None if strides in (0, (0,) * count) else strides, last(p.pads),
                            tuple(_check_items(p.output_shape, p.name, "output_shape", "ints")), count)
    return rule


def _solid_adaptive(x, output_size):
    """Returns (maxima, their positions) of windows over the last three axes."""
    sizes = output_size.tolist() if hasattr(output_size, "tolist") else output_size
    sizes = tuple(_whole(n, "AdaptiveMaxPool3D", "output_size") for n in _check_items(sizes, "AdaptiveMaxPool3D", "output_size", "ints"))
    values, places = _po.adaptive_max_pool3d(x, sizes, True)
    return values, _k.cast(places, _mstype.int32)


def _volume_patches(p, x):
    kernel, strides = [_w._tuple(value[2:] if isinstance(value, (tuple, list)) and len(value) == 5 else value, 3, p.name, what)
                       for value, what in ((p.kernel_size, "kernel_size"), (p.strides, "strides"))]
    _w._rank(p.name, x, 5)
    pads = _w._pads(p.name, x.shape[2:], kernel, strides, (1, 1, 1), p.padding.lower() if isinstance(p.padding, str) else p.padding, 0)
    x = _k.pad(x, [0, 0] + [a for a, _ in pads], [0, 0] + [b for _, b in pads], 0)
    counts = [(n - k) // s + 1 for n, k, s in zip(x.shape[2:], kernel, strides)]
    parts = []
    for d in range(kernel[0]):
        for h in range(kernel[1]):
            for w in range(kernel[2]):
                cut = [slice(at, at + (c - 1) * s + 1, s) for at, c, s in zip((d, h, w), counts, strides)]
                parts.append(x[(slice(None), slice(None)) + tuple(cut)])
    out = _k.stack(parts, 2)  # (N, C, places in the window, ...)
    out = _k.transpose(out, (0, 2, 1, 3, 4, 5))
    return _k.reshape(out, (x.shape[0], len(parts) * x.shape[1]) + tuple(counts))


def _fast_gelu(p, x):
    """x / (1 + exp(-1.702 x)), a fast approximation of GELU, element by element."""
    return _check(x, p.name) / (1.0 + _k.exp(x * -1.702))


__all__ = _plain_rows(globals(), {
    "RGBToHSV": rgb_to_hsv, "HSVToRGB": hsv_to_rgb, "AdjustHue": _adjust_hue, "AdjustSaturation": _adjust_saturation,
    "CheckValid": _b.check_valid, "NonMaxSuppressionWithOverlaps": _b.nms_with_overlaps, "AdaptiveMaxPool3D": _solid_adaptive,
})
__all__ += _rows(globals(), (
    ("ResizeLinear1D", {"coordinate_transformation_mode": "align_corners"}, _resize_line),
    ("UpsampleNearest3D", {}, _nearest_volume), ("UpsampleTrilinear3D", {"align_corners": False}, _linear_volume),
    ("ExtractGlimpse", {"centered": True, "normalized": True, "uniform_noise": True, "noise": "uniform"}, _glimpse),
    ("ScaleAndTranslate", {"kernel_type": "lanczos3", "antialias": True}, _scaled),
    ("ResizeArea", {"align_corners": False}, _resize_area),
    ("NMSWithMask", {"iou_threshold": 0.5}, lambda p, bboxes: _b.nms_with_mask(bboxes, p.iou_threshold)),
    ("ROIAlign", {"pooled_height": _REQUIRED, "pooled_width": _REQUIRED, "spatial_scale": _REQUIRED, "sample_num": 2,
                  "roi_end_mode": 1}, lambda p, features, rois: _b.roi_align(
                      features, rois, p.pooled_height, p.pooled_width, p.spatial_scale, p.sample_num, p.roi_end_mode)),
    ("BoundingBoxEncode", {"means": _FOUR, "stds": (1.0,) * 4}, lambda p, anchors, boxes:
     _b.bounding_box_encode(anchors, boxes, p.means, p.stds)),
    ("BoundingBoxDecode", {"max_shape": _REQUIRED, "means": _FOUR, "stds": (1.0,) * 4, "wh_ratio_clip": 0.016},
     lambda p, anchors, deltas: _b.bounding_box_decode(anchors, deltas, p.max_shape, p.means, p.stds, p.wh_ratio_clip)),
    ("MaxPoolWithArgmaxV2", {"kernel_size": _REQUIRED, "strides": None, "pads": 0, "dilation": (1, 1), "ceil_mode": False,
                             "argmax_type": _mstype.int64}, _planar_max),
    ("MaxPool3DWithArgmax", {"ksize": _REQUIRED, "strides": _REQUIRED, "pads": _REQUIRED, "dilation": (1, 1, 1),
                             "ceil_mode": False, "data_format": "NCDHW", "argmax_type": _mstype.int64}, _solid_max),
    ("MaxUnpool2D", {"ksize": _REQUIRED, "strides": 0, "pads": 0, "output_shape": (), "data_format": "NCHW"}, _unpool(2)),
    ("MaxUnpool3D", {"ksize": _REQUIRED, "strides": 0, "pads": 0, "output_shape": (), "data_format": "NCDHW"}, _unpool(3)),
    ("ExtractVolumePatches", {"kernel_size": _REQUIRED, "strides": _REQUIRED, "padding": _REQUIRED}, _volume_patches),
    ("ChannelShuffle", {"group": _REQUIRED}, lambda p, x: _im.channel_shuffle(x, p.group)),
    ("FastGeLU", {}, _fast_gelu), ("FastGelu", {}, _fast_gelu),
    ("Gelu", {}, lambda p, x: _ac.gelu(x, "tanh")),
))
