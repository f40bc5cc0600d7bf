"""Collective communication of a single process."""
from .management import GlobalComm, get_group_size, get_local_rank, get_rank, init, release

__all__ = ["GlobalComm", "get_group_size", "get_local_rank", "get_rank", "init", "release"]
