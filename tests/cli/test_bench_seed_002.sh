#!/usr/bin/env bash
# All of `script/bench seed-002 --quick`: tables, JSON and charts, and that what they say can be true.
#
#   test_bench_seed_002.sh SOURCE_FOLDER BENCH_SEED_002
set -u
source=$1 tool=$2
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"

# bench STATUS OPTION...: the driver; `out` and `err` in $said keep what it said.
bench() {
  local wanted=$1 status
  shift
  last="seed-002.sh $*"
  checks=$((checks + 1))
  timeout 1200 bash "$source/bench/seed-002.sh" "$tool" "$@" >"$said/out" 2>"$said/err"
  status=$?
  [ $status -eq "$wanted" ] || failed "$last: exit status $status instead of $wanted"
}

# column FILE COLUMN: the column's numbers in a table's JSON.
column() { sed -n "s/^ *\"$2\": \([-+.0-9e]*\),\{0,1\}\$/\1/p" "$1"; }

# all_below LIMIT < NUMBERS, all_above LIMIT < NUMBERS: and there is at least one
all_below() { awk -v limit="$1" '!($1 < limit) { bad = 1 } END { exit bad || !NR }'; }
all_above() { awk -v limit="$1" '!($1 > limit) { bad = 1 } END { exit bad || !NR }'; }

# --- bad input ----------------------------------------------------------------------------------------------------
bench 2 --fast
says err 'unknown option --fast; there are --quick'
bench 2 --out
says err '--out needs a value'
bench 2 --quick --threads -1 --out results
says err 'threads'

# --- all of it ----------------------------------------------------------------------------------------------------
surface=$source/../shared/data/models/spot.obj.gz
bench 0 --quick --threads 1 --model "$surface" --out results
for name in figure-10-boxes figure-10-references figure-10-steps figure-11 figure-15 figure-15-outline figure-15-ball \
  figure-15-ball-outline figure-22 figure-23; do
  holds "$name.json is there" test -s "results/$name.json"
done
for name in figure-11-16 figure-15 figure-15-outline figure-15-ball figure-15-ball-outline; do
  holds "$name.svg is a chart" grep -q '<svg' "results/$name.svg"
done
[ ! -f "$surface" ] || holds "the weakly held solid has a chart" grep -q '<svg' results/figure-10-standing.svg

# --- what must hold at any size; the last rows are those of a Poisson's ratio of 0.49 -------------------------------------------------------------------------------------
column results/figure-10-boxes.json K-cycles | all_below 0.28 || failed "rates on boxes"
column results/figure-10-references.json 'staggered lattice' | tail -1 | all_above 0.8 || failed "rates of Gauss-Seidel"
for name in figure-15 figure-15-ball; do
  column results/$name.json 'order: lattice' | all_above 1.7 || failed "$name: orders"
done
column results/figure-15-ball.json ratio | tail -1 | all_above 3 || failed "accuracy beside elements"
checks=$((checks + 5))
conclude
