#!/usr/bin/env bash
# Repeats what Zhu, Sifakis, Teran and Brandt 2010 measure of elastic solids on lattices.
#
#   bench/seed-002.sh TOOL [--quick] [--threads N] [--parts LIST] [--model FILE] [--out DIR]   TOOL is bench_seed_002
#
# tables.md, a JSON file for each table and charts go to DIR (docs/results-002). FILE is a closed surface that stands on
# its feet, for the weakly held solid, which is left out without it. --quick takes small sizes alone.
set -eu
tool=${1:?which tool? Give the path of bench_seed_002}
shift

out=docs/results-002 model=../shared/data/models/spot.obj.gz
options=()
while [ $# -gt 0 ]; do
  case $1 in
  --quick)
    options+=("$1")
    shift
    ;;
  --threads | --parts | --model | --out)
    [ $# -ge 2 ] || { echo "seed-002: $1 needs a value" >&2 && exit 2; }
    case $1 in
    --model) model=$2 ;;
    --out) out=$2 ;;
    *) options+=("$1" "$2") ;;
    esac
    shift 2
    ;;
  *)
    echo "seed-002: unknown option $1; there are --quick, --threads, --parts, --model and --out" >&2
    exit 2
    ;;
  esac
done

mkdir -p "$out"
if [ -f "$model" ]; then
  options+=(--model "$model")
else
  echo "seed-002: there is no $model; the weakly held solid is left out" >&2
fi
"$tool" "${options[@]}" -o "$out"
echo "seed-002: $out has tables and figures"
