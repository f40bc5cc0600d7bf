"""Shape functions under the names of mindspore.ops._utils."""
from ...absent import names as _absent_names
from ...common.checks import check_axis as _check_axis


def _shapes(where, *values):
    for value in values:
        if not isinstance(value, (tuple, list)):
            raise TypeError("[%s] shape, got %s, expected a tuple or list" % (where, type(value).__name__))


def get_broadcast_shape(x_shape, y_shape, prim_name, shape_type="", arg_name1="x", arg_name2="y"):
    """Computes the shape that two shapes broadcast to, as a list.

    Raises ValueError where they do not broadcast, TypeError for anything but tuples and lists.
    """
    _shapes(prim_name, x_shape, y_shape)
    out, rank = [], max(len(x_shape), len(y_shape))
    first, second = (1,) * (rank - len(x_shape)) + tuple(x_shape), (1,) * (rank - len(y_shape)) + tuple(y_shape)
    for a, b in zip(first, second):
        if a != b and 1 not in (a, b):
            raise ValueError("[%s] shapes of %s and %s, got %s and %s, expected ones that broadcast"
                             % (prim_name, arg_name1, arg_name2, tuple(x_shape), tuple(y_shape)))
        out.append(b if a == 1 else a)
    return out


def get_concat_offset(x_shp, x_type, axis, prim_name):
    """Returns (offset of each part along axis, total size of the axis, axis counted from the front) for a concatenation.

    Raises ValueError for shapes that do not fit and for an axis that they do not have, TypeError for other arguments.
    """
    _shapes(prim_name, x_shp)
    if not x_shp:
        raise ValueError("[%s] shapes, got none, expected one or more" % (prim_name,))
    _shapes(prim_name, *x_shp)
    rank = len(x_shp[0])
    axis = _check_axis(axis, rank, prim_name)
    offsets, total = [], 0
    for shape in x_shp:
        if len(shape) != rank or any(a != b for i, (a, b) in enumerate(zip(shape, x_shp[0])) if i != axis):
            raise ValueError("[%s] shapes, got %s, expected ones that differ along axis %d alone" % (prim_name, x_shp, axis))
        offsets.append(total)
        total += shape[axis]
    return offsets, total, axis


globals().update(_absent_names(__name__, "get_squared_device_local_norm_param", "norms of single devices are not kept"))
__all__ = ["get_broadcast_shape", "get_concat_offset"]
