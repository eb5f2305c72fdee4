#!/usr/bin/env bash
# Drives the program: muslin bench on good and bad input, and the tables of Ascher and Boxerman 2003 in short.
#
#   test_bench.sh SOURCE_FOLDER MUSLIN [SANITISER]
#
# Under a sanitiser the tables and the manual's commands are left out, because measuring the machine takes seconds there.
set -u
source=$1 muslin=$2 sanitiser=${3:-}
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"

# refuses PATTERN ARGUMENTS...: muslin bench answers status 2 and what matches, and leaves no file.
refuses() {
  local pattern=$1
  shift
  rm -f no.json
  expect 2 bench "$@" --json no.json
  says err "$pattern"
  holds "left a file behind" test ! -e no.json
}

# values KEY FILE: the numbers under a key, one a line.
values() { grep -o "\"$1\": [^,}]*" "$2" | sed 's/.*: //'; }

# --- bad input ----------------------------------------------------------------------------------------------------
expect 0 bench --help
says out '^Solvers: sa diag mpcg'
refuses "there is neither a file nothing nor a built-in scene" --example nothing
refuses "'nonsense'.*sa, diag|nonsense.*sa" --solvers sa,nonsense
refuses 'sa:quick.*no preset "quick"' --solvers sa:quick
refuses 'only sa and diag can be filtered' --solvers cholmod:filtered
refuses 'no solver has a name like' --solvers sa:fast:fast:fast:fast:fast:fast:fast:fast:fast:fast
refuses 'is not one of paper, fast, robust' --preset slow
refuses 'unknown option --solver;' --solver sa
refuses 'is not one of cpu, cuda, auto' --device gpu
export MUSLIN_CUDA_LIBRARY=$PWD/missing.so
refuses 'there is no CUDA part: .*missing.so.*-DMUSLIN_CUDA=ON' --device cuda --vertices 100 --solvers sa
refuses 'there is no CUDA part' --vertices 100 --solvers sa:cuda
refuses '"diag" does not run on a GPU' --vertices 100 --solvers diag:cuda
expect 0 bench --vertices 100 --steps 1 --warmup 0 --solvers sa,diag --device auto
says out '^sa:auto '
unset MUSLIN_CUDA_LIBRARY
refuses 'steps: 0 is out of range' --steps 0
refuses 'tolerance: 2 is out of range' --tolerance 2
refuses 'density: -1 is out of range' --density -1
refuses 'time-step: -1 is out of range' --time-step -1
refuses "is not one of regular, irregular" --tessellation wild
refuses 'unexpected argument' drooping
echo '{"integrator": "bdf2", "cloths": [{"shape": {"vertices": 25}, "pins": [{"where": {"vertices": [0]}}]}]}' >bdf2.json
refuses 'integrator "euler"' --example bdf2.json --unknown position
printf 'v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n' >triangle.obj
echo '{"cloths": [{"shape": {"kind": "file", "file": "triangle.obj"}}]}' >triangle.json
refuses 'tessellation have no effect: every part of triangle.json is from a file' --example triangle.json --seed 3
if "$muslin" bench --help | grep '^Solvers:' | grep -qw gamg; then
  expect 0 bench --vertices 100 --steps 1 --warmup 0 --solvers gamg,boomeramg
else
  refuses 'has none of gamg' --solvers gamg
  says err 'has no gamg, so it is left out'
  expect 0 bench --vertices 100 --steps 1 --warmup 0 --solvers gamg,diag
  says err 'has no gamg, so it is left out'
fi

# --- figures ------------------------------------------------------------------------------------------------------
"$muslin" solve --help | grep -q ' cholmod' && cholmod=,cholmod || cholmod=
small="bench --example drooping --vertices 441 --tessellation regular --steps 3 --warmup 2"
expect 0 $small --solvers sa,diag,mpcg,mpcg-original,auto$cholmod --json all.json --save saved
for key in machine cpu threads stream_gb_s spmv_s example tessellation vertices steps tolerance results solver values_s setup_s \
  prefilter_s solve_s total_s iterations rate levels operator_complexity bytes true_error; do
  holds "no $key in the JSON" grep -q "\"$key\":" all.json
done
holds "the scene's name" grep -q '"example": "drooping"' all.json
holds "the vertices" grep -q '"vertices": 441,' all.json
holds "the steps" grep -q '"steps": 3,' all.json
holds "no NaN" test -z "$(grep -iE 'nan|inf' all.json)"
holds "a result a solver" test "$(grep -c '"total_s"' all.json)" = $((5 + ${#cholmod} / 8))
holds "a mean and three steps a solver" test "$(values true_error all.json | wc -l)" = $((4 * (5 + ${#cholmod} / 8)))
holds "true errors about the tolerance" awk '$1 == "null" || !($1 + 0 <= 1e-4) { exit 1 }' <(values true_error all.json)
holds "times are positive" awk '!($1 + 0 > 0) { exit 1 }' <(values total_s all.json && values spmv_s all.json &&
  values stream_gb_s all.json)
says out '^sa +[0-9.]+ '
says out '^drooping, regular: 441 vertices \([0-9]+ held\)'

holds "totals are sums of their parts" awk -F'[ ,]+' '/"(values|setup|prefilter|solve)_s"/ && !/"time"/ {
    sum += $3 } /"total_s"/ { if (sum - $3 > 1e-9 + 1e-6 * $3 || $3 - sum > 1e-9 + 1e-6 * $3) exit 1; sum = 0 }' \
  <(sed '/"solves"/,/\]/d; s/^ */ /' all.json)

holds "which set-up ran" grep -q '"setup": "numbers"\|"setup": "coarse"\|"setup": "finest"\|"setup": "none"' all.json

# Cold, a new solver meets every system: for methods that keep nothing that matters, the same iterations.
expect 0 $small --solvers sa:paper,diag --cold --json cold.json
says out '3 cold solves'
holds "whole set-ups" grep -q '"setup": "all"' cold.json
holds "not marked as cold" grep -q '"cold": true' cold.json
expect 0 $small --solvers sa:paper,diag --json warm.json
holds "cold solves take other iterations" cmp -s <(values iterations cold.json) <(values iterations warm.json)

# The same iterations for any number of threads; others in single precision would be a miracle of their own.
expect 0 $small --solvers sa,diag --threads 1 --json one.json
expect 0 $small --solvers sa,diag --threads 2 --json two.json
holds "iterations depend on threads" cmp -s <(values iterations one.json) <(values iterations two.json)
holds "true errors depend on threads" cmp -s <(values true_error one.json) <(values true_error two.json)

# What was saved is the last of the systems.
expect 0 solve saved/A.mtx saved/b.mtx --coords saved/X.mtx --fix saved/fix.txt --solver diag --json solved.json
holds "the saved system takes other iterations" test "$(values iterations solved.json)" = \
  "$(values iterations one.json | tail -n 1)"

# Variants of a solver, in one run, and errors taken only now and then.
expect 0 $small --solvers sa,sa:paper,sa:fast,sa:robust,sa:paper:filtered,diag,diag:filtered --preset paper --errors 2 \
  --stride 2 --json variants.json
holds "their names" test "$(values solver variants.json | tr -d '\n')" = \
  '"sa""sa:paper""sa:fast""sa:robust""sa:paper:filtered""diag""diag:filtered"'
holds "plain sa is as the preset says" cmp -s <(values iterations variants.json | sed -n 1,4p) \
  <(values iterations variants.json | sed -n 5,8p)
holds "filtering has no prefilter" grep -q '"prefilter": false' variants.json
holds "errors at two of three steps" test "$(values true_error variants.json | grep -c null)" = 7
holds "steps are apart" awk 'NR > 1 && NR < 4 && !($1 - last > 0.0039) { exit 1 } { last = $1 }' <(values time variants.json)
expect 0 $small --solvers diag --errors 0 --json none.json
holds "no errors" test -z "$(values true_error none.json | grep -v null)"

# What couples cloth with cloth is part of the system that is saved.
cat >two.json <<'END'
{"cloths": [{"name": "a", "shape": {"vertices": 100}, "pins": [{"where": {"boundary": true}}]},
            {"name": "b", "shape": {"vertices": 121}, "translate": [0.03, 0.0015, 0.02]}]}
END
expect 0 bench --example two.json --steps 1 --warmup 12 --solvers diag --tolerance 1e-9 --json coupled.json --save coupled
holds "cloths touch" awk '!($1 > 20) { exit 1 }' <(values couplings coupled.json)
expect 0 solve coupled/A.mtx coupled/b.mtx --coords coupled/X.mtx --fix coupled/fix.txt --solver diag --tol 1e-9 \
  --json uncoupled.json
holds "the saved system is another" test "$(values iterations uncoupled.json)" = \
  "$(values iterations coupled.json | tail -n 1)"

# Options reach the scene.
expect 0 $small --solvers sa --time-step 0.05 --tessellation irregular --seed 3 --tolerance 1e-3 --precision single \
  --cycle v --repeat 2 --density 0.3 --unknown position --json other.json
for pair in '"time_step": 0.05' '"tessellation": "irregular"' '"tolerance": 0.001' '"precision": "single"' \
  '"cycle": "v"' '"repeat": 2' '"unknown": "position"'; do
  holds "no $pair" grep -q "$pair" other.json
done
expect 1 $small --solvers diag --json no/such/folder.json
says err 'cannot write'

if [ -n "$sanitiser" ]; then
  conclude
  exit
fi

# --- original against corrected MPCG ------------------------------------------------------------------------------
last="bench/seed-001.sh"
bash "$source/bench/seed-001.sh" "$muslin" >"$said/out" 2>"$said/err" || failed "$last"
holds "ten rows" test "$(grep -cE '^[0-9.]+ .*%' "$said/out")" = 10
holds "every ratio of table 1 is in the paper's range" awk '/^Table 2/ { exit bad } / \*$/ { bad = 1 }' "$said/out"
holds "the corrected one always saves" awk '/^[0-9.]+ .*%/ && !($6 < 0.9 * $5) { exit 1 }' "$said/out"
holds "original as in the paper" awk '/^Table 2/ { exit bad } /%/ && ($5 < 0.8 * $2 || $5 > 1.25 * $2) { bad = 1 }' "$said/out"

# --- the commands in docs/benchmarks.md ------------------------------------------------------------------------------
last="docs/benchmarks.md"
mkdir manual && ln -s "$(dirname "$muslin")" manual/build
awk '/^```/ { on = $0 == "```sh"; next } on' "$source/docs/benchmarks.md" >commands
holds "commands" grep -q '^build/muslin bench' commands
(cd manual && timeout 1200 bash -eu ../commands) >"$said/out" 2>"$said/err" </dev/null || failed "$last: its commands"

conclude
