#!/usr/bin/env bash
# Measures `sa` with the preset fast against AMGCL (and block-Jacobi) on held sheets: warm, one solver for all steps, and
# cold, a new one for each solve.
#
#   bench/peers.sh PROGRAM TOOL [--quick | --tiny] [--threads N] [--sizes LIST] [--jobs N] [--runs DIR] [--out DIR]
#
# PROGRAM is muslin, in a build with AMGCL (docs/benchmarks.md), TOOL is bench_peers. Scenes are pinned, drooping and
# re-entrant, regular at 10,201, 40,401, 160,801 and 361,201 vertices, irregular up to 160,801; --quick takes the first
# two sizes. --jobs runs so many at once, on machines with memory bandwidth to spare. Every run leaves a file in the
# folder of runs (out/peers) and is not repeated if that is there. peers.md and peers.json go into OUT (docs/results).
set -eu
program=${1:?which program? Give the path of muslin} tool=${2:?which tool? Give the path of bench_peers}
shift 2

out=docs/results runs=out/peers threads=1 sizes='10201 40401 160801 361201' jobs=1
while [ $# -gt 0 ]; do
  case $1 in
  --quick) sizes='10201 40401' && shift ;;
  --tiny) sizes='441' && shift ;;
  --threads | --sizes | --jobs | --runs | --out)
    [ $# -ge 2 ] || { echo "peers: $1 needs a value" >&2 && exit 2; }
    declare "${1#--}=$2"
    shift 2
    ;;
  *)
    echo "peers: unknown option $1; there are --quick, --threads, --sizes, --jobs, --runs and --out" >&2
    exit 2
    ;;
  esac
done
mkdir -p "$out" "$runs"

# measure NAME OPTION...: RUNS/NAME.json, unless it is there.
measure() {
  local name=$1
  shift
  [ ! -e "$runs/$name.json" ] || return 0
  echo "peers: $name" >&2
  "$program" bench --threads "$threads" --errors 3 --tolerance 1e-5 "$@" --json "$runs/$name.json" >"$runs/$name.txt" 2>&1 ||
    { cat "$runs/$name.txt" >&2 && return 1; }
}

failed=0
for vertices in $sizes; do
  steps=10 cold=3
  [ "$vertices" -le 100000 ] || { steps=6 cold=2; }
  for tessellation in regular irregular; do
    [ "$tessellation $vertices" != 'irregular 361201' ] || continue
    for example in pinned drooping re-entrant; do
      while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || failed=1; done
      name=$example-$tessellation-$vertices-threads-$threads
      options=(--example "$example" --tessellation "$tessellation" --vertices "$vertices" --solvers sa:fast,amgcl)
      { measure "$name" "${options[@]}" --steps $steps && measure "$name-cold" "${options[@]}" --steps $cold --cold; } &
    done
  done
done
while [ -n "$(jobs -rp)" ]; do wait -n || failed=1; done
"$tool" "$runs" "$out" && [ $failed = 0 ]
