#!/usr/bin/env bash
# Repeats what Wang, Wu, Fratarcangeli, Tang and Wang 2018 measure of nonlinear multigrid on one step of 1/30 s.
#
#   bench/seed-003.sh PROGRAM TOOL [--quick | --large | --tiny] [--runs DIR] [--out DIR]
#
# PROGRAM is muslin, TOOL is bench_seed_003. Figures 4, 6, 7 and 14 are of `sphere`, figures 9 and 10 of `tablecloth`.
# Cloths have 40,401 vertices (10,201 in figure 9), 2,601 with --quick, and as many as in the paper, up to 200,000, with
# --large. No method gets more than 20 s, 5 with --quick and 120 with --large; all of it takes about ten minutes on two
# cores, with --quick three, with --large an hour. Where MUSLIN_DATA names a folder with garments made by others, table 1 has
# them, too. Every run leaves a file in the folder of runs (out/seed-003), and is not repeated if that is there.
set -eu
program=${1:?which program? Give the path of muslin} tool=${2:?which tool? Give the path of bench_seed_003}
shift 2

out=docs/results-003 runs=out/seed-003 size=40401 middle=40401 small=10201 sizes='10000 20000 40000 80000' warmup=8 shrink=1 seconds=20
while [ $# -gt 0 ]; do
  case $1 in
  --quick)
    size=2601 middle=2601 small=961 sizes='10000 20000 40000' shrink=4 seconds=5
    shift
    ;;
  --large)
    size=119716 sizes='10000 20000 40000 80000 120000 160000 200000' seconds=120
    shift
    ;;
  --tiny)
    size=441 middle=441 small=225 sizes='10000 20000' warmup=1 shrink=50
    shift
    ;;
  --runs | --out)
    [ $# -ge 2 ] || { echo "seed-003: $1 needs a value" >&2 && exit 2; }
    if [ "$1" = --out ]; then out=$2; else runs=$2; fi
    shift 2
    ;;
  *)
    echo "seed-003: unknown option $1; there are --quick, --large, --runs and --out" >&2
    exit 2
    ;;
  esac
done
mkdir -p "$out" "$runs"

# measure NAME OPTION...: RUNS/NAME.json, unless it is there. Methods that fail to converge are results too.
measure() {
  local name=$1 status=0
  shift
  [ ! -e "$runs/$name.json" ] || return 0
  echo "seed-003: $name" >&2
  "$program" bench --nonlinear --time-step 0.0333333333 --warmup "$warmup" --seconds "$seconds" --reference newton-sa "$@" \
    --json "$runs/$name.json" >"$runs/$name.txt" 2>&1 || status=$?
  [ $status -le 1 ] && [ -e "$runs/$name.json" ] || { cat "$runs/$name.txt" >&2 && exit 1; }
}

methods=fmg,fmg:plain,fmg:secants,fas,newton-geometric,newton-sa,newton-cholmod,gs-chebyshev,ncg-sa,pd-cholmod
measure figure-4 --example sphere --vertices "$size" --methods $methods --iterations 500
measure figure-4-stiff --example sphere --vertices "$size" --stiffness 100 --methods $methods --iterations 500
measure figure-6 --example sphere --vertices "$size" --methods fmg:plain,fmg:plain:matrix-level,fmg:plain:matrix-cycle,fmg:plain:matrix-step
measure figure-7 --example sphere --vertices "$size" --methods fmg:plain,fmg:plain:residual-all,fmg:plain:residual-cycle
for threshold in 0 0.1 0.3 1; do
  measure "skipping-$threshold" --example sphere --vertices "$size" --methods fmg:secants --adaptive-smoothing $threshold
done
projective=pd-cholmod,pd-geometric,pd-fmg,pd-fmg:chebyshev,pd-sa,pd-pcg,pd-gs10,pd-gs50,pd-jacobi-chebyshev,fmg
measure figure-9 --example tablecloth --vertices "$small" --methods $projective --iterations 300
measure figure-10 --example tablecloth --vertices "$size" --methods $projective --iterations 300
# other NAME VERTICES: the methods that count, on both scenes.
other() {
  local stiffness
  for stiffness in 1 100; do
    for scene in sphere tablecloth; do
      [ "$1 $scene" != 'middle sphere' ] || continue # figure 4
      measure "$scene-$1$([ $stiffness = 1 ] || echo -stiff)" --example $scene --vertices "$2" --stiffness $stiffness --iterations 150 \
        --methods fmg,newton-sa,newton-cholmod,gs-chebyshev,pd-cholmod
    done
  done
}
other small "$small"
other middle "$middle"
[ "$size" = "$middle" ] || other large "$size"
for vertices in $sizes; do
  measure "figure-14-$vertices" --example sphere --vertices $((vertices / shrink)) --methods fmg
done
"$tool" "$runs" "$out" "$size"
echo "seed-003: $out has tables and figures"
