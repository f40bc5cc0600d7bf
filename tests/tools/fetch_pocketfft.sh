#!/usr/bin/env bash
# usage: fetch_pocketfft.sh PREFIX      puts pocketfft's one header into PREFIX/include; nothing when there
# pocketfft (BSD) is neither a Debian nor a PyPI package of its own; the wheel of mlx-cpu ships its header as it is.
set -euo pipefail
prefix=$1
version=0.32.4
sum=0eaea21304bf324639ff11022ee63faf48a8fab64afe5c3c2d1efefbe1d7dfa6
[ -e "$prefix/include/pocketfft.h" ] && exit 0
mkdir -p "$prefix/include" "$prefix/pocketfft"
"${PYTHON:-python3}" -m pip download -q --no-deps --only-binary :all: --platform manylinux_2_35_x86_64 \
  --python-version 3.12 -d "$prefix/pocketfft" "mlx-cpu==$version"
"${PYTHON:-python3}" -m zipfile -e "$prefix/pocketfft"/mlx_cpu-*.whl "$prefix/pocketfft/unpacked"
header=$prefix/pocketfft/unpacked/mlx/include/mlx/3rdparty/pocketfft.h
echo "$sum  $header" | sha256sum --check --quiet
mv "$header" "$prefix/include/pocketfft.h"
rm -rf "$prefix/pocketfft"
