"""Mixed precision: casting networks; `loss_scaling.py` scales losses."""
from . import ops
from .common import dtype as mstype
from .loss_scaling import (  # noqa: F401
    DynamicLossScaleManager,
    DynamicLossScaler,
    FixedLossScaleManager,
    LossScaleManager,
    LossScaler,
    StaticLossScaler,
    _grad_scale_map,
    _grad_unscale_map,
    all_finite,
)
from .nn.cell import Cell, _cast_float
from .nn.wrap import TrainOneStepCell, WithLossCell
from .nn.wrap_scaled import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell, TrainOneStepWithLossScaleCell  # noqa: F401
from .ops.primitive import Primitive

_LEVELS = ("O0", "O1", "O2", "O3", "auto")
_WHITE = ("Conv1d", "Conv2d", "Conv3d", "Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose", "Dense", "LSTMCell",
          "RNNCell", "GRUCell")
_WHITE_PRIMITIVES = ("Conv2D", "Conv3D", "Conv2DTranspose", "Conv3DTranspose", "Conv2DBackpropInput", "MatMul", "BatchMatMul", "PReLU",
                     "ReLU", "Ger")
_BLACK = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm")


def _classes(names):
    from . import nn
    return [getattr(nn, name) for name in names if hasattr(nn, name)]


def get_white_list():
    """Returns MindSpore's white list: a fresh list of the classes of Cells and Primitives that level O1 casts to the lower precision.

    Here O1 casts the Cells of it; a Primitive follows the Cell that calls it.
    """
    return _classes(_WHITE) + [getattr(ops, name) for name in _WHITE_PRIMITIVES]


def get_black_list():
    """Returns a fresh list of the classes of Cells that level O2 leaves in float32: the batch and layer normalisations."""
    return _classes(_BLACK)


class _OutputTo32(Cell):
    """Runs a network and casts the floats that it returns to float32."""

    def __init__(self, backbone):
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._get_attr_from_cell(backbone)

    def construct(self, *args, **kwargs):
        return _cast_float(self._backbone(*args, **kwargs), mstype.float32)


AMP_WHITE_LIST, AMP_BLACK_LIST = get_white_list(), get_black_list()  # under MindSpore's names


def auto_mixed_precision(network, amp_level="O0", dtype=mstype.float16):
    """Makes a network compute in `dtype` and return float32; returns the network.

    O1: only the Cells of get_white_list() compute in `dtype`. O2: all Cells do, except those of get_black_list(), whose
    results are cast to it. O3: all Cells do. Parameters keep their dtype and are cast when they are used. A Primitive
    that is called directly follows the Cell that calls it.
    auto: the dtype depends on the operator, not on the Cell. Products and convolutions compute in `dtype`; exponentials,
    logarithms, sums, normalisations and losses in float32; the others in the dtype of their inputs. Results are not cast. A graph
    has a call of such a network as a whole, or not at all.
    """
    _check_network(network, amp_level, dtype)
    if amp_level not in _LEVELS:
        raise ValueError("[amp] amp_level, got %r, expected 'O0', 'O1', 'O2', 'O3' or 'auto'" % (amp_level,))
    if amp_level == "auto":
        network.add_flags(_ms_auto_cast=dtype, _ms_intercept=True)
    elif amp_level == "O1":
        _cast_listed(network, get_white_list(), dtype)
    elif amp_level != "O0":
        _cast_unlisted(network, get_black_list() if amp_level == "O2" else [], dtype)
    if amp_level != "O0":
        network.add_flags(_amp_level=amp_level)
    return network


def custom_mixed_precision(network, *, white_list=None, black_list=None, dtype=mstype.float16):
    """Makes the Cells of the white list, or all but those of the black list, compute in `dtype`; returns the network.

    The lists hold classes. dtype is float16 or bfloat16; Parameters keep their dtype and are cast when they are used. Raises ValueError for
    another dtype and unless exactly one list is given, TypeError for a network that is no Cell and for other things in a list.
    """
    _check_network(network, "custom", dtype)
    if (white_list is None) is (black_list is None):
        raise ValueError("[amp] white_list and black_list, got both or none, expected one of them")
    chosen = black_list if white_list is None else white_list
    if not isinstance(chosen, list):
        raise TypeError("[amp] a list of Cells, got %s, expected a list" % type(chosen).__name__)
    for item in chosen:
        if not isinstance(item, type) or not issubclass(item, (Cell, Primitive)):
            raise TypeError("[amp] an item of the list, got %s, expected a class of Cells or Primitives" % (item,))
    (_cast_unlisted if white_list is None else _cast_listed)(network, chosen, dtype)
    return network


def _check_network(network, level, dtype):
    if not isinstance(network, Cell):
        raise TypeError("[amp] network must be a Cell, got %s" % type(network).__name__)
    if dtype not in (mstype.float16, mstype.bfloat16):
        raise ValueError("[amp] dtype, got %s, expected float16 or bfloat16" % (dtype,))


_INNER_AMP_BLACK_LIST = []  # classes that a package keeps from being cast, whatever the lists of a program say


def _cast_listed(network, classes, dtype):
    for _, cell in network.cells_and_names():
        if type(cell) in classes and type(cell) not in _INNER_AMP_BLACK_LIST and cell._ms_compute_dtype is None:
            cell.to_float(dtype)
            cell.add_flags(_ms_output_dtype=mstype.float32)


def _cast_unlisted(network, classes, dtype):
    for _, cell in network.cells_and_names():
        if isinstance(cell, tuple(classes) + tuple(_INNER_AMP_BLACK_LIST)):  # later Cells get its result in the lower precision
            cell.add_flags(_ms_compute_dtype=mstype.float32, _ms_output_dtype=dtype, _ms_intercept=True)
        else:
            cell.add_flags(_ms_compute_dtype=dtype, _ms_intercept=True)
    network.add_flags(_ms_output_dtype=mstype.float32)


class _WithLossCell(WithLossCell):
    """The loss of output and label in float32."""

    def construct(self, data, label):
        label = ops.cast(label, mstype.float32) if label.dtype in (mstype.float16, mstype.bfloat16) else label
        return self._loss_fn(ops.cast(self._backbone(data), mstype.float32), label)


def build_train_network(network, optimizer, loss_fn=None, level="O0", boost_level="O0", **kwargs):
    """A training step of network, loss and optimizer.

    The keywords cast_model_type, keep_batchnorm_fp32 and loss_scale_manager override the settings of the level. Level O2 has
    a DynamicLossScaleManager.
    """
    from .optim import Optimizer
    if not isinstance(optimizer, Optimizer):
        raise TypeError("[build_train_network] optimizer must be an Optimizer, got %s" % type(optimizer).__name__)
    if not isinstance(level, str):
        raise TypeError("[build_train_network] level must be a str, got %s" % type(level).__name__)
    if level not in _LEVELS:
        raise ValueError("[build_train_network] level, got %r, expected 'O0' to 'O3'" % (level,))
    if boost_level != "O0":
        raise NotImplementedError("[build_train_network] boost_level, got %r, expected 'O0'" % (boost_level,))
    unknown = set(kwargs) - {"cast_model_type", "keep_batchnorm_fp32", "loss_scale_manager"}
    if unknown:
        raise ValueError("[build_train_network] keyword arguments, got %s, expected cast_model_type, keep_batchnorm_fp32 or "
                         "loss_scale_manager" % sorted(unknown))
    _cast_model(network, level, kwargs)
    if loss_fn is not None:
        wrap = WithLossCell if level in ("O0", "O1") and network._ms_compute_dtype is None else _WithLossCell
        network = wrap(network, loss_fn)
    manager = kwargs["loss_scale_manager"] if "loss_scale_manager" in kwargs else \
        DynamicLossScaleManager() if level == "O2" else None
    if manager is None:
        return TrainOneStepCell(network, optimizer).set_train()
    if not isinstance(manager, LossScaleManager):
        raise TypeError("[build_train_network] loss_scale_manager, got %s, expected a LossScaleManager"
                        % type(manager).__name__)
    update = manager.get_update_cell()
    if update is None:
        return TrainOneStepCell(network, optimizer, float(manager.get_loss_scale())).set_train()
    return TrainOneStepWithLossScaleCell(network, optimizer, update).set_train()


def _cast_model(network, level, options):
    chosen = options.get("cast_model_type", mstype.float16 if level in ("O2", "O3") else mstype.float32)
    if chosen not in (mstype.float16, mstype.float32):
        raise TypeError("[build_train_network] cast_model_type, got %s, expected float16 or float32" % (chosen,))
    if chosen == mstype.float16:
        keep = options.get("keep_batchnorm_fp32", level == "O2")
        _cast_unlisted(network, get_black_list() if keep else [], mstype.float16)
    elif level in ("O1", "auto"):
        auto_mixed_precision(network, level)


# -- what packages with training loops of their own take from MindSpore ---------------------------------------------------

_config_level = {level: {"keep_batchnorm_fp32": level == "O2", "cast_model_type": mstype.float16 if level in ("O2", "O3") else mstype.float32,
                         "loss_scale_manager": DynamicLossScaleManager() if level == "O2" else None} for level in _LEVELS}


def _do_keep_batchnorm_fp32(network):
    """Casts the layers of get_black_list() in a network to float32."""
    for _, cell in network.cells_and_names():
        if isinstance(cell, tuple(get_black_list())):
            cell.to_float(mstype.float32)


def _add_loss_network(network, loss_fn, cast_model_type):
    """A Cell that computes loss_fn(network(data), label), with both in float32 if the model computes in float16."""
    return (_WithLossCell if cast_model_type == mstype.float16 else WithLossCell)(network, loss_fn)


__all__ = ["DynamicLossScaleManager", "LossScaleManager", "FixedLossScaleManager", "build_train_network",
           "DynamicLossScaler", "StaticLossScaler", "LossScaler", "auto_mixed_precision", "all_finite",
           "custom_mixed_precision", "get_white_list", "get_black_list"]
