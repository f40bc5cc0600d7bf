"""The indexes of a Cell's Parameters and Cells, which programs also write to: `net._cells["head"] = layer`."""
from collections import OrderedDict
from weakref import ref

store_item = OrderedDict.__setitem__  # what Cell itself writes with: it sets the attribute on its own


class Index(OrderedDict):
    """An OrderedDict that gives its Cell the attribute of what is written to it.

    A Cell keeps what it calls in its __dict__, where MindSpore's Cell looks it up in these dicts. `owner` is a weak reference to the
    Cell, None until something outside of Cell reads the dict. Copies have no owner: that of a copied Cell comes when it is read.
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


def indexed(name, doc):
    """The property of a Cell that gives the index called `name` of its __dict__."""
    def read(self):
        found = self.__dict__.get(name)
        if found is None:
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
        if type(found) is Index and (found.owner is None or found.owner() is not self):
            found.owner = ref(self)
        return found

    def write(self, value):
        self.__dict__[name] = value
    return property(read, write, doc=doc)
