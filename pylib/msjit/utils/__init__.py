"""mindspore.utils: DLPack; checks of machines and of their clusters, which raise when they are called."""
from ..absent import names as _absent_names
from ..common.tensor import from_dlpack, to_dlpack  # noqa: F401

globals().update(_absent_names(__name__, """stress_detect ExitByRequest runtime_execution_order_check comm_exec_order_check sdc_detect_start
    sdc_detect_stop get_sdc_detect_result RSCPluginHandle TFTCommValue MsDispatchMode""", "it is about clusters of Ascend machines"))
__all__ = [name for name in globals() if name[0] != "_"]
