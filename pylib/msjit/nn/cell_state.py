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
        """Yields (path, Tensor) for the buffers of this Cell and, with recurse, of those below; each Tensor once unless remove_duplicate is False.

        The path is that of the attributes, such as "layer.mean", with prefix before it.
        """
        seen = set()
        for path, cell in self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]:
            for name in cell.__dict__.get("_buffers", ()):
                tensor = cell.__dict__.get(name)
                if tensor is not None and not (remove_duplicate and id(tensor) in seen):
                    seen.add(id(tensor))
                    yield (path + "." + name if path else name), tensor

    def buffers(self, recurse=True):
        """Yields the Tensors of the buffers of this Cell and, with recurse, of those below; each once."""
        for _, tensor in self.named_buffers(recurse=recurse):
            yield tensor

    def get_buffer(self, target):
        """Returns the buffer, a Tensor or None, at a path of attributes such as "layer.mean".

        Raises AttributeError where there is no such Cell or no such buffer.
        """
        path, _, name = target.rpartition(".")
        cell = self.get_sub_cell(path)
        if name not in cell.__dict__.get("_buffers", ()):
            raise AttributeError("[get_buffer] %s, got no buffer %r, expected one of %s"
                                 % (type(cell).__name__, name, list(cell.__dict__.get("_buffers", ()))))
        return cell.__dict__[name]

    def get_sub_cell(self, target):
        """Returns the Cell at a path of attributes such as "blocks.0"; "" means this one. Raises AttributeError where there is none."""
        cell = self
        for name in target.split(".") if target else ():
            found = cell._cell_index.get(name)
            if found is None:
                raise AttributeError("[get_sub_cell] %s, got no Cell %r, expected one of %s"
                                     % (type(cell).__name__, name, list(cell._cell_index)))
            cell = found
        return cell

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        """Yields (path, member) for the (name, member) pairs that get_members_fn gives for this Cell and, with recurse, for those below."""
        seen = set()
        for path, cell in self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]:
            for name, member in get_members_fn(cell):
                if member is not None and id(member) not in seen:
                    if remove_duplicate:
                        seen.add(id(member))
                    yield (path + "." + name if path else name), member

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

        If the class defines get_extra_state, its result is added under "_extra_state". Raises TypeError for arguments of other types.
        """
        for name, value, kind in (("destination", destination, dict), ("prefix", prefix, str), ("keep_vars", keep_vars, bool)):
            if not isinstance(value, kind) and not (value is None and kind is dict):
                raise TypeError("[state_dict] %s, got %s, expected a %s" % (name, type(value).__name__, kind.__name__))
        found = destination
        if found is None:
            found = OrderedDict()
            found._metadata = OrderedDict()
        metadata = {}
        if hasattr(found, "_metadata"):
            found._metadata[prefix[:-1]] = metadata
        for hook in list(self.__dict__.get("_state_pre_hooks", {}).values()):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(found, prefix, keep_vars)
        for name, cell in self._ms_children():
            cell.state_dict(destination=found, prefix=prefix + name + ".", keep_vars=keep_vars)
        for hook in list(self.__dict__.get("_state_hooks", {}).values()):
            if hook(self, found, prefix, metadata) is not None:
                raise RuntimeError("[state_dict] result of a hook, got a value, expected None")
        return found

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Puts the state of this Cell alone into `destination`. Classes that save another state define it anew."""
        for name, value in self._ms_own_state():
            destination[prefix + name] = value
        if type(self).get_extra_state is not CellState.get_extra_state:
            destination[prefix + _EXTRA] = self.get_extra_state()

    def load_state_dict(self, state_dict, strict=True):
        """Copies values from a dict into the Parameters and buffers; returns (missing_keys, unexpected_keys).

        Raises TypeError for anything but a dict. One RuntimeError lists all other errors: wrong shapes, values that are not Tensors
        and, if strict, missing and unknown names.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError("[load_state_dict] state_dict, got %s, expected a dict" % type(state_dict).__name__)
        given, result, errors = OrderedDict(state_dict), _IncompatibleKeys([], []), []
        metadata = getattr(state_dict, "_metadata", None)
        if metadata is not None:
            given._metadata = metadata
        self._ms_load_state(given, "", metadata or {}, result, errors)
        if strict and (result.missing_keys or result.unexpected_keys):
            errors.insert(0, "names do not match, missing %s, unexpected %s" % tuple(result))
        if errors:
            raise RuntimeError("[load_state_dict] %s: %s" % (type(self).__name__, "; ".join(errors)))
        return result

    def _ms_load_state(self, given, prefix, metadata, result, errors):
        self._load_from_state_dict(given, prefix, metadata.get(prefix[:-1], {}), True, *result, errors)
        for name, cell in self._ms_children():
            below = prefix + name + "."
            cell._ms_load_state(OrderedDict(item for item in given.items() if item[0].startswith(below)), below, metadata, result, errors)
        for hook in list(self.__dict__.get("_load_hooks", {}).values()):
            if hook(self, result) is not None:
                raise RuntimeError("[load_state_dict] result of a hook, got a value, expected None")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        """Copies the state of this Cell alone from `state_dict`, and adds to the three lists what does not fit. Classes that can load other
        states, such as those of older versions, define it anew; they may change `state_dict`."""
        for hook in list(self.__dict__.get("_load_pre_hooks", {}).values()):
            hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = OrderedDict(self._ms_own_state())
        for name, param in own.items():
            if prefix + name in state_dict:
                _copy_state(param, state_dict[prefix + name], prefix + name, error_msgs)
            elif strict:
                missing_keys.append(prefix + name)
        if hasattr(self, "_take_shown"):  # an optimizer keeps its numbers elsewhere; the Parameters only show them
            self._take_shown()
        extra = type(self).set_extra_state is not CellState.set_extra_state
        if extra and prefix + _EXTRA in state_dict:
            self.set_extra_state(state_dict[prefix + _EXTRA])
        elif extra and strict:
            missing_keys.append(prefix + _EXTRA)
        known = set(own) | ({_EXTRA} if extra else set())
        for path in state_dict if strict else ():
            name = path[len(prefix):]
            if path.startswith(prefix) and name not in known and not ("." in name and name.partition(".")[0] in self._cell_index):
                unexpected_keys.append(path)

    def get_extra_state(self):
        """Returns state other than Parameters and buffers, for state_dict. A class with extra state defines this method
        and set_extra_state."""
        raise RuntimeError("[get_extra_state] %s, got none, expected a class that defines it" % type(self).__name__)

    def set_extra_state(self, state):
        """Restores the state that get_extra_state returned; load_state_dict calls it. Raises RuntimeError in a class that does not define it."""
        raise RuntimeError("[set_extra_state] %s, got none, expected a class that defines it" % type(self).__name__)

    # -- hooks of state -----------------------------------------------------------------------------------------

    def register_state_dict_pre_hook(self, hook):
        """Runs hook(cell, prefix, keep_vars) before state_dict collects this Cell's state. Returns a handle with remove().

        Raises TypeError for a hook that is no function.
        """
        return StateHandle(self.__dict__.setdefault("_state_pre_hooks", OrderedDict()), hook)

    def register_state_dict_post_hook(self, hook):
        """Runs hook(cell, state_dict, prefix, metadata) after state_dict; it may change the dict. Returns a handle with remove().

        Raises TypeError for a hook that is no function.
        """
        return StateHandle(self.__dict__.setdefault("_state_hooks", OrderedDict()), hook)

    def register_load_state_dict_pre_hook(self, hook):
        """Runs hook(cell, state_dict, prefix, metadata, strict, missing, unexpected, errors) before values are copied.

        The hook may change the dict and add to the lists.
        """
        return StateHandle(self.__dict__.setdefault("_load_pre_hooks", OrderedDict()), hook)

    def register_load_state_dict_post_hook(self, hook):
        """Runs hook(cell, (missing_keys, unexpected_keys)) after load_state_dict; it may change these lists. Returns a handle with remove().

        Raises TypeError for a hook that is no function.
        """
        return StateHandle(self.__dict__.setdefault("_load_hooks", OrderedDict()), hook)


def _copy_state(param, value, path, errors):
    if not isinstance(value, Tensor):
        errors.append("value of %s, got %s, expected a Tensor" % (path, type(value).__name__))
    elif tuple(value.shape) != tuple(param.shape):
        errors.append("shape of %s, got %s, expected %s" % (path, tuple(value.shape), tuple(param.shape)))
    else:
        param.set_data(value if value.dtype == param.dtype else value.astype(param.dtype))
