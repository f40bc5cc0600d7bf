"""Mixed precision: casting networks and scaling losses."""
from . import ops
from .common import dtype as mstype
from .common.parameter import Parameter
from .common.tensor import Tensor, check_tensor
from .nn.cell import Cell, _cast_float
from .nn.wrap import TrainOneStepCell, WithLossCell
from .nn.wrap_scaled import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell, TrainOneStepWithLossScaleCell
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
    """The classes of MindSpore's white list: a fresh list of Cells and Primitives. O1 casts the Cells to the lower precision."""
    return _classes(_WHITE) + [getattr(ops, name) for name in _WHITE_PRIMITIVES]


def get_black_list():
    """The Cells that O2 leaves in float32."""
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
    logarithms, sums, normalisations and losses in float32; the others in the dtype of their inputs. Results are not cast. The
    interpreter runs such a network operator by operator.
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
    """Makes the Cells of the white list, or all but those of the black list, compute in `dtype`; returns the network."""
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


# -- scaling -----------------------------------------------------------------------------------------------------------


def all_finite(inputs):
    """True (a Tensor) when no element is infinite or NaN."""
    finite = None
    for x in _flat(inputs):
        here = ops.isfinite(x).all()
        finite = here if finite is None else ops.logical_and(finite, here)
    if finite is None:
        raise ValueError("[all_finite] there are no tensors")
    return finite


def _grad_scale_map(scale_value, inputs):
    """A tensor, or each of a tuple, multiplied by a scale."""
    return _each(inputs, lambda x: x * ops.cast(scale_value, x.dtype))


def _grad_unscale_map(scale_value, inputs):
    """A tensor, or each of a tuple, divided by a scale."""
    return _each(inputs, lambda x: x / ops.cast(scale_value, x.dtype))


class LossScaler:
    """Base class of objects that scale the loss of a training step, so that small gradients are no zeros in 16 bits.

    A step scales the loss, unscales the gradients, and calls adjust with whether all of them are finite.
    """

    def scale(self, inputs):
        """Multiplies a tensor or a tuple of them."""
        raise NotImplementedError

    def unscale(self, inputs):
        """Divides a tensor or a tuple of them."""
        raise NotImplementedError

    def adjust(self, grads_finite):
        """Adjusts the scale, given whether the gradients were finite."""
        raise NotImplementedError


class StaticLossScaler(LossScaler):
    """Scales the loss by a constant factor. Raises TypeError for a scale_value that is no number, ValueError for one below 1.

    >>> import msjit as ms
    >>> scaler = ms.amp.StaticLossScaler(8.0)
    >>> float(scaler.scale(ms.Tensor(2.0))), float(scaler.unscale(ms.Tensor(16.0)))
    (16.0, 2.0)
    """

    def __init__(self, scale_value):
        if isinstance(scale_value, bool) or not isinstance(scale_value, (int, float)):
            raise TypeError("[loss_scaler] scale_value must be a number, got %s" % type(scale_value).__name__)
        if not scale_value >= 1:
            raise ValueError("[loss_scaler] scale_value must be at least 1, got %s" % (scale_value,))
        self.scale_value = Parameter(Tensor(float(scale_value), mstype.float32), name="scale_value", requires_grad=False)

    def scale(self, inputs):
        """Multiplies a tensor or a tuple of them."""
        return _grad_scale_map(self.scale_value.detach(), inputs)

    def unscale(self, inputs):
        """Divides a tensor or a tuple of them."""
        scale = self.scale_value.detach()
        return _each(inputs, lambda x: x / ops.cast(scale, x.dtype))

    def adjust(self, grads_finite):
        """Nothing changes; returns False."""
        return False


class DynamicLossScaler(StaticLossScaler):
    """Scales the loss by a factor that follows overflows: multiplied by scale_factor after scale_window finite steps in a row, else divided by it.

    It starts at scale_value, and a step that is not finite divides it, but not below 1. Raises TypeError for a scale_value that is no number,
    ValueError for one below 1, and for a scale_factor and a scale_window that are no positive ints.

    >>> import msjit as ms
    >>> scaler = ms.amp.DynamicLossScaler(8.0, 2, 1)
    >>> _ = scaler.adjust(ms.Tensor(False)), scaler.adjust(ms.Tensor(True)), scaler.adjust(ms.Tensor(True))
    >>> float(scaler.scale_value)
    16.0
    """

    def __init__(self, scale_value, scale_factor, scale_window):
        super().__init__(scale_value)
        self.scale_factor = _positive(scale_factor, "loss_scaler", "scale_factor")
        self.scale_window = _positive(scale_window, "loss_scaler", "scale_window")
        self.counter = Parameter(Tensor(0, mstype.int32), name="counter", requires_grad=False)

    def adjust(self, grads_finite):
        """Updates the factor; returns True."""
        scale, counter = self.scale_value.detach(), self.counter.detach()
        if grads_finite is None or isinstance(grads_finite, (str, tuple, list, dict)):
            raise TypeError("[loss_scaler] grads_finite, got %s, expected a Tensor or a bool" % type(grads_finite).__name__)
        good = grads_finite if isinstance(grads_finite, Tensor) else Tensor(bool(grads_finite))
        grown = scale * self.scale_factor
        grows = ops.logical_and(counter == self.scale_window - 1, ops.isfinite(grown))
        kept = ops.where(grows, grown, scale)
        ops.assign(self.scale_value, ops.where(good, kept, ops.maximum(scale / self.scale_factor, 1)))
        counted = (counter + 1) % self.scale_window
        ops.assign(self.counter, ops.where(good, counted, ops.zeros_like(counted)))
        return True


class LossScaleManager:
    """Base class of the objects from which Model gets the loss scale."""

    def get_loss_scale(self):
        """The scale."""
        raise NotImplementedError

    def update_loss_scale(self, overflow):
        """Updates the scale, given whether a step overflowed."""
        raise NotImplementedError

    def get_update_cell(self):
        """The Cell that updates the scale in a training step, or None."""
        raise NotImplementedError


class FixedLossScaleManager(LossScaleManager):
    """A constant loss scale for Model. With drop_overflow_update a step whose gradients are not all finite changes nothing.

    Raises ValueError for a loss_scale below 1.
    """

    def __init__(self, loss_scale=128.0, drop_overflow_update=True):
        if loss_scale < 1:
            raise ValueError("[loss_scale_manager] loss_scale must be at least 1, got %s" % (loss_scale,))
        self._loss_scale, self._drop = loss_scale, drop_overflow_update

    def get_loss_scale(self):
        """The scale."""
        return self._loss_scale

    def get_drop_overflow_update(self):
        """Whether steps with overflow are skipped."""
        return self._drop

    def update_loss_scale(self, overflow):
        """Nothing changes."""

    def get_update_cell(self):
        """A Cell that keeps the scale, if steps with overflow are skipped; else None."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop else None


class DynamicLossScaleManager(LossScaleManager):
    """A loss scale for Model that is divided by scale_factor after a step with overflow, and multiplied by it after scale_window other steps.

    Steps with overflow change no Parameters. Raises ValueError for an init_loss_scale below 1 and numbers that are not positive.
    """

    def __init__(self, init_loss_scale=2 ** 24, scale_factor=2, scale_window=2000):
        if init_loss_scale < 1:
            raise ValueError("[loss_scale_manager] init_loss_scale must be at least 1, got %s" % (init_loss_scale,))
        self.scale_window = _positive(scale_window, "loss_scale_manager", "scale_window")
        if scale_factor <= 0:
            raise ValueError("[loss_scale_manager] scale_factor must be positive, got %s" % (scale_factor,))
        self.loss_scale, self.scale_factor = init_loss_scale, scale_factor
        self.increase_ratio, self.decrease_ratio = scale_factor, 1 / scale_factor
        self.cur_iter, self.last_overflow_iter, self.bad_step_max, self.bad_step = 1, 0, 1000, 0

    def get_loss_scale(self):
        """The scale."""
        return self.loss_scale

    def get_drop_overflow_update(self):
        """Steps with overflow are skipped."""
        return True

    def update_loss_scale(self, overflow):
        """Shrinks on overflow, grows after scale_window steps without."""
        if overflow:
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
            self.last_overflow_iter, self.bad_step = self.cur_iter, self.bad_step + 1
        else:
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.increase_ratio
            self.bad_step = 0
        if self.bad_step > self.bad_step_max:
            raise RuntimeError("[loss_scale_manager] overflow in %d steps one after the other" % self.bad_step)
        self.cur_iter += 1

    def get_update_cell(self):
        """A Cell that does the same within a training step."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)


def _positive(value, where, what):
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise ValueError("[%s] %s must be a positive int, got %s" % (where, what, value))
    return value


def _each(inputs, fn):
    if isinstance(inputs, (tuple, list)):
        return tuple([_each(x, fn) for x in inputs])
    return fn(check_tensor(inputs, "loss_scaler"))


def _flat(inputs):
    if not isinstance(inputs, (tuple, list)):
        return [inputs]
    return [x for part in inputs for x in _flat(part)]


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
