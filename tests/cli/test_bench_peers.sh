#!/usr/bin/env bash
# `script/bench peers`: its tables of what was measured, and the driver on tiny sheets.
#
#   test_bench_peers.sh SOURCE_FOLDER MUSLIN BENCH_PEERS
set -u
source=$1 muslin=$2 tool=$3
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"

# run FILE COLD OURS THEIRS: a run as `muslin bench` writes it, with the errors of both solvers. Ours takes 10 ms, 8 of
# them iterations, theirs 20 ms, 15 of them iterations.
run() {
  cat >"runs/$1" <<END
{"machine": {"cpu": "some processor", "threads": 2}, "example": "pinned", "tessellation": "regular", "vertices": 10201,
 "steps": 5, "tolerance": 1e-5, "time_step": 0.002, "cold": $2,
 "results": [{"solver": "sa:fast", "status": "ok", "solve_s": 0.008, "total_s": 0.010, "iterations": 12.0, "true_error": $3, "total_products": 40},
             {"solver": "amgcl", "status": "ok", "solve_s": 0.015, "total_s": 0.020, "iterations": 9.0, "true_error": $4}]}
END
}

tables() {
  last="bench_peers $*"
  "$tool" "$@" >"$said/out" 2>"$said/err"
}

# --- bad input -------------------------------------------------------------------------------------------------------
tables
holds "no arguments: status 2" test $? -eq 2
says err 'usage: bench_peers RUNS OUT'
tables runs results
holds "no folder: status 2" test $? -eq 2
says err 'cannot read the folder runs'
last="peers.sh --fast"
bash "$source/bench/peers.sh" "$muslin" "$tool" --fast >"$said/out" 2>"$said/err"
holds "unknown option: status 2" test $? -eq 2
says err 'unknown option --fast; there are --quick'

# --- tables ----------------------------------------------------------------------------------------------------------
mkdir runs results
run warm.json false 1e-4 1e-5    # ours needs 5/4 as many iterations for their error: 12 ms, and 20 / 12 = 1.67
run cold.json true 1e-6 1e-4     # theirs needs 6/4 as many: 27.5 ms, and 2.75
echo '{"results": []}' >runs/empty.json
tables runs results
holds "status 0" test $? -eq 0
cp results/peers.md "$said/out"
says out '^## Warm, 2 threads$'
says out '^\| 10,201 \| pinned, regular \| 10.0 ms; 12.0; 1e-04 \| 20.0 ms; 9.0; 1e-05 \| 40.0 \| 2.00 \| 1.67 \|$'
says out '^## Cold, 2 threads$'
says out '\| 2.00 \| 2.75 \|$'
holds "two runs in the JSON" test "$(grep -o ratio_at_equal_error results/peers.json | wc -l)" -eq 2

# --- the driver; AMGCL is in few builds, so that there may be nothing to compare --------------------------------------
last="peers.sh --tiny"
bash "$source/bench/peers.sh" "$muslin" "$tool" --tiny --sizes 121 --jobs 2 --runs tiny --out tiny-results >"$said/out" 2>"$said/err"
holds "status 0" test $? -eq 0
holds "twelve runs" test "$(find tiny -name '*.json' | wc -l)" -eq 12
holds "tables" test -s tiny-results/peers.md

conclude
