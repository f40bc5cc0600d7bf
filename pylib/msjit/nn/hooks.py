"""Hooks of Cells: their registration, and the call that runs them."""
import weakref

from .._native import Tensor, _msjit
from ..autograd import _flatten, _rebuild
from ..gradient_hooks import passed_through, replaced

KINDS = ("forward_pre", "forward", "backward_pre", "backward")


class HookHandle:
    """Returned by the methods that register hooks; remove() removes the hook."""

    def __init__(self, cell, kind, hook_fn, prepend=False, with_kwargs=False):
        if not callable(hook_fn):
            raise TypeError("[hook] hook_fn must be callable, got %s" % type(hook_fn).__name__)
        if cell._ms_hooks is None:
            object.__setattr__(cell, "_ms_hooks", {k: {} for k in KINDS})
        self._key = object()  # not id(self): the handle may be freed, and its id reused, while the hook is still registered
        hooks = cell._ms_hooks[kind]
        later = list(hooks.items()) if prepend else []
        if prepend:
            hooks.clear()
        hooks[self._key] = _WithKeywords(hook_fn) if with_kwargs else hook_fn
        hooks.update(later)
        object.__setattr__(cell, "_ms_intercept", True)
        self._cell = weakref.ref(cell)
        self._kind = kind

    def remove(self):
        """Removes the hook; calling it again does nothing."""
        cell = self._cell()
        if cell is None or cell._ms_hooks is None:
            return
        cell._ms_hooks[self._kind].pop(self._key, None)
        if not any(cell._ms_hooks.values()):
            object.__setattr__(cell, "_ms_hooks", None)
            if cell._ms_compute_dtype is None and cell._ms_jit_config is None and not cell._ms_recompute \
                    and not hasattr(cell, "bprop"):
                cell.__dict__.pop("_ms_intercept", None)


class _WithKeywords:
    """A forward hook that gets the keyword arguments too."""

    def __init__(self, hook):
        self.hook = hook

    def before(self, cell, args, kwargs):
        """Returns the (args, kwargs) that construct gets."""
        changed = self.hook(cell, args, kwargs)
        if changed is None:
            return args, kwargs
        if not isinstance(changed, tuple) or len(changed) != 2 or not isinstance(changed[1], dict):
            raise RuntimeError("[hook] result of a forward pre hook with keywords, got %s, expected None or (inputs, keywords)"
                               % type(changed).__name__)
        inputs = changed[0] if isinstance(changed[0], tuple) else (changed[0],)
        return inputs, changed[1]


def run_with_hooks(cell, construct, args, kwargs):
    """Runs one call of a Cell that has hooks."""
    hooks, watched = cell._ms_hooks, None
    for hook in list(hooks["forward_pre"].values()):
        if isinstance(hook, _WithKeywords):
            args, kwargs = hook.before(cell, args, kwargs)
            continue
        changed = hook(cell, args)
        if changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    if (hooks["backward"] or hooks["backward_pre"]) and _msjit.records(args, kwargs):
        watched = _Watched(cell, hooks)
        args = watched.inputs(args)
    output = cell._call_construct(construct, args, kwargs)
    for hook in list(hooks["forward"].values()):
        changed = hook.hook(cell, args, kwargs, output) if isinstance(hook, _WithKeywords) else hook(cell, args, output)
        if changed is not None:
            output = changed
    return output if watched is None else watched.outputs(output)


class _Watched:
    """One recorded call of a Cell with hooks on gradients.

    It puts a step on the tape before the call and one after it. The steps only change gradients: those of the positional
    Tensors, and those of the output.
    """

    def __init__(self, cell, hooks):
        self.cell = cell
        self.backward, self.backward_pre = list(hooks["backward"].values()), list(hooks["backward_pre"].values())
        self.output_grads, self.tracked = (), False

    def inputs(self, args):
        """Returns the arguments for the Cell, with the Tensors passed through the first step."""
        tensors = [a for a in args if isinstance(a, Tensor)]
        self.count = len(tensors)
        self.tracked = any(_msjit.is_tracked(t) for t in tensors)
        own = iter(passed_through(self._name("backward_hook"), self._on_inputs, tensors))
        return tuple(next(own) if isinstance(a, Tensor) else a for a in args)

    def outputs(self, output):
        """Returns the output for the caller, passed through the second step."""
        tensors = _flatten(output, [])
        return _rebuild(output, iter(passed_through(self._name("backward_pre_hook"), self._on_outputs, tensors)))

    def _name(self, kind):
        return "%s.%s" % (type(self.cell).__name__, kind)

    def _on_outputs(self, inputs, outputs, grads):
        name = self._name("backward_pre_hook")
        for hook in self.backward_pre:
            grads = replaced(name, hook(self.cell, grads), grads, outputs)
        self.output_grads = grads
        if not self.tracked:  # the inputs get no gradient; the hooks are called with None for them
            for hook in self.backward:
                hook(self.cell, (None,) * self.count, grads)
        return grads

    def _on_inputs(self, inputs, outputs, grads):
        name = self._name("backward_hook")
        for hook in self.backward:
            grads = replaced(name, hook(self.cell, grads, self.output_grads), grads, outputs)
        return grads
