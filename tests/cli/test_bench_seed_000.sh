#!/usr/bin/env bash
# All of `script/bench seed-000` on tiny sheets: runs, what is left out, what is not run again, figures and tables.
#
#   test_bench_seed_000.sh SOURCE_FOLDER MUSLIN BENCH_SEED_000 [SANITISER]
set -u
source=$1 muslin=$2 tool=$3 sanitiser=${4:-}
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"

# bench STATUS OPTION...: the driver; `out` and `err` in $said keep what it said.
bench() {
  local wanted=$1 status
  shift
  last="seed-000.sh $*"
  checks=$((checks + 1))
  timeout 1200 bash "$source/bench/seed-000.sh" "$muslin" "$tool" --runs runs --out results "$@" >"$said/out" 2>"$said/err"
  status=$?
  [ $status -eq "$wanted" ] || failed "$last: exit status $status instead of $wanted"
  ! grep -q 'Sanitizer\|runtime error' "$said/err" runs/*.txt 2>/dev/null || failed "$last: a sanitiser complains"
}

# --- bad input ----------------------------------------------------------------------------------------------------
bench 2 --fast
says err 'unknown option --fast; there are --quick'
bench 2 --sizes
says err '--sizes needs a value'
bench 2 --report
says err 'cannot read the folder runs'
last="bench_seed_000"
"$tool" >"$said/out" 2>"$said/err"
holds "no arguments: status 2" test $? -eq 2
says err 'report RUNS OUT'

# --- runs ---------------------------------------------------------------------------------------------------------
sizes=961,1681 examples=pinned,drop-horizontal,dressed
[ -z "$sanitiser" ] || sizes=100,225 examples=pinned
bench 0 --sizes $sizes --examples $examples --steps 1 --warmup 1
says out 'results has figures and tables'
holds "nothing failed" test -z "$(grep 'something failed' "$said/out")"
for size in ${sizes//,/ }; do
  for tessellation in regular irregular; do
    holds "pinned, $tessellation, $size" grep -q '"solver": "sa:fast"' "runs/pinned-$tessellation-$size.json"
  done
done
for name in results.json results.csv tables.md figure-5.svg figure-6.svg figure-7.svg figure-8.svg; do
  holds "$name" test -s "results/$name"
done

# --- what is made of them -------------------------------------------------------------------------------------------
last="results"
holds "rows have the same fields" awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' results/results.csv
holds "a row for each solver of each run" test "$(wc -l <results/results.csv)" = \
  $((1 + $(cat runs/*.json | grep -c '"solver":')))
# shellcheck disable=SC2016
holds "every solve is good" awk -F, 'NR > 1 && ($6 != "ok" || !($10 > 0) || !($17 <= 1e-3)) { exit 1 }' results/results.csv
holds "the paper's speed-up of pinned" grep -Eq '^\| (vertices|961) .*(: the paper| 0\.39 )' results/tables.md
holds "the machine" grep -q '^- processor: .' results/tables.md
holds "no NaN" test -z "$(grep -liE 'nan|[^a-z]inf[^a-z]' results/*)"
holds "figure 7 has curves" test "$(grep -c '<path fill="none" stroke="#' results/figure-7.svg)" -ge 6
if [ -z "$sanitiser" ]; then
  holds "the dress" grep -q 'a dress of' results/figure-9.svg
  holds "longer steps" grep -Eq '^. pinned, .* 1,681 .* 10 ms' results/tables.md
fi
if command -v rsvg-convert >/dev/null; then
  for figure in results/*.svg; do
    holds "$figure can be drawn" rsvg-convert "$figure" -o figure.png
  done
fi

# --- again --------------------------------------------------------------------------------------------------------
cp results/results.csv before.csv
bench 0 --sizes $sizes --examples $examples --steps 1 --warmup 1
holds "what is there is not run again" cmp -s before.csv results/results.csv
holds "no run" test -z "$(grep -E '^seed-000: (pinned|drop|dressed)' "$said/out")"
bench 0 --sizes 40000 --examples pinned --steps 1 --warmup 1 --limit 1e-9 --budget 1e9
says out 'left out: pinned, regular, 40000 vertices: sa:fast would take about .* a solve'
says out 'left out: pinned, irregular, 40000 vertices: diag would take about'
holds "left out in the tables" grep -q '^- pinned, regular, 40000 vertices: diag would' results/tables.md
bench 0 --sizes 40000 --examples pinned --steps 1 --warmup 1 --budget 1
says out 'left out: pinned, regular, 40000 vertices: would take about .* minutes in all'
echo '{' >runs/broken.json
bench 2 --report
says err 'runs/broken.json:'

conclude
