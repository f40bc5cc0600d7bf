"""msjit: MindSpore-style tensors, networks and gradients, with a bytecode JIT for CPython."""
from . import _native  # noqa: I001 - first, so that a missing extension is reported plainly
from . import _paths
from ._native import CompileError, InternalError
from . import autograd, common, context, explain as _explain_module, importer, jit as _jit_module, nn, ops, optim
from . import serialization
from .common import methods
from .autograd import _no_grad, get_grad, grad, jacfwd, jacrev, jvp, no_grad, value_and_grad, vjp
from .custom_function import _Function
from .function_transforms import vmap
from .common import Parameter, ParameterTuple, Tensor, dtype, get_seed, mutable, set_seed, tensor
from .common.dtype import (  # noqa: F401
    DType, TensorType, Type, bfloat16, bool_, double, dtype_to_nptype, dtype_to_pytype, float16, float32, float64,
    float_, half, int16, int32, int64, int8, int_, pytype_to_dtype, single, string, tensor_type, uint8,
)
from .common.initializer import initializer
from .common.tensor import from_dlpack, from_numpy, is_tensor, to_dlpack
from .config import config
from .context import (
    COMPATIBLE, GRAPH_MODE, LAX, PYNATIVE_MODE, STRICT, ParallelMode, get_auto_parallel_context, get_context,
    reset_auto_parallel_context, set_auto_parallel_context, set_context, set_device, set_ps_context,
)
from .explain import explain, report, reset, stats
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
_native._msjit.set_tensor_initializer(lambda shape, dtype, init: initializer(init, shape, dtype))
ms_function, ms_class = jit, jit_class
has_jit, no_jit_reason = _native._msjit.has_jit, getattr(_native._msjit, "no_jit_reason", "")
__version__ = "0.1.0"

# Loaded at the first use, so that `import msjit` stays quick.
_LAZY = {"amp", "boost", "communication", "dataset", "experimental", "log", "mindrecord", "mint", "numpy", "parallel", "profiler",
         "rewrite", "testing", "train", "utils", "alias", "cli"}
_LAZY_NAMES = {"Profiler": "profiler", "RowTensor": "common.row_tensor", "SummaryRecord": "train.summary", "SummaryCollector": "train.summary"}
_LAZY_NAMES.update(dict.fromkeys((
    "BackupAndRestore", "DatasetHelper", "OnRequestExit", "connect_network_with_dataset", "data_sink", "Model", "Callback", "LossMonitor", "TimeMonitor", "CheckpointConfig", "ModelCheckpoint", "EarlyStopping", "History",
    "LambdaCallback", "LearningRateScheduler", "ReduceLROnPlateau", "RunContext", "DynamicLossScaleManager",
    "FixedLossScaleManager", "LossScaleManager", "build_train_network"), "train"))


def __getattr__(name):
    import importlib
    if name in _LAZY:
        return importlib.import_module("." + name, __name__)
    if name in _LAZY_NAMES:
        return getattr(importlib.import_module("." + _LAZY_NAMES[name], __name__), name)
    raise AttributeError("module 'msjit' has no attribute %r" % name)


def set_recursion_limit(recursion_limit=1000):
    """Bounds the recursion of MindSpore's compiler, which this one does without: the number is checked and forgotten."""
    if isinstance(recursion_limit, bool) or not isinstance(recursion_limit, int):
        raise TypeError("[set_recursion_limit] recursion_limit, got %s, expected an int" % type(recursion_limit).__name__)
    if recursion_limit <= 0:
        raise ValueError("[set_recursion_limit] recursion_limit, got %d, expected above 0" % recursion_limit)


def lazy_inline(fn=None, attrs=None, policy=None):
    """Accepted for compatibility."""
    return fn if fn is not None else (lambda decorated: decorated)
