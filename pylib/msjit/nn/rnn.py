"""Recurrent layers.

One matrix product computes the input's part of the gates for all steps. The loop over the steps is plain Python. The JIT
captures it, as one node if the number of steps changes from call to call.
"""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_bool
from ..common.initializer import Uniform, initializer
from ..common.parameter import Parameter, ParameterTuple
from ..common.tensor import Tensor
from .basic import Dropout, positive_int
from .cell import Cell
from .rnn_cells import check_pair, check_state, gru_step, lstm_step, relu_step, tanh_step

__all__ = ["LSTM", "GRU", "RNN"]

_linear = ops.registry.linear


def _run(step, gates, h, w_hh, b_hh):
    """Loops over gates (steps, batch, ...); returns (all outputs, the last state)."""
    outputs = []
    for t in range(gates.shape[0]):
        h = step(gates[t], h, w_hh, b_hh)
        outputs.append(h)
    return ops.stack(outputs), h


def _run_masked(step, gates, h, w_hh, b_hh, alive):
    """As _run, but where alive (steps, batch, 1) is False the output is 0 and the state does not change."""
    outputs = []
    for t in range(gates.shape[0]):
        new = step(gates[t], h, w_hh, b_hh)
        h = ops.where(alive[t], new, h)
        outputs.append(new)
    return ops.where(alive, ops.stack(outputs), 0), h


def _run_lstm(gates, h, c, w_hh, b_hh):
    outputs = []
    for t in range(gates.shape[0]):
        h, c = lstm_step(gates[t], (h, c), w_hh, b_hh)
        outputs.append(h)
    return ops.stack(outputs), h, c


def _run_lstm_masked(gates, h, c, w_hh, b_hh, alive):
    outputs = []
    for t in range(gates.shape[0]):
        new_h, new_c = lstm_step(gates[t], (h, c), w_hh, b_hh)
        h, c = ops.where(alive[t], new_h, h), ops.where(alive[t], new_c, c)
        outputs.append(new_h)
    return ops.where(alive, ops.stack(outputs), 0), h, c


def _reverse(x, order):
    """Reverses the steps; with an order (steps, batch, 1), each sequence within its own length."""
    if order is None:
        return ops.flip(x, (0,))
    return ops.gather_elements(x, 0, ops.broadcast_to(order, x.shape))


class _Step(Cell):
    """One step of a network, as a Cell, because MindSpore has such a cell in each network and prints it."""

    def __init__(self, step):
        super().__init__()
        self.step = step

    def construct(self, gates, h, w_hh, b_hh):
        return self.step(gates, h, w_hh, b_hh)


class _DynamicLSTMCPUGPU(_Step):
    pass


class _DynamicGRUCPUGPU(_Step):
    pass


class _DynamicRNNTanh(_Step):
    pass


class _DynamicRNNRelu(_Step):
    pass


_STEPS = {"LSTM": (_DynamicLSTMCPUGPU, lstm_step), "GRU": (_DynamicGRUCPUGPU, gru_step), "RNN_TANH": (_DynamicRNNTanh, tanh_step),
          "RNN_RELU": (_DynamicRNNRelu, relu_step)}


_DynamicLSTMAscend, _DynamicGRUAscend = _DynamicLSTMCPUGPU, _DynamicGRUCPUGPU  # one device, one kind of step


class _RNNBase(Cell):
    """Stacked layers of one kind of step, in one direction or in both."""

    def __init__(self, mode, input_size, hidden_size, num_layers=1, has_bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, dtype=mstype.float32):
        super().__init__()
        where = self._where = type(self).__name__
        self.hidden_size = positive_int(hidden_size, where, "hidden_size")
        self.input_size = positive_int(input_size, where, "input_size")
        self.num_layers = positive_int(num_layers, where, "num_layers")
        if not isinstance(dropout, float):
            raise TypeError("[%s] dropout must be a float, got %s" % (where, type(dropout).__name__))
        if not 0 <= dropout < 1:
            raise ValueError("[%s] dropout must be in [0, 1), got %s" % (where, dropout))
        self.has_bias = check_bool(has_bias, where, "has_bias")
        self.batch_first = check_bool(batch_first, where, "batch_first")
        self.bidirectional = check_bool(bidirectional, where, "bidirectional")
        kind, step = _STEPS[mode]
        self.rnn = kind(step)
        self.dropout, self.dropout_op = dropout, Dropout(p=dropout)
        self.is_lstm = mode == "LSTM"
        self._make_weights({"LSTM": 4, "GRU": 3}.get(mode, 1) * hidden_size, dtype)

    def _make_weights(self, gates, dtype):
        lists, bound = ([], [], [], []), Uniform(1 / math.sqrt(self.hidden_size))
        directions = ("", "_reverse") if self.bidirectional else ("",)
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else self.hidden_size * len(directions)
            for suffix in directions:
                rows = [("weight_ih", [gates, width]), ("weight_hh", [gates, self.hidden_size])]
                if self.has_bias:
                    rows += [("bias_ih", [gates]), ("bias_hh", [gates])]
                for params, (name, shape) in zip(lists, rows):
                    params.append(Parameter(initializer(bound, shape, dtype), name="%s_l%d%s" % (name, layer, suffix)))
        self.w_ih_list, self.w_hh_list = ParameterTuple(lists[0]), ParameterTuple(lists[1])
        self.b_ih_list, self.b_hh_list = ParameterTuple(lists[2]), ParameterTuple(lists[3])

    def construct(self, x, hx=None, seq_length=None):
        """Returns (all outputs, the last state) for x (steps, batch, input_size).

        hx is the first state (layers * directions, batch, hidden_size), a tuple of two for an LSTM; it is zero by default.
        seq_length (batch,) says how many steps of each sequence count.
        """
        if not isinstance(x, Tensor):
            raise TypeError("[%s] x, got %s, expected a Tensor" % (self._where, type(x).__name__))
        if x.ndim != 3:
            raise ValueError("[%s] rank of x, got %d, expected 3" % (self._where, x.ndim))
        if x.shape[2] != self.input_size:
            raise ValueError("[%s] last size of x, got %d in shape %s, expected input_size, %d"
                             % (self._where, x.shape[2], x.shape, self.input_size))
        if self.batch_first:
            x = ops.swapaxes(x, 0, 1)
        h, c = self._states(x, hx)
        alive, order = (None, None) if seq_length is None else self._masks(x, seq_length)
        last_h, last_c, directions = [], [], 2 if self.bidirectional else 1
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(directions):
                at = layer * directions + direction
                rows = x if direction == 0 else _reverse(x, order)
                out, h_n, c_n = self._direction(rows, h[at], None if c is None else c[at], alive, at)
                outputs.append(out if direction == 0 else _reverse(out, order))
                last_h.append(h_n)
                last_c.append(c_n)
            x = ops.cat(outputs, 2) if self.bidirectional else outputs[0]
            if self.dropout != 0 and layer < self.num_layers - 1:
                x = self.dropout_op(x)
        if self.batch_first:
            x = ops.swapaxes(x, 0, 1)
        return x, (ops.stack(last_h), ops.stack(last_c)) if self.is_lstm else ops.stack(last_h)

    def _direction(self, x, h, c, alive, at):
        """Runs one layer in one direction; returns (outputs, h, c)."""
        dtype = x.dtype
        w_ih, w_hh = ops.cast(self.w_ih_list[at], dtype), ops.cast(self.w_hh_list[at], dtype)
        b_ih = b_hh = None
        if self.has_bias:
            b_ih, b_hh = ops.cast(self.b_ih_list[at], dtype), ops.cast(self.b_hh_list[at], dtype)
        if self.is_lstm:
            gates = _linear(x, w_ih, b_ih + b_hh if self.has_bias else None)
            if alive is None:
                return _run_lstm(gates, h, c, w_hh, None)
            return _run_lstm_masked(gates, h, c, w_hh, None, alive)
        gates = _linear(x, w_ih, b_ih)
        if alive is None:
            out, h = _run(self.rnn.step, gates, h, w_hh, b_hh)
        else:
            out, h = _run_masked(self.rnn.step, gates, h, w_hh, b_hh, alive)
        return out, h, None

    def _states(self, x, hx):
        """The initial (h, c), zeros where none are given; c is None except for an LSTM."""
        shape = (len(self.w_ih_list), x.shape[1], self.hidden_size)
        if hx is None:
            zeros = ops.zeros(shape, x.dtype)
            return zeros, zeros if self.is_lstm else None
        if self.is_lstm:
            check_pair(hx, self._where)
        h, c = hx if self.is_lstm else (hx, None)
        for state in (h,) if c is None else (h, c):
            check_state(state, self._where, "hx")
            if state.dtype != x.dtype:
                raise TypeError("[%s] dtype of hx, got %s, expected that of x, %s" % (self._where, state.dtype, x.dtype))
            if state.shape != shape:
                raise ValueError("[%s] shape of hx, got %s, expected %s" % (self._where, state.shape, shape))
        return h, c

    def _masks(self, x, seq_length):
        """Returns (mask of the steps that count (steps, batch, 1), index of each step in reversed order)."""
        if not isinstance(seq_length, Tensor):
            raise TypeError("[%s] seq_length, got %s, expected a Tensor" % (self._where, type(seq_length).__name__))
        if seq_length.dtype not in (mstype.int32, mstype.int64):
            raise TypeError("[%s] dtype of seq_length, got %s, expected int32 or int64" % (self._where, seq_length.dtype))
        if seq_length.shape != (x.shape[1],):
            raise ValueError("[%s] shape of seq_length, got %s, expected (%d,)"
                             % (self._where, seq_length.shape, x.shape[1]))
        steps = ops.arange(0, x.shape[0], 1, dtype=mstype.int32).reshape(-1, 1, 1)
        length = ops.cast(seq_length, mstype.int32).reshape(1, -1, 1)
        alive = steps < length
        return alive, ops.where(alive, length - 1 - steps, steps) if self.bidirectional else None


class RNN(_RNNBase):
    """Elman network: h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu instead of tanh by nonlinearity.

    Shapes are those of LSTM, with one state h. Raises ValueError for another nonlinearity, rank or last size of x and for sizes below 1,
    TypeError for sizes that are no ints.
    """

    def __init__(self, input_size, hidden_size, num_layers=1, has_bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, dtype=mstype.float32, *, nonlinearity="tanh"):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError("[RNN] nonlinearity, got %r, expected 'tanh' or 'relu'" % (nonlinearity,))
        super().__init__("RNN_TANH" if nonlinearity == "tanh" else "RNN_RELU", input_size, hidden_size, num_layers,
                         has_bias, batch_first, dropout, bidirectional, dtype)


class GRU(_RNNBase):
    """Gated recurrent units; the weights hold the gates in the order reset, update, new.

    Shapes are those of LSTM, with one state h. Raises ValueError for another rank or last size of x and for sizes below 1, TypeError for sizes
    that are no ints.
    """

    def __init__(self, *args, **kwargs):
        super().__init__("GRU", *args, **kwargs)


class LSTM(_RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber 1997): LSTM(input_size, hidden_size, num_layers=1, has_bias=True, batch_first=False,
    dropout=0.0, bidirectional=False).

    It is called with x, perhaps (h, c), and perhaps the length of each sequence, and returns outputs and (h, c). x is
    (length, batch, input_size), or (batch, length, input_size) with batch_first. outputs has hidden_size x directions in the last axis.
    h and c are (num_layers x directions, batch, hidden_size); they start at 0.

    Each step: i, f, o = sigmoid of their gates, g = tanh of its gate; c = f * c + i * g; h = o * tanh(c). The weights hold the gates in the
    order i, f, g, o, and start uniformly in +-1 / sqrt(hidden_size). dropout applies to the outputs of all layers but the last, in training.

    Raises TypeError and ValueError for arguments that are none.

    >>> import msjit as ms
    >>> outputs, (h, c) = ms.nn.LSTM(3, 5, num_layers=2, batch_first=True)(ms.ops.zeros((4, 7, 3), ms.float32))
    >>> outputs.shape, h.shape, c.shape
    ((4, 7, 5), (2, 4, 5), (2, 4, 5))
    """

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)
