"""DebugHook: called with the columns of a row between the operations of map."""
from abc import ABC, abstractmethod


class DebugHook(ABC):
    """Base class of debug hooks: a subclass defines compute(args), which gets the tuple of the columns and does not
    change the row.

    It may stand among the operations of map, or in debug_hook_list of config.set_debug_mode.
    """

    def __init__(self, prev_op_name=None):
        self.prev_op_name, self.is_first_op = prev_op_name, False

    def set_previous_op_name(self, prev_op_name):
        """Sets the name of the operation before the hook."""
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first):
        """Sets whether the hook is before the first operation."""
        self.is_first_op = is_first

    @abstractmethod
    def compute(self, *args):
        """Inspects the columns."""

    def __call__(self, *args):
        if self.prev_op_name is not None:
            print("[Dataset debugger] Print the [%s] of the operation [%s]."
                  % ("INPUT" if self.is_first_op else "OUTPUT", self.prev_op_name), flush=True)
        self.compute(args)
        return args
