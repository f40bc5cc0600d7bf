"""The sparse part of ops. Its modules are loaded on first use, because few programs need them."""
import importlib

_PLACES = {
    "functions": """COOTensor CSRTensor RowTensor SparseTensor coo2csr csr2coo dense_to_sparse_coo dense_to_sparse_csr make_coo_tensor
        make_csr_tensor make_row_tensor make_row_tensor_inner make_sparse_tensor row_tensor_get_dense_shape row_tensor_get_indices
        row_tensor_get_values coo_add coo_concat coo_tensor_get_dense_shape coo_tensor_get_indices coo_tensor_get_values csr_add csr_div
        csr_gather csr_mm csr_mul csr_mv csr_reduce_sum csr_softmax csr_tensor_get_dense_shape csr_tensor_get_indices
        csr_tensor_get_indptr csr_tensor_get_values csr_to_coo csr_to_dense""",
    "operations": """COO2CSR CSR2COO CSRDiv CSRGather CSRMM CSRMV CSRMul CSRReduceSum CSRSparseMatrixToDense
        CSRSparseMatrixToSparseTensor DenseToCSRSparseMatrix SparseAdd SparseAddmm SparseConcat SparseDenseCwiseAdd
        SparseDenseCwiseDiv SparseDenseCwiseMul SparseFillEmptyRows SparseMatrixAdd SparseMatrixMatMul SparseMatrixNNZ
        SparseMatrixSoftmax SparseMatrixSparseMatMul SparseMatrixTranspose SparseReorder SparseReshape SparseSegmentMeanWithNumSegments
        SparseSegmentSqrtN SparseSegmentSqrtNWithNumSegments SparseSegmentSum SparseSegmentSumWithNumSegments SparseSlice SparseSoftmax
        SparseSparseMaximum SparseSparseMinimum SparseTensorDenseAdd SparseTensorDenseMatmul SparseTensorToCSRSparseMatrix
        SparseToDenseV2""",
    "counting": """DenseToDenseSetOperation DenseToSparseSetOperation RaggedTensorToSparse RaggedTensorToTensor SetSize
        SparseCountSparseOutput""",
}
_UNARY = """abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor inv isfinite isinf isnan log log1p neg relu relu6 round
    sigmoid sin sinh softsign sqrt square tan tanh"""
_BY_NAME = {name: place for place, names in _PLACES.items() for name in names.split()}


UNARY = {kind + name: name for kind in ("coo_", "csr_") for name in _UNARY.split()}
_BY_NAME.update(dict.fromkeys(UNARY, "functions"))


def find(name):
    """The function or primitive of a name, or None."""
    place = _BY_NAME.get(name)
    return None if place is None else getattr(importlib.import_module("." + place, __name__), name)


def names():
    """The names of all functions and primitives for sparse tensors."""
    return tuple(_BY_NAME)
