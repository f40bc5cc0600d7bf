"""JitConfig under MindSpore's path."""
from ..jit import JitConfig

__all__ = ["JitConfig"]
