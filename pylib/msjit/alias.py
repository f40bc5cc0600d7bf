"""Lets `import NAME`, and every submodule path of it, mean msjit: install("mindspore")."""
import importlib
import sys
from importlib.machinery import ModuleSpec

# Module paths of MindSpore whose contents have another path here.
_MOVED = {
    "train.serialization": "serialization",
    "common.Tensor": "common.tensor",
    "_c_expression.typing": "common.type_kinds",
    "_check_jit_forbidden_api": "common.jit_forbidden",
    "graph._utils.check_jit_forbidden_api": "common.jit_forbidden",
    "nn.optim": "optim",
    "train.amp": "amp",
    "train.loss_scale_manager": "amp",
    "nn.wrap.loss_scale": "nn.wrap_scaled",
    "numpy.fft": "numpy_func.fft",
    "graph.lazy_inline": "",
    "nn.learning_rate_schedule": "nn.dynamic_lr",
    "nn.loss.loss": "nn.loss",
    "ops.composite.base": "ops.composite",
    "ops.composite.multitype_ops": "ops.multitype_ops",
    "mint.nn.functional": "mint.functional",
    "dataset.engine": "dataset",
    "dataset.engine.datasets": "dataset",
    "dataset.engine.samplers": "dataset.samplers",
    "dataset.core": "dataset",
    "dataset.core.config": "dataset.config",
    "dataset.engine.iterators": "dataset.core",
    "dataset.text.utils": "dataset.text",
    "nn.layer.thor_layer": "nn.thor_layer",
    "nn.layer.rnns": "nn.rnn",
    "nn.optim.thor": "nn.thor_layer",
    "nn.metrics": "train.metrics",
    "nn.sparse": "nn",
    "graph._utils.pijit_context": "common._pijit_context",
    "graph._utils.cell_attr_register": "_extends.utils",
    "graph._parse.compile_config": "_extends.parse.compile_config",
    "nn.utils.init": "nn.utils",
    "common.hook_handle": "nn.hooks",
    "common.recompute": "nn.recompute",
    "graph.api": "common.api",
    "graph.jit_config": "common.jit_config",
    "ops.function.comm_func": "ops.communication",
    "rewrite.api": "rewrite",
    "graph._utils.monad": "_extends.parse.compile_config",
    "common._monad": "_extends.parse.compile_config",
    "ops.extend": "mint",
    "ops.extend.array_func": "mint",
    "ops.extend.math_func": "mint",
    "ops.extend.nn_func": "mint.functional",
    "ops.op_info_register": "ops",
    "ops.vm_impl_registry": "ops",
    "ops._utils.utils": "ops._utils",
    "common.mutable": "common.tensor",
    "common.np_dtype": "common.dtype",
    "common.lazy_inline": "",
    "common._grad_function": "custom_function",
    "common._register_for_tensor": "common.api",
    "experimental.optim.optimizer": "experimental.optim",
    "profiler.profiler": "profiler",
    "mint.nn.layer": "mint.nn",
    "mint.distributed.distributed": "mint.distributed",
    "nn.grad": "nn",
    "nn.grad.cell_grad": "nn",
    "graph.mutable": "",
    "graph.no_inline": "graph_hints",
    "graph.symbol": "graph_hints",
    "graph.dynamic_shape.enable_dynamic": "graph_hints",
    "common.no_inline": "graph_hints",
    "common.symbol": "graph_hints",
    "common.dump": "graph_hints",
    "common.dynamic_shape": "graph_hints",
    "common.dynamic_shape.enable_dynamic": "graph_hints",
    "common._decorator": "common.api",
    "common.device": "hal",
    "nn.sparse.sparse": "nn",
    "train.data_sink": "train",
    "train._utils": "train.shared",
    "train.summary.summary_record": "train.summary",
    "mindrecord.config": "mindrecord",
    "mindrecord.mindpage": "mindrecord",
    "mindrecord.tools": "mindrecord",
    "ops.deprecated": "ops.operations",
    "device_manager": "",
    "utils.utils": "utils",
    "communication._comm_helper": "communication.management",
    "run_check": "utils",
    "run_check.run_check": "utils",
    "tools": "utils",
    "tools.sdc_detect": "utils",
    "tools.stress_detect": "utils",
    "train.train_thor.convert_utils": "train",
    "train.train_thor.dataset_helper": "train",
    "onnx": "",
    "onnx.onnx_export": "",
    "parallel.checkpoint_convert": "parallel",
    "parallel.auto_parallel": "parallel",
    "parallel.shard": "parallel.layouts",
    "parallel._auto_parallel_context": "parallel.settings",
    "parallel.parameter_broadcast": "parallel",
    "profiler.schedule": "profiler",
    "profiler.common": "profiler",
    "profiler.common.constant": "profiler",
    "train.node_strategy_pb2": "parallel.strategy_file",
    "ops._grad_experimental": "ops._utils",
    "ops._grad_experimental.grad_comm_ops": "ops._utils",
    "dataset.audio.transforms": "dataset.audio",
    "dataset.text.transforms": "dataset.text",
    "dataset.vision.transforms": "dataset.vision.transforms",
    "dataset.vision.utils": "dataset.vision",
    "dataset.transforms.transforms": "dataset.transforms",
    "dataset.transforms.py_transforms_util": "dataset.modes",
}
_MOVED.update({
    "graph._utils": "graph",
    "graph._parse": "_extends.parse",
    "graph._parse.compile_config": "_extends.parse.compile_config",
    "graph._parse.resources": "_extends.parse.resources",
    "graph._parse.trope": "_extends.parse.trope",
    "graph.dynamic_shape": "graph_hints",
    "graph._mark_deprecated": "common.api",
    "device_context.ascend.device": "device_context.ascend",
    "device_context.gpu.device": "device_context.gpu",
    "experimental.map_parameter": "experimental",
    "hal.contiguous_tensors_handle": "hal",
    "mint.nn.layer._functions": "ops.operations",
    "ops.operations.manually_defined._inner": "ops._inner_operations",
    "ops.vm_impl_registry": "ops",
    "parallel._ps_context": "parallel.ps_context",
    "parallel.function": "ops.function",
    "parallel.function.reshard_func": "ops.function",
    "parallel.transform_safetensors": "parallel.unified",
    "profiler.dynamic_profiler": "profiler_dynamic",
    "profiler.envprofiler": "profiler",
    "profiler.experimental_config": "profiler",
    "profiler.mstx": "profiler",
    "runtime.device_limit": "runtime",
    "runtime.stream_limit": "runtime",
    "scipy.optimize._bfgs": "scipy.optimize",
    "scipy.optimize._lbfgs": "scipy.optimize",
    "scipy.optimize._lagrange": "scipy.optimize",
    "tools.data_dump": "graph_hints",
    "train.train_thor.model_thor": "train",
})
_MOVED.update(("mindrecord.tools.%s_to_mr" % kind, "mindrecord") for kind in "cifar10 cifar100 csv imagenet mnist tfrecord".split())
_MOVED.update(("ops.composite.multitype_ops.%s_impl" % kind, "ops.multitype_ops") for kind in """add zeros_like ones_like bitwise_and
    bitwise_or bitwise_xor div equal floordiv getitem greater greater_equal in invert left_shift less less_equal logical_and logical_not
    logical_or mod mul negative not_equal not_in pow right_shift setitem sub uadd""".split())
_MOVED.update(("rewrite.api." + part, "rewrite") for part in "node node_type scoped_value symbol_tree pattern_engine".split())
_MOVED.update(("parallel.nn." + part, "parallel.nn") for part in "parallel_cell_wrapper parallel_grad_reducer".split())
_MOVED.update(dict.fromkeys(("ops.operations.%s_ops" % kind for kind in """_grad _inner _infer _scalar _sequence _quant
    _rl_inner _thor _embedding_cache _map_tensor _ocr _sparse_grad control reshard""".split()),
                            "ops._inner_operations"))
# Packages of MindSpore that are one module here: {package: its modules}.
_WHOLE = {
    "ops.function": """array_func clip_func debug_func fft_func grad image_func linalg_func math_func nn_func other_func
        parameter_func random_func reshard_func sparse_func sparse_unary_func spectral_func vmap_func grad.grad_func""",
    "ops.operations": """array_ops comm_ops custom_ops debug_ops image_ops inner_ops linalg_ops manually_defined math_ops nn_ops
        other_ops random_ops sparse_ops spectral_ops _csr_ops
        manually_defined.ops_def""",
    "ops.composite": "base math_ops array_ops random_ops clip_ops env_ops vmap_impl",
    "ops.auto_generate": """gen_ops_def gen_ops_prim gen_arg_handler gen_arg_dtype_cast gen_enum_def gen_extend_func
        pyboost_inner_prim cpp_create_prim_instance_helper""",
    "numpy": "array_creations array_ops dtypes logic_ops math_ops utils utils_const",
    "hal": "device event memory stream",
    "runtime": "device event executor memory stream thread_bind_core",
    "parallel": "algo_parameter_config checkpoint_transform _cost_model_context _tensor",
    "mint.nn.layer": "activation basic conv normalization padding pooling",
    "mint.optim": "adam adamw fused_adamw sgd",
    "experimental.optim": "adadelta adagrad adam adamax adamw asgd nadam radam rmsprop rprop sgd",
    "nn.probability.bijector": "bijector exp gumbel_cdf invert power_transform scalar_affine softplus",
    "nn.probability.bnn_layers": "bnn_cell_wrapper conv_variational dense_variational layer_distribution",
    "nn.probability.distribution": """bernoulli beta categorical cauchy distribution exponential gamma geometric gumbel half_normal laplace
        log_normal logistic normal poisson student_t transformed_distribution uniform""",
    "boost": "adasum base boost boost_cell_wrapper dim_reduce grad_freeze group_loss_scale_manager less_batch_normalization",
    "mindrecord": "filereader filewriter",
    "dataset.callback": "ds_callback",
    "dataset.utils": "browse_dataset",
    "device_context.cpu": "device",
    "scipy.optimize": "line_search linear_sum_assignment minimize",
    "utils": "ms_dispatch sdc_detect stress_detect",
    "train": "train_thor",
}
for _package, _parts in _WHOLE.items():
    _MOVED.update(("%s.%s" % (_package, _part), _package) for _part in _parts.split())
# Packages of MindSpore that are divided into other modules here. A path below one is the module of that name here, or else the whole package.
_REGROUPED = {"nn.layer": "nn", "nn.optim": "optim", "nn.wrap": "nn.wrap", "nn.loss": "nn.loss",
              "train.metrics": "train.metrics", "train.callback": "train.callback", "dataset.engine": "dataset"}


def _module_of(rest, package):
    """The name of the module that a path of MindSpore stands for."""
    if rest in _MOVED:
        return ("%s.%s" % (package, _MOVED[rest])).rstrip(".")
    head, _, tail = rest.rpartition(".")
    if head not in _REGROUPED:
        return "%s.%s" % (package, rest)
    base = "%s.%s" % (package, _REGROUPED[head])
    if _REGROUPED[head] == head:  # one module here
        return base
    return base + "." + tail if _spec_of(base + "." + tail) is not None else base


def _spec_of(name):
    from importlib.util import find_spec  # brings `typing` and `re` on 3.9
    try:
        return find_spec(name)
    except ModuleNotFoundError:
        return None


class _AliasLoader:
    def __init__(self, target):
        self._target = target

    def create_module(self, spec):
        module = importlib.import_module(self._target)
        self._spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self._spec  # importlib put the alias's own there


class AliasFinder:
    """Meta path finder of one alias."""

    def __init__(self, alias, package="msjit"):
        self.alias, self.package = alias, package

    def find_spec(self, name, path=None, target=None):
        """Spec of the module that `name` stands for."""
        if name == self.alias:
            real = self.package
        elif name.startswith(self.alias + "."):
            rest = name[len(self.alias) + 1:]
            real = _module_of(rest, self.package)
        else:
            return None
        found = _spec_of(real)
        if found is None:
            return None
        return ModuleSpec(name, _AliasLoader(real), origin=found.origin,
                          is_package=found.submodule_search_locations is not None)

    def invalidate_caches(self):
        """Nothing is cached here."""


class OwnPaths(AliasFinder):
    """Finds MindSpore's paths below msjit itself, such as `msjit.nn.optim`; asked after all other finders."""

    def find_spec(self, name, path=None, target=None):
        """Spec of the module that stands under another name."""
        rest = name[len(self.alias) + 1:]
        if not name.startswith(self.alias + ".") or _module_of(rest, self.package) == name:
            return None
        return super().find_spec(name, path, target)


def install(alias):
    """Makes `import alias` mean msjit from now on. Modules imported under that name before are dropped from sys.modules.

    Under MindSpore's own name `__version__` is the version of MindSpore whose API msjit has, as programs choose names and arguments by it.
    Raises ValueError if alias is not the name of a module.
    """
    if not isinstance(alias, str) or not alias.isidentifier():
        raise ValueError("[alias] expected the name of a module, got %r" % (alias,))
    if any(isinstance(f, AliasFinder) and f.alias == alias for f in sys.meta_path):
        return
    for name in list(sys.modules):
        if name == alias or name.startswith(alias + "."):
            del sys.modules[name]
    sys.meta_path.insert(0, AliasFinder(alias))
    if alias == "mindspore":
        from . import version
        sys.modules[__package__].__version__ = version.__version__
