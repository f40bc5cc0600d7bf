"""DebugHook: what is called with the columns of a row between the operations of map."""
from abc import ABC, abstractmethod


class DebugHook(ABC):
    """Base class: a subclass has compute(args), which is given the tuple of the columns and changes nothing of the row.

    It may stand among the operations of map, or in debug_hook_list of config.set_debug_mode."""

    def __init__(self, prev_op_name=None):
        self.prev_op_name, self.is_first_op = prev_op_name, False

    @abstractmethod
    def compute(self, *args):
        """Looks at the columns."""

    def __call__(self, *args):
        if self.prev_op_name is not None:
            print("[Dataset debugger] Print the [%s] of the operation [%s]."
                  % ("INPUT" if self.is_first_op else "OUTPUT", self.prev_op_name), flush=True)
        self.compute(args)
        return args
