"""Names of mindspore.common._stub_tensor."""
from .tensor import Tensor  # noqa: F401


class StubTensor:
    """The result of an operator that is still running in MindSpore; nothing is one here."""


def is_stub_tensor(value):
    """Whether a value is one: False."""
    return isinstance(value, StubTensor)


__all__ = ["StubTensor", "is_stub_tensor"]
