"""The examples in the docstrings of public names give the results shown. They run on one interpreter, as they are the same for all."""
import doctest
import importlib
import inspect
import sys
import types

import pytest

import msjit as ms
from msjit import Tensor

MODULES = ["msjit", "msjit.nn", "msjit.ops", "msjit.train", "msjit.mint", "msjit.dataset", "msjit.common.initializer", "msjit.quantization"]
MUST_HAVE = ["msjit.Tensor", "msjit.Parameter", "msjit.jit", "msjit.jit_class", "msjit.grad", "msjit.value_and_grad", "msjit.vmap",
             "msjit.explain", "msjit.save_checkpoint", "msjit.load_checkpoint", "msjit.load_param_into_net", "msjit.export", "msjit.Model",
             "msjit.set_seed", "msjit.set_context", "msjit.nn.Cell", "msjit.nn.Dense", "msjit.nn.Conv2d", "msjit.nn.BatchNorm2d",
             "msjit.nn.Adam", "msjit.nn.SGD", "msjit.nn.Momentum", "msjit.nn.AdamWeightDecay", "msjit.nn.CrossEntropyLoss",
             "msjit.nn.LSTM", "msjit.nn.TrainOneStepCell", "msjit.nn.SequentialCell"]


def documented():
    """{name: docstring} of public names with examples; a name in two modules counts once."""
    found, seen = {}, set()
    for path in MODULES:
        module = importlib.import_module(path)
        for name in sorted(set(dir(module)) | set(getattr(module, "_LAZY_NAMES", ()))):
            value = getattr(module, name, None)
            doc = inspect.getdoc(value) if not name.startswith("_") and not isinstance(value, types.ModuleType) else None
            if doc and ">>>" in doc and id(value) not in seen:
                seen.add(id(value))
                found["%s.%s" % (path, name)] = doc
    return found


EXAMPLES = documented() if sys.version_info[:2] == (3, 11) else {}


@pytest.mark.jit
@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_examples(name):
    mode = ms.get_context("mode")
    test = doctest.DocTestParser().get_doctest(EXAMPLES[name], {}, name, None, 0)
    out = []
    try:
        failed, tried = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=out.append)
    finally:
        ms.set_context(mode=mode)
    assert tried and not failed, "".join(out)


@pytest.mark.skipif(not EXAMPLES, reason="docstrings are run on one interpreter")
def test_most_used_names_have_examples():
    have = {id(getattr(importlib.import_module(name.rpartition(".")[0]), name.rpartition(".")[2])) for name in EXAMPLES}
    assert [name for name in MUST_HAVE
            if id(getattr(importlib.import_module(name.rpartition(".")[0]), name.rpartition(".")[2])) not in have] == []


def test_primitives_say_what_their_functions_say():
    assert ms.ops.Softmax.__doc__.startswith("ops.softmax as a primitive.\n\nThe function: Computes exp(x) / sum(exp(x))")
    assert ">>>" not in ms.ops.Softmax.__doc__
    assert ms.ops.Flatten.__doc__.startswith("Reshapes")  # its function has no public name


def test_rows_say_what_their_rules_or_functions_say():
    assert ms.ops.CumProd.__doc__.startswith("Computes running products along an axis")
    assert ms.ops.CumProd.__doc__.endswith("\n\nAttributes: exclusive=False, reverse=False.")
    assert ms.ops.Renorm.__doc__.startswith("ops.renorm as a primitive.\n\nThe function: ")
    assert ms.ops.Qr.__doc__.startswith("Factors matrices")  # its text, as its attributes are not those of the function
    assert ms.ops.ImageSummary.__doc__.endswith("Attributes: none.")


def test_no_docstring_names_a_function_without_a_name():
    primitives = [value for value in vars(ms.ops.operations).values() if isinstance(value, type)]
    assert [kind.__name__ for kind in primitives if "<lambda>" in (kind.__doc__ or "")] == []


def test_in_place_methods_say_what_their_functions_say():
    assert Tensor.exp_.__doc__.startswith("ops.exp of this tensor and the arguments, written to the tensor")
    assert "The function: Limits elements to" in Tensor.clamp_.__doc__
