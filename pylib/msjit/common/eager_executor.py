"""MindSpore's eager executor, as packages use it that write their own value_and_grad:

    _pynative_executor.set_grad_flag(True)
    _pynative_executor.new_graph(fn, *args)
    loss = fn(*args)
    _pynative_executor.end_graph(fn, loss, *args)
    grads = _pynative_executor.grad(fn, GradOperation(get_by_list=True), weights, None, False, *args)

new_graph opens a gradient scope and end_graph closes it; the gradients are those by the arguments themselves and the weights. A Tensor of
an earlier recorded call keeps its history, and gradients go through it; MindSpore raises there. stop_gradient cuts it. Every call is
complete when it returns, so there is nothing to wait for.
"""
from .._native import Tensor, _msjit
from ..autograd import _flatten, _no_grad, _positions, _Scope, _seeds, _trained, _unpacked, _weight_list, _with_zeros
from .checks import check_bool
from .parameter import Parameter


class _Record:
    """One call of `fn` between new_graph and end_graph."""

    def __init__(self, fn, args):
        self.fn, self.args, self.output = fn, args, None
        self.scope = None if _msjit.grad_level() > 0 and _msjit.grad_recording() else _Scope()
        if self.scope is not None:
            self.scope.__enter__()
        self.marked = [x for x in _flatten(args, [])
                       if not isinstance(x, Parameter) and _msjit.is_floating(x) and not _msjit.is_tracked(x)]
        for x in self.marked:
            _msjit.mark_parameter(x, True)

    def close(self):
        for x in self.marked:
            _msjit.mark_parameter(x, False)
        self.marked = []
        if self.scope is not None:
            self.scope.__exit__(None, None, None)
        self.scope = None


class _PyNativeExecutor:
    """Records calls of functions for gradients that are asked for later; see above."""

    def __init__(self):
        self._flag = False
        self._open = []  # _Records between new_graph and end_graph
        self._done = []  # those behind end_graph whose gradient was not asked for yet
        self._closed = []  # the scope that set_enable_grad(False) opened

    def sync(self):
        """Does nothing."""

    def set_async_for_graph(self, flag):
        """Does nothing."""

    def grad_flag(self):
        """What set_grad_flag was given last."""
        return self._flag

    def set_grad_flag(self, flag):
        """True before new_graph. False drops the records of functions that raised before end_graph."""
        check_bool(flag, "set_grad_flag", "flag")
        self._flag = flag
        if not flag:
            self._close_from(0)

    def high_order(self):
        """Whether a gradient of a gradient is being computed."""
        return _msjit.grad_level() > 1

    def enable_grad(self):
        """Whether what runs now would be recorded for gradients, as outside of no_grad."""
        return not self._closed and (_msjit.grad_level() == 0 or _msjit.grad_recording())

    def requires_grad(self):
        """Whether a gradient is being computed, or announced by set_grad_flag, and what runs now is recorded for it."""
        return self._flag and self.enable_grad() or _msjit.grad_level() > 0 and _msjit.grad_recording()

    def set_enable_grad(self, flag):
        """Records nothing more, as inside of no_grad, from set_enable_grad(False) on until set_enable_grad(True)."""
        check_bool(flag, "set_enable_grad", "flag")
        if flag and self._closed:
            self._closed.pop().__exit__(None, None, None)
        elif not flag and not self._closed:
            self._closed.append(_no_grad().__enter__())

    def check_run(self, fn, *args, **kwargs):
        """(False, None): a call that is to be differentiated always runs."""
        return False, None

    def new_graph(self, fn, *args, **kwargs):
        """Records what runs from here to end_graph(fn, ...)."""
        for number, record in enumerate(self._open):
            if record.fn is fn:  # it raised, so there was no end_graph
                self._close_from(number)
                break
        if not self._open:
            del self._done[:]
        self._open.append(_Record(fn, args + tuple(kwargs.values())))

    def end_graph(self, fn, output, *args, **kwargs):
        """Ends the record that new_graph(fn, ...) began. `output` is what grad(fn, ...) differentiates."""
        for number in reversed(range(len(self._open))):
            record = self._open[number]
            if record.fn is fn:
                self._close_from(number)
                record.output = output
                self._done.append(record)
                return

    def grad(self, fn, grad, weights, grad_position, has_aux, *args):
        """The gradients that the GradOperation `grad` asks for, of the call of `fn` that was recorded last. A record serves once."""
        check_bool(has_aux, "grad", "has_aux")
        record = self._taken(fn)
        sens = args[-1] if grad.sens_param and args else None
        output = record.output[0] if has_aux else record.output
        outputs = _flatten(output, [])
        inputs = self._inputs(record.args, grad, grad_position)
        chosen = _weight_list(weights, "grad") if grad.get_by_list else []
        wrt, nested = inputs + _trained(chosen), _msjit.grad_level() > 0 and _msjit.grad_recording()
        found = list(_msjit.gradients(outputs, _seeds(sens, outputs, "grad"), wrt, nested)) if wrt else []
        by_input, by_weight = found[:len(inputs)], tuple(_with_zeros(chosen, found[len(inputs):]))
        of_inputs = tuple(by_input) if grad.get_all else _unpacked(by_input)
        if not grad.get_by_list:
            return of_inputs
        of_weights = by_weight[0] if isinstance(weights, Parameter) else by_weight
        return (of_inputs, of_weights) if inputs else of_weights

    def clear_res(self):
        """Drops all records."""
        self._close_from(0)
        del self._done[:]

    def _inputs(self, args, grad, grad_position):
        if grad.get_all:
            chosen = range(len(args))
        elif grad_position is not None:
            chosen = _positions(grad_position, len(args), "grad")
        else:
            chosen = () if grad.get_by_list else range(min(1, len(args)))
        return [args[position] for position in chosen if isinstance(args[position], Tensor)]

    def _taken(self, fn):
        for number in reversed(range(len(self._done))):
            if self._done[number].fn is fn:
                return self._done.pop(number)
        raise RuntimeError("[grad] the call of %s, got none on record, expected new_graph, the call and end_graph before grad"
                           % getattr(fn, "__name__", type(fn).__name__))

    def _close_from(self, number):
        while len(self._open) > number:
            self._open.pop().close()


_pynative_executor = _PyNativeExecutor()
