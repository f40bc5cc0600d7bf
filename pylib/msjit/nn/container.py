"""Cells that hold Cells: SequentialCell, CellList, CellDict."""
from collections import OrderedDict
from collections.abc import Mapping

from ..common.checks import check_int, check_sequence
from ..common.tensor import Tensor
from .cell import Cell

__all__ = ["SequentialCell", "CellList", "CellDict"]


def _counted(index, last, cell_num, op_name):
    """Returns an index in [-cell_num, last], counted from the front; raises TypeError or IndexError otherwise."""
    where = op_name or "container"
    if not isinstance(index, int):
        raise TypeError("[%s] type of index, got %s, expected int" % (where, type(index).__name__))
    if not -cell_num <= index <= last:
        raise IndexError("[%s] index, got %d, expected one in [%d, %d)" % (where, index, -cell_num, last + 1))
    return index if index >= 0 else index + cell_num


def _valid_index(cell_num, index, op_name=None):
    """Returns the index of a Cell, counted from the front.

    Raises TypeError for anything but an int, IndexError for an index outside a container of cell_num Cells.
    """
    return _counted(index, cell_num - 1, cell_num, op_name)


def _valid_index_for_inserting(cell_num, index, op_name=None):
    """As _valid_index, for a position at which to insert: cell_num itself is allowed."""
    return _counted(index, cell_num, cell_num, op_name)


def _valid_cell(cell, op_name=None):
    """Returns True for a Cell; raises TypeError for anything else."""
    if not isinstance(cell, Cell):
        raise TypeError("[%s] items must be Cells, got %s" % (op_name or "container", type(cell).__name__))
    return True


def _get_prefix_and_index(cells):
    """Returns the part of the Parameters' names before the keys of a dict of Cells, and its number of components.

    Example: ("blocks.", 1) for "blocks.0.weight" where the key is "0".

    If the first child's key occurs several times, as "0" in "0.blocks.0.weight", it is taken where the second child has its own key.
    Without a second child it is taken at its last position, so that a child added next is named "0.blocks.1. ...", as in MindSpore.
    """
    found = []
    for key, cell in cells.items():
        param = next(cell.get_parameters(), None)
        if param is not None:
            found.append((key, param.name.split(".")))
        if len(found) == 2:
            break
    if not found:
        return "", 0
    key, parts = found[0]
    places = [i for i, part in enumerate(parts) if part == key]
    second_key, second = found[-1]
    both = [i for i in places if len(found) == 2 and second[i:i + 1] == [second_key]]
    index = both[0] if both else places[-1] if places else 0
    return "".join([part + "." for part in parts[:index]]), index


class _Container(Cell):
    """Names the Parameters of Cells after the keys that the Cells have in the container."""

    def _prefix(self):
        """The components before the children's keys in the names of their Parameters: ["blocks"] in "blocks.0.weight"."""
        return _get_prefix_and_index(self._cell_index)[0].split(".")[:-1]

    def _put(self, key, cell, lead=()):
        """Adds a Cell under a key and names its Parameters after the key."""
        _valid_cell(cell, type(self).__name__)
        if self._auto_prefix:
            cell.update_parameters_name(".".join(list(lead) + [key]) + ".")
        self.insert_child_to_cell(key, cell)


class _Indexed(_Container):
    """Children in order, under the names "0", "1", ... or other keys.

    A SequentialCell calls the Cells of `cell_list`. As in MindSpore, the methods for lists keep it up to date; assigning to an attribute and
    insert_child_to_cell do not. Iteration and indexing always use the children that there are.
    """

    _ms_listed = None  # the children, or None where they have changed since

    def _refresh(self):
        object.__setattr__(self, "_ms_listed", None)
        object.__setattr__(self, "cell_list", self._listed())

    def _listed(self):
        found = self._ms_listed
        if found is None:
            found = tuple([self.__dict__[name] for name in self._cell_index])
            object.__setattr__(self, "_ms_listed", found)
        return found

    def _index_written(self):
        object.__setattr__(self, "_ms_listed", None)

    def _ms_register_cell(self, name, cell, rename=True):
        super()._ms_register_cell(name, cell, rename)
        self._index_written()

    def _set_registered(self, name, value):
        self._index_written()
        return super()._set_registered(name, value)

    def __delattr__(self, name):
        super().__delattr__(name)
        self._index_written()

    def _arrange(self, pairs):
        """Replaces the children by the Cells of (old key or None, Cell) pairs; keys that are numbers are renumbered in this order."""
        lead, old = self._prefix(), list(self._cell_index)
        for name in old:
            self.__delattr__(name)
        for place, (key, cell) in enumerate(pairs):
            new = str(place) if key is None or key.isdigit() else key
            if key is not None and key != new and self._auto_prefix:
                for param in cell.get_parameters():
                    param.name = ".".join(lead + [new] + param.name.split(".")[len(lead) + 1:])
            if key is None:
                self._put(new, cell, lead)
            else:
                self.insert_child_to_cell(new, cell)
        self._refresh()

    def _index(self, index):
        if isinstance(index, bool) or not isinstance(index, int):
            raise TypeError("[%s] indices must be ints or slices, got %s"
                            % (type(self).__name__, type(index).__name__))
        count = len(self._listed())
        if not -count <= index < count:
            raise IndexError("[%s] index out of range, got %d, expected below %d"
                             % (type(self).__name__, index, count))
        return index % count

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._part(list(self._cell_index.items())[index])
        if isinstance(index, Tensor):  # its value is the position; in captured code it is known only when the graph runs, which then picks the Cell
            return self._listed()[index]
        return self._listed()[self._index(index)]

    def __setitem__(self, index, cell):
        _valid_cell(cell, type(self).__name__)
        self._put(list(self._cell_index)[self._index(index)], cell, self._prefix())
        self._refresh()

    def __delitem__(self, index):
        pairs = list(self._cell_index.items())
        del pairs[index if isinstance(index, slice) else self._index(index)]
        self._arrange(pairs)

    def __len__(self):
        return len(self._listed())

    def __bool__(self):
        return bool(self._listed())

    def __iter__(self):
        return iter(self._listed())

    def append(self, cell):
        """Adds a Cell at the end."""
        self._put(str(len(self._cell_index)), cell, self._prefix())
        self._refresh()

    def extend(self, cells):
        """Adds a list of Cells at the end; returns self."""
        if not isinstance(cells, list):
            raise TypeError("[%s] cells to add must be a list, got %s" % (type(self).__name__, type(cells).__name__))
        lead = self._prefix()
        for cell in cells:
            self._put(str(len(self._cell_index)), cell, lead)
        self._refresh()
        return self

    def insert(self, index, cell):
        """Puts a Cell before position index; raises IndexError where there is no such position."""
        _valid_cell(cell, type(self).__name__)
        pairs = list(self._cell_index.items())
        if not -len(pairs) <= check_int(index, type(self).__name__, "index") <= len(pairs):
            raise IndexError("[%s] index out of range, got %d, expected at most %d"
                             % (type(self).__name__, index, len(pairs)))
        pairs.insert(index, (None, cell))
        self._arrange(pairs)

    def set_grad(self, flag=True):
        for cell in self._listed():
            cell.set_grad(flag)
        return super().set_grad(flag)


class SequentialCell(_Indexed):
    """Calls its Cells one after the other: each gets the result of the one before. It is made of Cells, of a list of them, or of an OrderedDict.

    It can be indexed and iterated over, and changed by append, insert, extend and del. As in MindSpore, a slice keeps the keys and names
    the Parameters of its Cells after them. Raises TypeError for items that are no Cells.

    >>> import msjit as ms
    >>> net = ms.nn.SequentialCell(ms.nn.Dense(4, 8), ms.nn.ReLU(), ms.nn.Dense(8, 2))
    >>> net(ms.ops.zeros((3, 4), ms.float32)).shape, [p.name for p in net[2].trainable_params()]
    ((3, 2), ['2.weight', '2.bias'])
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], (list, tuple, OrderedDict)):
            args = args[0]
        pairs = args.items() if isinstance(args, OrderedDict) else ((str(i), cell) for i, cell in enumerate(args))
        for key, cell in pairs:
            self._put(key, cell)
        self._refresh()

    def _part(self, pairs):
        return type(self)(OrderedDict(pairs))

    def construct(self, input_data):
        """Passes the input through every Cell."""
        for cell in self.cell_list:
            input_data = cell(input_data)
        return input_data


class CellList(_Indexed):
    """A list of Cells that belong to the network. It can be indexed and iterated over, and changed by append, insert, extend and del.

    As in MindSpore, a slice is a CellList that numbers its Cells, and names their Parameters, from 0 on. A call raises
    NotImplementedError, an item that is no Cell TypeError, an index outside the list IndexError.

    >>> import msjit as ms
    >>> layers = ms.nn.CellList([ms.nn.Dense(4, 4) for _ in range(3)])
    >>> layers.append(ms.nn.Dense(4, 2))
    >>> len(layers), layers[3].weight.name
    (4, '3.weight')
    """

    def __init__(self, *args, **kwargs):
        super().__init__(auto_prefix=kwargs.get("auto_prefix", True))
        self._refresh()
        self.extend(args[0] if len(args) == 1 else list(args))

    def _part(self, pairs):
        return CellList([cell for _, cell in pairs])

    def __iadd__(self, cells):
        return self.extend(cells)

    def construct(self, *inputs):
        raise NotImplementedError("[cell_list] a CellList is not called, its items are")


class CellDict(_Container):
    """A dict of Cells that belong to the network; the Parameters are named after the keys. It is made of a mapping or of pairs (key, Cell).

    A call raises NotImplementedError. Raises TypeError for keys that are no texts and for values that are no Cells or hold Cells
    themselves, KeyError for keys that are empty, have a '.' or are names of attributes.

    >>> import msjit as ms
    >>> heads = ms.nn.CellDict({"digit": ms.nn.Dense(8, 10), "colour": ms.nn.Dense(8, 3)})
    >>> heads["colour"](ms.ops.zeros((2, 8), ms.float32)).shape, heads["digit"].weight.name
    ((2, 3), 'digit.weight')
    """

    def __init__(self, *args, **kwargs):
        super().__init__(auto_prefix=kwargs.get("auto_prefix", True))
        if args:
            self.update(args[0])

    def __getitem__(self, key):
        return self._cell_index[key]

    def __setitem__(self, key, cell):
        if not isinstance(key, str):
            raise TypeError("[cell_dict] keys must be strs, got %s" % type(key).__name__)
        if not isinstance(cell, Cell) or isinstance(cell, (CellDict, CellList, SequentialCell)):
            raise TypeError("[cell_dict] values must be Cells and no containers, got %s" % type(cell).__name__)
        taken = hasattr(type(self), key) or (key not in self._cell_index and hasattr(self, key))
        if "." in key or not key or taken:
            raise KeyError("[cell_dict] key %r cannot be used: it is empty, contains '.' or is the name of an attribute" % (key,))
        self._put(key, cell, self._prefix())

    def __delitem__(self, key):
        if key not in self._cell_index:
            raise KeyError(key)
        delattr(self, key)

    def __len__(self):
        return len(self._cell_index)

    def __bool__(self):
        return True

    def __iter__(self):
        return iter(list(self._cell_index))

    def __contains__(self, key):
        return key in self._cell_index

    def clear(self):
        """Removes all Cells; the dict is empty then."""
        for key in list(self._cell_index):
            delattr(self, key)

    def pop(self, key):
        """Removes the Cell with a key and returns it. Raises KeyError for a key that the dict does not have."""
        cell = self._cell_index[key]
        delattr(self, key)
        return cell

    def keys(self):
        """Returns the keys, strs, in the order in which they were added."""
        return self._cell_index.keys()

    def values(self):
        """Returns the Cells, in the order in which their keys were added."""
        return self._cell_index.values()

    def items(self):
        """Returns (key, Cell) pairs, in the order in which the keys were added."""
        return self._cell_index.items()

    def update(self, cells):
        """Adds the items of a mapping, of a CellDict or of an iterable of (key, Cell) pairs; a known key gets the new Cell.

        Raises TypeError for keys that are no strs and values that are no Cells, ValueError for items that are no pairs.
        """
        items = cells.items() if isinstance(cells, (Mapping, CellDict)) else check_sequence(cells, "cell_dict", "cells", "a mapping or (key, Cell) pairs")
        for pair in items:
            if not hasattr(type(pair), "__len__"):
                raise TypeError("[cell_dict] items must be (key, Cell) pairs, got %s" % type(pair).__name__)
            if len(pair) != 2:
                raise ValueError("[cell_dict] items must be (key, Cell) pairs, got length %d" % len(pair))
            self[pair[0]] = pair[1]

    def construct(self, *inputs):
        raise NotImplementedError("[cell_dict] a CellDict is not called, its values are")
