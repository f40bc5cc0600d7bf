"""Libraries that are opened while a process runs share some 1.6 KB for their thread_local variables (glibc). Where msjit took most of it,
`import msjit, sklearn` failed: "cannot allocate memory in static TLS block"."""
import os
import struct

import pytest

from msjit import _msjit

PT_TLS, LIMIT = 7, 512


def thread_memory(path):
    """Bytes of thread_local variables, from the program headers of a 64-bit ELF file."""
    with open(path, "rb") as file:
        data = file.read()
    offset, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    headers = (struct.unpack_from("<IIQQQQQQ", data, offset + i * size) for i in range(count))
    return sum(header[6] for header in headers if header[0] == PT_TLS)


@pytest.mark.parametrize("name", ["libmsjit_core.so", "libmsjit_llvm.so", "_msjit"])
def test_few_bytes_for_each_thread(name):
    path = _msjit.__file__ if name == "_msjit" else os.path.join(os.path.dirname(_msjit.__file__), name)
    if not os.path.exists(path):
        pytest.skip("built without LLVM")
    assert thread_memory(path) <= LIMIT
