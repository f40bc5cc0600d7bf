"""The ends of the number types and the step at 1, as tables: asking NumPy would end a captured region."""
from . import dtype as mstype

_INTEGERS = {kind: (-2 ** (8 * size - 1), 2 ** (8 * size - 1) - 1) for kind, size in zip(mstype.int_type, (1, 2, 4, 8))}
_INTEGERS.update({kind: (0, 2 ** (8 * size) - 1) for kind, size in zip(mstype.uint_type, (1, 2, 4, 8))})
# The fraction bits of a float, and the exponent of the power of two above all its numbers.
_FLOATS = {mstype.float16: (10, 16), mstype.bfloat16: (7, 128), mstype.float32: (23, 128), mstype.float64: (52, 1024)}
_GREATEST = {kind: float(2 ** top - 2 ** (top - 1 - bits)) for kind, (bits, top) in _FLOATS.items()}
ENDS = {kind: (-greatest, greatest) for kind, greatest in _GREATEST.items()}  # (smallest, greatest finite number) of a dtype
ENDS.update(_INTEGERS)
EPSILON = {kind: 2.0 ** -bits for kind, (bits, _) in _FLOATS.items()}
