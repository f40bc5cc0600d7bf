"""einsum: sums of products over named axes, as a chain of matrix products."""
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import diagonal_func as _di
from . import registry as _k

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _labels(text, rank, most):
    """The labels of an operand's axes: letters, and for the axes of `...` the numbers up to most - 1."""
    if "..." not in text:
        return list(text)
    before, after = text.split("...")
    count = rank - len(before) - len(after)
    return list(before) + list(range(most - count, most)) + list(after)


def _diagonals(x, labels):
    """Takes the diagonal of axes that have the same label."""
    for label in list(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            x = _di.diagonal(x, 0, first, second)
            labels = [item for i, item in enumerate(labels) if i not in (first, second)] + [label]
    return x, labels


def _without(x, labels, kept):
    """Sums over axes whose label is not in `kept`."""
    gone = [i for i, label in enumerate(labels) if label not in kept]
    if gone:
        x, labels = _k.sum(x, gone), [label for label in labels if label in kept]
    return x, labels


def _pair(x, xs, y, ys, kept):
    """Multiplies two operands and sums over the labels that are not in `kept`; returns (result, its labels)."""
    x, xs = _without(x, xs, kept + ys)
    y, ys = _without(y, ys, kept + xs)
    batch = [label for label in xs if label in ys and label in kept]
    inner = [label for label in xs if label in ys and label not in kept]
    left, right = [label for label in xs if label not in ys], [label for label in ys if label not in xs]
    size = dict(zip(xs, x.shape))
    for label, count in zip(ys, y.shape):
        size[label] = max(size.get(label, 1), count) if 1 in (size.get(label, 1), count) else count
    first = _ordered(x, xs, batch + left + inner)
    second = _ordered(y, ys, batch + inner + right)
    if inner or not batch or (left and right):
        first = _k.reshape(_spread(first, batch + left + inner, size, inner), _sizes(size, batch, left, inner, first))
        second = _k.reshape(_spread(second, batch + inner + right, size, inner), _sizes(size, batch, inner, right, second))
        out = _k.matmul(first, second)
    else:  # element by element; one of `left` and `right` is empty
        wide, at = tuple(second.shape), len(batch)
        out = _k.reshape(first, tuple(first.shape) + (1,) * len(right)) * _k.reshape(second, wide[:at] + (1,) * len(left) + wide[at:])
    shape = [max(x.shape[xs.index(b)], y.shape[ys.index(b)]) for b in batch]
    return _k.reshape(out, shape + [size[label] for label in left + right]), batch + left + right


def _ordered(x, labels, wanted):
    order = [labels.index(label) for label in wanted]
    return x if order == list(range(len(order))) else _k.transpose(x, order)


def _spread(x, labels, size, inner):
    """Broadcasts axes of size 1 whose label is in `inner`."""
    shape = [size[label] if label in inner else count for label, count in zip(labels, x.shape)]
    return x if shape == list(x.shape) else _k.broadcast_to(x, shape)


def _sizes(size, batch, rows, columns, x):
    """The shape of x with the axes of `rows` joined to one, and those of `columns`."""
    lead = list(x.shape[:len(batch)])
    first = second = 1
    for label in rows:
        first *= size[label]
    for label in columns:
        second *= size[label]
    return lead + [first, second]


def _lettered(given):
    """Converts the arguments of einsum(x, [0, 1], y, [1, 2], [0, 2]) to (equation, operands): a number is an index into _LETTERS."""
    operands, lists = list(given[::2]), [list(item) for item in given[1::2]]
    result = list(operands.pop()) if len(given) % 2 and len(given) > 1 and isinstance(given[-1], (tuple, list)) else None
    for item in lists + [result or []]:
        for number in item:
            if number is not Ellipsis and (isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 52):
                raise ValueError("[einsum] item of a list, got %r, expected `...` or an int in [0, 52)" % (number,))
    texts = ["".join("..." if n is Ellipsis else _LETTERS[n] for n in item) for item in lists + ([] if result is None else [result])]
    if result is None:
        return ",".join(texts), operands
    return ",".join(texts[:-1]) + "->" + texts[-1], operands


def _unnamed(equation, part, x):
    """The number of axes of x that `...` stands for; `part` is the text that names its axes."""
    letters = part.replace("...", "", 1)
    if not all(c.isalpha() for c in letters):
        raise ValueError("[einsum] equation, got %r, expected letters, commas, '...' and '->'" % (equation,))
    extra = _check(x, "einsum").ndim - len(letters)
    if extra < 0 or (extra and "..." not in part):
        raise ValueError("[einsum] rank of an operand, got %d, expected that of %r" % (x.ndim, part))
    return extra


def _parsed(equation, operands):
    """(labels of the axes of each operand, labels of the axes of the result)."""
    text = equation.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    parts = inputs.split(",")
    if len(parts) != len(operands) or not operands:
        raise ValueError("[einsum] equation %r names %d operands, got %d" % (equation, len(parts), len(operands)))
    most = max([_unnamed(equation, part, x) for part, x in zip(parts, operands)])
    labels = [_labels(part, x.ndim, most) for part, x in zip(parts, operands)]
    flat = [label for item in labels for label in item]
    if arrow:
        wanted = _labels(output, most + len(output.replace("...", "", 1)), most)
    else:
        wanted = list(range(most)) + sorted(label for label in set(flat)
                                            if isinstance(label, str) and flat.count(label) == 1)
    if len(set(wanted)) != len(wanted) or not all(label in flat for label in wanted):
        raise ValueError("[einsum] letters of the result, got %r, expected each once and from the operands" % (equation,))
    return labels, wanted


def einsum(equation, *operands):
    """Sums products over axes named by letters, as einsum('bij,bjk->bik', x, y); letters that the result lacks are
    summed over.

    einsum(x, [0, 1], y, [1, 2], [0, 2]) gives lists of numbers instead of letters. The list of the result comes last and may be left out.
    """
    if isinstance(equation, _Tensor) and operands and isinstance(operands[0], (tuple, list)):
        equation, operands = _lettered((equation,) + operands)
    if not isinstance(equation, str):
        raise TypeError("[einsum] equation, got %s, expected a str" % type(equation).__name__)
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    labels, wanted = _parsed(equation, operands)
    _check_sizes(equation, operands, labels)
    out, current = _diagonals(operands[0], labels[0])
    for i in range(1, len(operands)):
        x, names = _diagonals(operands[i], labels[i])
        later = [label for item in labels[i + 1:] for label in item]
        out, current = _pair(out, current, x, names, wanted + later)
    out, current = _without(out, current, wanted)
    return _ordered(out, current, wanted)


def _check_sizes(equation, operands, labels):
    size = {}
    for x, names in zip(operands, labels):
        for label, count in zip(names, x.shape):
            known = size.get(label, 1)
            if known != count and 1 not in (known, count):
                raise ValueError("[einsum] sizes of %r in %r, got %d and %d" % (label, equation, known, count))
            size[label] = max(known, count)


__all__ = ["einsum"]
