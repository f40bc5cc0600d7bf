"""The networks of the packages: what is registered, how one is built, filled and fed."""
import importlib
import inspect
import zlib

import numpy as np

# Files whose networks take images of one size only; the others get small ones.
FIXED = frozenset("cait cmt coat convit crossvit halonet mae mlpmixer pit pvt repmlp swintransformer swintransformerv2 "
                  "vgg visformer vit volo xcit".split())
SMALL = 96


def mindcv_names():
    """Every registered name with the file that defines it."""
    registry = importlib.import_module("mindcv.models.registry")
    return [(name, registry._model_to_module[name]) for name in registry.list_models()]


def mindcv_build(name):
    """(network, shape of its input)"""
    registry = importlib.import_module("mindcv.models.registry")
    create = registry.model_entrypoint(name)
    size = (3, SMALL, SMALL)
    if registry._model_to_module[name] in FIXED:
        configs = getattr(inspect.getmodule(inspect.unwrap(create)), "default_cfgs", {})
        side = 256 if name.endswith("window8") or name.endswith("window16") else 224
        size = tuple((configs.get(name) or {}).get("input_size") or (3, side, side))
    return create(pretrained=False), (1,) + size


# The configurations of mindyolo are no part of its package, so these are of our own: one small pyramid of features,
# with the blocks and the head of each version. Its rows are [from, number, module, arguments].
YOLO = {
    "yolov3": ("C3", ["YOLOv3Head", ["nc", "anchors", "stride"]]), "yolov5": ("C3", ["YOLOv5Head", ["nc", "anchors", "stride"]]),
    "yolov7": ("C3", ["YOLOv7Head", ["nc", "anchors", "stride"]]), "yolov8": ("C2f", ["YOLOv8Head", ["nc", "reg_max", "stride"]]),
    "yolov10": ("C2f", ["YOLOv10Head", ["nc", "reg_max", "stride"]]),
    "yolov11": ("C3k2", ["YOLOv11Head", ["nc", "reg_max", "stride"]]), "yolox": ("C3", ["YOLOXHead", ["nc", "stride"]]),
}


def mindyolo_names():
    """The versions, each as a file of its own."""
    return [(name, name) for name in YOLO]


def mindyolo_build(name):
    """(network, shape of its input)"""
    from mindyolo.models import create_model
    from mindyolo.utils.config import Config
    block, head = YOLO[name]
    anchors = [[10, 13, 16, 30, 33, 23], [30, 61, 62, 45, 59, 119], [116, 90, 156, 198, 373, 326]]
    backbone = [[-1, 1, "ConvNormAct", [32, 3, 2]], [-1, 1, "ConvNormAct", [32, 3, 2]], [-1, 1, block, [32]],
                [-1, 1, "ConvNormAct", [64, 3, 2]], [-1, 2, block, [64]], [-1, 1, "ConvNormAct", [64, 3, 2]],
                [-1, 1, block, [64]], [-1, 1, "ConvNormAct", [96, 3, 2]], [-1, 1, "SPPF", [96, 5]]]
    top = [[-1, 1, "Upsample", ["None", 2, "nearest"]], [[-1, 6], 1, "Concat", [1]], [-1, 1, block, [64]],
           [-1, 1, "Upsample", ["None", 2, "nearest"]], [[-1, 4], 1, "Concat", [1]], [-1, 1, block, [64]],
           [[14, 11, 8], 1] + head]
    made = Config(dict(anchors=anchors, reg_max=16, stride=[8, 16, 32], depth_multiple=1.0, width_multiple=1.0, scale="n",
                       max_channels=1024, backbone=backbone, head=top))
    return create_model(name, model_cfg=made, num_classes=7), (1, 3, 192, 160)


PACKAGES = {"mindcv": (mindcv_names, mindcv_build), "mindyolo": (mindyolo_names, mindyolo_build)}


def numbers(name):
    """A generator of its own for each name, the same on every side."""
    return np.random.RandomState(zlib.crc32(name.encode()))


def fill(ms, net):
    """Gives the Parameters values that depend on their names alone; tables of indices and masks stay."""
    for name, param in net.parameters_and_names():
        kind = str(param.dtype).lower()
        moving = name.endswith(("moving_mean", "moving_variance"))
        if "float" not in kind or not (param.requires_grad or moving):
            continue
        shape, draw = tuple(param.shape), numbers(name)
        if name.endswith(("moving_variance", "gamma")):
            values = draw.uniform(0.5, 1.5, shape)
        elif len(shape) >= 2:
            # The scores that yolov10 sorts are to be apart: equal ones have no order in MindSpore's topk.
            wide = 1.6 if "one2one_cv3" in name else 1
            values = draw.normal(0, wide / np.sqrt(np.prod(shape[1:])), shape)
        else:
            values = draw.normal(0, 0.1, shape)
        param.set_data(ms.Tensor(values.astype(np.float32)).astype(param.dtype))


def described(net):
    """[path, name, shape, dtype, requires_grad] of each Parameter, in order."""
    return [[path, p.name, list(p.shape), str(p.dtype), bool(p.requires_grad)] for path, p in net.parameters_and_names()]


def flat(value):
    """The arrays of a result, nested tuples and dicts laid out in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [array for item in value for array in flat(item)]
    return [value] if value is not None else []


def weighted_sum(ms, net, shapes):
    """A number to differentiate: the outputs times fixed random arrays."""
    factors = [ms.Tensor(numbers("output%d" % i).normal(size=s).astype(np.float32)) for i, s in enumerate(shapes)]

    def loss(x):
        total = 0
        for out, factor in zip(flat(net(x)), factors):
            total = total + (out * factor).sum()
        return total

    return loss
