#!/usr/bin/env bash
# Drives the program: scenes with solids whose files, materials and models are wrong are refused with status 2 and the
# reason; what can be mended is mended and told.
#
#   test_solids.sh MUSLIN
set -u
muslin=$1
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"

# scene KEYS...: a scene of one solid with these keys.
scene() { echo "{\"frames\": 1, \"frame_rate\": 50, \"solids\": [{$*}]}" >scene.json; }

# refuses PATTERN ARGUMENTS...: status 2, and standard error matches.
refuses() {
  local pattern=$1
  shift
  expect 2 "$@"
  says err "$pattern"
}

# refuses_file FILE PATTERN: by itself and in a scene.
refuses_file() {
  refuses "$2" info "$1"
  scene "\"shape\": {\"kind\": \"file\", \"file\": \"$1\"}"
  refuses "$2" run scene.json -o out
  holds 'nothing is written' test ! -e out/report.json
}

# --- truncated ------------------------------------------------------------------------------------------------------
for format in msh msh-text msh2 msh2-text mesh vtk vtk-text; do
  case $format in msh*) end=msh ;; vtk*) end=vtk ;; *) end=$format ;; esac
  expect 0 fill box -o "whole.$end" --edge 0.5 --format $format
  bytes=$(wc -c <"whole.$end")
  for part in 10 30 50 70 90; do
    head -c $((bytes * part / 100)) "whole.$end" >"cut.$end"
    refuses "cut.$end" info "cut.$end"
  done
  refuses_file "cut.$end" "cut.$end"
  rm -f ./*.$end
done
expect 0 fill box -o whole.node --edge 0.5
for part in 10 40 60 90; do
  head -c $(($(wc -c <whole.ele) * part / 100)) whole.ele >cut.ele
  cp whole.node cut.node
  refuses 'cut.ele' info cut.node
done
refuses_file cut.node 'cut.ele'
rm cut.ele
refuses_file cut.node 'cut.ele'

# --- counts, types, corners -------------------------------------------------------------------------------------------
points='0 0 0\n1 0 0\n0 1 0\n0 0 1\n'
medit() { printf 'MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n%b' "$1" >bad.mesh; }
medit 'Tetrahedra 99999999999\n1 2 3 4 0\nEnd\n'
refuses_file bad.mesh 'bad.mesh:8: 99999999999 .*: a mesh has 0 to 268435456 of them'
medit 'Tetrahedra -1\nEnd\n'
refuses_file bad.mesh 'bad.mesh:8: -1 '
medit 'Tetrahedra 200000000\n1 2 3 4 0\nEnd\n'
refuses_file bad.mesh 'bad.mesh:10: .*End'
medit 'Tetrahedra 1\n1 2 three 4 0\nEnd\n'
refuses_file bad.mesh "bad.mesh:9: 'three' is not a"
medit 'Tetrahedra 1\n1 2 3.5 4 0\nEnd\n'
refuses_file bad.mesh "bad.mesh:9: '3.5' is not a"
medit 'Tetrahedra 1\n1 2 3 7 0\nEnd\n'
refuses_file bad.mesh 'bad.mesh:9: node 7 is not there'
printf '# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 9000000000 double\n%b' "$points" >bad.vtk
refuses_file bad.vtk 'bad.vtk:5: 9000000000 points: a mesh has'
printf '# vtk DataFile Version 3.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 200000000 double\nabc' >bad.vtk
refuses_file bad.vtk 'bad.vtk.*truncated'
printf '4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1e400\n' >bad.node
printf '1 4 0\n1 1 2 3 4\n' >bad.ele
refuses_file bad.node "bad.node:5: '1e400' is not within the range of a double for z"
refuses_file absent.msh 'absent.msh'

# --- volumes --------------------------------------------------------------------------------------------------------
medit 'Tetrahedra 2\n1 2 3 3 0\n1 2 2 4 0\nEnd\n'
scene '"shape": {"kind": "file", "file": "bad.mesh"}'
refuses 'solids\[0\].*bad.mesh: no tetrahedron with a volume is in it' run scene.json -o out
medit 'Tetrahedra 1\n1 3 2 4 0\nEnd\n'
expect 0 run scene.json -o out
says err '^solid: turned 1 inverted tetrahedron$'

# --- materials and models ---------------------------------------------------------------------------------------------
refuses_solid() {
  scene "$1"
  refuses "$2" run scene.json -o bad
}
refuses_solid '"material": "Rubber"' 'solids\[0\].*no material named "Rubber"; there are rubber, gel, flesh, foam, wood'
refuses_solid '"poisson": 0.499' 'solids\[0\].*poisson is 0.499; give at most 0.495: nearly incompressible'
refuses_solid '"poisson": 0.7' 'scene.json:1.*poisson'
refuses_solid '"young": -5' 'scene.json:1.*young'
refuses_solid '"model": "hooke"' 'scene.json:1.*model.*neo-hookean.*mass-spring'
refuses_solid '"shape": {"edge": 1e-5}' 'solids\[0\].*longer edges'

conclude
