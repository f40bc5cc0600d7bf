"""The state of a Cell: buffers, and dicts of Parameters and buffers."""
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from ..common.tensor import Tensor

_EXTRA = "_extra_state"


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The names that a state dict lacks (missing_keys), and the names in it that the Cell does not know (unexpected_keys)."""

    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class StateHandle:
    """Returned by the methods that register hooks on state; remove() removes the hook."""

    def __init__(self, hooks, hook):
        if not callable(hook):
            raise TypeError("[cell] hook, got %s, expected a function" % type(hook).__name__)
        self._hooks = hooks
        hooks[id(self)] = hook

    def remove(self):
        """Removes the hook; calling it again does nothing."""
        self._hooks.pop(id(self), None)


class CellState:
    """The methods of Cell that handle its state: buffers, state_dict and load_state_dict."""

    # -- buffers ------------------------------------------------------------------------------------------------

    def register_buffer(self, name, tensor, persistent=True):
        """Adds a Tensor (or None) that is part of the Cell's state but not a Parameter. state_dict contains it if it is
        persistent.

        Raises TypeError for a name or value of a wrong type, KeyError for a name that is empty, has a '.' or is taken.
        """
        if not isinstance(name, str):
            raise TypeError("[register_buffer] name, got %s, expected a str" % type(name).__name__)
        if not name or "." in name:
            raise KeyError("[register_buffer] name, got %r, expected one that is not empty and has no '.'" % (name,))
        buffers = self.__dict__.setdefault("_buffers", OrderedDict())
        if name not in buffers and hasattr(self, name):
            raise KeyError("[register_buffer] name, got %r, which the Cell has already, expected a free one" % (name,))
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError("[register_buffer] tensor, got %s, expected a Tensor or None" % type(tensor).__name__)
        object.__setattr__(self, name, tensor)
        buffers[name] = bool(persistent)

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Yields (path, Tensor) for the buffers of this Cell and, with recurse, of those below; each Tensor once."""
        seen = set()
        for path, cell in self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]:
            for name in cell.__dict__.get("_buffers", ()):
                tensor = cell.__dict__.get(name)
                if tensor is not None and not (remove_duplicate and id(tensor) in seen):
                    seen.add(id(tensor))
                    yield (path + "." + name if path else name), tensor

    def buffers(self, recurse=True):
        """Yields the Tensors of named_buffers."""
        for _, tensor in self.named_buffers(recurse=recurse):
            yield tensor

    def get_buffer(self, target):
        """Returns the buffer at a path of attributes such as "layer.mean". Raises AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        cell = self.get_sub_cell(path)
        if name not in cell.__dict__.get("_buffers", ()):
            raise AttributeError("[get_buffer] %s, got no buffer %r, expected one of %s"
                                 % (type(cell).__name__, name, list(cell.__dict__.get("_buffers", ()))))
        return cell.__dict__[name]

    def get_sub_cell(self, target):
        """Returns the Cell at a path of attributes such as "blocks.0"; "" means this one. Raises AttributeError if there is none."""
        cell = self
        for name in target.split(".") if target else ():
            found = cell._cell_index.get(name)
            if found is None:
                raise AttributeError("[get_sub_cell] %s, got no Cell %r, expected one of %s"
                                     % (type(cell).__name__, name, list(cell._cell_index)))
            cell = found
        return cell

    # -- state --------------------------------------------------------------------------------------------------

    def _ms_own_state(self):
        """Yields (name, Parameter or persistent buffer) of this Cell alone, as state_dict has them."""
        for name, param in self._ms_own_parameters():
            if param is not None:
                yield name, param
        for name, persistent in self.__dict__.get("_buffers", {}).items():
            if persistent and self.__dict__.get(name) is not None:
                yield name, self.__dict__[name]

    def _ms_children(self):
        return [(name, cell) for name, cell in self._cell_index.items() if cell is not None]

    def state_dict(self, destination=None, prefix="", keep_vars=False):
        """Returns an OrderedDict from prefix + path of attributes to the Parameter or persistent buffer itself.

        If the class defines get_extra_state, its result is added under "_extra_state".
        """
        found = OrderedDict() if destination is None else destination
        for hook in list(self.__dict__.get("_state_pre_hooks", {}).values()):
            hook(self, prefix, keep_vars)
        for name, value in self._ms_own_state():
            found[prefix + name] = value
        if type(self).get_extra_state is not CellState.get_extra_state:
            found[prefix + _EXTRA] = self.get_extra_state()
        for name, cell in self._ms_children():
            cell.state_dict(found, prefix + name + ".", keep_vars)
        for hook in list(self.__dict__.get("_state_hooks", {}).values()):
            hook(self, found, prefix, {})
        return found

    def load_state_dict(self, state_dict, strict=True):
        """Copies values from a dict into the Parameters and buffers; returns (missing_keys, unexpected_keys).

        Raises TypeError for anything but a dict. One RuntimeError lists all other errors: wrong shapes, values that are not Tensors
        and, if strict, missing and unknown names.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError("[load_state_dict] state_dict, got %s, expected a dict" % type(state_dict).__name__)
        given, missing, unexpected, errors = OrderedDict(state_dict), [], [], []
        self._ms_load_state(given, "", strict, missing, unexpected, errors)
        known = _names_below(self, "")
        unexpected += [name for name in given if name not in known]
        if strict and (missing or unexpected):
            errors.append("names do not match, missing %s, unexpected %s" % (missing, unexpected))
        result = _IncompatibleKeys(missing, unexpected)
        for _, cell in self.cells_and_names():
            for hook in list(cell.__dict__.get("_load_hooks", {}).values()):
                hook(cell, result)
        if errors:
            raise RuntimeError("[load_state_dict] %s: %s" % (type(self).__name__, "; ".join(errors)))
        return result

    def _ms_load_state(self, given, prefix, strict, missing, unexpected, errors):
        for hook in list(self.__dict__.get("_load_pre_hooks", {}).values()):
            hook(self, given, prefix, {}, strict, missing, unexpected, errors)
        for name, own in self._ms_own_state():
            path = prefix + name
            if path not in given:
                missing.append(path)
                continue
            value = given[path]
            if not isinstance(value, Tensor):
                errors.append("value of %s, got %s, expected a Tensor" % (path, type(value).__name__))
            elif tuple(value.shape) != tuple(own.shape):
                errors.append("shape of %s, got %s, expected %s" % (path, tuple(value.shape), tuple(own.shape)))
            else:
                own.set_data(value if value.dtype == own.dtype else value.astype(own.dtype))
        if hasattr(self, "_take_shown"):  # an optimizer keeps its numbers elsewhere; the Parameters only show them
            self._take_shown()
        if type(self).set_extra_state is not CellState.set_extra_state and prefix + _EXTRA in given:
            self.set_extra_state(given[prefix + _EXTRA])
        for name, cell in self._ms_children():
            cell._ms_load_state(given, prefix + name + ".", strict, missing, unexpected, errors)

    def get_extra_state(self):
        """Returns state other than Parameters and buffers, for state_dict. A class with extra state defines this method
        and set_extra_state."""
        raise RuntimeError("[get_extra_state] %s, got none, expected a class that defines it" % type(self).__name__)

    def set_extra_state(self, state):
        """Restores the state that get_extra_state returned."""
        raise RuntimeError("[set_extra_state] %s, got none, expected a class that defines it" % type(self).__name__)

    # -- hooks of state -----------------------------------------------------------------------------------------

    def register_state_dict_pre_hook(self, hook):
        """Runs hook(cell, prefix, keep_vars) before state_dict collects this Cell's state."""
        return StateHandle(self.__dict__.setdefault("_state_pre_hooks", OrderedDict()), hook)

    def register_state_dict_post_hook(self, hook):
        """Runs hook(cell, state_dict, prefix, metadata) after state_dict; it may change the dict."""
        return StateHandle(self.__dict__.setdefault("_state_hooks", OrderedDict()), hook)

    def register_load_state_dict_pre_hook(self, hook):
        """Runs hook(cell, state_dict, prefix, metadata, strict, missing, unexpected, errors) before values are copied.

        The hook may change the dict and add to the lists.
        """
        return StateHandle(self.__dict__.setdefault("_load_pre_hooks", OrderedDict()), hook)

    def register_load_state_dict_post_hook(self, hook):
        """Runs hook(cell, (missing_keys, unexpected_keys)) after load_state_dict; it may change these lists."""
        return StateHandle(self.__dict__.setdefault("_load_hooks", OrderedDict()), hook)


def _names_below(cell, prefix):
    """All names that load_state_dict of a Cell accepts."""
    found = {prefix + name for name, _ in cell._ms_own_state()}
    if type(cell).set_extra_state is not CellState.set_extra_state:
        found.add(prefix + _EXTRA)
    for name, child in cell._ms_children():
        found |= _names_below(child, prefix + name + ".")
    return found
