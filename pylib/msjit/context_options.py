"""Keywords of MindSpore's set_context that change nothing here: how their values are checked, and what get_context returns for them."""
import os


def _fail(error, name, value, expected):
    raise error("[set_context] %s, got %s, expected %s" % (name, repr(value) if error is ValueError else type(value).__name__, expected))


class _Bool:
    """True or False. `shown`: what get_context returns for them, if that is something else."""

    def __init__(self, shown=None):
        self._shown = shown

    def __call__(self, name, value):
        if not isinstance(value, bool):
            _fail(TypeError, name, value, "a bool")
        return value if self._shown is None else self._shown


class _Int:
    """An int in a range; bools count."""

    def __init__(self, least, most=2147483647):
        self._least, self._most = least, most

    def __call__(self, name, value):
        if not isinstance(value, int):
            _fail(TypeError, name, value, "an int")
        if not self._least <= value <= self._most:
            _fail(ValueError, name, value, "an int of %d to %d" % (self._least, self._most))
        return int(value)


class _Text:
    """A text; with `allowed`, one of these. `shown` as in _Bool."""

    def __init__(self, shown=None, allowed=None, refused=()):
        self._shown, self._allowed, self._refused = shown, allowed, refused

    def __call__(self, name, value):
        if not isinstance(value, str):
            _fail(TypeError, name, value, "a str")
        if self._allowed is not None and value not in self._allowed or value in self._refused:
            _fail(ValueError, name, value, "one of %s" % (list(self._allowed),) if self._allowed else "another text")
        return value if self._shown is None else self._shown


def _dict(name, value):
    if not isinstance(value, dict):
        _fail(TypeError, name, value, "a dict")
    return dict(value)


def _graphs(name, value):
    """Levels 0 to 3; True is level 2."""
    if not isinstance(value, int):
        _fail(TypeError, name, value, "a bool or an int")
    if not -1 <= value <= 3:
        _fail(ValueError, name, value, "0, 1, 2 or 3")
    return 2 * value if isinstance(value, bool) else value


def _path(name, value):
    return os.path.abspath(_Text(refused=("",))(name, value))


def _memory_level(name, value):
    if value not in ("O0", "O1"):
        _fail(ValueError, name, value, "'O0' or 'O1'")
    return int(value[1])


def _anything(name, value):
    return value


# {keyword: (what get_context returns at first, a function that checks a value and returns what get_context returns from then on)}
OPTIONS = {
    "device_id": (0, _Int(0, 4095)), "max_call_depth": (1000, _Int(1)), "max_device_memory": (1024.0, _Text(1024.0)),
    "save_graphs": (0, _graphs), "save_graphs_path": (".", _path), "enable_graph_kernel": (False, _Bool()),
    "graph_kernel_flags": ("", _Text()), "enable_compile_cache": (None, _Bool()), "compile_cache_path": ("", _Text()),
    "inter_op_parallel_num": (0, _Int(0)), "runtime_num_threads": (0, _Int(0)), "disable_format_transform": (False, _Bool(False)),
    "support_binary": (False, _Bool()), "memory_optimize_level": (0, _memory_level), "ascend_config": ({}, _dict),
    "deterministic": ("ON", _Text(allowed=("ON", "OFF"))), "pynative_synchronize": (True, _Bool()), "env_config_path": ("", _Text()),
    "check_bprop": (False, _Bool()), "print_file_path": ("", _Text("")), "op_timeout": (900, _Int(0)), "mempool_block_size": (1.0, _Text(1.0)),
    "reserve_class_name_in_scope": (True, _Bool()), "variable_memory_max_size": ("0", _Text("0")), "enable_profiling": (False, _Bool()),
    "enable_reduce_precision": (True, _Bool(True)), "debug_level": (0, _Int(0, 1)), "exec_order": ("bfs", _Text(allowed=("bfs", "dfs"))),
    "gpu_config": ({}, _dict), "aoe_tune_mode": ("", _Text(allowed=("online", "offline"))),
    # Of older releases, which take more.
    "memory_offload": ("OFF", _anything), "precompile_only": (False, _anything), "enable_sparse": (False, _anything),
    "grad_for_scalar": (False, _anything), "enable_dump": (False, _anything), "save_dump_path": ("", _anything),
    "auto_tune_mode": ("NO_TUNE", _anything), "enable_ge": (False, _anything),
}
