#!/usr/bin/env bash
# usage: setup.sh build|run|test|test-oracle|zoo|bench|bench-peers|docs|wheel|lint
# Brings a Debian or Ubuntu machine to the state that the goal needs: system packages, one virtual environment an
# interpreter in build/venv/3.X, oneDNN in build/deps, the binaries, and msjit linked into each environment.
# Every step leaves a stamp in build/stamps and is skipped, without touching the network, while its inputs stand.
#   PYTHONS="3.8 3.10"   narrows the interpreters (default: all of 3.7-3.14 found; `run`: one)
#   JOBS=2               parallel compile jobs (default: all cores)
set -euo pipefail
cd "$(dirname "$0")/../.."
goal=${1:-build}
root=$PWD
stamps=$root/build/stamps
mkdir -p "$stamps"
say() { printf 'msjit: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
. tests/tools/progress.sh

# ---- system packages ----------------------------------------------------------------------------------------------
missing_packages() {
  command -v g++ >/dev/null || echo g++
  command -v cmake >/dev/null || echo cmake
  command -v ninja >/dev/null || echo ninja-build
  command -v python3 >/dev/null || echo python3 python3-venv python3-dev
  [ -e /usr/include/fmt/core.h ] || echo libfmt-dev
  [ -e /usr/lib/llvm-19/include/llvm/IR/Module.h ] || echo llvm-19-dev
  case $goal in build|run|docs|wheel|test-oracle|zoo) ;; *)
    [ -e /usr/include/gtest/gtest.h ] || echo libgtest-dev
    [ -e /usr/include/gmock/gmock.h ] || echo libgmock-dev ;;
  esac
  # Tests start programs of several processes.
  case $goal in test) command -v mpirun >/dev/null || echo openmpi-bin ;; esac
  case $goal in lint)
    command -v clang-format >/dev/null || echo clang-format
    command -v clang-tidy >/dev/null || echo clang-tidy ;;
  bench) command -v valgrind >/dev/null || echo valgrind ;;  # counts instructions
  esac
  # Debian splits venv and the headers off its interpreters.
  local python version
  for python in /usr/bin/python3.{7..14}; do
    [ -x "$python" ] || continue
    version=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
    wanted "${version#python}" || continue
    "$python" -c 'import ensurepip' 2>/dev/null || echo "$version-venv"
    [ -e "/usr/include/$version/Python.h" ] || echo "$version-dev"
  done
}

install_packages() {
  local packages
  packages=$(missing_packages | tr ' ' '\n' | sort -u | tr '\n' ' ')
  [ -z "${packages// /}" ] && return
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get)
  if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      apt=(sudo -n "${apt[@]}")
    else
      say "system packages are missing; install them with"
      say "  sudo apt-get update && sudo apt-get install -y --no-install-recommends $packages"
      exit 1
    fi
  fi
  say "installing $packages"
  { follow "apt-get update" build/apt.log "${apt[@]}" update -qq &&
    follow "apt-get install" build/apt.log "${apt[@]}" install -y -qq --no-install-recommends $packages; } ||
    { tail -n 20 build/apt.log >&2; die "apt-get failed, see build/apt.log"; }
}

# ---- interpreters ---------------------------------------------------------------------------------------------------
wanted() { [ -z "${PYTHONS:-}" ] || [[ " ${PYTHONS//,/ } " == *" $1 "* ]]; }

# The executable of Python $1 that has headers and can make environments: from PATH, else pyenv, else of `make python3.14`.
find_python() {
  local candidate found
  for candidate in $(type -ap "python$1" || true) "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python3 \
      "$root/build/python/$1/bin/python$1"; do
    [ -x "$candidate" ] || continue
    found=$("$candidate" -c "if True:
      import os, sys, sysconfig, ensurepip, ssl
      ok = '%d.%d' % sys.version_info[:2] == '$1' and sys.prefix == sys.base_prefix
      ok = ok and os.path.exists(sysconfig.get_path('include') + '/Python.h')
      print(sys.executable if ok else '')" 2>/dev/null) || continue
    [ -n "$found" ] && { echo "$found"; return; }
  done
}

declare -A python_of
versions=()
example_version=
find_interpreters() {
  local version candidates="3.7 3.8 3.9 3.10 3.11 3.12 3.13 3.14"
  case $goal in
    run|docs|wheel) candidates="3.11 3.10 3.12 3.13 3.14 3.9 3.8 3.7" ;;
    bench) candidates="3.10 3.11 3.12 3.13 3.14 3.9 3.8 3.7" ;;  # kernels are timed on the first two
    bench-peers|test-oracle|zoo) candidates="3.10" ;;
  esac
  for version in $candidates; do
    wanted "$version" || continue
    python_of[$version]=$(find_python "$version")
    [ -n "${python_of[$version]}" ] || continue
    versions+=("$version")
    [ -e "$root/bytecode/versions/py${version/./}.cc" ] && example_version=$version
    case $goal in run|docs|wheel) break ;; esac
  done
  [ ${#versions[@]} -gt 0 ] || die "no usable Python among: ${PYTHONS:-3.7 ... 3.14}"
}

# ---- environments ---------------------------------------------------------------------------------------------------
# pip_into ENV STAMP PACKAGE...: installs once; the stamp holds the list.
pip_into() {
  local env=$1 stamp=$stamps/$2 list
  shift 2
  list=$(printf '%s\n' "$@")
  [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$list" ] && return
  local log=build/pip-${env##*/}.log
  follow "pip: $* -> ${env#"$root"/}" "$root/$log" \
    "$env/bin/python" -m pip install -q --disable-pip-version-check --prefer-binary "$@" ||
    { tail -n 20 "$root/$log" >&2; die "pip failed in ${env#"$root"/}, see $log"; }
  printf '%s\n' "$list" >"$stamp"
}

make_env() {  # make_env NAME PYTHON
  local env=$root/build/venv/$1 stamp=$stamps/venv-$1
  [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$2" ] && [ -x "$env/bin/python" ] && return
  rm -rf "$env" "$stamps"/*-"$1"
  local log=$root/build/venv-$1.log
  follow "making build/venv/$1" "$log" "$2" -m venv "$env" || { cat "$log" >&2; die "$2 cannot make an environment"; }
  echo "$2" >"$stamp"
}

set_up_env() {
  local version=$1 env=$root/build/venv/$1
  make_env "$version" "${python_of[$version]}"
  pip_into "$env" "base-$version" numpy
  case $goal in
    test) pip_into "$env" "test-$version" pytest hypothesis safetensors pillow
      # The training example is tested in one environment: the newest with the JIT.
      if [ "$version" = "$example_version" ]; then pip_into "$env" "run-$version" scikit-learn; fi
      # Types are checked, and exported graphs run by another runtime, in one environment.
      if [ "$version" = 3.11 ]; then pip_into "$env" "tools-$version" mypy onnxruntime onnx; fi ;;
    run) pip_into "$env" "run-$version" scikit-learn ;;
  esac
}

# As many at a time as there are jobs: downloading one overlaps with unpacking another.
set_up_envs() {
  local version pids=()
  for version in "${versions[@]}"; do
    set_up_env "$version" &
    pids+=($!)
    [ ${#pids[@]} -lt "${JOBS:-$(nproc)}" ] && continue
    wait "${pids[0]}" || exit 1
    pids=("${pids[@]:1}")
  done
  local pid
  for pid in "${pids[@]}"; do wait "$pid" || exit 1; done
}

# A cmake of at least 3.25: Debian 12 has it, older releases take PyPI's.
find_cmake() {
  local version
  version=$(cmake --version | sed -n '1s/[^0-9]*//p')
  cmake=cmake
  if [ "$(printf '%s\n3.25\n' "$version" | sort -V | head -n 1)" != 3.25 ]; then
    make_env tools "${python_of[${versions[-1]}]}"
    pip_into "$root/build/venv/tools" cmake-tools "cmake>=3.25,<4"
    cmake=$root/build/venv/tools/bin/cmake
  fi
}

# ---- build ------------------------------------------------------------------------------------------------------------
build() {
  local list="" version
  for version in "${versions[@]}"; do list+="${list:+;}${python_of[$version]}"; done
  # GoogleTest may arrive after the first configuration; its presence is part of the stamp.
  local tests=OFF target=msjit_package
  [ -e /usr/include/gmock/gmock.h ] && tests=ON
  local args=(-S . -B build -G Ninja "-DMSJIT_PYTHONS=$list" "-DMSJIT_TESTS=$tests")
  find_cmake
  PYTHON=$root/build/venv/${versions[0]}/bin/python \
    follow "fetching oneDNN" build/onednn.log tests/tools/fetch_onednn.sh "$root/build/deps" ||
    { tail -n 20 build/onednn.log >&2; die "oneDNN could not be fetched, see build/onednn.log"; }
  PYTHON=$root/build/venv/${versions[0]}/bin/python \
    follow "fetching pocketfft" build/pocketfft.log tests/tools/fetch_pocketfft.sh "$root/build/deps" ||
    { tail -n 20 build/pocketfft.log >&2; die "pocketfft could not be fetched, see build/pocketfft.log"; }
  # Tests assemble PTX where there is an assembler; without one they say so.
  if [ "$goal" = test ] && [ ! -e "$stamps/ptxas" ] && ! command -v ptxas >/dev/null &&
    [ ! -x "${CUDA_HOME:-/usr/local/cuda}/bin/ptxas" ]; then
    PYTHON=$root/build/venv/${versions[0]}/bin/python \
      follow "fetching ptxas" build/ptxas.log tests/tools/fetch_ptxas.sh "$root/build/deps" ||
      say "ptxas could not be fetched: the tests that assemble PTX are skipped"
    touch "$stamps/ptxas"
  fi
  if [ ! -e build/build.ninja ] || [ "$(cat "$stamps/configure" 2>/dev/null)" != "${args[*]}" ]; then
    follow "configuring" build/configure.log "$cmake" "${args[@]}" ||
      { tail -n 30 build/configure.log >&2; die "cmake failed"; }
    sed -n 's/^-- \(no msjit-python .*\)/msjit: \1/p' build/configure.log >&2
    echo "${args[*]}" >"$stamps/configure"
  fi
  case $goal in
    lint) return ;;
    test) target+=" msjit_tests" ;;
    bench) target+=" msjit_peak" ;;
  esac
  follow "compiling" build/build.log "$cmake" --build build -j "${JOBS:-$(nproc)}" --target $target ||
    { grep -A 4 -E 'error|FAILED' build/build.log | head -n 40 >&2; die "the build failed, see build/build.log"; }
  for version in "${versions[@]}"; do
    "$root/build/venv/$version/bin/python" tests/tools/link_package.py build/pkg/msjit
  done
  for generator in gen_stubs gen_package_stubs; do
    "$root/build/venv/${versions[0]}/bin/python" "tests/tools/$generator.py" || die "tests/tools/$generator.py failed"
  done
}

# Packages of networks written for MindSpore, where both libraries find them; they do without what they name as needed.
install_networks() {
  local folder=$root/build/zoo/packages stamp=$stamps/zoo-packages list
  local packages=(mindcv==0.3.0 mindyolo==0.5.0 PyYAML tqdm pillow opencv-python-headless)
  list=$(printf '%s\n' "${packages[@]}")
  [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$list" ] && return
  rm -rf "$folder"
  follow "pip: ${packages[*]} -> build/zoo/packages" "$root/build/pip.log" \
    "$root/build/venv/${versions[0]}/bin/python" -m pip install -q --disable-pip-version-check --no-deps \
    --target "$folder" "${packages[@]}" || { tail -n 20 "$root/build/pip.log" >&2; die "the networks cannot be installed"; }
  printf '%s\n' "$list" >"$stamp"
}

# Other frameworks to compare with, each in an environment of its own; one that cannot be had is left out.
install_peers() {
  local peer env packages
  for peer in ${PEERS:-jax torch mindspore}; do
    env=$root/build/peers/$peer
    case $peer in
      jax) packages="numpy jax[cpu]" ;;
      mindspore) packages="numpy<2 mindspore==2.10.0 setuptools" ;;
      *) packages="numpy $peer" ;;
    esac
    [ -x "$env/bin/python" ] || "${python_of[${versions[0]}]}" -m venv "$env"
    (pip_into "$env" "peer-$peer" $packages) || { say "$peer is left out"; rm -rf "$env"; }
  done
}

install_packages
find_interpreters
if [ "$goal" = bench-peers ]; then
  install_peers
  exit
fi
if [ "$goal" = test-oracle ] || [ "$goal" = zoo ]; then
  PEERS=mindspore install_peers
  [ -x build/peers/mindspore/bin/python ] || die "MindSpore cannot be installed for ${versions[0]}"
fi
set_up_envs
if [ "$goal" = lint ]; then
  make_env tools "${python_of[${versions[-1]}]}"
  pip_into "$root/build/venv/tools" lint-tools ruff
fi
build
if [ "$goal" = zoo ]; then install_networks; fi
if [ "$goal" = docs ]; then
  make_env docs "${python_of[${versions[0]}]}"
  pip_into "$root/build/venv/docs" docs-site "mkdocs>=1.6,<2" "mkdocs-material>=9.5,<10"
fi
echo "${versions[*]}" >"$stamps/versions-$goal"
say "ready for Python ${versions[*]}"
