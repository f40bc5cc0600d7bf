"""mindspore.utils.dlpack: Tensors from and to other libraries."""
from ..common.tensor import from_dlpack, to_dlpack  # noqa: F401
