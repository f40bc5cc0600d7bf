"""Names of mindspore.common._stub_tensor."""
from .tensor import Tensor  # noqa: F401


class StubTensor:
    """In MindSpore, the result of an operator that is still running. Here no object is one."""


def is_stub_tensor(value):
    """Whether a value is one: False."""
    return isinstance(value, StubTensor)


__all__ = ["StubTensor", "is_stub_tensor"]
