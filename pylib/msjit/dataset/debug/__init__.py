"""Hooks that inspect rows between the operations of map; see config.set_debug_mode. mindspore.dataset.debug's names."""
from .debug_hook import DebugHook
from .pre_defined_hook import PrintDataHook, PrintMetaDataHook

__all__ = ["DebugHook", "PrintDataHook", "PrintMetaDataHook"]
