#!/usr/bin/env bash
# Original against corrected MPCG: the two tables of Ascher and Boxerman 2003, section 5, beside the paper's figures.
#
#   bench/seed-001.sh PROGRAM [STEPS [TABLE...]]   PROGRAM is muslin; 100 steps, as in the paper; both tables, 1 and 2
#
# Four corners of a sheet move as a sin(wt); unknowns are changes of position; iterations are means over the steps.
# The corrected one starts from the last step's change of position and stops by ||S(b - Az)||; the original starts from
# z and stops by ||Sb||. A ratio outside of the paper's 45 to 75% has a star.
set -eu
program=${1:?which program? Give the path of muslin} steps=${2:-100}
shift $(($# > 2 ? 2 : $#))
tables=${*:-1 2}

# measure DENSITY TOLERANCE: the mean iterations of the original and of the corrected one.
measure() {
  "$program" bench --example corners --density "$1" --tolerance "$2" --unknown position --fixed-steps --warmup 0 \
    --steps "$steps" --threads 1 --solvers mpcg-original,mpcg |
    awk '$1 == "mpcg-original" { original = $2 } $1 == "mpcg" { corrected = $2 } END { print original, corrected }'
}

# row NAME DENSITY TOLERANCE PAPER'S-ORIGINAL PAPER'S-CORRECTED
row() {
  local found
  found=$(measure "$2" "$3")
  # shellcheck disable=SC2086
  printf '%s %s %s %s\n' "$1" "$4" "$5" "$found" | awk '{
    ratio = ($4 > 0) ? $5 / $4 : 0
    printf "%-12s %9d %9d %6.0f%% %12.1f %9.1f %6.0f%%%s\n", $1, $2, $3, 100 * $3 / $2, $4, $5, 100 * ratio,
      (ratio < 0.445 || ratio >= 0.755) ? " *" : ""
  }'
}

columns() {
  printf '%-12s %27s %32s\n' '' "the paper" "muslin"
  printf '%-12s %9s %9s %7s %12s %9s %7s\n' "$1" original corrected ratio original corrected ratio
}

for table in $tables; do
  case $table in
  1)
    printf 'Table 1: iterations over density, kg/m^2 (tolerance 0.01, means of %d steps of 0.05 s)\n\n' "$steps"
    columns density
    row 0.01 0.01 0.01 27 19
    row 0.1 0.1 0.01 22 15
    row 1 1 0.01 16 10
    row 10 10 0.01 11 6
    row 100 100 0.01 6 3
    ;;
  2)
    printf 'Table 2: iterations over tolerance (density 0.1 kg/m^2, means of %d steps of 0.05 s)\n\n' "$steps"
    columns tolerance
    row 0.1 0.1 0.1 22 15
    row 0.01 0.1 0.01 22 15
    row 0.001 0.1 0.001 30 22
    row 0.0001 0.1 0.0001 45 31
    row 0.00001 0.1 0.00001 60 43
    ;;
  *)
    echo "seed-001: there is no table $table, only 1 and 2" >&2
    exit 2
    ;;
  esac
  echo
done
