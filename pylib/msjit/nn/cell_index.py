"""The indexes of a Cell's Parameters and Cells, which programs also write to: `net._cells["head"] = layer`."""
from collections import OrderedDict
from weakref import ref

store_item = OrderedDict.__setitem__  # what Cell itself writes with: it sets the attribute on its own


class Index(OrderedDict):
    """An OrderedDict that gives its Cell the attribute of what is written to it, and takes away that of what is removed.

    A Cell keeps what it calls in its __dict__, where MindSpore's Cell looks it up in these dicts. `owner` is a weak reference to the
    Cell. It is None in copies, and in Cells that compiled code made, until a program reads the index.
    """

    owner = None

    def _cell(self):
        return None if self.owner is None else self.owner()

    def __setitem__(self, name, value):
        super().__setitem__(name, value)
        cell = self._cell()
        if cell is not None and (name in cell.__dict__ or "." not in name):
            cell.__dict__[name] = value
            cell._index_written()

    def __delitem__(self, name):
        value = self[name]
        super().__delitem__(name)
        cell = self._cell()
        if cell is not None and cell.__dict__.get(name) is value:
            del cell.__dict__[name]
            cell._index_written()

    def pop(self, name, *default):
        if name not in self and default:
            return default[0]
        value = self[name]
        del self[name]
        return value

    def popitem(self, last=True):
        if not self:
            raise KeyError("dictionary is empty")
        name = next(reversed(self) if last else iter(self))
        return name, self.pop(name)

    def clear(self):
        for name in list(self):
            del self[name]

    def replace(self, items):
        """What is assigned in the place of the index: its items are the new ones, by their names."""
        pairs = list(items.items())
        self.clear()
        self.update(pairs)

    def __reduce__(self):
        return Index, (), None, None, iter(self.items())


def drop_item(index, name):
    """Takes an item out where the caller removes the attribute itself."""
    if name in index:
        OrderedDict.__delitem__(index, name)


def owned(cell, index):
    """The index of a Cell, which belongs to the Cell from now on, unless it is that of a living one of which this is a shallow copy."""
    if index.owner is None or index.owner() is None:
        index.owner = ref(cell)
    return index
