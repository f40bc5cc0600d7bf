"""Every opcode this interpreter's compiler can emit is decoded, and functions with it behave as without the JIT."""

import ast
import contextlib
import io
import opcode
import re
import sys
import traceback
import types

import numpy as np
import pytest

import msjit as ms

pytestmark = pytest.mark.jit
_debug = getattr(pytest.importorskip("msjit._msjit"), "_debug", None)
if _debug is None:
    pytest.skip("no bytecode JIT here", allow_module_level=True)

import opcode_corpus  # noqa: E402
from opcode_corpus import CORPUS, log  # noqa: E402

# In the opcode module, but never in compiled code.
NOT_EMITTED = {
    "NOP": "removed by the compiler up to 3.9",
    "RESERVED": "", "ENTER_EXECUTOR": "", "EXIT_INIT_CHECK": "", "INTERPRETER_EXIT": "made by the interpreter for itself",
    "RESUME_CHECK": "", "LOAD_CLOSURE": "an alias from 3.13 on",
}
# Only in code that never runs natively: generators, coroutines and asynchronous generators.
GENERATORS_ONLY = {
    "YIELD_VALUE", "YIELD_FROM", "GET_YIELD_FROM_ITER", "GET_AWAITABLE", "GET_AITER", "GET_ANEXT", "BEFORE_ASYNC_WITH",
    "SETUP_ASYNC_WITH", "END_ASYNC_FOR", "GEN_START", "RETURN_GENERATOR", "SEND", "ASYNC_GEN_WRAP", "END_SEND", "CLEANUP_THROW",
}
# In functions too, but only around classes, type parameters, `import *` and template strings.
LEFT_TO_CPYTHON = {
    "CALL_INTRINSIC_1", "CALL_INTRINSIC_2", "LOAD_LOCALS", "LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS",
    "BUILD_TEMPLATE", "BUILD_INTERPOLATION",
}
GENERATOR_FLAGS = 0x20 | 0x80 | 0x200


def compiled(name):
    source, mode, _ = CORPUS[name]
    return compile(source, "<%s>" % name, "single" if mode == "single" else "exec")


def all_codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from all_codes(constant)


def opcodes_of(code):
    return set(code.co_code[::2])


def unsupported(code):
    return set(re.findall(r"Unsupported (\w+)", _debug.dump_bytecode(code)))


def corpus_codes(generators):
    for name in CORPUS:
        for code in all_codes(compiled(name)):
            if bool(code.co_flags & GENERATOR_FLAGS) == generators:
                yield name, code


def test_corpus_has_every_opcode():
    seen = set()
    for generators in (False, True):
        for _, code in corpus_codes(generators):
            seen |= opcodes_of(code)
    missing = {name for name, number in opcode.opmap.items()
               if number < 256 and number not in seen and not name.startswith("INSTRUMENTED_")}
    assert missing - set(NOT_EMITTED) == set()


def test_everything_is_decoded():
    covered = set()
    for name, code in corpus_codes(False):
        assert unsupported(code) <= LEFT_TO_CPYTHON, name
        assert "[decode]" not in _debug.dump_bytecode(code), name
        covered |= opcodes_of(code)
    names = {number: name for name, number in opcode.opmap.items()}
    covered = {names.get(number) for number in covered}
    for name, code in corpus_codes(True):
        assert unsupported(code) - covered <= GENERATORS_ONLY | LEFT_TO_CPYTHON, name


# ---- behaviour ------------------------------------------------------------------------------------------------------


class WithTensorWork(ast.NodeTransformer):
    """Adds a tensor operation at the start of a function's body and another one to what it returns, so that regions are captured around the rest."""

    def __init__(self):
        self.inside = 0

    def visit_FunctionDef(self, node):
        if self.inside:
            return node
        self.inside += 1
        self.generic_visit(node)
        start = ast.parse("_t = TENSOR + 1.0").body[0]
        for part in ast.walk(start):
            if hasattr(part, "lineno"):
                ast.copy_location(part, node.body[0])
        node.body.insert(0, start)
        return node

    def visit_ClassDef(self, node):
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef

    def visit_Return(self, node):
        pair = ast.parse("(0, _t * 2.0)").body[0].value
        for part in ast.walk(pair):
            if hasattr(part, "lineno"):
                ast.copy_location(part, node)
        pair.elts[0] = node.value or pair.elts[0]
        node.value = pair
        return node


def make_function(name, with_tensors):
    """A fresh function of the corpus in globals of its own."""
    source, mode, _ = CORPUS[name]
    names = {k: v for k, v in vars(opcode_corpus).items() if not k.startswith("__")}
    names.update(TENSOR=opcode_corpus.T(), __name__="corpus", __builtins__=__builtins__)
    tree = ast.parse(source, "<%s>" % name, "single" if mode == "single" else "exec")
    if with_tensors:
        tree = WithTensorWork().visit(tree)
    if mode == "single":
        tree = ast.Interactive(tree.body)
    code = compile(tree, "<%s>" % name, "single" if mode == "single" else "exec")
    if mode != "exec":
        return types.FunctionType(code, names)
    exec(code, names)
    return names["f"]


def shown(value):
    if isinstance(value, ms.Tensor):
        return np.asarray(value).tolist()
    if type(value) in (list, tuple):
        return [shown(item) for item in value]
    return re.sub(r" at 0x\w+", "", repr(value))


def outcome(run, function, make):
    log.clear()
    args = make()
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            result = shown(run(*args))
    except Exception as error:
        lines = [(f.name, f.lineno) for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith("<")]
        cause = error.__cause__ or error.__context__
        result = [type(error), str(error), lines, type(cause), str(cause)]
        error.__traceback__ = None
        del error
    state = {k: shown(v) for k, v in function.__globals__.items() if k in ("G", "H", "a", "b", "d", "__annotations__")}
    noted = shown(log)
    log.clear()
    assert sys.exc_info() == (None, None, None)
    return result, shown(args), noted, out.getvalue(), state


def outcomes(name, with_tensors, wrap):
    """The outcome for each argument tuple, twice, so that the second round meets code that the first one has compiled."""
    function = make_function(name, with_tensors)
    run = wrap(function)
    makers = CORPUS[name][2]
    makers = makers if isinstance(makers, tuple) else (makers,)
    return [outcome(run, function, make) for make in makers + makers]


@pytest.mark.parametrize("name", CORPUS)
@pytest.mark.parametrize("with_tensors", [False, True], ids=["plain", "tensors"])
def test_behaves_the_same(name, with_tensors):
    if with_tensors and CORPUS[name][1] != "exec":
        pytest.skip("no function to put tensors into")
    expected = outcomes(name, with_tensors, lambda f: f)
    got = outcomes(name, with_tensors, lambda f: ms.jit(f, mode="PIJit"))
    assert got == expected


@pytest.mark.parametrize("name", CORPUS)
def test_stepped_from_anywhere(name):
    """The frame can be handed back to CPython after any number of stepped instructions."""
    expected = outcomes(name, False, lambda f: f)
    for count in list(range(0, 40, 3)) + [57, 91, 10**6]:
        for finish in (False, True):
            got = outcomes(name, False, lambda f: lambda *a: _debug.resume_after(f, count, finish, a, {})[0])
            assert got == expected, (count, finish)


@pytest.mark.parametrize("name", CORPUS)
def test_nested_code_is_stepped(name):
    """Class bodies, comprehensions and inner functions too run partly in the stepper."""
    def wrap(function):
        for code in all_codes(function.__code__):
            _debug.step_always(code)
        return function
    expected = outcomes(name, False, lambda f: f)
    for _ in range(4):
        assert outcomes(name, False, wrap) == expected
