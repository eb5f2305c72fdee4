#!/usr/bin/env bash
# Repeats the results of Tamstorf, Jones and McCormick 2015, section 11: five examples, two tessellations, twelve sizes.
#
#   bench/seed-000.sh PROGRAM TOOL [OPTION...]   PROGRAM is muslin, TOOL is bench_seed_000
#
#   --quick          five sizes up to 40,401 vertices, and shorter stretches of the animations
#   --sizes LIST     other numbers of vertices, with commas between
#   --examples LIST  some of pinned,drooping,re-entrant,drop-horizontal,drop-vertical,dressed
#   --out DIR        figures, tables, CSV and JSON (docs/results)
#   --runs DIR       a file for each run: what is there already is not run again (out/seed-000/full or .../quick)
#   --limit S        a solver is left out where a solve would take longer (60), by its time at the size before and
#                    (vertices)^1.5; the last ones are left out where all together would take more than 90% of the memory
#   --budget S       a size is left out where all of it would take longer (3600), by the size before and (vertices)^1.25
#   --steps N        solves in each run, instead of 10 to 50
#   --warmup N       steps simulated before, instead of 10 to 200
#   --threads N      0: all cores
#   --report         only draw what has been measured
#
# Solvers of a run solve the same systems in turn. Beyond 40,401 vertices those that filter run in drop-horizontal only.
# Where the cloth is held (pinned, drooping, re-entrant) there are more runs: on one thread for PETSc's solvers, which
# know no more, where the program has them; and with steps of 10 ms at 1,681, 10,201 and 40,401 vertices.
set -eu
program=${1:?which program? Give the path of muslin} tool=${2:?which tool? Give the path of bench_seed_000}
shift 2

kind=full sizes=961,1681,3721,6561,10201,22801,40401,90601,160801,361201,641601,1002001 runs='' out=docs/results
examples=pinned,drooping,re-entrant,drop-horizontal,drop-vertical,dressed
limit=60 budget=3600 steps='' warmup='' threads=0 measuring=yes
while [ $# -gt 0 ]; do
  case $1 in
  --quick)
    kind=quick sizes=961,3721,10201,22801,40401
    shift
    ;;
  --report)
    measuring=''
    shift
    ;;
  --sizes | --examples | --out | --runs | --limit | --budget | --steps | --warmup | --threads)
    [ $# -ge 2 ] || { echo "seed-000: $1 needs a value" >&2 && exit 2; }
    printf -v "${1#--}" %s "$2"
    shift 2
    ;;
  *)
    echo "seed-000: unknown option $1; there are --quick, --sizes, --examples, --out, --runs, --limit, --budget," \
      "--steps, --warmup, --threads and --report" >&2
    exit 2
    ;;
  esac
done
[ -n "$runs" ] || runs=out/seed-000/$kind

# The stretch of an animation that is measured: schedule EXAMPLE VERTICES sets `stretch`, options for the program. In
# full it is nearly the paper's (10, 15 and 25 frames of 21 steps), five steps of every fifty or so; in short, and beyond
# 160,801 vertices, ten steps when things are in full swing: the falling sheets touch the box after about 100 and 50
# steps, and the upright one folds up after 150. Steps follow on each other, because solvers keep what they can.
schedule() {
  local before=10 solves=10 burst=10 apart=1 repeat=1
  if [ "$kind" = full ] && [ "$2" -le 160801 ]; then
    burst=5 apart=50
    case $1 in
    drop-horizontal) solves=30 ;;
    drop-vertical) solves=50 ;;
    *) solves=20 ;;
    esac
  else
    case $1 in
    drop-horizontal) before=115 ;;
    drop-vertical) before=200 ;;
    esac
  fi
  [ "$2" -gt 10201 ] || repeat=3 # short times vary
  stretch=(--warmup "${warmup:-$before}" --steps "${steps:-$solves}" --burst "$burst" --stride "$apart" \
    --repeat "$repeat")
  [ "$2" -le 160801 ] || stretch+=(--errors 10)
}

# measure NAME OPTION...: one run into NAME.json, unless that is there.
measure() {
  local name=$1
  shift
  echo "seed-000: $name"
  "$program" bench --preset fast --json "$runs/$name.json.new" "$@" >"$runs/$name.txt" 2>&1 ||
    echo "seed-000: $name: something failed, see $runs/$name.txt"
  [ ! -e "$runs/$name.json.new" ] || mv "$runs/$name.json.new" "$runs/$name.json"
}

# run_size EXAMPLE TESSELLATION VERTICES usual|one|long SOLVERS OPTION...: where there is time for it.
run_size() {
  local example=$1 tessellation=$2 vertices=$3 which=$4 solvers=$5
  local name=$example-$tessellation-$vertices chosen
  shift 5
  [ "$which" = usual ] || name=$name-$which
  [ ! -e "$runs/$name.json" ] || return 0
  chosen=$("$tool" plan "$runs" "$example" "$tessellation" "$vertices" "$which" "$limit" "$budget" "$solvers" \
    2>"$runs/$name.left")
  sed 's/^/seed-000: left out: /' "$runs/$name.left"
  [ -s "$runs/$name.left" ] || rm -f "$runs/$name.left"
  [ -n "$chosen" ] || return 0
  schedule "$example" "$vertices"
  measure "$name" --example "$example" --tessellation "$tessellation" --vertices "$vertices" --threads "$threads" \
    --solvers "$chosen" "${stretch[@]}" "$@"
}

# The dress: one solve a frame, through walk and run.
run_dressed() {
  local vertices=40401 step=0.002 apart=21
  [ "$kind" = full ] || vertices=10201 step=0.0083333334 apart=5
  [ -z "$steps" ] || vertices=${sizes%%,*}
  [ ! -e "$runs/dressed.json" ] || return 0
  measure dressed --example dressed --vertices "$vertices" --time-step "$step" --threads "$threads" --errors 10 \
    --warmup "${warmup:-0}" --steps "${steps:-108}" --stride "$apart" --solvers sa:fast,sa:paper,diag
}

has() { "$program" bench --help | grep '^Solvers:' | grep -qw "$1"; }

run_all() {
  local vertices example tessellation solvers direct='' others=''
  ! has cholmod || direct=,cholmod
  ! has gamg || others=$others,gamg
  ! has boomeramg || others=$others,boomeramg
  [ -n "$others" ] || echo "seed-000: this program has neither gamg nor boomeramg, which are left out"
  mkdir -p "$runs"
  [ -e "$runs/machine.json" ] || "$tool" machine "$runs/machine.json"
  for vertices in ${sizes//,/ }; do
    for example in ${examples//,/ }; do
      [ "$example" != dressed ] || continue
      solvers=sa:fast,sa:paper,diag
      [ "$vertices" -gt 40401 ] && [ "$example" != drop-horizontal ] || solvers+=,diag:filtered,sa:paper:filtered
      solvers+=$direct
      for tessellation in regular irregular; do
        run_size "$example" "$tessellation" "$vertices" usual "$solvers"
        case $example in
        drop-*) ;;
        *)
          [ -z "$others" ] || run_size "$example" "$tessellation" "$vertices" one "sa:fast$others" --threads 1 \
            --warmup "${warmup:-10}" --steps "${steps:-5}" --stride 1
          case $vertices in
          1681 | 10201 | 40401) run_size "$example" "$tessellation" "$vertices" long sa:fast,sa:paper,diag --time-step 0.01 ;;
          esac
          ;;
        esac
      done
    done
  done
  case ,$examples, in
  *,dressed,*) run_dressed ;;
  esac
}

[ -z "$measuring" ] || run_all
"$tool" report "$runs" "$out"
echo "seed-000: $out has figures and tables"
