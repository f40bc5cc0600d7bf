"""Names of mindspore._c_expression, MindSpore's compiled half, that programs and packages import."""
from . import absent as _absent
from ._native import Tensor, _msjit, dtypes
from .explain import records as _records

TensorPy = Tensor_ = TensorPy_ = Tensor
dtypes = dict(dtypes)


def jit_mode_pi_enable():
    """Functions under jit(capture_mode="bytecode") are captured, as they are from the start."""
    _msjit.set_config("enabled", True)


def jit_mode_pi_disable():
    """Nothing is captured from now on, until jit_mode_pi_enable."""
    _msjit.set_config("enabled", False)


def update_pijit_default_config(**config):
    """Accepted: msjit.config has the limits of the JIT."""


def function_id(function):
    """A number of its own for each function that exists."""
    return id(getattr(function, "__func__", function))


def get_code_extra(function):
    """What the JIT knows of a function, a dict; None where it has not looked at it.

    stat is "GRAPH_CALLED" where a graph of it has run, "GRAPH_CAPTURED" where there is one, else "NEVER_COMPILE";
    break_count_ is the number of places where a region ended early, compile_count_ that of graphs, and code["call_count_"]
    how often they ran.
    """
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    if code is None:
        raise TypeError("[get_code_extra] function, got %s, expected one in Python" % type(function).__name__)
    for record in _records():
        if (record["name"], record["file"], record["line"]) == (code.co_name, code.co_filename, code.co_firstlineno):
            regions = record["regions"]
            hits = sum(region["hits"] for region in regions)
            stat = "GRAPH_CALLED" if hits else "GRAPH_CAPTURED" if regions else "NEVER_COMPILE"
            return {"stat": stat, "break_count_": len(record["breaks"]), "compile_count_": sum(r["entries"] for r in regions),
                    "code": {"call_count_": hits, "compile_count_": sum(r["entries"] for r in regions)}}
    return None


def __getattr__(name):
    if name.startswith("pyboost_"):
        from .ops import auto_generate
        return getattr(auto_generate, name)
    return _refuse(name)


_refuse = _absent.attributes(__name__, lambda name: _absent.reason_of(name) or (None if name.startswith("_") else "compiler"))
