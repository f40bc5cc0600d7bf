"""MindSpore's summary files: records of a length, its checksum, an event and its checksum, as in TFRecord files.

    message Event { double wall_time = 1; int64 step = 2; oneof what { string version = 3; Summary summary = 5; } }
    message Summary { repeated Value value = 1; }
    message Value { string tag = 1; oneof value { float scalar_value = 3; Image image = 4; Histogram histogram = 9; } }
    message Image { int32 height = 1; int32 width = 2; int32 colorspace = 3; bytes encoded_image = 4; }
    message Histogram { repeated Bucket buckets = 1; int64 nan_count = 2; int64 pos_inf_count = 3; int64 neg_inf_count = 4;
                        double max = 5; double min = 6; double sum = 7; int64 count = 8; }
    message Bucket { double left = 1; double width = 2; int64 count = 3; }
"""
import struct

from ..checkpoint_file import _field, _varint

VERSION = "MindSpore.Event:1"
_table = []


def _crc32c(data):
    """The CRC-32C (Castagnoli) checksum."""
    if not _table:
        for i in range(256):
            for _ in range(8):
                i = i >> 1 ^ (0x82f63b78 if i & 1 else 0)
            _table.append(i)
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ _table[(crc ^ byte) & 255]
    return crc ^ 0xffffffff


def checksum(data):
    """The checksum bytes that follow data: its CRC, rotated and offset."""
    crc = _crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff)


def record(payload):
    """The bytes of one record."""
    length = struct.pack("<Q", len(payload))
    return length + checksum(length) + payload + checksum(payload)


def _double(number, value):
    return _varint(number << 3 | 1) + struct.pack("<d", value)


def _int(number, value):
    return _varint(number << 3) + _varint(value & (1 << 64) - 1)


def version_event(time):
    """The first event of a file."""
    return _double(1, time) + _field(3, VERSION.encode())


def summary_event(time, step, values):
    """The event of a step; `values` are results of scalar, image and histogram."""
    return _double(1, time) + _int(2, step) + _field(5, b"".join(_field(1, value) for value in values))


def scalar(tag, value):
    """A value of one number."""
    return _field(1, tag.encode()) + _varint(3 << 3 | 5) + struct.pack("<f", value)


def image(tag, height, width, channels, encoded):
    """A value of an encoded image."""
    return _field(1, tag.encode()) + _field(4, _int(1, height) + _int(2, width) + _int(3, channels) + _field(4, encoded))


def histogram(tag, array):
    """A value with the histogram of an array: counts in equal parts of its range."""
    import numpy
    flat = numpy.asarray(array, numpy.float64).reshape(-1)
    finite = flat[numpy.isfinite(flat)]
    parts = b""
    if finite.size:
        counts, edges = numpy.histogram(finite, bins=min(90, max(10, int(finite.size ** 0.5))))
        for count, left, right in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist()):
            parts += _field(1, _double(1, left) + _double(2, right - left) + _int(3, count))
    for number, mask in ((2, numpy.isnan(flat)), (3, numpy.isposinf(flat)), (4, numpy.isneginf(flat))):
        if mask.any():
            parts += _int(number, int(mask.sum()))
    if finite.size:
        parts += _double(5, float(finite.max())) + _double(6, float(finite.min())) + _double(7, float(finite.sum()))
    return _field(1, tag.encode()) + _field(9, parts + _int(8, flat.size))
