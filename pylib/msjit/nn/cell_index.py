"""The indexes of a Cell's Parameters and Cells, which programs also write to (`net._cells["head"] = layer`), and the ways through them."""
from collections import OrderedDict
from weakref import ref

store_item = OrderedDict.__setitem__  # what Cell itself writes with: it sets the attribute on its own


class Index(OrderedDict):
    """An OrderedDict that gives its Cell the attribute of what is written to it.

    A Cell keeps what it calls in its __dict__, where MindSpore's Cell looks it up in these dicts. `owner` is a weak reference to the
    Cell, None until something outside of compiled code reads the index.
    """

    owner = None

    def __setitem__(self, name, value):
        super().__setitem__(name, value)
        cell = None if self.owner is None else self.owner()
        if cell is not None and (name in cell.__dict__ or "." not in name):
            cell.__dict__[name] = value
            cell._index_written()

    def __reduce__(self):
        return Index, (), None, None, iter(self.items())


def owned(cell, index):
    """The index of a Cell, which belongs to the Cell from now on, unless it is that of a living one of which this is a shallow copy."""
    if index.owner is None or index.owner() is None:
        index.owner = ref(cell)
    return index


class CellTree:
    """The methods of Cell that walk through the Cells below it and their Parameters."""

    def cells_and_names(self, cells=None, name_prefix=""):
        """Yields (path of attributes, Cell) for this Cell and all below it, each once."""
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
        """Yields (path of attributes, Parameter) for this Cell and, with expand, all below it; each Parameter once."""
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
        """Yields every Parameter of this Cell and, with expand, of those below; each once."""
        for _, param in self.parameters_and_names(expand=expand):
            yield param

    def trainable_params(self, recurse=True):
        """Returns the list of the Parameters that require a gradient."""
        return [p for p in self.get_parameters(recurse) if p.requires_grad]

    def untrainable_params(self, recurse=True):
        """Returns the list of the Parameters that require no gradient."""
        return [p for p in self.get_parameters(recurse) if not p.requires_grad]

    def parameters_dict(self, recurse=True):
        """Returns an OrderedDict from Parameter.name to Parameter."""
        return OrderedDict((p.name, p) for p in self.get_parameters(recurse))

    def parameters_broadcast_dict(self, recurse=True):
        """Returns an OrderedDict from Parameter.name to Parameter, as parameters_dict."""
        return self.parameters_dict(recurse)

    def cells(self):
        """Returns the direct child Cells."""
        return self.name_cells().values()

    def name_cells(self):
        """Returns an OrderedDict from attribute name to direct child Cell, each Cell once."""
        found, seen = OrderedDict(), set()
        for name, cell in self._cell_index.items():
            if cell is not None and id(cell) not in seen:
                seen.add(id(cell))
                found[name] = cell
        return found

    def apply(self, fn):
        """Calls fn on every Cell below this one and then on this one; returns self."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    def update_parameters_name(self, prefix="", recurse=True):
        """Renames every Parameter to the prefix plus the path of attributes that leads to it."""
        if not isinstance(prefix, str):
            raise TypeError("[cell] prefix must be a str, got %s" % type(prefix).__name__)
        for name, param in self.parameters_and_names(expand=recurse):
            param.name = prefix + name

    def param_prefix_name(self):
        """Returns "". It is kept for compatibility."""
        return ""
