"""The import hook: which modules are marked, and that imports look the same."""
import importlib
import os
import subprocess
import sys
import textwrap
import traceback

import pytest

import msjit as ms
from msjit import _msjit, importer
from msjit.importer import MarkingFinder


@pytest.fixture
def package(tmp_path, monkeypatch):
    root = tmp_path / "hooked_pkg"
    root.mkdir()
    (root / "__init__.py").write_text("")
    (root / "model.py").write_text(textwrap.dedent("""
        from msjit import ops
        def forward(x):
            return ops.tanh(x) + 1
        class Net:
            def method(self, x):
                return forward(x)
        def generator():
            yield 1
        """))
    (root / "broken.py").write_text("def f():\n    raise ValueError('inside')\nf()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield root
    importer.uninstall()
    for name in [n for n in sys.modules if n.startswith("hooked_pkg")]:
        del sys.modules[name]


def test_patterns():
    finder = MarkingFinder("pkg.*, other", ["pkg.slow.*"])
    assert finder.matches("pkg") and finder.matches("pkg.a") and finder.matches("other")
    assert not finder.matches("pkg.slow.x") and not finder.matches("pkg.slow") and not finder.matches("third")
    assert not MarkingFinder("*").matches("msjit.nn")
    with pytest.raises(ValueError, match="got no pattern"):
        ms.install([])
    with pytest.raises(TypeError, match="patterns must be strs"):
        ms.install([3])


@pytest.mark.jit
def test_only_functions_are_marked():
    code = compile("class A:\n    def m(self):\n        return lambda: 0\ndef g():\n    yield\nasync def h(): pass\n",
                   "x.py", "exec")
    assert sorted(c.co_name for c in _msjit.function_codes(code)) == ["<lambda>", "m"]


@pytest.mark.jit
def test_functions_that_no_tensor_can_come_to_are_left_alone():
    alone = ["def f(): pass", "def f(): return [1, (2, None)]", "def f(): raise ValueError('spam')", "def f(): return int('3') + 1"]
    marked = ["def f(a): pass", "def f(*, a=1): pass", "def f(*a): pass", "def f(**k): pass", "def f(): return other",
              "def f(): return [].append", "def f(): import os", "def f(): return eval('x')"]
    for source in alone + marked:
        assert _msjit.mark_functions(compile(source, "x.py", "exec")) == (source in marked), source
    # The inner one is a closure, its maker takes an argument.
    code = compile("def f(a):\n    def g():\n        return a\n    return g\n", "x.py", "exec")
    assert _msjit.mark_functions(code) == 2


def test_modules_look_the_same(package):
    finder = ms.install(["hooked_pkg.*"])
    module = importlib.import_module("hooked_pkg.model")
    assert type(module.__loader__).__name__ == "SourceFileLoader" and module.__spec__.loader is module.__loader__
    assert module.__file__ == str(package / "model.py") and module.__spec__.name == "hooked_pkg.model"
    x = ms.Tensor([0.0, 1.0])
    first = module.Net().method(x).asnumpy()
    for _ in range(3):
        assert (module.Net().method(x).asnumpy() == first).all()
    importlib.reload(module)
    assert (module.forward(x).asnumpy() == first).all()
    ms.uninstall(finder)
    assert finder not in sys.meta_path


@pytest.mark.captures
def test_captured_transparently(package):
    if not ms.has_jit:
        pytest.skip(ms.no_jit_reason)
    ms.install(["hooked_pkg.*"])
    module = importlib.import_module("hooked_pkg.model")
    ms.reset()
    for _ in range(3):
        module.forward(ms.Tensor([0.0]))
    assert ms.stats()["graph_ops"] > 0


@pytest.mark.captures
def test_already_imported_modules_are_marked(package):
    if not ms.has_jit:
        pytest.skip(ms.no_jit_reason)
    module = importlib.import_module("hooked_pkg.model")
    ms.install(["hooked_pkg.*"])
    ms.reset()
    for _ in range(3):
        module.Net().method(ms.Tensor([0.0]))
    assert ms.stats()["graph_ops"] > 0


def test_tracebacks_have_no_frames_of_the_hook(package):
    ms.install(["hooked_pkg.*"])
    with pytest.raises(ValueError) as caught:
        importlib.import_module("hooked_pkg.broken")
    files = {os.path.realpath(frame.filename) for frame in traceback.extract_tb(caught.value.__traceback__)}
    assert os.path.realpath(ms.importer.__file__) not in files


def test_environment_switch(package):
    code = "import importlib, sys; importlib.import_module('hooked_pkg.model'); " \
           "print([type(f).__name__ for f in sys.meta_path].count('MarkingFinder'))"
    environment = dict(os.environ, MSJIT_AUTO="hooked_pkg.*", PYTHONPATH=os.pathsep.join(
        [str(package.parent)] + [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]))
    for start in ("import msjit.importer; ", "import msjit; "):
        got = subprocess.run([sys.executable, "-c", start + code], env=environment, stdout=subprocess.PIPE,
                             universal_newlines=True, timeout=60)
        assert got.stdout == "1\n"


@pytest.mark.costly
def test_alias():
    code = textwrap.dedent("""
        from msjit import alias
        import msjit
        alias.install("mindspore"); alias.install("mindspore")
        import mindspore, mindspore.nn, mindspore.ops.operations, mindspore.ops.functional, mindspore.ops.composite
        import mindspore.ops.function, mindspore.numpy, mindspore.context, mindspore.train.serialization
        import mindspore.communication.management, mindspore.log, mindspore.common.api, mindspore.common.dtype
        import mindspore.common.tensor, mindspore.common.parameter, mindspore.common.initializer
        import mindspore.common.jit_config, mindspore.dataset, mindspore.amp, mindspore.mint, mindspore.train
        import mindspore.dataset.vision.c_transforms, mindspore.dataset.engine.datasets, mindspore.mindrecord
        import mindspore.dataset.transforms.py_transforms, mindspore.dataset.core.config
        import mindspore.nn.optim.optimizer, mindspore.nn.learning_rate_schedule, mindspore.nn.layer.basic
        import mindspore.nn.wrap.cell_wrapper, mindspore.mint.nn.functional, mindspore.train.callback
        import msjit.nn.optim.lamb, msjit.nn.layer.rnns, msjit.mint.nn.functional, msjit.nn.loss.loss
        from mindspore.train.callback._checkpoint import ModelCheckpoint
        from mindspore.train.metrics.accuracy import Accuracy
        from mindspore.nn.optim.adam import Adam
        from mindspore.common import Tensor
        assert mindspore.nn.optim is msjit.optim and Adam is msjit.nn.Adam and Accuracy is msjit.train.Accuracy
        assert msjit.nn.layer.LSTM is msjit.nn.LSTM and msjit.mint.nn.functional.tanh is msjit.ops.tanh
        import mindspore.nn as nn
        assert mindspore is msjit and nn is msjit.nn and Tensor is msjit.Tensor
        assert msjit.__spec__.name == "msjit" and msjit.nn.__spec__.name == "msjit.nn"
        assert mindspore.common.parameter.Parameter is msjit.Parameter
        try:
            import mindspore.no_such_thing
        except ModuleNotFoundError as error:
            print(error)
        """)
    got = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         universal_newlines=True, timeout=60)
    assert got.stdout == "No module named 'mindspore.no_such_thing'\n", got.stderr
