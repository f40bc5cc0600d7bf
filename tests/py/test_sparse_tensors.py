"""COOTensor and CSRTensor: values by NumPy, gradients by the same computation on dense tensors, PIJit against eager runs; the
printed forms and the primitives' results are MindSpore 2.10's."""
import numpy as np
import pytest

import msjit as ms
from msjit import COOTensor, CSRTensor, Tensor, nn, ops

DENSE = np.array([[0, 2, 0, -1], [0, 0, 0, 0], [0.5, 0, 3, 0]], np.float32)
PLACES = np.argwhere(DENSE)
VALUES = DENSE[DENSE != 0]
POINTERS = np.array([0, 2, 2, 4], np.int32)
FULL = np.arange(12, dtype=np.float32).reshape(3, 4) + 1
WIDE = np.linspace(-1, 1, 8, dtype=np.float32).reshape(4, 2)


def coo(values, dtype=np.int32):
    return COOTensor(Tensor(PLACES.astype(dtype)), values, (3, 4))


def csr(values, dtype=np.int32):
    return CSRTensor(Tensor(POINTERS.astype(dtype)), Tensor(PLACES[:, 1].astype(dtype)), values, (3, 4))


def kept(values):
    return ops.scatter_nd(Tensor(PLACES), values, (3, 4))


MASK = Tensor((DENSE != 0).astype(np.float32))
# name: (of the values of a sparse tensor, the same of those of a dense one)
COMPUTED = {
    "coo to_dense": (lambda v: coo(v).to_dense(), kept), "csr to_dense": (lambda v: csr(v).to_dense(), kept),
    "coo to_csr": (lambda v: coo(v).to_csr().to_dense(), kept), "csr to_coo": (lambda v: csr(v).to_coo().to_dense(), kept),
    "coalesce": (lambda v: coo(v).coalesce().to_dense(), kept),
    "coo sum": (lambda v: (coo(v) + coo(v * v)).to_dense(), lambda v: kept(v) + kept(v * v)),
    "coo difference": (lambda v: (coo(v) - coo(v * v)).to_dense(), lambda v: kept(v) - kept(v * v)),
    "coo + dense": (lambda v: coo(v) + Tensor(FULL), lambda v: kept(v) + Tensor(FULL)),
    "dense + coo": (lambda v: Tensor(FULL) + coo(v), lambda v: kept(v) + Tensor(FULL)),
    "coo - dense": (lambda v: coo(v) - Tensor(FULL), lambda v: kept(v) - Tensor(FULL)),
    "dense - coo": (lambda v: Tensor(FULL) - coo(v), lambda v: Tensor(FULL) - kept(v)),
    "coo * dense": (lambda v: (coo(v) * Tensor(FULL)).to_dense(), lambda v: kept(v) * Tensor(FULL)),
    "coo / dense": (lambda v: (coo(v) / Tensor(FULL)).to_dense(), lambda v: kept(v) / Tensor(FULL)),
    "-coo": (lambda v: (-coo(v)).to_dense(), lambda v: -kept(v)),
    "csr sum": (lambda v: (csr(v) + csr(v * v)).to_dense(), lambda v: kept(v) + kept(v * v)),
    "csr difference": (lambda v: (csr(v) - csr(v * v)).to_dense(), lambda v: kept(v) - kept(v * v)),
    "csr * row": (lambda v: (csr(v) * Tensor(FULL[0])).to_dense(), lambda v: kept(v) * Tensor(FULL[0])),
    "csr / column": (lambda v: (csr(v) / Tensor(FULL[:, :1])).to_dense(), lambda v: kept(v) / Tensor(FULL[:, :1])),
    "csr_add": (lambda v: ops.csr_add(csr(v), csr(v * v), Tensor(2.0), Tensor(3.0)).to_dense(), lambda v: 2 * kept(v) + 3 * kept(v * v)),
    "mm": (lambda v: csr(v).mm(Tensor(WIDE)), lambda v: ops.matmul(kept(v), Tensor(WIDE))),
    "mv": (lambda v: csr(v, np.int64).mv(Tensor(WIDE[:, :1])), lambda v: ops.matmul(kept(v), Tensor(WIDE[:, :1]))),
    "csr_mm": (lambda v: ops.csr_mm(csr(v), csr(v * v), trans_b=True).to_dense(),
               lambda v: ops.matmul(kept(v), kept(v * v).T)),
    "sum": (lambda v: csr(v).sum(1), lambda v: kept(v).sum(1, keepdims=True)),
    "csr_softmax": (lambda v: ops.csr_softmax(csr(v), ms.float32).to_dense(),
                    lambda v: ops.softmax(ops.where(MASK > 0, kept(v), Tensor(-1e30)), -1) * MASK),
    "csr_gather": (lambda v: ops.csr_gather(Tensor(POINTERS), Tensor(PLACES[:, 1].astype(np.int32)), Tensor(FULL) * v[0], (3, 4)),
                   lambda v: Tensor(FULL[DENSE != 0]) * v[0]),
    "coo_concat": (lambda v: ops.coo_concat((coo(v), coo(v * v)), 1).to_dense(), lambda v: ops.concat((kept(v), kept(v * v)), 1)),
    "dense_to_sparse": (lambda v: ops.dense_to_sparse_csr(kept(v) * 2).to_dense(), lambda v: kept(v) * 2),
    "SparseTensorDenseMatmul": (lambda v: nn.SparseTensorDenseMatmul()(Tensor(PLACES), v, (3, 4), Tensor(WIDE)),
                                lambda v: ops.matmul(kept(v), Tensor(WIDE))),
    "SparseTensorDenseMatmul adjoint": (
        lambda v: nn.SparseTensorDenseMatmul(True, True)(Tensor(PLACES), v, (3, 4), Tensor(FULL[:2, :3])),
        lambda v: ops.matmul(kept(v).T, Tensor(FULL[:2, :3]).T)),
    "SparseToDense": (lambda v: nn.SparseToDense()(coo(v)), kept),
}


@pytest.mark.parametrize("name", sorted(COMPUTED))
def test_values_and_gradients(name):
    of_sparse, of_dense = COMPUTED[name]
    values = Tensor(VALUES)
    want = of_dense(values).asnumpy()
    for run in (of_sparse, ms.jit(of_sparse, mode="PIJit")):
        for _ in range(2):
            np.testing.assert_allclose(run(values).asnumpy(), want, 1e-5, 1e-6)
    weights = Tensor(np.cos(np.arange(want.size, dtype=np.float32)).reshape(want.shape))
    got, expected = [ms.grad(lambda v, f=f: (f(v) * weights).sum())(values).asnumpy() for f in (of_sparse, of_dense)]
    np.testing.assert_allclose(got, expected, 1e-4, 1e-5)


def test_functions_of_the_kept_values():
    numpy_names = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atanh": "arctanh",
                   "inv": "reciprocal", "neg": "negative", "round": "rint"}
    special = {"relu": lambda x: np.maximum(x, 0), "relu6": lambda x: np.clip(x, 0, 6), "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
               "softsign": lambda x: x / (1 + np.abs(x))}
    for name in """abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor inv isfinite isinf isnan log log1p neg relu relu6
            round sigmoid sin sinh softsign sqrt square tan tanh""".split():
        x = np.array([1.5, 2.5, 7.0, 1.0] if name == "acosh" else [0.3, 0.7, 0.1, 0.9] if name[0] == "a" else [0.5, 2.5, 7.0, 0.1],
                     np.float32)
        want = special[name](x) if name in special else getattr(np, numpy_names.get(name, name))(x)
        for kind, made in (("coo", coo), ("csr", csr)):
            got = getattr(ops, "%s_%s" % (kind, name))(made(Tensor(x)))
            assert type(got) is type(made(Tensor(x))) and (got.indices.asnumpy() == made(Tensor(x)).indices.asnumpy()).all()
            np.testing.assert_allclose(got.values.asnumpy(), want, 1e-5, 1e-6, err_msg=name)
            with pytest.raises(TypeError, match=r"\[%s_%s\]" % (kind, name)):
                getattr(ops, "%s_%s" % (kind, name))(Tensor(x))


def test_what_they_are():
    x, y = coo(Tensor(VALUES)), csr(Tensor(VALUES.astype(np.float64)))
    assert (x.size, x.itemsize, x.ndim, x.dtype, x.shape) == (4, 4, 2, ms.float32, (3, 4)) and y.itemsize == 8
    assert x.to_tuple()[2] == (3, 4) and len(y.to_tuple()) == 4 and y.indptr.asnumpy().tolist() == POINTERS.tolist()
    assert x == x and x != coo(Tensor(VALUES)) and len({x, y}) == 2
    assert x.astype(ms.int32).dtype == ms.int32 and x.abs().values.asnumpy().tolist() == np.abs(VALUES).tolist()
    assert COOTensor(coo_tensor=x).values is x.values and CSRTensor(csr_tensor=y).indices is y.indices
    assert isinstance(ms.SparseTensor(*x.to_tuple()), COOTensor)
    assert Tensor(DENSE).to_csr().indptr.asnumpy().tolist() == POINTERS.tolist() and Tensor(DENSE).to_coo().indices.dtype == ms.int32


def test_printed_forms():
    small = COOTensor(Tensor([[0, 1], [1, 2]], ms.int32), Tensor([1.0, 2.0]), (3, 4))
    assert str(small) == repr(small) == (
        "COOTensor(shape=[3, 4], dtype=Float32, indices=Tensor(shape=[2, 2], dtype=Int32, value=\n[[0 1]\n [1 2]]), "
        "values=Tensor(shape=[2], dtype=Float32, value=[ 1.00000000e+00  2.00000000e+00]))")
    rows = CSRTensor(Tensor([0, 1, 2], ms.int32), Tensor([0, 1], ms.int32), Tensor([2, 1], ms.int32), (2, 4))
    assert repr(rows) == ("CSRTensor(shape=[2, 4], dtype=Int32, indptr=Tensor(shape=[3], dtype=Int32, value=[0 1 2]), "
                          "indices=Tensor(shape=[2], dtype=Int32, value=[0 1]), values=Tensor(shape=[2], dtype=Int32, value=[2 1]))")
    assert repr(ms.RowTensor(Tensor([0], ms.int32), Tensor([[1.0, 2.0]]), (3, 2))) == (
        "RowTensor(shape=[3, 2], dtype=Float32, indices=Tensor(shape=[1], dtype=Int32, value=[0]), "
        "values=Tensor(shape=[1, 2], dtype=Float32, value=\n[[ 1.00000000e+00  2.00000000e+00]]))")


def test_orders_and_places_named_twice():
    twice = COOTensor(Tensor([[0, 1], [0, 1], [0, 0]]), Tensor([1.0, 2.0, 3.0]), (3, 4))
    assert twice.to_dense().asnumpy()[0].tolist() == [3, 3, 0, 0]
    once = twice.coalesce()
    assert once.indices.asnumpy().tolist() == [[0, 0], [0, 1]] and once.values.asnumpy().tolist() == [3, 3]
    assert ops.SparseToDense()(*twice.to_tuple()).asnumpy()[0].tolist() == [3, 2, 0, 0]  # the last stays
    mixed = COOTensor(Tensor([[1, 1], [0, 2], [1, 0]], ms.int32), Tensor([1.0, 2.0, 3.0]), (2, 3)).to_csr()
    assert [part.asnumpy().tolist() for part in mixed.to_tuple()[:3]] == [[0, 1, 3], [2, 1, 0], [2, 1, 3]]
    less = ops.coo_add(twice, COOTensor(Tensor([[0, 1]]), Tensor([-2.75]), (3, 4)), Tensor(0.5))
    assert less.indices.asnumpy().tolist() == [[0, 0]] and less.values.asnumpy().tolist() == [3]
    empty = COOTensor(Tensor(np.zeros((0, 2), np.int32)), Tensor(np.zeros(0, np.float32)), (2, 3))
    assert not empty.to_dense().asnumpy().any() and empty.to_csr().indptr.asnumpy().tolist() == [0, 0, 0]
    slices = CSRTensor(Tensor([0, 1, 2], ms.int32), Tensor([0, 1], ms.int32), Tensor([[1.0, 2.0], [3.0, 4.0]]), (2, 2, 2))
    assert slices.to_dense().asnumpy().tolist() == [[[1, 2], [0, 0]], [[0, 0], [3, 4]]]


INDICES, ONES = Tensor([[0, 1], [1, 2]], ms.int32), Tensor([1.0, 2.0])
BAD = [
    (lambda: COOTensor([[0, 1]], ONES, (3, 4)), TypeError), (lambda: COOTensor(INDICES, [1.0], (3, 4)), TypeError),
    (lambda: COOTensor(INDICES, ONES, [3, 4]), TypeError), (lambda: COOTensor(INDICES, ONES, (3, 4.0)), TypeError),
    (lambda: COOTensor(INDICES.astype(ms.float32), ONES, (3, 4)), TypeError), (lambda: COOTensor(INDICES, ONES, (3,)), ValueError),
    (lambda: COOTensor(INDICES, ONES, (3, 0)), ValueError), (lambda: COOTensor(INDICES, Tensor([1.0]), (3, 4)), ValueError),
    (lambda: COOTensor(INDICES[0], ONES, (3, 4)), ValueError), (lambda: COOTensor(coo_tensor=3), TypeError),
    (lambda: COOTensor(INDICES, ONES, (3, 4), coo(Tensor(VALUES))), TypeError), (lambda: COOTensor(INDICES, ONES, (2, 2)).to_dense(), IndexError),
    (lambda: COOTensor(INDICES - 1, ONES, (3, 4)).to_dense(), IndexError), (lambda: COOTensor(INDICES, ONES, (2, 2)).coalesce(), ValueError),
    (lambda: COOTensor(INDICES, ONES, (3, 4)) * 2, TypeError), (lambda: COOTensor(INDICES, ONES, (3, 4)) * Tensor([1.0]), ValueError),
    (lambda: COOTensor(INDICES, ONES, (3, 4)) + Tensor([1.0]), ValueError),
    (lambda: COOTensor(INDICES, ONES, (3, 4)) + COOTensor(INDICES, ONES, (3, 5)), ValueError),
    (lambda: CSRTensor([0], INDICES[0], ONES, (2, 4)), TypeError), (lambda: CSRTensor(INDICES[0], INDICES[0], ONES, (2, 4)), ValueError),
    (lambda: CSRTensor(Tensor([0, 1, 2]), INDICES[0], ONES, (2, 4, 3)), ValueError), (lambda: csr(Tensor(VALUES)) + 1, TypeError),
    (lambda: csr(Tensor(VALUES)).mv(Tensor([1.0])), ValueError), (lambda: csr(Tensor(VALUES)).mm(Tensor(FULL)), ValueError),
    (lambda: csr(Tensor(VALUES)).sum(0), ValueError), (lambda: csr(Tensor(VALUES)).add(csr(Tensor(VALUES)), 1.0, 1.0), TypeError),
    (lambda: ops.dense_to_sparse_coo(Tensor([1.0])), ValueError), (lambda: ops.dense_to_sparse_csr(3), TypeError),
    (lambda: ops.coo_concat((coo(Tensor(VALUES)),)), ValueError), (lambda: ops.csr_to_dense(Tensor(DENSE)), TypeError),
    (lambda: nn.SparseTensorDenseMatmul()(Tensor([[0, 9]]), Tensor([1.0]), (3, 4), Tensor(WIDE)), IndexError),
]


def test_bad_input():
    for call, error in BAD:
        with pytest.raises(error):
            call()


def test_primitives():
    sparse = ops.operations.sparse_ops
    places, values, shape = Tensor([[0, 1], [1, 2], [1, 3]]), Tensor([1.0, 4.0, 3.0]), Tensor([2, 4])
    parts = sparse.SparseTensorToCSRSparseMatrix()(places, values, shape)
    assert [part.asnumpy().tolist() for part in parts] == [[2, 4], [0, 3], [0, 1, 3], [1, 2, 3], [1, 4, 3]]
    stack = Tensor([[0, 0, 1], [0, 1, 2], [1, 0, 3]])
    there = sparse.SparseTensorToCSRSparseMatrix()(stack, values, Tensor([2, 2, 4]))
    assert [part.asnumpy().tolist() for part in there[1:4]] == [[0, 2, 3], [0, 1, 2, 0, 1, 1], [1, 2, 3]]
    back = sparse.CSRSparseMatrixToSparseTensor()(*there)
    assert (back[0].asnumpy() == stack.asnumpy()).all() and (back[1].asnumpy() == values.asnumpy()).all()
    dense = sparse.CSRSparseMatrixToDense()(*parts).asnumpy()
    assert dense.tolist() == [[0, 1, 0, 0], [0, 0, 4, 3]]
    turned = sparse.SparseMatrixTranspose()(*parts)
    assert (sparse.CSRSparseMatrixToDense()(*turned).asnumpy() == dense.T).all()
    assert sparse.SparseMatrixMatMul()(*parts, Tensor(WIDE)).asnumpy() == pytest.approx(dense @ WIDE)
    assert sparse.SparseMatrixNNZ()(*parts).asnumpy().tolist() == [3]
    one = Tensor(1.0)
    assert (sparse.CSRSparseMatrixToDense()(*sparse.SparseMatrixAdd()(*parts, *parts, one, one)).asnumpy() == 2 * dense).all()
    product = sparse.SparseMatrixSparseMatMul(transpose_b=True)(*parts, *parts)
    assert (sparse.CSRSparseMatrixToDense()(*product).asnumpy() == dense @ dense.T).all()
    assert sparse.SparseSoftmax()(places, values, shape).asnumpy() == pytest.approx([1, 0.7310586, 0.2689414])
    assert sparse.SparseReorder()(places[::-1], values[::-1], shape)[1].asnumpy().tolist() == [1, 4, 3]
    moved, new = sparse.SparseReshape()(places, shape, Tensor([4, -1]))
    assert moved.asnumpy().tolist() == [[0, 1], [3, 0], [3, 1]] and new.asnumpy().tolist() == [4, 2]
    block = ops.SparseSlice()(places, values, shape, Tensor([1, 1]), Tensor([5, 2]))
    assert [part.asnumpy().tolist() for part in block] == [[[0, 1]], [4], [1, 2]]
    filled = sparse.SparseFillEmptyRows()(Tensor([[0, 0], [2, 1]]), Tensor([1.0, 2.0]), Tensor([4, 2]), Tensor(9.0))
    assert [part.asnumpy().tolist() for part in filled] == [[[0, 0], [1, 0], [2, 1], [3, 0]], [1, 9, 2, 9], [False, True, False, True], [0, 2]]
    least = sparse.SparseSparseMinimum()(places, values, shape, Tensor([[0, 0], [1, 2]]), Tensor([-1.0, 5.0]), shape)
    assert [part.asnumpy().tolist() for part in least] == [[[0, 0], [0, 1], [1, 2], [1, 3]], [-1, 0, 4, 0]]
    assert sparse.SparseDenseCwiseAdd()(places, values, shape, Tensor([[10.0], [20.0]])).asnumpy().tolist() == [11, 24, 23]
    assert sparse.SparseDenseCwiseDiv()(places, values, shape, Tensor(2.0)).asnumpy().tolist() == [0.5, 2, 1.5]
    assert ops.SparseTensorDenseAdd()(places, values, shape, Tensor(dense)).asnumpy().tolist() == (2 * dense).tolist()
    assert sparse.SparseToDenseV2()(places, shape, values, Tensor(-1.0)).asnumpy()[0].tolist() == [-1, 1, -1, -1]
    joined = sparse.SparseConcat(0)((places, places), (values, values), (shape, shape))
    assert joined[2].asnumpy().tolist() == [4, 4] and joined[0].asnumpy()[3].tolist() == [2, 1]


def test_segments_sets_and_ragged_rows():
    sparse, rows, ids = ops.operations.sparse_ops, Tensor(FULL), Tensor([0, 0, 2], ms.int32)
    picked = Tensor([0, 2, 1], ms.int32)
    for name, share in (("Sum", 1), ("SqrtN", 2 ** 0.5), ("Mean", 2)):
        got = getattr(sparse, "SparseSegment%sWithNumSegments" % name)()(rows, picked, ids, Tensor([4], ms.int32)).asnumpy()
        np.testing.assert_allclose(got, [(FULL[0] + FULL[2]) / share, 0 * FULL[0], FULL[1], 0 * FULL[0]], 1e-6)
    assert sparse.SparseSegmentSum()(rows, picked, Tensor([0, 0, 1], ms.int32)).shape == (2, 4)
    for bad in ([0, 0, 2], [1, 0, 0]):
        with pytest.raises(ValueError):
            sparse.SparseSegmentSum()(rows, picked, Tensor(bad, ms.int32))
    first, second = Tensor([[1, 2], [3, 0]]), Tensor([[2, 2], [5, 0]])
    for name, want in (("a-b", [1, 3]), ("b-a", [5]), ("intersection", [2, 0]), ("union", [1, 2, 0, 3, 5])):
        assert sparse.DenseToDenseSetOperation(name)(first, second)[1].asnumpy().tolist() == want
    places, values = Tensor([[0, 0], [0, 1], [1, 0]]), Tensor([2, 2, 3])
    counted = sparse.SparseCountSparseOutput()(places, values, Tensor([2, 2]), Tensor([1, 1, 1]))
    assert [part.asnumpy().tolist() for part in counted] == [[[0, 2], [1, 3]], [2, 1], [2, 4]]
    assert sparse.SetSize()(places, values, Tensor([2, 2])).asnumpy().tolist() == [1, 1]
    ragged = sparse.RaggedTensorToSparse(ms.int64)([Tensor([0, 3, 3, 5, 6])], Tensor([1, 2, 3, 4, 5, 6], ms.int32))
    assert ragged[0].asnumpy().tolist() == [[0, 0], [0, 1], [0, 2], [2, 0], [2, 1], [3, 0]] and ragged[2].asnumpy().tolist() == [4, 3]
    wide = sparse.RaggedTensorToTensor(["ROW_SPLITS"])(Tensor([4, 2]), Tensor([1, 2, 3, 4, 5, 6]), Tensor(9), [Tensor([0, 3, 3, 5, 6])])
    assert wide.asnumpy().tolist() == [[1, 2], [9, 9], [4, 5], [6, 9]]


class Layer(nn.Cell):
    """A layer whose weights are the values of a sparse matrix."""

    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(Tensor(VALUES), name="weight")
        self.pointers, self.columns = Tensor(POINTERS), Tensor(PLACES[:, 1].astype(np.int32))

    def construct(self, x):
        matrix = CSRTensor(self.pointers, self.columns, self.weight, (3, 4))
        return ops.relu(ops.csr_tanh(matrix).mm(x)) + matrix.sum(1)


def test_a_network_trains_alike_under_pijit():
    losses = []
    for wrap in (lambda f: f, lambda f: ms.jit(f, mode="PIJit")):
        net = Layer()
        step = wrap(ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, net.trainable_params()))
        optimizer, seen = nn.SGD(net.trainable_params(), 0.1), []
        for _ in range(4):
            loss, grads = step(Tensor(WIDE))
            optimizer(grads)
            seen.append(float(loss))
        losses.append(seen)
    np.testing.assert_allclose(losses[0], losses[1], 1e-6)
    assert losses[0][-1] < losses[0][0]


def test_sparse_tensors_go_in_and_out_of_captured_functions():
    def scaled(x, factor):
        return x.with_values(x.values * factor)
    for make in (coo, csr):
        x, compiled = make(Tensor(VALUES)), ms.jit(scaled, mode="PIJit")
        for factor in (2.0, 3.0, 2.0):
            got = compiled(x, Tensor(factor))
            assert type(got) is type(x) and got.values.asnumpy().tolist() == (VALUES * np.float32(factor)).tolist()
        other = compiled(make(Tensor(-VALUES)), Tensor(1.0))
        assert other.values.asnumpy().tolist() == (-VALUES).tolist()
