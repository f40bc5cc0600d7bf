"""Names of mindspore._extends that programs and packages import."""
from .utils import cell_attr_register

__all__ = ["cell_attr_register"]
