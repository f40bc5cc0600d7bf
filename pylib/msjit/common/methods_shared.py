"""Functions that the files with methods of Tensor share."""


def written(name, tensor, out):
    """Writes `out`, cast to the tensor's dtype, into the tensor; returns the tensor. The tape records it like x[...] = out."""
    if out.shape != tensor.shape:
        raise ValueError("[%s] result has a wrong shape, got %s, expected %s" % (name, tuple(out.shape), tuple(tensor.shape)))
    tensor[...] = out if out.dtype == tensor.dtype else out.astype(tensor.dtype)
    return tensor


__all__ = ["written"]
