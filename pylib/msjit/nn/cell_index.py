"""The indexes of a Cell's Parameters and Cells, which programs also write to: `net._cells["head"] = layer`."""
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
