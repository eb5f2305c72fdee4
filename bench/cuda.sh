#!/usr/bin/env bash
# What runs on a GPU, measured part by part, with the CPU of the same machine beside it.
#
#   bench/cuda.sh BUILD OUT [PART...]    BUILD has the programs and libmuslin-cuda.so; tables go to OUT/PART.md
#
# A part is bench/cuda/PART.sh: its standard output is the table. It finds $build, and functions that run programs of it.
# MUSLIN_BENCH_RUN is put before programs, for those that need a loader of their own, for instance.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?which folder has the programs?}" && pwd) out=${2:?where do the tables go?}
shift 2
parts=${*:-$(cd "$here/cuda" && ls -- *.sh | sed 's/\.sh$//')}
mkdir -p "$out"
export build

# program NAME ARGUMENT...: one of the build's.
program() {
  local name=$1
  shift
  # shellcheck disable=SC2086
  ${MUSLIN_BENCH_RUN:-} "$build/$name" "$@"
}
export -f program

has() { [ -x "$build/$1" ]; }
export -f has

machine() {
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1
  awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo
  echo "$(nproc) cores"
}

failed=0
for part in $parts; do
  script=$here/cuda/$part.sh
  if [ ! -f "$script" ]; then
    echo "bench cuda: there is no part \"$part\": $(cd "$here/cuda" && ls -- *.sh | sed 's/\.sh$//' | tr '\n' ' ')" >&2
    exit 2
  fi
  echo "$part" >&2
  if { echo "*$(machine | paste -sd, | sed 's/,/, /g')*"; echo; bash "$script"; } >"$out/$part.md.new"; then
    mv "$out/$part.md.new" "$out/$part.md"
  else
    echo "bench cuda: $part has failed; what it printed is in $out/$part.md.new" >&2
    failed=1
  fi
done
exit $failed
