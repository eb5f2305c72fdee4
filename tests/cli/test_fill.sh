#!/usr/bin/env bash
# Drives the program: muslin fill on built-in shapes and on a surface, in every format, muslin info on what comes of it,
# and what is refused.
#
#   test_fill.sh MUSLIN DATA_FOLDER
#
# DATA_FOLDER may be absent; the armadillo in it is then skipped.
set -u
muslin=$1 data=$2
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"

# refuses PATTERN ARGUMENTS...: status 2, and standard error matches.
refuses() {
  local pattern=$1
  shift
  expect 2 "$@"
  says err "$pattern"
}

# --- built-in shapes, in every format -----------------------------------------------------------------------------
expect 0 fill ball -o ball.msh --edge 0.2
says out '^ball.msh: [0-9]+ tetrahedra, [0-9]+ vertices, [0-9]+ triangles at the surface, edge 0.2 m'
says out '^  volume +0.5[01][0-9]* m\^3 in 1 piece$'
says out '^  angles +[0-9.]+ to [0-9.]+ degrees between faces, mean quality 0.[89]'
expect 0 info ball.msh
says out '^ball.msh: a solid \(Gmsh 4.1, binary\)$'
says out '^  pieces +1$'
says out '^  defects +none$'
says out '^ +55 to +60 degrees +[0-9]+ #+$'
tetrahedra=$(awk '$1 == "tetrahedra" { print $2 }' "$said/out")
for format in msh msh-text msh2 msh2-text mesh vtk vtk-text tetgen; do
  case $format in msh*) end=msh ;; vtk*) end=vtk ;; tetgen) end=node ;; *) end=$format ;; esac
  expect 0 fill ball -o "$format.$end" --edge 0.2 --format $format
  expect 0 info "$format.$end"
  says out "^  tetrahedra +$tetrahedra\$"
done
expect 0 fill ball -o ball.vtu --edge 0.2
refuses 'ball.vtu: is of an unknown kind' info ball.vtu
holds 'TetGen has a second file' test -s tetgen.ele
expect 0 fill ball -o skin.obj --edge 0.2
expect 0 info skin.obj
says out ': a mesh$'
says out '^  pieces +1, with 0 boundary loops$'
for shape in box beam octopus dragon; do
  expect 0 fill $shape -o $shape.msh.gz --vertices 1500
  expect 0 info $shape.msh.gz
  says out '^  pieces +1$'
done

# --- a surface ----------------------------------------------------------------------------------------------------
cat >tent.obj <<'END'
v 0 0 0
v 100 0 0
v 100 0 100
v 0 0 100
v 50 80 50
f 1 5 2
f 2 5 3
f 3 5 4
f 4 5 1
f 1 2 3
f 1 3 4
END
expect 0 fill tent.obj -o tent.msh --scale 0.01 --edge 0.1
says out 'volume +0.2[0-9]+ m\^3 in 1 piece'
says out 'surface +within 0.0[0-9]+ m \(0.[0-4][0-9]* edges\) of the surface given'
sed -i '$d;$d' tent.obj # without its floor
sed -i '$d' tent.obj    # and one of its walls
refuses 'tent.obj: no tetrahedron with edges of 300 m fits inside: choose shorter ones' fill tent.obj -o open.msh --edge 300

# --- what is refused ----------------------------------------------------------------------------------------------
refuses 'no shape given' fill -o a.msh
refuses 'no file to write given: add -o FILE' fill ball
refuses 'neither such a file nor a built-in shape' fill bell -o a.msh
refuses 'a.stl: the name says no format of tetrahedra' fill ball -o a.stl
refuses '"stl" is not a format: give msh' fill ball -o a.msh --format stl
refuses 'edges of -1 m' fill ball -o a.msh --edge -1
refuses 'choose longer ones' fill ball -o a.msh --edge 1e-6
holds 'wrote something all the same' test ! -e a.msh
printf 'not a mesh\n' >text.msh
refuses 'text.msh:1: this is no file of tetrahedra' info text.msh
head -c 500 ball.msh >cut.msh
refuses 'cut.msh: .*truncated' info cut.msh
printf '4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n' >bad.node
printf '3 4 0\n0 0 1 2 3\n1 1 0 2 3\n2 0 0 1 2\n' >bad.ele
expect 0 info bad.ele
says out 'defects +1 tetrahedron with a vertex twice: 2: leave them out'
says out '1 inverted tetrahedron: 1: exchange two of their corners'
says out '1 tetrahedron that repeats another: 1 \(of 0\): leave them out'
expect 0 help fill
says out '^  octopus '
if [ -e "$data/models/armadillo_4k.ele" ]; then
  expect 0 info "$data/models/armadillo_4k.ele"
  says out '^  tetrahedra +3717$'
  says out '^  defects +none$'
fi
conclude
