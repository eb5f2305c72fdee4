#!/usr/bin/env bash
# Drives the program: muslin bench --nonlinear on good and bad input, and script/bench seed-003 on tiny cloths.
#
#   test_bench_nonlinear.sh SOURCE_FOLDER MUSLIN BENCH_SEED_003 [SANITISER]
set -u
source=$1 muslin=$2 tool=$3 sanitiser=${4:-}
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"

# refuses PATTERN ARGUMENTS...: muslin bench answers status 2 and what matches, and leaves no file.
refuses() {
  local pattern=$1
  shift
  rm -f no.json
  expect 2 bench --nonlinear "$@" --json no.json
  says err "$pattern"
  holds "left a file behind" test ! -e no.json
}

# of METHOD KEY FILE: the numbers of a method's list, one a line.
of() {
  awk -v method="\"$1\"" -v key="\"$2\":" '
    /"method":/ { gsub(/[, ]/, ""); sub(/"method":/, ""); on = $0 == method }
    $1 == key { lists = on; next }
    lists && /\]/ { lists = 0 }
    lists { gsub(/[, ]/, ""); print }' "$3"
}

# --- bad input ----------------------------------------------------------------------------------------------------
expect 0 bench --nonlinear --help
says out '^  newton-sa'
says out '^  fmg'
expect 0 bench --help
says out 'nonlinear'
refuses 'nonsense.*fmg' --methods fmg,nonsense
refuses 'nonsense.*newton' --reference nonsense
refuses 'newton-nothing' --methods newton-nothing
refuses "there is neither a file nothing nor a built-in scene" --example nothing
refuses 'time-step: 0 is out of range' --time-step 0
refuses 'stiffness: -1 is out of range' --stiffness -1
refuses 'iterations: 0 is out of range' --iterations 0
refuses 'stop: 2 is out of range' --stop 2
refuses 'median: 0 is out of range' --median 0
refuses 'device.*cpu.*cuda.*auto' --device gpu
refuses 'unknown option --solvers' --solvers sa

# --- figures ------------------------------------------------------------------------------------------------------
small="bench --nonlinear --example tablecloth --vertices 441 --warmup 3 --time-step 0.0333"
methods=newton-sa,fmg,gs-chebyshev,ncg
expect 0 $small --methods $methods --json all.json
says out '^tablecloth: 441 vertices, one step of 33.3 ms after 3 steps, stretch stiffness x 1$'
says out '^newton-sa +[0-9]+ / [0-9]+ / '
for key in program_version machine cpu threads example vertices time_step stiffness warmup repeat time minimum minimum_by \
  results method energy_error products seconds energy status; do
  holds "no $key in the JSON" grep -q "\"$key\":" all.json
done
holds "no NaN" test -z "$(grep -iE 'nan|inf' all.json)"
for method in ${methods//,/ }; do
  holds "$method: begins at 1" awk 'NR == 1 { exit $1 != 1 }' <(of "$method" energy_error all.json)
  holds "$method: begins without work and time" awk '$1 != 0 { bad = 1 } END { exit bad || NR != 2 }' \
    <(of "$method" products all.json | head -1 && of "$method" seconds all.json | head -1)
  holds "$method: errors never grow" awk 'NR > 1 && $1 > last { exit 1 } { last = $1 }' <(of "$method" energy_error all.json)
  holds "$method: work grows" awk 'NR > 1 && $1 <= last { exit 1 } { last = $1 }' <(of "$method" products all.json)
  holds "$method: time grows" awk 'NR > 1 && $1 < last { exit 1 } { last = $1 }' <(of "$method" seconds all.json)
  holds "$method: lists of one length" test "$(of "$method" seconds all.json | wc -l)" = \
    "$(of "$method" energy_error all.json | wc -l)"
done
for method in newton-sa fmg; do
  holds "$method: converges" awk 'END { exit !($1 <= 1e-4) }' <(of "$method" energy_error all.json)
done

# The same energies for any number of threads, and from a state that no method has changed.
expect 0 $small --methods fmg,newton-sa --threads 1 --json one.json
expect 0 $small --methods newton-sa,fmg --threads 2 --repeat 2 --json two.json
for method in fmg newton-sa; do
  holds "$method: energies depend on threads, order or repetition" cmp -s <(of $method energy one.json) <(of $method energy two.json)
done

# Options reach the step.
expect 0 $small --methods newton-sa --stiffness 100 --time-step 0.01 --iterations 2 --reference none --json other.json
holds "the step" grep -q '"time_step": 0.01' other.json
holds "the stiffness" grep -q '"stiffness": 100' other.json
holds "two iterations" test "$(of newton-sa seconds other.json | wc -l)" = 3

# What the scene says of adaptive smoothing holds unless an option overrides it.
cat >skips.json <<'END'
{"solver": {"sa": {"adaptive_smoothing": 1}}, "contact": false,
 "cloths": [{"shape": {"vertices": 900}, "pins": [{"where": {"vertices": [0, 29]}}]}]}
END
skips="bench --nonlinear --example skips.json --warmup 2 --methods fmg:plain --iterations 2 --reference none"
expect 0 $skips --json skips-scene.json
expect 0 $skips --adaptive-smoothing 1 --json skips-1.json
expect 0 $skips --adaptive-smoothing 0 --json skips-0.json
holds "the scene's adaptive smoothing" cmp -s <(of fmg:plain products skips-scene.json) <(of fmg:plain products skips-1.json)
holds "the option's" awk 'NR == FNR { last = $1; next } END { exit !($1 > last) }' <(of fmg:plain products skips-1.json) \
  <(of fmg:plain products skips-0.json)

# On a GPU where there is one, and otherwise here; a median is one of the runs.
expect 0 bench --nonlinear --example skips.json --warmup 2 --methods newton-sa --iterations 3 --reference none \
  --device auto --median 3 --json median.json
holds "the device" grep -q '"device": "' median.json
holds "the number of runs" grep -q '"median": 3' median.json
holds "three iterations" test "$(of newton-sa seconds median.json | wc -l)" = 4

expect 1 $small --methods newton-sa --json no/such/folder.json
says err 'cannot write'

[ -n "$sanitiser" ] && conclude && exit

# --- figures and tables of Wang et al. 2018 -------------------------------------------------------------------------
last="bench/seed-003.sh"
bash "$source/bench/seed-003.sh" "$muslin" "$tool" --tiny --runs runs --out results >"$said/out" 2>"$said/err" || failed "$last"
for figure in 4 6 7 9 10; do
  holds "figure $figure" grep -q '</svg>' "results/figure-$figure-time.svg"
  holds "figure $figure over work" grep -q '</svg>' "results/figure-$figure-work.svg"
  holds "table of figure $figure" grep -q "^## Figure $figure:" results/tables.md
done
holds "figure 14" grep -q '</svg>' results/figure-14.svg
holds "table 1" grep -q '^## Table 1' results/tables.md

conclude
