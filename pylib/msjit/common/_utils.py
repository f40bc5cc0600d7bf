"""Names of mindspore.common._utils: shapes with sizes that are not known."""
import types


def is_dim_unknown(shape):
    """Whether a shape says that even its number of axes is not known: (-2,). ValueError for a -2 among other sizes."""
    if len(shape) > 1 and -2 in shape:
        raise ValueError("[is_dim_unknown] shape, got %s, expected -2 alone or not at all" % (tuple(shape),))
    return len(shape) == 1 and shape[0] == -2


def is_shape_unknown(shape):
    """Whether a size of a shape is unknown (-1), or all are (-2). ValueError for a size below -2."""
    if any(size < -2 for size in shape):
        raise ValueError("[is_shape_unknown] shape, got %s, expected sizes of -2 or more" % (tuple(shape),))
    return is_dim_unknown(shape) or -1 in tuple(shape)


def get_func(func):
    """The function of a bound method; anything else itself."""
    return func.__func__ if isinstance(func, types.MethodType) else func
