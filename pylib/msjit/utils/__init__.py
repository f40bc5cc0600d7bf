"""mindspore.utils: DLPack; checks of machines and of their clusters, which raise when they are called."""
from .. import _paths
from ..absent import names as _absent_names
from ..common.tensor import from_dlpack, to_dlpack  # noqa: F401

globals().update(_absent_names(__name__, """stress_detect ExitByRequest runtime_execution_order_check comm_exec_order_check sdc_detect_start
    sdc_detect_stop get_sdc_detect_result RSCPluginHandle TFTCommValue MsDispatchMode""", "it is about clusters of Ascend machines"))


class _Handler:
    """MindSpore's link to the fault tolerance of clusters, of which there is none: get_tft() is None."""

    tft = None

    def init(self, **kwargs):
        """Accepted for compatibility."""

    def get_tft(self):
        """None: there is no such library."""
        return self.tft

    def unregister_tft(self):
        """Accepted for compatibility."""


_tft_handler = _Handler()


def run_check():
    """Multiplies two matrices and prints the version and whether the product is right."""
    from .. import __version__, ops
    from ..common.tensor import Tensor
    print("msjit version: %s" % __version__)
    found = ops.matmul(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])).asnumpy().tolist()
    text = "correct, msjit has been installed on platform [CPU] successfully!" if found == [[11.0]] else "wrong."
    print("The result of multiplication calculation is %s" % text)


__all__ = [name for name in globals() if name[0] != "_"]

_paths.reach(__name__)
