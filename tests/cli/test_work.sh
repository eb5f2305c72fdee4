#!/usr/bin/env bash
# Counts the solver's work on small cases, so that speed cannot rot unseen: iterations, operator complexity, bytes. Seconds
# are not looked at. Limits are a sixth to a fifth above what was measured when they were set; when an improvement brings
# the work down, bring the limit down with it.
#
#   test_work.sh MUSLIN
set -u
muslin=$1
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"

# of SOLVER KEY: a figure of that solver in work.json.
of() {
  tr -d '\n' <work.json | grep -o "\"solver\": \"$1\".*" | grep -o "\"$2\": [^,}]*" | head -1 | sed 's/.*: //'
}

# at_most LIMIT SOLVER KEY
at_most() {
  local value
  value=$(of "$2" "$3")
  checks=$((checks + 1))
  awk -v value="$value" -v limit="$1" 'BEGIN { exit !(value != "" && value > 0 && value <= limit) }' ||
    failed "$last: $3 of $2 is ${value:-not there}, at most $1 was measured before"
}

# work SCENE ITERATIONS ITERATIONS_OF_PAPER: 20 systems after 40 steps of 2 ms, 2,601 vertices.
work() {
  rm -f work.json
  expect 0 bench --example "$1" --vertices 2601 --warmup 40 --steps 20 --time-step 0.002 --threads 1 \
    --solvers sa:fast,sa:paper --json work.json
  at_most "$2" sa:fast iterations
  at_most 1.6 sa:fast operator_complexity
  at_most $((3000 * 2601)) sa:fast bytes
  at_most 1e-4 sa:fast true_error
  at_most "$3" sa:paper iterations
  at_most 4 sa:paper operator_complexity
}

work pinned 11 8
work drooping 15 10
work re-entrant 20 13
work flag 37 27

conclude
