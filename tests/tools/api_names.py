"""usage: api_names.py [--check] | api_names.py --read PYTHON

Compares the names that msjit has with MindSpore's, namespace by namespace, and writes docs/api.md: how many there are, and for
each that msjit lacks or refuses the reason. --check only compares the page. MindSpore itself is not needed: its names stand in
tests/oracle/mindspore_names.txt, which --read writes with an interpreter that has it.
"""
import collections
import importlib
import pathlib
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ROOT / "tests/oracle/mindspore_names.txt"
PAGE = ROOT / "docs/api.md"
HEAD = """# MindSpore's names in msjit

Written by `tests/tools/api_names.py`; do not edit. Counted are the public names of mindspore %s. *Refused* names can be imported
and raise NotImplementedError, with the reason, when they are called; *left out* ones do not exist here.
"""

# Names that msjit has not, where the reason is not that of the whole namespace: {namespace or "*": {reason: names}}.
LEFT_OUT = {
    "*": {
        "types of MindSpore's graph, which no tensor has":
            """AnythingType Bool CSRTensorType Dict Ellipsis_ EnvType Float FunctionType Int List MsClassType NoneType RefType Slice
            String Tuple coo_tensor csr_tensor env_type function index_slices isfunction np_dtype_valid symbolic_key type_refkey type_type undetermined prim_type""",
        "a part of MindSpore's compiler or of its build":
            """ARG_SPECIFIED BROADCAST_PHASE ENABLE_DYNAMIC PIJitCaptureContext PythonCOOTensor PythonCSRTensor PythonRowTensor
            PythonTensor TOTAL_ARG_LEN attr_op entry_script_path entry_script_path_dir function_phases
            get_auto_dynamic_shape_args get_curr_amp_strategy is_shape_unknown is_stub_tensor jit_context mark_deprecated
            sys_path update_auto_dynamic_shape_phase verify_inputs_signature is_reboot_node np_types DeviceManagerConf
            PARAMETER_NAME_DEFAULT PARAMETER_NAME_PREFIX_MAX_LEN auto_parallel_context init_to_value
            SUPPORTED_TUPLE_IN_TUPLE_STRATEGY recompute_block tail zip_operation distribute delta_seed index_of_parent_ set_dtype
            Tensor_ mindio_preload ms_memory_recycle
            load_mindir save_mindir export_split_mindir obfuscate_ckpt load_obf_params_into_net memory_replay
            ConvertModelUtils ConvertNetUtils get_level get_log_config run_check UntypedStorage set_deterministic""",
        "what a module of MindSpore has imported for itself":
            """Any Callable Dict List NamedTuple Optional OrderedDict Union absolute_import lru_cache namedtuple wraps reduce repeat
            Iterable get_seed get_group_size get_rank copy Parameter Tensor constexpr initializer mutable RowTensor""",
        "devices other than the CPU, their streams, memory and clusters":
            """DeviceCtx PluggableAllocator get_device_limit get_stream_limit reset_stream_limit set_device_limit
            set_kernel_launch_capture set_kernel_launch_group set_mindio_server_info set_stream_limit use_mem_pool
            TrainFaultTolerance get_ckpt_path_with_strategy AicoreMetrics EnvProfiler ExportType
            HostSystem ProfilerActivity ProfilerLevel mstx profile schedule tensorboard_trace_handler""",
        "not written yet":
            """FlopsUtilizationCollector OcclusionSensitivity SummaryLandscape frombuffer
            expanded_shape infer_out_shape max_ min_ once_sequence prepare_shape_for_squeeze triple_sequence tuple_slice
            twice_sequence AvgPool1d MaxUnpool2d SyncBatchNorm UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad3d
            flops_collection identity""",
    },
    "multiprocessing": {"newer than Python 3.7": "parent_process"},
}

READER = """
import importlib, inspect, re, sys, warnings
warnings.simplefilter("ignore")
import mindspore
print("version", mindspore.__version__)
EXTRA = ("ops", "common.api", "common.dtype", "common.tensor", "common.parameter", "common.initializer")
for space in sys.argv[1:]:
    if space == "Tensor":
        module, names = mindspore.Tensor, dir(mindspore.Tensor)
    else:
        module = mindspore if space == "mindspore" else importlib.import_module("mindspore." + space)
        names = set(getattr(module, "__all__", ())) or dir(module)
        names = set(names) | set(dir(module) if space in EXTRA else ())
    kept = [n for n in sorted(set(names)) if re.match(r"[A-Za-z]\\w*$", n) and hasattr(module, n)
            and not inspect.ismodule(getattr(module, n))]
    print("names", space, *kept)
"""
SPACES = """mindspore Tensor ops ops.operations ops.functional ops.composite ops.function ops.auto_generate ops.primitive
    ops._primitive_cache ops._utils mint mint.nn mint.nn.functional mint.linalg mint.special mint.optim mint.distributed numpy common
    common.api common.dtype common.tensor common.parameter common.initializer common.jit_config common.generator hal runtime
    multiprocessing parallel profiler _checkparam""".split()


def read(python):
    """Writes NAMES with an interpreter that has MindSpore."""
    run = subprocess.run([python, "-c", READER] + SPACES, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    out = []
    for line in run.stdout.decode().splitlines():
        if line.startswith("version "):
            out.append(line)
        elif line.startswith("names "):
            space, names = line[6:].split(" ", 1)
            out += ["", "[%s]" % space] + textwrap.wrap(names, 126, break_long_words=False)
    NAMES.write_text("\n".join(out) + "\n")


def stored():
    """(version, {namespace: names})"""
    spaces, space, version = collections.OrderedDict(), None, ""
    for line in NAMES.read_text().splitlines():
        if line.startswith("version "):
            version = line.split()[1]
        elif line.startswith("["):
            space = spaces.setdefault(line[1:-1], [])
        else:
            space.extend(line.split()) if line else None
    return version, spaces


def module_of(space):
    import msjit
    if space == "Tensor":
        return msjit.Tensor
    return msjit if space == "mindspore" else importlib.import_module("msjit." + space)


def left_out(space):
    """{name: reason} of the names that a namespace may lack."""
    found = {}
    for key in ("*", space):
        for reason, names in LEFT_OUT.get(key, {}).items():
            found.update(dict.fromkeys(names.split(), reason))
    return found


def compare(space, names):
    """(number of names offered, {reason: refused names}, {reason: names left out}, names without a reason)"""
    from msjit import absent
    module, known = module_of(space), left_out(space)
    offered, refused, left, unknown = 0, collections.defaultdict(list), collections.defaultdict(list), []
    for name in names:
        value = getattr(module, name, absent)
        if value is absent:
            known.get(name) and left[known[name]].append(name)
            name in known or unknown.append(name)
        elif isinstance(value, absent.Absent):
            refused[value._why].append(name)
        elif space == "Tensor" and str(getattr(value, "__doc__", "")).startswith("Not offered: "):
            refused[value.__doc__[len("Not offered: "):-1]].append(name)
        else:
            offered += 1
    return offered, refused, left, unknown


def page():
    version, spaces = stored()
    rows, details, unexplained = [], [], []
    for space, names in spaces.items():
        offered, refused, left, unknown = compare(space, names)
        count = len(names)
        rows.append("| `%s` | %d | %d | %d | %d |" % (space, count, offered, sum(map(len, refused.values())),
                                                      sum(map(len, left.values())) + len(unknown)))
        unexplained += ["%s.%s" % (space, name) for name in unknown]
        details += detail(space, "Refused", refused) + detail(space, "Left out", left)
    out = [HEAD % version, "| namespace | names | offered | refused | left out |", "| --- | --- | --- | --- | --- |"]
    return "\n".join(out + rows + ["", "## Reasons", ""] + details) + "\n", unexplained


def detail(space, what, groups):
    """A line for each reason; of ops.auto_generate, whose names are thousands, only how many there are."""
    lines = []
    for reason, names in sorted(groups.items()):
        text = "%d names" % len(names) if space == "ops.auto_generate" else ", ".join("`%s`" % n for n in names)
        lines.append("- %s `%s`: %s: %s" % (what, space, reason, text))
    return lines


def main():
    if sys.argv[1:2] == ["--read"]:
        read(sys.argv[2])
        return 0
    text, unexplained = page()
    for name in unexplained:
        print("api_names: %s has no reason; write it, or add one to LEFT_OUT or pylib/msjit/absent.py" % name)
    if sys.argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text() != text:
            print("%s: stale, run tests/tools/api_names.py" % PAGE.relative_to(ROOT))
            return 1
    else:
        PAGE.write_text(text)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
