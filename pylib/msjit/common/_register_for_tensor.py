"""Functions that MindSpore's Tensor methods look up by name."""


class Registry:
    """Looks a name up: what has been registered under it, else the function of msjit.ops, else the method of Tensor."""

    def register(self, name, function):
        """Keeps a function under a name."""
        setattr(self, name, function)

    def get(self, name):
        """The function of a name. Raises TypeError for a name that is no str, AttributeError if there is no such function."""
        if not isinstance(name, str):
            raise TypeError("[tensor_operator_registry] name must be a str, got %s" % type(name).__name__)
        return getattr(self, name)

    def __getattr__(self, name):
        from .. import Tensor, ops
        found = None if name.startswith("__") else getattr(ops, name, None) or getattr(Tensor, name, None)
        if found is None:
            raise AttributeError("[tensor_operator_registry] no function is registered as %r" % (name,))
        return found


tensor_operator_registry = Registry()
