"""What ops has for sparse tensors, loaded when it is asked for: few programs do."""
import importlib

_PLACES = {
    "sparse_func": """COOTensor CSRTensor RowTensor SparseTensor coo2csr csr2coo dense_to_sparse_coo dense_to_sparse_csr make_coo_tensor
        make_csr_tensor make_row_tensor make_row_tensor_inner make_sparse_tensor row_tensor_get_dense_shape row_tensor_get_indices
        row_tensor_get_values""",
    "sparse_operations": """COO2CSR CSR2COO CSRDiv CSRGather CSRMM CSRMV CSRMul CSRReduceSum CSRSparseMatrixToDense
        CSRSparseMatrixToSparseTensor DenseToCSRSparseMatrix SparseAdd SparseAddmm SparseConcat SparseDenseCwiseAdd
        SparseDenseCwiseDiv SparseDenseCwiseMul SparseFillEmptyRows SparseMatrixAdd SparseMatrixMatMul SparseMatrixNNZ
        SparseMatrixSoftmax SparseMatrixSparseMatMul SparseMatrixTranspose SparseReorder SparseReshape SparseSegmentMeanWithNumSegments
        SparseSegmentSqrtN SparseSegmentSqrtNWithNumSegments SparseSegmentSum SparseSegmentSumWithNumSegments SparseSlice SparseSoftmax
        SparseSparseMaximum SparseSparseMinimum SparseTensorDenseAdd SparseTensorDenseMatmul SparseTensorToCSRSparseMatrix
        SparseToDenseV2""",
    "sparse_counting": """DenseToDenseSetOperation DenseToSparseSetOperation RaggedTensorToSparse RaggedTensorToTensor SetSize
        SparseCountSparseOutput""",
}
_BY_NAME = {name: place for place, names in _PLACES.items() for name in names.split()}


def find(name):
    """The function or primitive of a name, or None."""
    place = "sparse_func" if name.startswith(("coo_", "csr_")) else _BY_NAME.get(name)
    if place is None:
        return None
    return getattr(importlib.import_module("." + place, __package__), name, None)
