"""usage: worker.py LIBRARY JOBS RECORDS

Runs the samples listed in the JSON file JOBS in this process, with LIBRARY (mindspore or msjit), and appends one
pickled record each to the file RECORDS. The process that started it takes over when this one dies or hangs.
"""
import importlib
import json
import logging
import os
import pathlib
import pickle
import signal
import sys
import warnings

os.environ["GLOG_v"] = "4"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np  # noqa: E402
import values  # noqa: E402
from samples import Sample  # noqa: E402

SECONDS = 20
RESTART = 75  # exit status of a process that asks for another one in its place


class TimedOut(BaseException):
    pass


def stop(*_):
    raise TimedOut


def array_record(ms, tensor):
    name = str(tensor.dtype).lower().rstrip("_")
    array = np.ascontiguousarray((tensor.astype(ms.float32) if name == "bfloat16" else tensor).asnumpy())
    return ("tensor", name, tuple(tensor.shape), array.dtype.str, array.tobytes())


def record(ms, out):
    """A result in terms that both sides share."""
    if isinstance(out, ms.Tensor):
        return array_record(ms, out)
    if isinstance(out, (tuple, list)):
        return (type(out).__name__ if type(out) in (tuple, list) else "tuple", [record(ms, item) for item in out])
    if isinstance(out, np.ndarray):
        return ("ndarray", out.dtype.name, out.shape, out.dtype.str, np.ascontiguousarray(out).tobytes())
    if out is None or isinstance(out, (bool, int, float, str)):
        return (type(out).__name__, out)
    if isinstance(out, np.generic):
        return ("numpy." + type(out).__name__, out.item())
    return ("object", str(out) if "float" in str(out).lower() or "int" in str(out).lower() else type(out).__name__)


def outcome(ms, function, make):
    """("raises", class, message) or ("gives", record); arguments are made anew for every call."""
    try:
        return ("gives", record(ms, function(*make())))
    except TimedOut:
        return ("raises", "TimedOut", "")
    except Exception as error:
        return ("raises", type(error).__name__, str(error))


class Side:
    """One library, with the names that the expressions see."""

    def __init__(self, name):
        self.name, self.ms = name, importlib.import_module(name)
        ms = self.ms
        self.probe = ms.Tensor([1.0, 2.0])
        ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU", pynative_synchronize=True)
        parts = dict(ops="ops", nn="nn", P="ops.operations", mint="mint", mnp="numpy", init="common.initializer",
                     linalg="scipy.linalg", optimize="scipy.optimize", msd="nn.probability.distribution", msb="nn.probability.bijector", opt="mint.optim")
        self.scope = {key: importlib.import_module(name + "." + part) for key, part in parts.items()}
        self.scope.update(__name__="oracle", ms=ms, np=np, Tensor=ms.Tensor, Parameter=ms.Parameter,
                          initializer=self.scope["init"].initializer, inf=float("inf"), nan=float("nan"))
        exec(pathlib.Path(__file__).with_name("prelude.py").read_text(), self.scope)

    def run(self, sample):
        ms = self.ms

        def make():
            return [values.make(spec, ms) for spec in sample.specs]

        exec("def call(%s):\n    return %s" % (", ".join(sample.parameters), sample.call), self.scope)
        call = self.scope["call"]
        result = {"eager": outcome(ms, call, make)}
        if self.name == "msjit":
            result["PIJit"] = outcome(ms, ms.jit(call, mode="PIJit"), make)
        floats = [i for i, spec in enumerate(sample.specs) if values.is_float(spec)]
        smooth = sample.gradient and floats and not any(map(values.is_special, sample.specs))
        if smooth and result["eager"][0] == "gives" and self.has_float(result["eager"][1]):
            weigh = self.scope["weigh"]
            gradient = ms.grad(lambda *xs: weigh(call(*xs)), tuple(floats) if floats[1:] else floats[0])
            result["gradient"] = outcome(ms, gradient, make)
        return result

    def is_broken(self):
        """MindSpore loses the index of a Tensor for the rest of the process after some errors."""
        try:
            return self.probe[0] is None
        except TypeError:
            return True

    def has_float(self, found):
        if found[0] in ("tuple", "list"):
            return any(self.has_float(item) for item in found[1])
        return found[0] == "tensor" and "float" in found[1]


def main():
    library, jobs, path = sys.argv[1:]
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    side = Side(library)
    signal.signal(signal.SIGALRM, stop)
    with open(jobs) as text, open(path, "ab", buffering=0) as out:
        for fields in json.load(text):
            sample = Sample(*fields)
            signal.alarm(SECONDS)
            result = side.run(sample)
            signal.alarm(0)
            out.write(pickle.dumps((sample.name, result)))
            if side.is_broken():
                sys.exit(RESTART)


if __name__ == "__main__":
    main()
