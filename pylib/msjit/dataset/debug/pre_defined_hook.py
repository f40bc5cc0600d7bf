"""Ready-made hooks: they print the columns, or their dtypes and shapes."""
import numpy as np

from .debug_hook import DebugHook


def _print(args, text):
    value = args[0]
    for i, column in enumerate(value if isinstance(value, tuple) else (value,)):
        print("Column %d. %s" % (i, text(column)), flush=True)


class PrintDataHook(DebugHook):
    """Prints the columns."""

    def compute(self, *args):
        """Prints each column."""
        _print(args, lambda column: "The data is [%s]." % (column,))


class PrintMetaDataHook(DebugHook):
    """Prints the dtypes and shapes of the columns."""

    def compute(self, *args):
        """Prints dtype and shape of each column."""
        _print(args, lambda column: "The dtype is [%s]. The shape is [%s]." % (np.asarray(column).dtype, np.shape(column)))
