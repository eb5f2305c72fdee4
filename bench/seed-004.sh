#!/usr/bin/env bash
# Repeats what Xian, Tong and Liu 2019 measure of their linear solver, and compares solvers on a falling octopus.
#
#   bench/seed-004.sh PROGRAM TOOL [--quick] [--out DIR]   PROGRAM is muslin, TOOL is bench_seed_004
#
# tables.md and figures come from TOOL; solvers.txt from `muslin bench` at 6,600, 50,000 and 127,000 vertices, in steps of
# 1/30 s. --quick takes a fifth of the vertices. It takes about seven minutes, or one and a half with --quick.
set -eu
program=${1:?which program? Give the path of muslin} tool=${2:?which tool? Give the path of bench_seed_004}
shift 2

out=docs/results-004 quick='' sizes='6600 50000 127000'
while [ $# -gt 0 ]; do
  case $1 in
  --quick)
    quick=--quick sizes='1320 10000 25400'
    shift
    ;;
  --out)
    [ $# -ge 2 ] || { echo "seed-004: --out needs a value" >&2 && exit 2; }
    out=$2
    shift 2
    ;;
  *)
    echo "seed-004: unknown option $1; there are --quick and --out" >&2
    exit 2
    ;;
  esac
done

mkdir -p "$out"
"$tool" ${quick:+"$quick"} -o "$out"
solvers=sa,skinning,diag
! "$program" bench --help | grep '^Solvers:' | grep -qw cholmod || solvers=$solvers,cholmod
for vertices in $sizes; do
  echo "seed-004: octopus of $vertices vertices" >&2
  "$program" bench --example octopus --vertices "$vertices" --time-step 0.0333333 --warmup 2 --steps 2 --solvers "$solvers"
  echo
done >"$out/solvers.txt"
echo "seed-004: $out has tables and figures"
