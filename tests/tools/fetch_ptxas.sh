#!/usr/bin/env bash
# usage: fetch_ptxas.sh PREFIX      unpacks NVIDIA's assembler from its PyPI wheel into PREFIX/bin; nothing when one is there
set -euo pipefail
prefix=$1
[ -x "$prefix/bin/ptxas" ] && exit 0
wheels=$prefix/ptxas-wheel
mkdir -p "$wheels" "$prefix/bin"
"${PYTHON:-python3}" -m pip download -q --no-deps -d "$wheels" nvidia-cuda-nvcc-cu12==12.9.86
"${PYTHON:-python3}" -m zipfile -e "$wheels"/*.whl "$wheels/unpacked"
cp "$wheels/unpacked/nvidia/cuda_nvcc/bin/ptxas" "$prefix/bin/ptxas"
chmod +x "$prefix/bin/ptxas"
rm -rf "$wheels"
