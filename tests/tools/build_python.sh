#!/usr/bin/env bash
# usage: build_python.sh
# Builds CPython 3.14 from Debian's source archive into build/python/3.14, where setup.sh finds it. Does nothing where
# there is an interpreter of that version already. Needs a C compiler, make, and the headers of OpenSSL, libffi and zlib.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/tools/progress.sh
say() { printf 'msjit: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
release=3.14.7
archive=python3.14_$release.orig.tar.xz
address=https://deb.debian.org/debian/pool/main/p/python3.14/$archive
checksum=3b48dac8fb59f62eaa67ac83c1eb12bda1b7a08406dd286e252c11a66be27f81
target=$PWD/build/python/3.14
for found in $(type -ap python3.14 || true) "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.14.*/bin/python3 "$target/bin/python3.14"; do
  [ -x "$found" ] && { say "$found is there"; exit; }
done
work=build/python/work
mkdir -p "$work"
follow "fetching CPython $release" build/python.log curl -sSfL -o "$work/$archive" "$address" ||
  { tail -n 3 build/python.log >&2; die "$address cannot be fetched"; }
echo "$checksum  $work/$archive" | sha256sum -c --quiet || die "$archive is not the file that was expected"
tar -xf "$work/$archive" -C "$work"
compile() {
  cd "$work/Python-$release" &&
    CC="$(command -v ccache >/dev/null && echo 'ccache ')gcc" OPT="-DNDEBUG -O2" ./configure --prefix="$target" &&
    make -j"${JOBS:-$(nproc)}" && make install
}
follow "building CPython $release" build/python.log compile ||
  { tail -n 20 build/python.log >&2; die "CPython does not build, see build/python.log"; }
rm -rf "$work"
