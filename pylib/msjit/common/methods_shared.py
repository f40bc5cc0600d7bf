"""What the files of methods of Tensor share."""


def written(name, tensor, out):
    """`out`, in the dtype of the tensor, written to its memory; the tensor. Recorded, as x[...] = out is."""
    if out.shape != tensor.shape:
        raise ValueError("[%s] result has a wrong shape, got %s, expected %s" % (name, tuple(out.shape), tuple(tensor.shape)))
    tensor[...] = out if out.dtype == tensor.dtype else out.astype(tensor.dtype)
    return tensor


__all__ = ["written"]
