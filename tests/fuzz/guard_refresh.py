"""A finalizer for the guard fuzzer. It runs when a garbage collection starts in the middle of a call, and replaces each tensor that
objects of the program hold by an equal one. The program's results do not change, but native code that still points to a replaced
tensor reads freed memory. Up to 3.11 any allocation may start a collection, also one in native code."""
import gc
import types

from msjit import Tensor


def copied(tensor, copies):
    if id(tensor) not in copies:
        copies[id(tensor)] = tensor, tensor.copy()
    return copies[id(tensor)][1]


def replaceable(value):
    return type(value) is Tensor and not value.requires_grad


def refresh(value, copies, seen):
    """Replaces the tensors in lists, dicts and instances reachable from `value`."""
    if id(value) in seen:
        return
    seen[id(value)] = value
    if type(value) is list:
        places = list(enumerate(value))
    elif type(value) is dict:
        places = list(value.items())
    elif isinstance(value, (type, types.ModuleType, types.FunctionType)):
        return
    else:
        try:
            value = object.__getattribute__(value, "__dict__")
        except AttributeError:
            return
        if type(value) is not dict:
            return
        places = list(value.items())
    for key, item in places:
        if replaceable(item):
            value[key] = copied(item, copies)
        else:
            refresh(item, copies, seen)


def refresh_all(namespace):
    copies, seen = {}, {}
    for name, value in list(namespace.items()):
        if replaceable(value):
            namespace[name] = copied(value, copies)
        elif name != "__builtins__":
            refresh(value, copies, seen)


def call_refreshed(call, namespace, allocation):
    """Runs call(); at about its n-th allocation a collection starts, and with it the finalizer."""
    class Garbage:
        def __del__(self):
            try:
                refresh_all(namespace)
            except RecursionError:  # the call itself is deep in a recursion
                pass

    enabled, thresholds = gc.isenabled(), gc.get_threshold()
    gc.disable()
    garbage = Garbage()
    garbage.itself = garbage
    del garbage
    gc.set_threshold(gc.get_count()[0] + allocation)
    gc.enable()
    try:
        return call()
    finally:
        gc.disable()
        gc.set_threshold(*thresholds)
        if enabled:
            gc.enable()
