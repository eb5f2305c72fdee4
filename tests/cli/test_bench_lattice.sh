#!/usr/bin/env bash
# Drives the program: muslin bench --lattice on good and bad input.
#
#   test_bench_lattice.sh MUSLIN
set -u
muslin=$1
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"

# refuses PATTERN ARGUMENTS...: muslin bench --lattice answers status 2 and what matches, and leaves no file.
refuses() {
  local pattern=$1
  shift
  rm -f no.json
  expect 2 bench --lattice "$@" --json no.json
  says err "$pattern"
  holds "left a file behind" test ! -e no.json
}

# value KEY FILE: the number under a key.
value() { grep -o "\"$1\": [^,}]*" "$2" | sed 's/.*: //'; }

# --- bad input ----------------------------------------------------------------------------------------------------
expect 0 bench --lattice --help
says out '--poisson'
expect 0 bench --help
says out 'bench --lattice --help'
refuses "Poisson's ratio is 0.5: it must be above -1 and below 0.5" --cells 8 --poisson 0.5
refuses "Poisson's ratio is -1" --cells 8 --poisson -1
refuses 'young: -5 is out of range' --cells 8 --young -5
refuses 'cells: 2 is out of range' --cells 2
refuses 'dynamic: 0 is out of range' --cells 8 --dynamic 0
refuses 'nothing.obj' --cells 8 --shape nothing.obj
refuses 'is not one of v, k' --cycle w
refuses 'is not one of multigrid, cg, pcg' --method sa
refuses 'unknown option --example' --example drooping
printf 'v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n' >triangle.obj
refuses 'triangle.obj: ' --cells 8 --shape triangle.obj

# --- without a GPU ------------------------------------------------------------------------------------------------
export MUSLIN_CUDA_LIBRARY=missing.so
refuses 'is not one of cpu, cuda, auto' --cells 8 --device gpu
refuses 'there is no CUDA part: .*missing.so.*-DMUSLIN_CUDA=ON' --cells 8 --device cuda
refuses 'conjugate gradients do not run on a GPU' --cells 8 --device cuda --method cg
refuses 'there is no CUDA part' --cells 8 --device cuda --corotational
expect 0 bench --lattice --cells 8 --device auto --json auto.json
holds "the CPU did it" grep -q '"gpu": null' auto.json

# --- figures ------------------------------------------------------------------------------------------------------
expect 0 bench --lattice --cells 12 --poisson 0.49 --json box.json
for key in program_version machine shape cells interior unknowns levels rate residuals seconds_per_cycle bytes_per_cell \
  bytes_ratio bandwidth_part; do
  holds "no $key in the JSON" grep -q "\"$key\":" box.json
done
holds "all cells are interior" test "$(value interior box.json)" = 1728
holds "no NaN" test -z "$(grep -iE 'nan|inf"' box.json)"
holds "the first residual is 1" awk '/"residuals"/ { getline; exit $1 + 0 != 1 }' box.json
holds "it converges fast" awk -v rate="$(value rate box.json)" 'BEGIN { exit !(rate > 0 && rate < 0.3) }'

# Options reach the problem.
expect 0 bench --lattice --cells 10 --dynamic 0.04 --cycle v --directions 0 --precision double --threads 1 --json other.json
holds "a V-cycle" grep -q '"cycle": "v"' other.json
holds "in double precision" grep -q '"precision": "double"' other.json
holds "the time step" grep -q '"time_step": 0.04' other.json
expect 0 bench --lattice --cells 8 --cycles 2
says out 'after 2 cycles'

for method in cg pcg; do
  expect 0 bench --lattice --cells 8 --method $method --cycles 500 --json $method.json
  says out 'iterations'
  holds "the method" grep -q "\"method\": \"$method\"" $method.json
done

expect 0 bench --lattice --cells 8 --corotational --tolerance 1e-4 --json turned.json
holds "co-rotational" grep -q '"corotational": true' turned.json
refuses 'multigrid only' --cells 8 --corotational --method cg

# A surface: an octahedron.
printf 'v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\nf 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n' >eight.obj
expect 0 bench --lattice --cells 16 --shape eight.obj --json eight.json
holds "the shape's name" grep -q '"shape": "eight.obj"' eight.json
expect 1 bench --lattice --cells 8 --json no/such/folder.json
says err 'cannot write'

conclude
