"""Hooks of Cells: registration, and the call path that runs them."""
import weakref

KINDS = ("forward_pre", "forward")


class HookHandle:
    """Returned by the register functions; remove() takes the hook off."""

    def __init__(self, cell, kind, hook_fn):
        if not callable(hook_fn):
            raise TypeError("[hook] hook_fn must be callable, got %s" % type(hook_fn).__name__)
        if cell._hooks is None:
            object.__setattr__(cell, "_hooks", {k: {} for k in KINDS})
        cell._hooks[kind][id(self)] = hook_fn
        object.__setattr__(cell, "_intercept", True)
        self._cell = weakref.ref(cell)
        self._kind = kind

    def remove(self):
        """Takes the hook off; calling it again does nothing."""
        cell = self._cell()
        if cell is None or cell._hooks is None:
            return
        cell._hooks[self._kind].pop(id(self), None)
        if not any(cell._hooks.values()):
            object.__setattr__(cell, "_hooks", None)
            if cell._compute_dtype is None and not hasattr(cell, "bprop"):
                cell.__dict__.pop("_intercept", None)


def run_with_hooks(cell, construct, args, kwargs):
    """One call of a hooked Cell."""
    hooks = cell._hooks
    for hook in list(hooks["forward_pre"].values()):
        changed = hook(cell, args)
        if changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    output = cell._call_construct(construct, args, kwargs)
    for hook in list(hooks["forward"].values()):
        changed = hook(cell, args, output)
        if changed is not None:
            output = changed
    return output
