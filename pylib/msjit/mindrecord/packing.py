"""The format of a row's fields in a MindRecord file.

Numbers and texts are a map of MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md) of the types used here.
Bytes and arrays are "blob" fields. An array of ints is its length in four bytes, big-endian, then two bits an element
that say whether it has 1, 2, 4 or 8 bytes, then the elements, little-endian.
"""
import struct

import numpy as np


class BadRecord(ValueError):
    """The bytes are no MindRecord."""


def pack_int(value):
    """An int in the fewest bytes."""
    if 0 <= value < 128 or -32 <= value < 0:
        return struct.pack("b", value) if value < 0 else bytes([value])
    kinds = (("B", 0xcc), ("H", 0xcd), ("I", 0xce), ("Q", 0xcf)) if value > 0 else (
        ("b", 0xd0), ("h", 0xd1), ("i", 0xd2), ("q", 0xd3))
    for code, mark in kinds:
        try:
            return bytes([mark]) + struct.pack(">" + code, value)
        except struct.error:
            continue
    raise OverflowError("an int of more than 64 bits")


def pack_text(value):
    """A text."""
    data = value.encode("utf-8")
    size = len(data)
    if size < 32:
        return bytes([0xa0 | size]) + data
    head = (bytes([0xd9, size]) if size < 256 else b"\xda" + struct.pack(">H", size) if size < 65536
            else b"\xdb" + struct.pack(">I", size))
    return head + data


def pack_float(value):
    """A float; in four bytes where they have it exactly."""
    with np.errstate(over="ignore"):
        short = float(np.float32(value)) == value
    return b"\xca" + struct.pack(">f", value) if short else b"\xcb" + struct.pack(">d", value)


def pack_map(items):
    """A map of names to ints, floats and texts."""
    head = bytes([0x80 | len(items)]) if len(items) < 16 else b"\xde" + struct.pack(">H", len(items))
    packs = {int: pack_int, float: pack_float, str: pack_text}
    return head + b"".join(pack_text(name) + packs[type(value)](value) for name, value in items)


_FIXED = {0xcc: ">B", 0xcd: ">H", 0xce: ">I", 0xcf: ">Q", 0xd0: ">b", 0xd1: ">h", 0xd2: ">i", 0xd3: ">q", 0xca: ">f",
          0xcb: ">d"}
_TEXTS = {0xd9: ">B", 0xda: ">H", 0xdb: ">I"}


class Unpacker:
    """Reads what pack_map wrote; every length is checked."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        """The next bytes."""
        if size > len(self.data) - self.at:
            raise BadRecord("a row ends too early")
        self.at += size
        return bytes(self.data[self.at - size:self.at])

    def number(self, code):
        """A number in the notation of struct."""
        return struct.unpack(code, self.take(struct.calcsize(code)))[0]

    def value(self):
        """An int, a float or a text."""
        mark = self.take(1)[0]
        if mark < 0x80 or mark >= 0xe0:
            return mark if mark < 0x80 else mark - 256
        if mark in _FIXED:
            return self.number(_FIXED[mark])
        if mark >> 5 == 5 or mark in _TEXTS:
            size = mark & 31 if mark >> 5 == 5 else self.number(_TEXTS[mark])
            try:
                return self.take(size).decode("utf-8")
            except UnicodeDecodeError:
                raise BadRecord("a text is not UTF-8") from None
        raise BadRecord("a field has the unknown kind %d" % mark)

    def map(self):
        """A dict."""
        mark = self.take(1)[0]
        if mark >> 4 != 8 and mark != 0xde:
            raise BadRecord("a row is no map")
        count = mark & 15 if mark >> 4 == 8 else self.number(">H")
        found = {}
        for _ in range(count):
            name = self.value()
            found[name] = self.value()
        return found


# -- arrays ---------------------------------------------------------------------------------------------------------------

def pack_array(array):
    """The bytes of an array in the order of its elements."""
    if array.dtype.kind == "f":
        return array.tobytes()
    flat = array.reshape(-1).astype(np.int64)
    codes = np.zeros(flat.size, np.uint8)
    for code, kind in ((1, np.int8), (2, np.int16), (3, np.int32)):
        info = np.iinfo(kind)
        codes[(flat < info.min) | (flat > info.max)] = code
    bits = np.stack([codes >> 1, codes & 1], 1).reshape(-1)
    if flat.size and codes.min() == codes.max():
        body = flat.astype("<i%d" % (1 << int(codes[0]))).tobytes()
    else:
        body = b"".join(int(v).to_bytes(1 << int(c), "little", signed=True) for v, c in zip(flat, codes))
    return struct.pack(">I", flat.size) + np.packbits(bits).tobytes() + body


def unpack_array(data, dtype, shape):
    """The array of pack_array's bytes."""
    if dtype.kind == "f":
        if len(data) % dtype.itemsize:
            raise BadRecord("an array has %d bytes, expected a multiple of %d" % (len(data), dtype.itemsize))
        flat = np.frombuffer(data, dtype)
    else:
        flat = _unpack_ints(data).astype(dtype)
    try:
        return flat.reshape(shape).copy()
    except ValueError:
        raise BadRecord("an array of %d elements does not have the shape %s" % (flat.size, shape)) from None


def _unpack_ints(data):
    if len(data) < 4:
        raise BadRecord("an array has no length")
    count = struct.unpack(">I", data[:4])[0]
    heads = (count + 3) // 4
    if len(data) < 4 + heads + count:
        raise BadRecord("an array of %d ints has %d bytes" % (count, len(data)))
    bits = np.unpackbits(np.frombuffer(data[4:4 + heads], np.uint8))[:2 * count].reshape(-1, 2)
    sizes = 1 << (bits[:, 0] * 2 + bits[:, 1]).astype(np.int64)
    body = data[4 + heads:]
    if int(sizes.sum()) != len(body):
        raise BadRecord("an array of ints has %d bytes, expected %d" % (len(body), int(sizes.sum())))
    if count and sizes.min() == sizes.max():
        return np.frombuffer(body, "<i%d" % sizes[0]).astype(np.int64)
    ends, body = np.cumsum(sizes), bytes(body)
    return np.array([int.from_bytes(body[e - s:e], "little", signed=True) for s, e in zip(sizes, ends)], np.int64)
