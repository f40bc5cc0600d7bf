"""What happens on assignment to the name of a Cell's Parameter, child Cell or buffer."""
from weakref import ref

from .._native import _msjit
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from ..context import is_graph_mode
from ..ops.primitive import Primitive


def _in_source_jit(cell):
    """Whether a PSJit function is under way. Compiled code takes in_graph_call() as true in PIJit as well, so the answer has to come from
    the interpreter: the weak reference, which is not captured, sees to that."""
    return ref(cell)() is cell and _msjit.in_graph_call()


def _write_number(param, name, value):
    if param.ndim:
        raise ValueError("[assign] value of %r, got a number, expected a Tensor of the shape %s" % (name, tuple(param.shape)))
    param.set_data(Tensor(value, param.dtype))


class CellNames:
    """The part of Cell that keeps each name for one kind of object."""

    def _set_registered(self, name, value):
        """Handles the assignment of a plain value to the name of a Parameter, Cell or buffer; True means that nothing is
        left to do.

        A Tensor is copied into a Parameter; in GRAPH_MODE and in PSJit a number too. None empties the entry but keeps the name. As in
        MindSpore, functions and numbers otherwise raise TypeError: code that walks the Cell would no longer find the part that computes.
        """
        params, cells = self._param_index, self._cell_index
        if name in params:
            if isinstance(value, Tensor) and params[name] is not None:
                params[name].set_data(value)
                return True
            if isinstance(value, (int, float)) and params[name] is not None and (
                    _in_source_jit(self) or (is_graph_mode() and not params[name].ndim)):
                _write_number(params[name], name, value)
                return True
            return self._ms_replace(params, "parameter", "a Parameter or a Tensor", name, value)
        if name in cells:
            return self._ms_replace(cells, "cell", "a Cell", name, value)
        buffers = self.__dict__.get("_buffers", ())
        if name in buffers and not isinstance(value, (Tensor, type(None))):
            return self._ms_replace(self._buffers, "buffer", "a Tensor", name, value)
        if buffers and name not in buffers and isinstance(value, Tensor) and self._ms_is_buffer(value):
            buffers[name] = True
        return False

    def _ms_is_buffer(self, value):
        """Whether this Tensor is a buffer of the Cell. A second name for it makes a persistent buffer, as in MindSpore."""
        for name in self._buffers:
            if self.__dict__.get(name) is value:
                return True
        return False

    @staticmethod
    def _ms_replace(kept, kind, expected, name, value):
        if value is None:
            kept[name] = None
        elif _takes_place(value):
            del kept[name]
        else:
            raise TypeError("[cell] %s %r is there already, got %s, expected %s or None" % (kind, name, type(value).__name__, expected))
        return False

    def _ms_check_free(self, name, *others):
        """Raises KeyError if one of the dicts `others` has the name, for example if a Cell is assigned to a Parameter's name."""
        if any(name in self.__dict__.get(other, ()) for other in others):
            raise KeyError("[cell] %s has %r already, got one more under that name, expected another name"
                           % (type(self).__name__, name))

    def _check_insert(self, name, own):
        if name not in own and hasattr(self, name):
            raise KeyError("[cell] %s has an attribute %r, got one more, expected another name" % (type(self).__name__, name))


def _takes_place(value):
    """Whether a value may replace a Parameter or a Cell: a Primitive or a list of Parameters."""
    return isinstance(value, Primitive) or (
        isinstance(value, (list, tuple)) and bool(value) and all(isinstance(item, Parameter) for item in value))
