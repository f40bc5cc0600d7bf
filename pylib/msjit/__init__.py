"""msjit: MindSpore-style tensors, networks and gradients, with a bytecode JIT for CPython."""
from . import _native  # noqa: I001 - first, so that a missing extension is reported plainly
from . import _paths
from ._native import CompileError, InternalError
from . import absent, autograd, common, context, explain as _explain_module, importer, jit as _jit_module, nn, ops, optim
from . import serialization
from .common import methods
from .autograd import _no_grad, get_grad, grad, no_grad, value_and_grad
from .custom_function import _Function
from .function_transforms import jacfwd, jacrev, jvp, vjp, vmap
from .common import Parameter, ParameterTuple, Tensor, dtype, get_seed, mutable, set_seed, tensor
from .common.dtype import (  # noqa: F401
    DType, TensorType, Type, bfloat16, bool_, byte, cdouble, cfloat, complex64, complex128, double, dtype_to_nptype,
    Int, dtype_to_pytype, float16, float32, float64, float8_e4m3fn, float8_e5m2, float_, get_py_obj_dtype, half, hifloat8, int16, int32, int64, int8, int_, intc, intp, list_, long, number, pytype_to_dtype, qint4x2, short,
    single, string, tensor_type, tuple_, type_none, ubyte, uint, uint8, uint16, uint32, uint64, uintc, uintp, ushort,
)
from .common.initializer import initializer
from .common.tensor import TensorDescription, from_dlpack, from_numpy, frombuffer, is_tensor, swap_tensors, to_dlpack
from .config import config
from .context import (
    COMPATIBLE, GRAPH_MODE, LAX, PYNATIVE_MODE, STRICT, ParallelMode, get_auto_parallel_context, get_context, get_current_device,
    reset_auto_parallel_context, set_auto_parallel_context, set_context, set_deterministic, set_device, set_ps_context,
)
from .explain import explain, report, reset, stats
from .first_use import kept as _kept
from .importer import install, skip, uninstall
from .jit import JitConfig, jit, jit_class
from .nn.recompute import recompute
from .serialization import (
    async_ckpt_thread_status, ckpt_to_safetensors, export, load, load_checkpoint, load_checkpoint_async,
    load_param_into_net, safetensors_to_ckpt, save_checkpoint,
)

methods.bind()
for _path in (__path__, common.__path__, nn.__path__, ops.__path__, optim.__path__):
    _paths.extend(_path)
_native._msjit.set_tensor_initializer(
    lambda shape, dtype, init: TensorDescription(shape, dtype) if init is None else initializer(init, shape, dtype))
ms_function, ms_class = jit, jit_class
has_jit, no_jit_reason = _native._msjit.has_jit, getattr(_native._msjit, "no_jit_reason", "")
__version__ = "0.1.0"

_absent = absent.attributes(__name__)  # for names of MindSpore that are not supported

# Loaded at the first use, so that `import msjit` stays quick.
_LAZY = {"amp", "boost", "communication", "dataset", "device_context", "experimental", "graph", "hal", "log", "mindrecord", "mint",
         "multiprocessing", "numpy", "parallel", "profiler", "psjit", "quantization", "rewrite", "runtime", "scipy", "testing", "train", "utils", "version",
         "alias", "cli"}
_LAZY_NAMES = {"Profiler": "profiler", "RowTensor": "common.row_tensor", "SummaryRecord": "train.summary",
               "SummaryCollector": "train.summary"}
_LAZY_NAMES.update(dict.fromkeys((
    "BackupAndRestore", "DatasetHelper", "OnRequestExit", "connect_network_with_dataset", "data_sink", "Model", "Callback", "LossMonitor", "TimeMonitor", "CheckpointConfig", "ModelCheckpoint", "EarlyStopping", "History",
    "LambdaCallback", "LearningRateScheduler", "ReduceLROnPlateau", "RunContext", "DynamicLossScaleManager",
    "FixedLossScaleManager", "LossScaleManager", "build_train_network", "Accuracy", "BleuScore", "ConfusionMatrix", "ConfusionMatrixMetric", "HausdorffDistance",
    "MeanSurfaceDistance", "OcclusionSensitivity", "RootMeanSquareDistance",
    "CosineSimilarity", "Dice", "F1", "Fbeta", "Loss", "MAE", "MSE", "Metric",
    "Perplexity", "Precision", "ROC", "Recall", "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy", "TopKCategoricalAccuracy", "auc", "get_metric_fn", "names", "rearrange_inputs"), "train"))
_LAZY_NAMES.update(dict.fromkeys((
    "Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"), "common.generator"))
_LAZY_NAMES.update(dict.fromkeys((
    "communication_stream", "current_stream", "default_stream", "dispatch_threads_num", "empty_cache", "launch_blocking",
    "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats", "memory_summary",
    "reset_max_memory_allocated", "reset_max_memory_reserved", "reset_peak_memory_stats", "set_cpu_affinity", "set_memory",
    "synchronize", "DeviceCtx", "Event", "MemPool", "Stream", "StreamCtx", "StreamLimitCtx", "set_cur_stream"), "hal"))
_LAZY_NAMES.update(dict.fromkeys(("Symbol", "enable_dynamic", "ms_memory_recycle", "no_inline", "set_dump"), "graph_hints"))
_LAZY_NAMES.update(dict.fromkeys("""Cifar100ToMR Cifar10ToMR CsvToMR FAILED FileReader FileWriter ImageNetToMR MindPage MnistToMR SUCCESS
    TFRecordToMR set_dec_mode set_enc_key set_enc_mode""".split(), "mindrecord"))
_LAZY_NAMES.update(dict.fromkeys(("saved_tensors_hooks", "register_saved_tensors_hooks"), "saved_tensors"))
_LAZY_NAMES.update({"get_ps_context": "context", "reset_ps_context": "context", "constexpr": "ops"})
_LAZY_NAMES.update(dict.fromkeys(("sdc_detect_start", "sdc_detect_stop", "get_sdc_detect_result"), "utils"))
_LAZY_NAMES.update({"get_level": "log", "get_log_config": "log", "run_check": "utils"})
_LAZY_NAMES.update(dict.fromkeys(("COOTensor", "CSRTensor", "SparseTensor"), "common.sparse_tensor"))
_LAZY_NAMES.update(dict.fromkeys(("Node", "NodeType", "ScopedValue", "SymbolTree"), "rewrite"))
_PARALLEL = {"Layout", "build_searched_strategy", "get_algo_parameters", "load_distributed_checkpoint", "load_segmented_checkpoints",
             "merge_pipeline_strategys", "merge_sliced_parameter", "parameter_broadcast", "rank_list_for_transform",
             "reset_algo_parameters", "restore_group_info_list", "set_algo_parameters", "shard", "sync_pipeline_shared_parameters",
             "transform_checkpoint_by_rank", "transform_checkpoints", "unified_safetensors", "rank_list_for_convert",
             "convert_checkpoints", "convert_checkpoint_by_rank", "set_op_strategy_config"}


@_kept
def __getattr__(name):
    import importlib
    if name in _LAZY:
        return importlib.import_module("." + name, __package__)
    if name in _LAZY_NAMES:
        return getattr(importlib.import_module("." + _LAZY_NAMES[name], __package__), name)
    if name in ("bool", "int", "float", "QuantDtype"):
        return getattr(dtype, name)
    if name in _PARALLEL:
        return getattr(importlib.import_module(".parallel", __package__), name)
    return _absent(name)


def set_recursion_limit(recursion_limit=1000):
    """Bounds the recursion of MindSpore's compiler. Here the number is only checked: this compiler does not recurse."""
    if isinstance(recursion_limit, bool) or not isinstance(recursion_limit, int):
        raise TypeError("[set_recursion_limit] recursion_limit, got %s, expected an int" % type(recursion_limit).__name__)
    if recursion_limit <= 0:
        raise ValueError("[set_recursion_limit] recursion_limit, got %d, expected above 0" % recursion_limit)


def lazy_inline(fn=None, attrs=None, policy=None):
    """Decorates the __init__ of a Cell: sets cell_init_args to a text of the class and its arguments, or of the attributes `attrs` (a
    name or a list of names). Nothing else changes, as graphs are not copied into each other here; `policy` is accepted.

    Raises ValueError when a Cell is made with attrs of another kind.
    """
    from ._extends.utils import records_arguments
    return records_arguments("lazy_inline_", fn, attrs)


# `from msjit import *` gives the names that are loaded on first use too, and no modules.
__all__ = sorted({name for name, value in globals().items() if name[0] != "_" and not isinstance(value, type(nn))}
                 | set(_LAZY_NAMES) | _PARALLEL | {"QuantDtype", "_Function", "_no_grad", "dtype"})
_paths.reach(__name__)
