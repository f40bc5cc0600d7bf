"""MindSpore's .ckpt files: a sequence of named tensors in the wire format of protocol buffers.

    message Checkpoint { repeated Value value = 1; }
    message Value { string tag = 1; Tensor tensor = 2; }
    message Tensor { repeated int64 dims = 1; string tensor_type = 2; bytes tensor_content = 3; }

A tensor of more than 512 MiB is divided into several Values with one tag. A text has the type "str" and four bytes a character. Behind
the values "crc_num" and the CRC-32 of everything before it may follow, in ten bytes. Reading runs no code and needs no more
memory than the file is long: every length is compared with the rest of the file before anything is read.
"""
import os
import zlib

SLICE = 512 << 20
_CRC_MARK, _CRC_SIZE = b"crc_num", 17
_NUMPY = {"Bool": "bool", "Int8": "int8", "Int16": "int16", "Int32": "int32", "Int64": "int64", "UInt8": "uint8",
          "UInt16": "uint16", "UInt32": "uint32", "UInt64": "uint64", "Float16": "float16", "Float32": "float32",
          "Float64": "float64", "BFloat16": "uint16", "Complex64": "complex64", "Complex128": "complex128"}
TYPES = {name: found for found, name in _NUMPY.items() if found != "BFloat16"}
_MOST_DIMS = 64


class BadFile(ValueError):
    """The bytes are no checkpoint."""


# -- writing --------------------------------------------------------------------------------------------------------------

def _varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(number, payload):
    return _varint(number << 3 | 2) + _varint(len(payload)) + payload


def _write_value(write, name, kind, dims, content):
    """One Value; `content` is written as it is, not copied."""
    about = b"".join(b"\x08" + _varint(d) for d in dims) + _field(2, kind.encode()) + b"\x1a" + _varint(len(content))
    tag = _field(1, name.encode("utf-8"))
    head = tag + b"\x12" + _varint(len(about) + len(content)) + about
    write(b"\x0a" + _varint(len(head) + len(content)) + head)
    write(content)


def write_file(file, items, with_crc):
    """Writes (name, type, shape, bytes) items; texts have the type "str"."""
    total = [0]

    def write(data):
        total[0] = zlib.crc32(data, total[0]) if with_crc else 0
        file.write(data)
    for name, kind, dims, content in items:
        content = memoryview(content)
        for start in range(0, len(content), SLICE) if len(content) else (0,):
            _write_value(write, name, kind, dims, content[start:start + SLICE])
    if with_crc:
        file.write(_CRC_MARK + total[0].to_bytes(10, "big"))


# -- reading --------------------------------------------------------------------------------------------------------------

class _Bytes:
    """A cursor over the bytes of one message."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def varint(self):
        value = 0
        for shift in range(0, 70, 7):
            if self.at >= len(self.data):
                raise BadFile("it ends within a number")
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value & (1 << 64) - 1
        raise BadFile("a number is longer than 64 bits")

    def block(self):
        size = self.varint()
        if size > len(self.data) - self.at:
            raise BadFile("a length reaches beyond the end")
        self.at += size
        return self.data[self.at - size:self.at]

    def fields(self):
        """Yields (number, value) of each field; the value of a length-delimited field is a memoryview."""
        while self.at < len(self.data):
            key = self.varint()
            number, way = key >> 3, key & 7
            if way == 0:
                yield number, self.varint()
            elif way == 2:
                yield number, self.block()
            elif way in (1, 5):
                size = 8 if way == 1 else 4
                if size > len(self.data) - self.at:
                    raise BadFile("it ends within a number")
                self.at += size
                yield number, None
            else:
                raise BadFile("a field has the unknown kind %d" % way)


def _file_varint(file):
    data = bytearray()
    while not data or data[-1] > 127:
        byte = file.read(1)
        if not byte or len(data) == 10:
            raise BadFile("it ends within a number")
        data += byte
    return _Bytes(data).varint()


def _text(value, what):
    if not isinstance(value, memoryview):
        raise BadFile("a %s is no text" % what)
    try:
        return str(value, "utf-8")
    except UnicodeDecodeError:
        raise BadFile("a %s is not UTF-8" % what) from None


def _parse(data):
    """(name, type, dims, content) of the bytes of a Value."""
    name, tensor = None, None
    for number, value in _Bytes(data).fields():
        if number == 1:
            name = _text(value, "name")
        elif number == 2:
            tensor = value
    if name is None or not isinstance(tensor, memoryview):
        raise BadFile("a value has no name or no tensor")
    kind, dims, content = None, [], data[:0]
    for number, value in _Bytes(tensor).fields():
        if number == 1:
            if isinstance(value, int):
                dims.append(value)
            elif value is not None:  # packed, which proto3 allows
                packed = _Bytes(value)
                while packed.at < len(value):
                    dims.append(packed.varint())
            if len(dims) > _MOST_DIMS:
                raise BadFile("tensor %r has more than %d axes" % (name, _MOST_DIMS))
        elif number == 2:
            kind = _text(value, "type")
        elif number == 3:
            if not isinstance(value, memoryview):
                raise BadFile("the content of tensor %r is no block of bytes" % name)
            content = value
    if kind is None:
        raise BadFile("tensor %r has no type" % name)
    return name, kind, tuple(dims), content


def _array(name, kind, dims, content):
    import numpy
    if kind == "str":
        try:
            return bytes(content).decode("utf-32-le")
        except UnicodeDecodeError:
            raise BadFile("text %r is not UTF-32" % name) from None
    if kind not in _NUMPY:
        raise BadFile("tensor %r has the unknown type %r" % (name, kind))
    dtype = numpy.dtype(_NUMPY[kind])
    size = 1
    for length in dims:
        size *= length  # ints of Python, which do not overflow
    if size * dtype.itemsize != len(content):
        raise BadFile("tensor %r of shape %s and type %s has %d bytes, expected %d"
                      % (name, dims, kind, len(content), size * dtype.itemsize))
    if kind == "Bool" and len(content) and numpy.frombuffer(content, numpy.uint8).max() > 1:
        raise BadFile("tensor %r of bools has other values than 0 and 1" % name)
    try:
        return numpy.frombuffer(content, dtype).reshape(dims)
    except (ValueError, OverflowError):  # an empty tensor with a dimension larger than any array has
        raise BadFile("tensor %r has the impossible shape %s" % (name, dims)) from None


def _blocks(file, end):
    """The bytes of each Value up to the position `end`."""
    while file.tell() < end:
        if _file_varint(file) != 0x0a:
            raise BadFile("a value does not begin where it should")
        size = _file_varint(file)
        if size > end - file.tell():
            raise BadFile("a length reaches beyond the end")
        data = file.read(size)
        if len(data) != size:
            raise BadFile("it ends within a value")
        yield memoryview(data)


def _whole_size(kind, dims):
    import numpy
    size = numpy.dtype(_NUMPY[kind]).itemsize if kind in _NUMPY else 0
    for length in dims:
        size *= length
    return size


def read_file(file, wanted=None, check_crc=False):
    """Yields (name, type, array or text) of each tensor for which wanted(name) is true."""
    end = os.fstat(file.fileno()).st_size
    if end >= _CRC_SIZE:
        file.seek(end - _CRC_SIZE)
        tail = file.read(_CRC_SIZE)
        if tail.startswith(_CRC_MARK):
            end -= _CRC_SIZE
            if check_crc and _crc(file, end) != int.from_bytes(tail[len(_CRC_MARK):], "big"):
                raise BadFile("its contents do not have the CRC-32 that it says")
    file.seek(0)
    open_name, open_kind, open_dims, parts = None, None, None, None
    for block in _blocks(file, end):
        name, kind, dims, content = _parse(block)
        if parts is not None:
            if (name, kind, dims) != (open_name, open_kind, open_dims):
                raise BadFile("tensor %r is not complete" % open_name)
            parts += content
        elif wanted is not None and not wanted(name):
            continue
        elif kind != "str" and 0 < len(content) < _whole_size(kind, dims):
            open_name, open_kind, open_dims, parts = name, kind, dims, bytearray(content)
        else:
            yield name, kind, _array(name, kind, dims, content)
            continue
        if len(parts) >= _whole_size(kind, dims):
            yield name, kind, _array(name, kind, dims, parts)
            parts = None
    if parts is not None:
        raise BadFile("tensor %r is not complete" % open_name)


def _crc(file, end):
    file.seek(0)
    found, left = 0, end
    while left:
        data = file.read(min(left, 1 << 20))
        if not data:
            raise BadFile("it has become shorter")
        found, left = zlib.crc32(data, found), left - len(data)
    return found
