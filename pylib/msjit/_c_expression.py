"""Names of mindspore._c_expression, MindSpore's compiled half, that programs and packages import."""
from . import _paths
from . import absent as _absent
from ._native import Tensor, _msjit, dtypes
from .common import type_kinds as typing  # noqa: F401
from .explain import records as _records

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.
TensorPy = Tensor_ = TensorPy_ = Tensor
dtypes = dict(dtypes)


def jit_mode_pi_enable():
    """Switches the capture of functions under jit(capture_mode="bytecode") on again; it is on at the start."""
    _msjit.set_config("enabled", True)


def jit_mode_pi_disable():
    """Nothing is captured from now on, until jit_mode_pi_enable."""
    _msjit.set_config("enabled", False)


def update_pijit_default_config(**config):
    """Accepted: msjit.config has the limits of the JIT."""


def function_id(function):
    """A number that differs for all functions that exist."""
    return id(getattr(function, "__func__", function))


def get_code_extra(function):
    """What the JIT knows of a function, as a dict; None if it has not looked at the function.

    `stat` is "GRAPH_CALLABLE". `compile_count_` is the number of graphs that begin with the function. `break_count_` is 1 if such a graph ends
    before the function does, else 0. code["call_count_"] says how often the graphs ran; code["guard_"] says what is checked before a call.
    code["phase_"], a text, exists if they are whole graphs; code["compiled_code_"], the code object, exists if the interpreter runs a part.
    """
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    for record in _records() if code is not None else ():
        if (record["name"], record["file"], record["line"]) == (code.co_name, code.co_filename, code.co_firstlineno):
            return _extra_of(record, code)
    return None


def _extra_of(record, code):
    first = min(record["regions"], key=lambda region: region["pc"], default=None)
    whole = first is not None and not record["breaks"]
    about = {"call_count_": first["hits"] if first else record["calls"]}
    if whole:
        about["phase_"] = "%s_%d_%s" % (record["file"], record["line"], record["name"])
    else:
        about["compiled_code_"] = code
    if first:
        about["guard_"] = "%d guards" % first["guards"]
    return {"code": about, "stat": "GRAPH_CALLABLE", "compile_count_": first["entries"] if first else 0,
            "break_count_": int(bool(record["breaks"]))}


class MSContext:
    """Answers what programs ask about the devices of a build: there is only a CPU."""

    @staticmethod
    def get_instance():
        """The one of this process."""
        return _context

    def get_ascend_soc_version(self):
        """No NPU: ''."""
        return ""

    def is_pkg_support_device(self, device_target):
        """Whether a build is for a device: "CPU" alone."""
        return device_target == "CPU"

    def is_ascend_plugin_loaded(self):
        """False"""
        return False

    def ascend_soc_supports_feature(self, *features):
        """False"""
        return False


_context = MSContext()


def __getattr__(name):
    if name.startswith("pyboost_"):
        from .ops import auto_generate
        return getattr(auto_generate, name)
    return _refuse(name)


_refuse = _absent.attributes(__name__, lambda name: _absent.reason_of(name) or (None if name.startswith("_") else "compiler"))

_paths.reach(__name__)
