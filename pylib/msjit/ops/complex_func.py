"""Functions of complex numbers: their parts, and making them from two real tensors."""
from ..common import dtype as _mstype
from ..common.tensor import check_tensor as _check
from . import registry as _k

_COMPLEX = (_mstype.complex64, _mstype.complex128)


def real(input):
    """Returns the real parts, in the shape of input: float32 for complex64, float64 for complex128; a real tensor itself. TypeError for no Tensor."""
    return _k.real(_check(input, "real"))


def imag(input):
    """Returns the imaginary parts, in the shape of input: float32 for complex64, float64 for complex128; zeros of its dtype for a real tensor.

    Raises TypeError for an input that is no Tensor.
    """
    return _k.imag(_check(input, "imag"))


def conj(input):
    """Returns the complex conjugates, in the shape and dtype of input; a real tensor itself. Raises TypeError for an input that is no Tensor."""
    return _k.conj(_check(input, "conj"))


def angle(input):
    """Returns the angles in the complex plane, in radians from -pi to pi, in the shape of input; pi for negative real numbers.

    complex64 gives float32, complex128 float64. Raises TypeError for an input that is no Tensor.
    """
    return _k.angle(_check(input, "angle"))


def is_complex(input):
    """Says whether the dtype is complex64 or complex128: a bool. Raises TypeError for anything but a Tensor."""
    return _check(input, "is_complex").dtype in _COMPLEX


def isreal(input):
    """Says where the imaginary part is 0: a bool Tensor of the shape of input; everywhere for a real one. Raises TypeError for no Tensor."""
    if _check(input, "isreal").dtype in _COMPLEX:
        return _k.equal(_k.imag(input), 0)
    return _k.full(input.shape, True, _mstype.bool_)


def view_as_real(input):
    """Returns real and imaginary parts along a new last axis of size 2: (...) gives (..., 2), complex64 float32, complex128 float64.

    Raises TypeError for a real tensor.
    """
    if _check(input, "view_as_real").dtype not in _COMPLEX:
        raise TypeError("[view_as_real] dtype, got %s, expected complex64 or complex128" % (input.dtype.name,))
    return _k.stack([_k.real(input), _k.imag(input)], -1)


def polar(abs, angle):
    """Computes abs * exp(1j * angle): complex64 from two float32 tensors, complex128 from two float64 ones.

    Other dtypes raise TypeError, different shapes ValueError.
    """
    dtypes = (_check(abs, "polar").dtype, _check(angle, "polar").dtype)
    if dtypes[0] != dtypes[1] or dtypes[0] not in (_mstype.float32, _mstype.float64):
        raise TypeError("[polar] dtypes of abs and angle, got %s and %s, expected float32 or float64 for both"
                        % (dtypes[0].name, dtypes[1].name))
    if tuple(abs.shape) != tuple(angle.shape):
        raise ValueError("[polar] shapes of abs and angle, got %s and %s, expected equal ones"
                         % (tuple(abs.shape), tuple(angle.shape)))
    return _k.complex(_k.mul(abs, _k.cos(angle)), _k.mul(abs, _k.sin(angle)))


__all__ = ["real", "imag", "conj", "angle", "is_complex", "isreal", "view_as_real", "polar"]
