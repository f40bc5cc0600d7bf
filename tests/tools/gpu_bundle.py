"""Packs what a machine with a GPU needs for tests/gpu into one file: the package built for one Python, the tests, LLVM and the other
libraries it is linked with. The C library is not packed: that machine's must be as new as this one's or newer.

There, `tar xf gpu.tar.xz && sh gpu/run.sh test` runs the tests, `sh gpu/run.sh bench` the benchmarks. They need that Python with NumPy, and
pytest for the tests.

    python tests/tools/gpu_bundle.py --python 3.12 --out build/gpu.tar.xz
"""
import argparse
import lzma
import os
import shutil
import subprocess
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SYSTEM = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libstdc++", "libgcc_s")

RUN = """#!/bin/sh
# run.sh test|cpp|bench: see tests/tools/gpu_bundle.py
here=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH="$here/lib:$LD_LIBRARY_PATH" PYTHONPATH="$here/pkg:$PYTHONPATH" MSJIT_CACHE_DIR=
what=$1; shift
case $what in
  test) exec "${PYTHON:-python3}" -m pytest -q -p no:cacheprovider "$here/tests/gpu" "$@" ;;
  cpp) exec "$here/msjit_tests" "$@" ;;
  bench) exec "${PYTHON:-python3}" "$here/tests/gpu/bench_gpu.py" "$@" ;;
  *) echo "run.sh: got '$what', expected test, cpp or bench" >&2; exit 2 ;;
esac
"""


def libraries(path):
    """Paths of what a library or program is linked with, by the loader's own search."""
    lines = subprocess.run(["ldd", path], stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout.splitlines()
    found = [line.split("=>")[1].split()[0] for line in lines if "=>" in line and "not found" not in line]
    return [p for p in found if not os.path.basename(p).startswith(SYSTEM)]


def extension(package, version):
    tag = "cpython-" + version.replace(".", "")
    names = [n for n in os.listdir(package) if n.startswith("_msjit." + tag) and n.endswith(".so")]
    if len(names) != 1:
        raise SystemExit("gpu_bundle: extension for Python %s in %s, got %d, expected 1: build it first" % (version, package, len(names)))
    return names[0]


def fill(folder, version, build):
    package, lib = os.path.join(build, "pkg", "msjit"), os.path.join(folder, "lib")
    os.makedirs(lib)
    native = [extension(package, version), "libmsjit_core.so", "libmsjit_llvm.so"]
    others = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(package, os.path.join(folder, "pkg", "msjit"), ignore=others, symlinks=False)
    for name in native:
        shutil.copy2(os.path.join(package, name), os.path.join(folder, "pkg", "msjit", name))
    for path in {p for name in native for p in libraries(os.path.join(package, name))}:
        if not os.path.basename(path).startswith("libmsjit"):
            shutil.copy2(path, os.path.join(lib, os.path.basename(path)))
    for name in native[1:]:  # for msjit_tests, and whoever looks there
        os.symlink(os.path.join("..", "pkg", "msjit", name), os.path.join(lib, name))
    for name in ("gpu", "py"):
        shutil.copytree(os.path.join(ROOT, "tests", name), os.path.join(folder, "tests", name), ignore=shutil.ignore_patterns("__pycache__"))
    tests = os.path.join(build, "msjit_tests")
    if os.path.exists(tests):
        shutil.copy2(tests, os.path.join(folder, "msjit_tests"))
        for path in libraries(tests):
            target = os.path.join(lib, os.path.basename(path))
            if not os.path.exists(target):
                shutil.copy2(path, target)
    for base, _, names in os.walk(folder):
        for name in names:
            if ".so" in name and not os.path.islink(os.path.join(base, name)):
                subprocess.run(["strip", "--strip-unneeded", os.path.join(base, name)], check=False)
    with open(os.path.join(folder, "run.sh"), "w") as file:
        file.write(RUN)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default="3.12", help="the version of the Python that will run it")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "gpu.tar.xz"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "gpu")
        fill(folder, options.python, options.build)
        filters = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 6}]  # machine code packs better so
        with lzma.open(options.out, "wb", filters=filters) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
            archive.add(folder, "gpu")
    print("%s: %.1f MiB" % (options.out, os.path.getsize(options.out) / 2**20))


if __name__ == "__main__":
    main()
