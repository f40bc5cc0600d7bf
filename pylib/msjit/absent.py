"""Names of MindSpore that msjit does not support. They can be imported; when they are called they raise an error that says why.

Primitives of kernels for NPUs can be made too, and raise when they are called: networks make them for branches that other devices take.

A module gets them by `__getattr__ = absent.attributes(__name__)`; names that the module defines take precedence. tests/tools/api_names.py
reads the same table.
"""

REASONS = {
    "communication": "it is a way to communicate between processes that is not offered; docs/parallel.md names those that are",
    "device": "it is a kernel for NPUs or GPUs, or manages their memory and streams",
    "sparse": "gradients and the state of optimizers are dense here, and there are no tables of hashes",
    "compiler": "it is a part of MindSpore's graph compiler, or registers kernels with it",
    "gradient kernel": "it is the kernel of a gradient; gradients are made of operators here (msjit.grad)",
    "unwritten": "it is not written yet",
}

_COMMUNICATION = """BatchISendIRecv NeighborExchange NeighborExchangeV2 Pull Push Reshard
    TCPStore all_gather_matmul matmul_reduce_scatter reshard set_comm_ops_inplace get_ckpt_path_with_strategy"""

_DEVICE = """ApplyRotaryPosEmb DumpGradient DynamicGRUV2 DynamicRNN FusedAdaFactor FusedAdaFactorWithGlobalNorm
    FusedWeightScaleApplyMomentum GetNext GroupTopk RNNTLoss TensorDump BatchToSpaceNDV2 BasicLSTMCell
    batch_norm_elemt batch_norm_gather_stats_with_counts batch_norm_stats conv_tbc
    fused_infer_attention_score lightning_indexer moe_distribute_combine moe_distribute_dispatch
    moe_init_routing_v2 multi_scale_deformable_attn_function npu_gelu nsa_compress nsa_compress_attention
    nsa_select_attention ring_attention_update rotated_iou sparse_flash_attention
    speed_fusion_attention tensordump MemPool PluggableAllocator StreamLimitCtx
    FlopsUtilizationCollector TrainFaultTolerance UntypedStorage EnvProfiler"""

_SPARSE = """SparseGatherV2 MapCacheIdx MapUniform ScatterNonAliasingAdd
    Sparse make_map_parameter row_tensor_add"""

_COMPILER = """AiCPURegOp AkgAscendRegOp AkgGpuRegOp CpuRegOp CustomOpBuilder GeSwitch J Merge
    PyExecute ScalarToArray SelectView SliceGetItem TBERegOp UpdateState arg_dtype_cast arg_handler array_reduce
    cpp_create_prim_instance_helper deprecated embed env_get environ_add environ_create environ_get
    environ_set geswitch get_vm_impl_fn hastype iter_converter kernel merge ms_hasnext
    ms_kernel ms_next op_info_register  ref_to_embed switch
    switch_layer tensor_operator_registry vm_impl_registry GraphExecutor_ JitExecutor_ PyNativeExecutor_ cells_compile_cache
    PrimitiveFunction_ Primitive_ Validator ParamInfo TensorPy_ get_func ms_compile_cache init_pipeline
    init_exec_dataset jit_forbidden_register flops_collection dump_func_graph"""

_UNWRITTEN = """SparseMatrixOrderingAMD SparseSplit Sspaddmm
    MsDispatchMode
    SummaryLandscape MapParameter ConvertNetUtils ConvertModelUtils DSDMatmul MatmulDDS"""

_TABLE = {}
for _reason, _names in (("communication", _COMMUNICATION), ("device", _DEVICE), ("sparse", _SPARSE),
                        ("compiler", _COMPILER), ("unwritten", _UNWRITTEN)):
    _TABLE.update(dict.fromkeys(_names.split(), _reason))


def reason_of(name):
    """A key of REASONS for a name that is not supported, or None."""
    return _TABLE.get(name)


class Absent(type):
    """A class whose calls and attributes raise. It can be a base class and an argument of isinstance()."""

    def _raise(cls):
        raise NotImplementedError("[%s] %s is not offered: %s" % (cls.__name__, cls._where, cls._why))

    def __call__(cls, *args, **kwargs):
        cls._raise()

    def __getattr__(cls, name):
        if name[:2] == "__":
            raise AttributeError(name)
        cls._raise()


class AbsentPrimitive(Absent):
    """A class of primitives without a kernel: it can be made, with any attributes, and its calls raise."""

    def __call__(cls, *args, **kwargs):
        return type.__call__(cls, *args, **kwargs)


def _begin(self, *args, **kwargs):
    from .ops.primitive import Primitive
    Primitive.__init__(self)
    for name, value in kwargs.items():
        self.add_prim_attr(name, value)


def absent(module, name, why):
    """The class that stands for a name of a module."""
    inside = {"__module__": module, "_where": "%s.%s" % (module, name), "_why": why, "__doc__": "Not offered: %s." % why}
    if why != REASONS["device"] or not name[:1].isupper() or not module.startswith(__package__ + ".ops"):
        return Absent(name, (), inside)
    from .ops.primitive import Primitive
    inside.update(__init__=_begin, __call__=lambda self, *inputs, **named: type(self)._raise())
    return AbsentPrimitive(name, (Primitive,), inside)


def names(module, text, why):
    """A dict of such classes, of the names in a text."""
    return {name: absent(module, name, why) for name in text.split()}


def attributes(module, find=reason_of):
    """Makes the `__getattr__` of a module: it gives an Absent for each name for which find(name) gives a key of REASONS."""
    made = {}

    def __getattr__(name):
        if name not in made:
            reason = None if name[:2] == "__" else find(name)
            if reason is None:
                raise AttributeError("module %r has no attribute %r" % (module, name))
            made[name] = absent(module, name, REASONS[reason])
        return made[name]
    return __getattr__
