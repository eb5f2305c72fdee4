#!/usr/bin/env bash
# Does a drape depend on the budget of the solver? A tablecloth falls onto a table and hangs, at stiffnesses over six decades:
# by muslin at three accuracies, and, where Blender is installed, by its cloth at four numbers of quality steps.
#
#   bench/budget.sh PROGRAM [--quick] [--out DIR] [--runs DIR]   PROGRAM is muslin
#
# Writes DIR/budget.md (docs/results-003) with how far drapes are from the finest one, and DIR/budget.png with all of them.
# Meshes stay in the folder of runs (out/budget); what is there is not run again. --quick has fewer vertices and frames.
set -eu
program=${1:?which program? Give the path of muslin}
shift
source=$(cd "$(dirname "$0")" && pwd)

out=docs/results-003 runs=out/budget vertices=1681 side=41 frames=72
while [ $# -gt 0 ]; do
  case $1 in
  --quick)
    vertices=441 side=21 frames=24
    shift
    ;;
  --out | --runs)
    [ $# -ge 2 ] || { echo "budget: $1 needs a value" >&2 && exit 2; }
    if [ "$1" = --out ]; then out=$2; else runs=$2; fi
    shift 2
    ;;
  *)
    echo "budget: unknown option $1; there are --quick, --out and --runs" >&2
    exit 2
    ;;
  esac
done
mkdir -p "$out" "$runs"

factors='0.001 0.1 10 1000'
accuracies='10 1 0.01' # times the default
blender_factors='1 10 100 1000' qualities='5 10 20 80'

# --- runs ------------------------------------------------------------------------------------------------------------

# accuracy TIMES: of the default, in mm.
accuracy() { "$program" info tablecloth | awk -v times="$1" -F '[:,]' '/"accuracy"/ { print $2 * times }'; }

# drape FACTOR TIMES: muslin's, as $runs/muslin-FACTOR-TIMES.obj, with iterations per step in the .txt beside it.
drape() {
  local name=$runs/muslin-$1-$2
  [ ! -e "$name.obj" ] || return 0
  "$program" info tablecloth | sed "s/\"\(stretch\|shear\)_scale\": 1,/\"\1_scale\": $1,/" >"$name.json"
  "$program" run "$name.json" --vertices "$vertices" --frames "$frames" --accuracy "$(accuracy "$2")" --format obj \
    -o "$name" >"$name.txt" 2>&1 || { cat "$name.txt" >&2 && exit 1; }
  cp "$(find "$name" -name '*_*.obj' | sort | tail -1)" "$name.obj"
  rm -r "$name"
}

for factor in $factors; do
  for times in $accuracies; do
    echo "budget: muslin, stiffness x $factor, accuracy x $times" >&2
    drape "$factor" "$times"
  done
done
if command -v blender >/dev/null && [ ! -e "$runs/blender-1000-80.obj" ]; then
  echo "budget: blender" >&2
  blender -b --factory-startup --python "$source/budget_blender.py" -- "$runs" "$frames" "$side" >"$runs/blender.txt" 2>&1 ||
    { cat "$runs/blender.txt" >&2 && exit 1; }
fi

# --- what they come to -----------------------------------------------------------------------------------------------

# apart A B: the largest and the mean distance between vertices of two meshes, mm.
apart() {
  awk -v n=0 -v k=0 'FNR == NR { if ($1 == "v") { x[n] = $2; y[n] = $3; z[n] = $4; n++ } next }
       $1 == "v" { d = sqrt((x[k] - $2)^2 + (y[k] - $3)^2 + (z[k] - $4)^2); k++; sum += d; if (d > most) most = d }
       END { printf "%.2g / %.2g", 1000 * most, 1000 * sum / k }' "$1" "$2"
}

# stretched A: by how much its area exceeds that of the flat cloth, %.
stretched() {
  awk -v n=0 '$1 == "v" { x[n] = $2; y[n] = $3; z[n] = $4; n++ }
       $1 == "f" { a = $2 - 1; b = $3 - 1; c = $4 - 1
                   ux = x[b] - x[a]; uy = y[b] - y[a]; uz = z[b] - z[a]; vx = x[c] - x[a]; vy = y[c] - y[a]; vz = z[c] - z[a]
                   area += sqrt((uy * vz - uz * vy)^2 + (uz * vx - ux * vz)^2 + (ux * vy - uy * vx)^2) / 2 }
       END { printf "%.3f", 100 * (area / 1.69 - 1) }' "$1"
}

# row NAME FACTOR LAST BUDGET...: a line of the table: how far the drape of each budget is from that of LAST, then by how much
# each is stretched.
row() {
  local name=$1 factor=$2 last=$3 budget
  shift 3
  printf '| %s |' "$factor"
  for budget; do
    [ "$budget" = "$last" ] || printf ' %s |' "$(apart "$runs/$name-$factor-$last.obj" "$runs/$name-$factor-$budget.obj")"
  done
  for budget; do
    printf ' %s |' "$(stretched "$runs/$name-$factor-$budget.obj")"
  done
}

iterations() { grep -o '[0-9.]* iterations per step' "$runs/muslin-$1-$2.txt" | cut -d ' ' -f 1; }

{
  echo "# Drapes and budgets"
  echo
  echo "Written by \`script/bench budget\`: \`tablecloth\` with $vertices vertices after $frames frames, its stretch and shear stiffness"
  echo "multiplied by a factor. Drapes are compared with that of the largest budget: the largest and the mean distance between vertices,"
  echo "mm. Stretch is by how much the area of a drape exceeds that of the flat cloth, %."
  echo
  echo "muslin, at accuracies around the default, $(accuracy 1) mm:"
  echo
  echo "| stiffness × | apart: × 10 | default | stretch: × 10 | default | × 0.01 | iterations per step: default | × 0.01 |"
  echo "|---|---|---|---|---|---|---|---|"
  for factor in $factors; do
    row muslin "$factor" 0.01 $accuracies
    echo " $(iterations "$factor" 1) | $(iterations "$factor" 0.01) |"
  done
  if [ -e "$runs/blender-1000-80.obj" ]; then
    echo
    echo "The cloth of Blender $(blender -b --version 2>/dev/null | awk 'NR == 1 { print $2 }'), at its own settings but for stiffness and the"
    echo "number of quality steps, which is 5 unless one changes it:"
    echo
    echo "| stiffness × | apart: 5 steps | 10 | 20 | stretch: 5 | 10 | 20 | 80 |"
    echo "|---|---|---|---|---|---|---|---|"
    for factor in $blender_factors; do
      row blender "$factor" 80 $qualities
      echo
    done
  fi
} >"$out/budget.md"

# --- the picture -----------------------------------------------------------------------------------------------------

# place X Z MESH...: the mesh moved, its faces numbered on after `count` vertices.
count=0
place() {
  awk -v x="$1" -v z="$2" -v count="$count" '$1 == "v" { printf "v %.6f %s %.6f\n", $2 + x, $3, $4 + z }
    $1 == "f" { printf "f"; for (k = 2; k <= NF; ++k) printf " %d", $k + count; printf "\n" }' "$3"
  count=$((count + $(grep -c '^v ' "$3")))
}

# A row for every budget, the largest in front; columns by stiffness, muslin's on the left.
picture() {
  local x z=0 factor budget
  for budget in $accuracies; do
    x=0
    for factor in $factors; do
      place "$x" "$z" "$runs/muslin-$factor-$budget.obj"
      x=$(awk -v x="$x" 'BEGIN { print x + 1.4 }')
    done
    z=$(awk -v z="$z" 'BEGIN { print z + 1.4 }')
  done
  [ -e "$runs/blender-1000-80.obj" ] || return 0
  z=0
  for budget in 5 10 80; do
    x=6.3
    for factor in $blender_factors; do
      place "$x" "$z" "$runs/blender-$factor-$budget.obj"
      x=$(awk -v x="$x" 'BEGIN { print x + 1.4 }')
    done
    z=$(awk -v z="$z" 'BEGIN { print z + 1.4 }')
  done
}

picture >"$runs/all.obj"
"$program" render "$runs/all.obj" -o "$out/budget.png" --size 1600x700 --look plain
echo "budget: $out has budget.md and budget.png"
