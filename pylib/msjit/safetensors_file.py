"""Checkpoints in .safetensors files: eight bytes with the length of a head, the head in JSON, and the bytes of the tensors.

    {"__metadata__": {text: text}, name: {"dtype": "F32", "shape": [2, 3], "data_offsets": [start, end]}, ...}

Complex numbers are written as pairs of real ones, which older readers accept; the metadata "dtype:name" marks them. Texts of a checkpoint are
metadata "str:name". The safetensors package opens the files and checks the head. It does not return bfloat16, so this module reads that.
"""
import os

from . import checkpoint_file, ops
from .common import dtype as mstype
from .common.parameter import Parameter
from .common.tensor import Tensor

_DTYPES = {"bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "uint16": "U16", "float16": "F16", "int32": "I32", "uint32": "U32",
           "float32": "F32", "int64": "I64", "uint64": "U64", "float64": "F64"}
_READ = tuple(_DTYPES.values()) + ("C64",)


def is_safetensors(path):
    """Looks at the first bytes: the length of a head, and the brace with which its JSON begins."""
    with open(path, "rb") as file:
        head = file.read(9)
        size = os.fstat(file.fileno()).st_size
    return head[8:] == b"{" and int.from_bytes(head[:8], "little") + 8 <= size


# -- writing --------------------------------------------------------------------------------------------------------------

def _array(value):
    """(array, dtype of the file, dtype for the metadata) of a Tensor or a number."""
    import numpy
    if not isinstance(value, Tensor):
        value = Tensor(value)
    if value.dtype == mstype.bfloat16:
        bits = numpy.ascontiguousarray(value.astype(mstype.float32).asnumpy()).view(numpy.uint32) >> 16
        return bits.astype(numpy.uint16).reshape(value.shape), "BF16", ""
    pairs = value.dtype.name if value.dtype in mstype.complex_type else ""
    array = numpy.asarray((ops.view_as_real(value) if pairs else value).asnumpy(), order="C")
    return array, _DTYPES[array.dtype.name], pairs


def write(path, values):
    """Writes {name: Tensor, number or text}. Tensors with wide elements come first, so that all elements lie at multiples of their size."""
    import json
    metadata, tensors = {"format": "msjit"}, []
    for name, value in values.items():
        if isinstance(value, str):
            metadata["str:" + name] = value
            continue
        array, dtype, pairs = _array(value)
        tensors.append((-array.itemsize, name, array, dtype))
        if pairs:
            metadata["dtype:" + name] = pairs
    tensors.sort(key=lambda item: item[:2])
    head, end = {"__metadata__": metadata}, 0
    for _, name, array, dtype in tensors:
        head[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(head, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for _, _, array, _ in tensors:
            file.write(array.tobytes())
        file.flush()
        os.fsync(file.fileno())


# -- reading --------------------------------------------------------------------------------------------------------------

def _head(path):
    """(the head, where the bytes of the tensors begin) of a file that safe_open has opened."""
    import json
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        return json.loads(file.read(size).decode("utf-8")), 8 + size


def _half(path, entry, start):
    """A tensor of bfloat16."""
    import numpy
    first, last = entry["data_offsets"]
    with open(path, "rb") as file:
        file.seek(start + first)
        bits = numpy.frombuffer(file.read(last - first), numpy.uint16)
    return Tensor((bits.astype(numpy.uint32) << 16).view(numpy.float32).reshape(entry["shape"])).astype(mstype.bfloat16)


def _tensor(file, name, path, head, start):
    dtype = head[name]["dtype"]
    if dtype == "BF16":
        return _half(path, head[name], start)
    if dtype not in _READ:
        raise ValueError("[load_checkpoint] dtype of %s, got %s, expected one of %s" % (name, dtype, ", ".join(("BF16",) + _READ)))
    return Tensor(file.get_tensor(name))


def read(path, wanted):
    """{name: Parameter or text} for the names for which wanted(name) is true. BadFile if the file is no safetensors file."""
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise ImportError("[checkpoint] the safetensors package is needed: pip install safetensors") from None
    loaded = {}
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            head, start = _head(path)
            for name in filter(wanted, file.keys()):
                values, kind = _tensor(file, name, path, head, start), metadata.get("dtype:" + name)
                if kind == "bfloat16":  # as msjit wrote it once: in float32
                    values = values.astype(mstype.bfloat16)
                elif kind in ("complex64", "complex128"):
                    values = ops.complex(values[..., 0], values[..., 1])
                loaded[name] = Parameter(values, name=name)
    except SafetensorError as error:
        raise checkpoint_file.BadFile(str(error)) from None
    loaded.update((key[4:], value) for key, value in metadata.items() if key.startswith("str:") and wanted(key[4:]))
    return loaded
