"""MindSpore's module paths that are other files here, and names that only raise when they are called."""
import subprocess
import sys

import pytest

import msjit as ms

PROGRAM = """
import msjit.alias
msjit.alias.install("mindspore")
import mindspore as ms
from mindspore.ops.function.math_func import add
from mindspore.ops.function import nn_func
from mindspore.ops.operations.nn_ops import Conv2D
from mindspore.ops.operations import _inner_ops
from mindspore.ops.primitive import constexpr, _primexpr, Primitive
from mindspore.ops._primitive_cache import _get_cache_prim
from mindspore.ops.auto_generate.gen_ops_prim import MatMul
from mindspore.nn.layer.pooling import AdaptiveAvgPool2d
from mindspore.nn.layer.normalization import InstanceNorm2d, _BatchNorm
from mindspore.nn.layer.image import SSIM
from mindspore.nn.layer.basic import Dropout, Pad, ClipByNorm
from mindspore.nn.metrics import Accuracy
from mindspore.common.recompute import recompute
from mindspore.common.mutable import mutable
from mindspore.dataset.engine.datasets_user_defined import GeneratorDataset
from mindspore.dataset.text.utils import Vocab
from mindspore.utils.dlpack import to_dlpack
from mindspore import _checkparam as validator
from mindspore.parallel import set_algo_parameters, Layout
from mindspore.parallel.nn import Pipeline
from mindspore.rewrite import SymbolTree
from mindspore.boost import AutoBoost
from mindspore.experimental.optim.adam import Adam
from mindspore.mint.optim.adamw import AdamW
from mindspore.nn.probability.distribution.normal import Normal
from mindspore.nn.probability.bijector.exp import Exp
from mindspore.mindrecord.filewriter import FileWriter
from mindspore.dataset.callback.ds_callback import DSCallback
from mindspore.dataset.vision.transforms import Resize
from mindspore.dataset.audio.transforms import AllpassBiquad
from mindspore.nn.utils.init import no_init_parameters
from mindspore.nn.grad.cell_grad import Jvp
from mindspore.scipy.optimize.minimize import minimize
from mindspore.boost.adasum import AdaSum
import mindspore.version
assert Adam is ms.experimental.optim.Adam and AdamW is ms.mint.optim.AdamW and Normal is ms.nn.probability.distribution.Normal
assert add is ms.ops.add and nn_func.softmax is ms.ops.softmax and ms.ops.function.array_func.concat is ms.ops.concat
assert Conv2D is ms.ops.Conv2D and AdaptiveAvgPool2d is ms.nn.AdaptiveAvgPool2d and Accuracy is ms.nn.Accuracy
assert _get_cache_prim(MatMul)(True) is _get_cache_prim(MatMul)(True) is not _get_cache_prim(MatMul)(False)
assert _get_cache_prim(MatMul)(1) is not _get_cache_prim(MatMul)(True)
class Tree(SymbolTree):
    pass
try:
    ms.nn.layer.pooling.Missing
except AttributeError:
    print("done")
"""


def test_imports():
    got = subprocess.run([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert got.stdout == "done\n", got.stderr


@pytest.mark.parametrize("call, name", [
    (lambda: ms.rewrite.SymbolTree.create(3), "SymbolTree"), (lambda: ms.parallel.merge_sliced_parameter([]), "merge_sliced_parameter"),
    (lambda: ms.boost.AutoBoost("O1"), "AutoBoost"), (lambda: ms.utils.stress_detect(), "stress_detect"),
    (lambda: ms.boost.freeze_cell(), "freeze_cell")])
def test_refused_names(call, name):
    with pytest.raises(NotImplementedError, match=r"^\[%s\] msjit\.\w+\.%s is not offered: " % (name, name)):
        call()


def test_parameters_of_the_search_for_strategies():
    ms.parallel.set_algo_parameters(fully_use_devices=True)
    assert ms.parallel.get_algo_parameters("fully_use_devices") is True
    ms.parallel.reset_algo_parameters()
    assert ms.parallel.get_algo_parameters("fully_use_devices") is False
    for call, error in ((lambda: ms.parallel.set_algo_parameters(x=1), TypeError),
                        (lambda: ms.parallel.get_algo_parameters("x"), ValueError)):
        with pytest.raises(error, match="expected one of"):
            call()
