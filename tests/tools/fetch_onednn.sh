#!/usr/bin/env bash
# usage: fetch_onednn.sh PREFIX      unpacks oneDNN's PyPI wheels into PREFIX/include and PREFIX/lib; nothing when there
set -euo pipefail
prefix=$1
version=2023.2.0
[ -e "$prefix/include/dnnl.hpp" ] && [ -e "$prefix/lib/libdnnl.so.3" ] && exit 0
mkdir -p "$prefix/wheels"
for name in onednn-cpu-gomp onednn-devel-cpu-gomp; do
  file=${name//-/_}-$version
  compgen -G "$prefix/wheels/$file-*.whl" >/dev/null ||
    "${PYTHON:-python3}" -m pip download -q --no-deps -d "$prefix/wheels" "$name==$version"
  "${PYTHON:-python3}" -m zipfile -e "$prefix/wheels/$file"-*.whl "$prefix/wheels/unpacked"
  cp -r "$prefix/wheels/unpacked/$file.data/data/." "$prefix/"
done
rm -rf "$prefix/wheels" "$prefix/lib/libdnnl.so" "$prefix/lib/libdnnl.so.3.2"
