"""The names of a Cell's Parameters, child Cells and buffers: what assignment to one does, and the ways through all of them."""
from collections import OrderedDict
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
    """The part of Cell that keeps each name for one kind of object, and walks through the Cells below."""

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

    # -- the Cells below and their Parameters ------------------------------------------------------------------

    def cells_and_names(self, cells=None, name_prefix=""):
        """Yields (path of attributes, Cell) for this Cell and all below it, each once: ("", this Cell) first, then for example ("block.conv", Cell).

        A Cell whose id() is in the set `cells` is left out, with those below it. name_prefix is put before each path.
        """
        seen = set() if cells is None else cells
        if id(self) in seen:
            return
        seen.add(id(self))
        yield name_prefix, self
        for name, cell in self._cell_index.items():
            if cell is not None:
                prefix = name_prefix + "." + name if name_prefix else name
                for pair in cell.cells_and_names(seen, prefix):
                    yield pair

    def parameters_and_names(self, name_prefix="", expand=True):
        """Yields (path of attributes, Parameter) for this Cell and, with expand, all below it; each Parameter once.

        The path is that of the attributes, for example "block.weight", whatever the name of the Parameter; name_prefix is put before it.
        """
        seen = set()
        cells = self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]
        for cell_name, cell in cells:
            for name, param in cell._ms_own_parameters():
                if param is not None and id(param) not in seen:
                    seen.add(id(param))
                    yield (cell_name + "." + name if cell_name else name), param

    def _ms_own_parameters(self):
        return self._param_index.items()

    def get_parameters(self, expand=True):
        """Yields every Parameter of this Cell and, with expand, of those below; each once, those of a Cell before those of its child Cells."""
        for _, param in self.parameters_and_names(expand=expand):
            yield param

    def trainable_params(self, recurse=True):
        """Returns the list of the Parameters with requires_grad, as optimizers take it; each once, those of a Cell before those of its child Cells.

        Without recurse only those of this Cell itself.
        """
        return [p for p in self.get_parameters(recurse) if p.requires_grad]

    def untrainable_params(self, recurse=True):
        """Returns the list of the Parameters without requires_grad; each once, those of a Cell before those of its child Cells.

        Without recurse only those of this Cell itself.
        """
        return [p for p in self.get_parameters(recurse) if not p.requires_grad]

    def parameters_dict(self, recurse=True):
        """Returns an OrderedDict from Parameter.name to Parameter, of this Cell and, with recurse, of those below.

        Of two Parameters with one name the later stays.
        """
        return OrderedDict((p.name, p) for p in self.get_parameters(recurse))

    def parameters_broadcast_dict(self, recurse=True):
        """Returns an OrderedDict from Parameter.name to Parameter: the same as parameters_dict, because all Parameters may be broadcast."""
        return self.parameters_dict(recurse)

    def cells(self):
        """Returns the Cells right below this one, each once, in the order in which they were assigned: the values of an OrderedDict."""
        return self.name_cells().values()

    def name_cells(self):
        """Returns an OrderedDict from attribute to Cell, of the Cells right below this one, each once, in the order in which they were assigned."""
        found, seen = OrderedDict(), set()
        for name, cell in self._cell_index.items():
            if cell is not None and id(cell) not in seen:
                seen.add(id(cell))
                found[name] = cell
        return found

    def apply(self, fn):
        """Calls fn(cell) on every Cell below this one and then on this one; what fn returns is ignored. Returns self.

        >>> import msjit as ms
        >>> seen = []
        >>> network = ms.nn.SequentialCell(ms.nn.ReLU()).apply(lambda cell: seen.append(cell.cls_name))
        >>> seen
        ['ReLU', 'SequentialCell']
        """
        if not callable(fn):
            raise TypeError("[apply] fn, got %s, expected a function of a Cell" % type(fn).__name__)
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    def update_parameters_name(self, prefix="", recurse=True):
        """Renames every Parameter to the prefix plus the path of attributes that leads to it. Without recurse those of this Cell alone.

        Raises TypeError for a prefix that is no str.
        """
        if not isinstance(prefix, str):
            raise TypeError("[cell] prefix must be a str, got %s" % type(prefix).__name__)
        for name, param in self.parameters_and_names(expand=recurse):
            param.name = prefix + name

    def param_prefix_name(self):
        """Returns "", always: MindSpore's prefix of names is no part of a Cell here. It is kept for compatibility."""
        return ""


def _takes_place(value):
    """Whether a value may replace a Parameter or a Cell: a Primitive or a list of Parameters."""
    return isinstance(value, Primitive) or (
        isinstance(value, (list, tuple)) and bool(value) and all(isinstance(item, Parameter) for item in value))
