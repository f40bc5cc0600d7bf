"""Single steps of recurrent networks, as functions and as Cells."""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_bool
from ..common.initializer import Uniform, initializer
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from .basic import positive_int
from .cell import Cell

__all__ = ["LSTMCell", "GRUCell", "RNNCell"]

_linear = ops.registry.linear
_split = ops.registry.split


def tanh_step(gates, h, w_hh, b_hh):
    """One step of an Elman network: tanh(gates + W h + b), where gates are the input's part."""
    return ops.tanh(gates + _linear(h, w_hh, b_hh))


def relu_step(gates, h, w_hh, b_hh):
    """One step of an Elman network with relu: relu(gates + W h + b), where gates are the input's part."""
    return ops.relu(gates + _linear(h, w_hh, b_hh))


def lstm_step(gates, state, w_hh, b_hh):
    """One step of an LSTM; returns (h, c). The gates are input, forget, cell and output."""
    h, c = state
    gates = gates + _linear(h, w_hh, b_hh)
    enter, forget, cell, leave = _split(gates, [c.shape[-1]] * 4, -1)
    c = ops.sigmoid(forget) * c + ops.sigmoid(enter) * ops.tanh(cell)
    return ops.sigmoid(leave) * ops.tanh(c), c


def gru_step(gates, h, w_hh, b_hh):
    """One step of a GRU; returns h. The gates are reset, update and new."""
    sizes = [h.shape[-1]] * 3
    reset, update, new = _split(gates, sizes, -1)
    h_reset, h_update, h_new = _split(_linear(h, w_hh, b_hh), sizes, -1)
    new = ops.tanh(new + ops.sigmoid(reset + h_reset) * h_new)
    return new + ops.sigmoid(update + h_update) * (h - new)


def _rnn_tanh_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh):
    """A step with tanh, under MindSpore's name and arguments."""
    return tanh_step(_linear(inputs, w_ih, b_ih), hidden, w_hh, b_hh)


def _rnn_relu_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh):
    """A step with relu, under MindSpore's name and arguments."""
    return relu_step(_linear(inputs, w_ih, b_ih), hidden, w_hh, b_hh)


def _lstm_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh):
    """A step of an LSTM, under MindSpore's name and arguments."""
    return lstm_step(_linear(inputs, w_ih, b_ih), hidden, w_hh, b_hh)


def _gru_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh):
    """A step of a GRU, under MindSpore's name and arguments."""
    return gru_step(_linear(inputs, w_ih, b_ih), hidden, w_hh, b_hh)


def check_state(value, where, what):
    """Raises TypeError unless a state or an input is a float32 or float16 Tensor."""
    if not isinstance(value, Tensor):
        raise TypeError("[%s] %s, got %s, expected a Tensor" % (where, what, type(value).__name__))
    if value.dtype not in (mstype.float32, mstype.float16):
        raise TypeError("[%s] dtype of %s, got %s, expected float32 or float16" % (where, what, value.dtype))


def check_pair(hx, where):
    """Raises TypeError unless the state of an LSTM is a tuple (h, c)."""
    if not isinstance(hx, tuple) or len(hx) != 2:
        raise TypeError("[%s] hx, got %s, expected a tuple (h, c)" % (where, type(hx).__name__))


class RNNCellBase(Cell):
    """The weights of one step: weight_ih (gates, input), weight_hh (gates, hidden), bias_ih and bias_hh (gates,)."""

    def __init__(self, input_size, hidden_size, has_bias, num_chunks, dtype=mstype.float32):
        super().__init__()
        where = self._where = type(self).__name__
        self.has_bias = check_bool(has_bias, where, "has_bias")
        self.hidden_size = positive_int(hidden_size, where, "hidden_size")
        self.input_size = positive_int(input_size, where, "input_size")
        gates, bound = num_chunks * hidden_size, Uniform(1 / math.sqrt(hidden_size))
        self.weight_ih = Parameter(initializer(bound, [gates, input_size], dtype), name="weight_ih")
        self.weight_hh = Parameter(initializer(bound, [gates, hidden_size], dtype), name="weight_hh")
        self.bias_ih = Parameter(initializer(bound, [gates], dtype), name="bias_ih") if has_bias else None
        self.bias_hh = Parameter(initializer(bound, [gates], dtype), name="bias_hh") if has_bias else None

    def reset_parameters(self, dtype=mstype.float32):
        """Draws all weights anew."""
        for param in self.get_parameters():
            param.set_data(initializer(Uniform(1 / math.sqrt(self.hidden_size)), param.shape, dtype))

    def _gates(self, x, h):
        check_state(x, self._where, "x")
        check_state(h, self._where, "hx")
        if x.ndim != 2 or x.shape[1] != self.input_size or h.shape != (x.shape[0], self.hidden_size):
            raise ValueError("[%s] shapes of x and hx, got %s and %s, expected (batch, %d) and (batch, %d)"
                             % (self._where, x.shape, h.shape, self.input_size, self.hidden_size))
        return _linear(x, self.weight_ih, self.bias_ih)


class RNNCell(RNNCellBase):
    """One step of an Elman network (Elman 1990): from x (batch, input_size) and hx (batch, hidden_size) to the next hx.

    That is tanh(W_ih x + b_ih + W_hh hx + b_hh), or relu of it. Raises ValueError for other shapes, for sizes below 1 and for another
    nonlinearity, TypeError for sizes that are no ints.
    """

    def __init__(self, input_size, hidden_size, has_bias=True, nonlinearity="tanh", dtype=mstype.float32):
        super().__init__(input_size, hidden_size, has_bias, 1, dtype)
        if not isinstance(nonlinearity, str):
            raise TypeError("[RNNCell] nonlinearity must be a str, got %s" % type(nonlinearity).__name__)
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError("[RNNCell] nonlinearity, got %r, expected 'tanh' or 'relu'" % (nonlinearity,))
        self.nonlinearity = nonlinearity

    def construct(self, x, hx):
        gates = self._gates(x, hx)
        step = tanh_step if self.nonlinearity == "tanh" else relu_step
        return step(gates, hx, self.weight_hh, self.bias_hh)


class GRUCell(RNNCellBase):
    """One step of a GRU (Cho et al. 2014): from x (batch, input_size) and hx (batch, hidden_size) to the next hx, (1 - z) * n + z * hx.

    r = sigmoid(W_ir x + b_ir + W_hr hx + b_hr), z likewise, and n = tanh(W_in x + b_in + r * (W_hn hx + b_hn)). The rows of weight_ih and
    weight_hh are those of r, z and n. Raises ValueError for other shapes and for sizes below 1, TypeError for sizes that are no ints.
    """

    def __init__(self, input_size, hidden_size, has_bias=True, dtype=mstype.float32):
        super().__init__(input_size, hidden_size, has_bias, 3, dtype)

    def construct(self, x, hx):
        return gru_step(self._gates(x, hx), hx, self.weight_hh, self.bias_hh)


class LSTMCell(RNNCellBase):
    """One step of an LSTM (Hochreiter and Schmidhuber 1997): from x (batch, input_size) and hx = (h, c) of (batch, hidden_size) to the next (h, c).

    c becomes f * c + i * g and h becomes o * tanh(c), with i, f, o = sigmoid(W x + b + W_h h + b_h) and g = tanh of the same; the rows of the
    weights are those of i, f, g and o. Raises ValueError for other shapes, TypeError for an hx that is no tuple and for an x that is no Tensor.
    """

    def __init__(self, input_size, hidden_size, has_bias=True, dtype=mstype.float32):
        super().__init__(input_size, hidden_size, has_bias, 4, dtype)

    def construct(self, x, hx):
        check_pair(hx, self._where)
        gates = self._gates(x, hx[0])
        check_state(hx[1], self._where, "hx[1]")
        if hx[1].shape != hx[0].shape:
            raise ValueError("[LSTMCell] shape of hx[1], got %s, expected %s" % (hx[1].shape, hx[0].shape))
        return lstm_step(gates, hx, self.weight_hh, self.bias_hh)
