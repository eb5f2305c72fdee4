#!/usr/bin/env bash
# Drives the program: muslin solve on good and bad input.
#
#   test_solve.sh MUSLIN MAKE_SHEET DATA_FOLDER [SANITISER]
#
# DATA_FOLDER may be absent; the matrices in it are then skipped. Under a sanitiser memory is not limited, because
# sanitisers reserve far more than they use.
set -u
muslin=$1 make_sheet=$2 data=$3 sanitiser=${4:-}
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"
[ -n "$sanitiser" ] || memory=8000000

# refuses STATUS PATTERN ARGUMENTS...: fails with a text that matches, one line or two, and leaves no solution.
refuses() {
  local wanted=$1 pattern=$2
  shift 2
  rm -f x.mtx
  expect "$wanted" "$@" -o x.mtx
  says err "$pattern"
  holds "left a solution behind" test ! -e x.mtx
}

# near FILE NUMBER...: the numbers of a Matrix Market array.
near() {
  checks=$((checks + 1))
  local file=$1
  shift
  grep -v '^%' "$file" | tail -n +2 |
    awk -v wanted="$*" '{ x[NR] = $1 }
      END { n = split(wanted, w, " "); if (n != NR) exit 1
            for (i = 1; i <= n; ++i) { d = x[i] - w[i]; if (d > 1e-8 || d < -1e-8 || x[i] == "nan") exit 1 } }' ||
    failed "$last: $file is not $*"
}

# The largest difference between two arrays, relative to the largest number.
apart() {
  paste <(grep -v '^%' "$1" | tail -n +2) <(grep -v '^%' "$2" | tail -n +2) |
    awk -v most="$3" 'function size(v) { return v < 0 ? -v : v }
      { d = size($1 - $2); if (d > far) far = d; if (size($1) > large) large = size($1) }
      END { exit !(NR > 0 && large > 0 && far <= most * large) }'
}

matrix() { # matrix FILE KIND ENTRIES...: a coordinate file
  local file=$1 head=$2
  shift 2
  { echo "%%MatrixMarket matrix coordinate $head"; printf '%s\n' "$@"; } >"$file"
}

array() { # array FILE "ROWS COLUMNS" NUMBERS...
  local file=$1
  shift
  { echo "%%MatrixMarket matrix array real general"; printf '%s\n' "$@"; } >"$file"
}

# --- the program itself -------------------------------------------------------------------------------------------
expect 0 --version
says out '^muslin [0-9]+\.[0-9]+\.[0-9]+$'
expect 0 --help
says out 'solve'
expect 0 help solve
says out '--coords X.mtx'
says out 'numbered from 1'
expect 0 solve --help
says out '--theta'
expect 2
expect 2 sovle
says err 'did you mean solve'
expect 2 help nothing

# --- small systems with known solutions ---------------------------------------------------------------------------
matrix identity.mtx "real symmetric" "3 3 3" "1 1 1" "2 2 1" "3 3 1"
matrix chain.mtx "real symmetric" "4 4 7" "1 1 2" "2 1 -1" "2 2 2" "3 2 -1" "3 3 2" "4 3 -1" "4 4 2"
array b3.mtx "3 1" 1 2 3
array b4.mtx "4 1" 1 0 0 1
for solver in sa diag mpcg mpcg-original auto; do
  expect 0 solve chain.mtx b4.mtx --solver $solver --tol 1e-12 -o x.mtx
  near x.mtx 1 1 1 1
done
expect 0 solve identity.mtx b3.mtx --tol 1e-12 -o x.mtx
says out '1 node of 3 unknowns'
near x.mtx 1 2 3
expect 0 solve chain.mtx b4.mtx
says out '4 nodes of 1 unknown'
gzip -c chain.mtx >chain.mtx.gz
expect 0 solve chain.mtx.gz b4.mtx --tol=1e-12 -o x.mtx
near x.mtx 1 1 1 1
matrix b4_sparse.mtx "real general" "4 1 2" "1 1 1" "4 1 1"
expect 0 solve chain.mtx b4_sparse.mtx --tol 1e-12 -o x.mtx
near x.mtx 1 1 1 1
array chain_dense.mtx "4 4" 2 -1 0 0 -1 2 -1 0 0 -1 2 -1 0 0 -1 2
expect 0 solve chain_dense.mtx b4.mtx --tol 1e-12 -o x.mtx
near x.mtx 1 1 1 1
array zero4.mtx "4 1" 0 0 0 0
expect 0 solve chain.mtx zero4.mtx -o x.mtx --levels --plot zero.svg --json zero.json
near x.mtx 0 0 0 0
for solver in sa diag mpcg mpcg-original; do
  expect 0 solve chain.mtx b4.mtx --solver $solver --tol 1 --json first.json
  holds "the residual of the initial guess is 1" grep -q '"true_residual": 1\.0' first.json
done
expect 0 solve chain.mtx b4.mtx --tol 0 --levels --plot zero.svg
for stop in initial rhs euclidean energy; do
  expect 0 solve chain.mtx b4.mtx --tol 1e-12 --stop $stop --solver sa,diag,mpcg,auto -o x.mtx --json stop.json
  near x.mtx 1 1 1 1
  says out "asked: 1e-12 of the .*--stop $stop"
  holds "stop in the JSON" grep -q "\"stop\": \"$stop\"" stop.json
done
refuses 2 'stop' solve chain.mtx b4.mtx --stop never
array tiny4.mtx "4 1" 1e-150 0 0 1e-150
for solver in sa diag mpcg mpcg-original; do
  expect 0 solve chain.mtx tiny4.mtx --tol 1e-12 --solver $solver -o x.mtx
  holds "a tiny solution" awk 'NR > 2 && ($1 < 0.99e-150 || $1 > 1.01e-150) { exit 1 }' x.mtx
done

"$muslin" solve --help | grep -q ' cholmod' && cholmod=cholmod || cholmod=
# --- several right-hand sides -------------------------------------------------------------------------------------
array b4x3.mtx "4 3" 1 0 0 1 2 0 0 2 0 0 0 0
for solver in sa diag mpcg ${cholmod:+cholmod}; do
  expect 0 solve chain.mtx b4x3.mtx --solver $solver --tol 1e-12 -o x.mtx --json several.json --plot several.svg
  near x.mtx 1 1 1 1 2 2 2 2 0 0 0 0
  holds "the size of the solution" grep -qx '4 3' x.mtx
  says out '3 right-hand sides'
  says out "^$solver, b 3"
  holds "a record for each column" test "$(grep -c '"column":' several.json)" = 3
done
expect 0 solve chain.mtx b4x3.mtx --solver sa,diag --levels
says out '^diag, b 2'
expect 1 solve chain.mtx b4x3.mtx --solver diag --tol 1e-14 --iterations 1 -o lost.mtx
says err 'right-hand side 1: .*did not converge'
holds "no solution of a solver that failed" test ! -e lost.mtx
array b4_nan.mtx "4 2" 1 0 0 1 2 0 nan 2
refuses 2 'b4_nan.mtx|finite' solve chain.mtx b4_nan.mtx

# --- what is not definite, counted as files do ---------------------------------------------------------------------
matrix indefinite.mtx "real symmetric" "4 4 4" "1 1 2" "2 2 2" "3 3 -2" "4 4 2"
expect 1 solve indefinite.mtx b4.mtx --solver diag
says err 'node 3 is not positive definite'
if [ -n "$cholmod" ]; then
  expect 1 solve indefinite.mtx b4.mtx --solver cholmod
  says err 'node 3, unknown 1 of that node'
fi

# --- constraints --------------------------------------------------------------------------------------------------
printf '# height of the only vertex\n1 0 0 2 10\n' >fix.txt
for solver in sa diag mpcg mpcg-original; do
  expect 0 solve identity.mtx b3.mtx --fix fix.txt --solver $solver --tol 1e-12 -o x.mtx
  near x.mtx 1 2 5
done
printf '1 all 7 8 9 # held\n' >fix.txt
expect 0 solve identity.mtx b3.mtx --fix fix.txt -o x.mtx
near x.mtx 7 8 9
printf '1 1 3\n\n4 all -1\n' >fix.txt
expect 0 solve chain.mtx b4.mtx --fix fix.txt --tol 1e-12 -o x.mtx
near x.mtx 3 1.6666666666666667 0.33333333333333333 -1
while IFS='|' read -r line pattern; do
  printf '%b\n' "$line" >fix.txt
  refuses 2 "$pattern" solve identity.mtx b3.mtx --fix fix.txt
done <<'END'
0 all 0 0 0|fix.txt:1: vertex 0 does not exist
# ok\n2 all 0 0 0|fix.txt:2: vertex 2 does not exist
x all 0 0 0|fix.txt:1: 'x' is not a vertex
1 all 0 0|fix.txt:1: write
1 all 0 0 0 0|fix.txt:1: write
1|fix.txt:1: write
1 0 0 1|fix.txt:1: write
1 0 0 nan 1|fix.txt:1: 'nan'
1 all 0 0 0\n1 1 0 0 0|fix.txt:2: vertex 1 has more
1 0 0 1 0\n1 0 0 1 2|contradict
1 0 0 0 0|direction
99999999999999999999 all 0 0 0|does not exist
END
refuses 2 'cannot open' solve identity.mtx b3.mtx --fix nothing.txt
refuses 2 'fix.txt' solve identity.mtx b3.mtx --fix fix.txt/x

# --- a cloth sheet ------------------------------------------------------------------------------------------------
"$make_sheet" --side 21 -o sheet >"$said/out" 2>"$said/err" || failed "make_sheet"
sheet="solve sheet/A.mtx sheet/b.mtx --coords sheet/X.mtx --fix sheet/fix.txt --tol 1e-11"
for solver in sa diag mpcg mpcg-original $cholmod auto; do
  expect 0 $sheet --solver $solver -o x_$solver.mtx
  holds "differs from sa" apart x_sa.mtx x_$solver.mtx 1e-7
done
expect 0 $sheet --solver sa,diag --levels --json all.json --plot all.svg -o x.mtx
says out '42 of them constrained'
says out '^sa '
says out '^diag '
says out 'iterations$'
holds "two results in the JSON" test "$(grep -c '"status": "ok"' all.json)" = 2
for key in matrix rows block nonzeros tolerance threads results solver iterations rate setup_s prefilter_s solve_s \
  total_s bytes operator_complexity levels true_residual true_error residuals level; do
  holds "no $key in the JSON" grep -q "\"$key\":" all.json
done
holds "the picture is whole" grep -q '</svg>' all.svg
holds "-o is the first solver's" cmp -s x.mtx x_sa.mtx
expect 0 solve sheet/A.mtx --coords sheet/X.mtx --fix sheet/fix.txt --tol 1e-10 --json known.json
says out 'pseudo-random'
holds "the error is known and small" awk '/"true_error":/ { exit !($2 + 0 > 0 && $2 + 0 < 1e-7) }' known.json
expect 0 solve sheet/A.mtx --theta 0.25 --cycle v --smoother-order 3 --lanczos-steps 12 --kernel-sweeps 2 --reach 2 --motions translations --filter-prolongator
expect 0 solve sheet/A.mtx --tentative-prolongator --max-levels 2 --bottom 100 --smoother-range 20 --dominance 0
expect 0 solve sheet/A.mtx --precision single --block 1

# The same bits for any number of threads.
for solver in sa "sa --precision single" diag mpcg $cholmod; do
  for threads in 1 2 7; do
    expect 0 $sheet --solver $solver --threads $threads -o threads_$threads.mtx
  done
  holds "2 threads change bits" cmp -s threads_1.mtx threads_2.mtx
  holds "7 threads change bits" cmp -s threads_1.mtx threads_7.mtx
done

# --- failures at run time -----------------------------------------------------------------------------------------
rm -f fail.json
refuses 1 'not converged' $sheet --solver diag --iterations 3 --json fail.json
holds "the report says so" grep -q '"status": "not converged"' fail.json
expect 1 $sheet --solver sa,diag --iterations 30 -o x.mtx
holds "a later solver's failure keeps the solution" cmp -s x.mtx x_sa.mtx
matrix indefinite.mtx "real symmetric" "4 4 5" "1 1 1" "2 1 3" "2 2 1" "3 3 1" "4 4 1"
matrix negative.mtx "real symmetric" "3 3 3" "1 1 1" "2 2 -1" "3 3 1"
matrix singular.mtx "real symmetric" "4 4 7" "1 1 1" "2 1 -1" "2 2 2" "3 2 -1" "3 3 2" "4 3 -1" "4 4 1"
matrix zero.mtx "real symmetric" "3 3 3" "1 1 1" "2 2 0" "3 3 1"
for file in indefinite negative singular zero; do
  for solver in sa $cholmod; do
    refuses 1 'breakdown: .*[a-z]' solve $file.mtx --solver $solver
  done
done
refuses 1 'breakdown' solve indefinite.mtx --solver diag
refuses 1 'breakdown' solve negative.mtx --solver mpcg
expect 1 solve chain.mtx b4.mtx -o nowhere/x.mtx
says err 'nowhere/x.mtx'
expect 1 solve chain.mtx b4.mtx --json nowhere/x.json
says err 'cannot write nowhere/x.json'
expect 1 solve chain.mtx b4.mtx --plot nowhere/x.svg
holds "nothing is left beside" test -z "$(ls | grep -E 'tmp|XXX')"
if [ -c /dev/full ]; then
  "$muslin" solve chain.mtx b4.mtx >/dev/full 2>"$said/err" </dev/null
  status=$? last="muslin solve >/dev/full"
  holds "a full disk is a failure" test $status -eq 1
  expect 1 solve chain.mtx b4.mtx --json /dev/full
  expect 1 solve chain.mtx b4.mtx -o /dev/full
fi

# --- bad input ----------------------------------------------------------------------------------------------------
refuses 2 'unknown option --tole; did you mean --tol' solve chain.mtx --tole 1
refuses 2 'geometric: its levels come from meshes.*muslin bench' solve chain.mtx --solver geometric
refuses 2 'unknown option -q' solve chain.mtx -q
refuses 2 "--tol: 'abc' is not a finite number" solve chain.mtx --tol abc
refuses 2 "--threads: '2x' is not a whole number" solve chain.mtx --threads 2x
refuses 2 '--threads: -3 is out of range' solve chain.mtx --threads -3
refuses 2 '--iterations: 99999999999 is out of range' solve chain.mtx --iterations 99999999999
refuses 2 "--precision: 'half' is not one of double, single" solve chain.mtx --precision half
refuses 2 "--device: 'gpu' is not one of cpu, cuda, auto" solve chain.mtx --device gpu
export MUSLIN_CUDA_LIBRARY=$PWD/missing.so
refuses 2 'there is no CUDA part: .*missing.so.*-DMUSLIN_CUDA=ON' solve chain.mtx --device cuda
expect 0 solve chain.mtx --device auto
unset MUSLIN_CUDA_LIBRARY
refuses 2 '--levels takes no value' solve chain.mtx --levels=3
refuses 2 'sa.*diag.*mpcg' solve chain.mtx --solver multigrid
refuses 2 'sa.*diag.*mpcg' solve chain.mtx --solver sa,
refuses 2 'unexpected argument' solve chain.mtx b4.mtx b4.mtx
refuses 2 'tolerance' solve chain.mtx --tol -1
refuses 2 'order' solve chain.mtx --smoother-order 99
refuses 2 'no matrix given' solve
expect 2 solve chain.mtx --json
says err '--json needs a value \(FILE\)'
refuses 2 'nothing.mtx' solve nothing.mtx
refuses 2 '[a-z]' solve .
refuses 2 'nothing.mtx' solve chain.mtx nothing.mtx
refuses 2 'b3.mtx is 3 x 1: right-hand sides need' solve chain.mtx b3.mtx
refuses 2 'block size 3 does not divide the 4 rows' solve chain.mtx --block 3
refuses 2 'block size 13' solve chain.mtx --block 13
refuses 2 '--coords needs three unknowns per vertex' solve chain.mtx --coords b4.mtx
refuses 2 'b3.mtx is 3 x 1: positions need' solve identity.mtx --coords b3.mtx
refuses 2 'b3.mtx is 3 x 1: a near-null space needs' solve chain.mtx --kernel b3.mtx
refuses 2 'use one' solve identity.mtx --coords b3.mtx --kernel b3.mtx
matrix rectangle.mtx "real general" "3 4 3" "1 1 1" "2 2 1" "3 3 1"
refuses 2 'rectangle.mtx: the matrix is 3 x 4' solve rectangle.mtx
matrix asymmetric.mtx "real general" "2 2 4" "1 1 2" "1 2 1" "2 1 0.5" "2 2 2"
refuses 2 'symmetric' solve asymmetric.mtx
matrix half.mtx "real general" "2 2 3" "1 1 2" "1 2 1" "2 2 2"
refuses 2 'symmetric' solve half.mtx
matrix nan.mtx "real symmetric" "3 3 3" "1 1 1" "2 2 nan" "3 3 1"
refuses 2 '[Nn]a[Nn]|finite|number' solve nan.mtx
matrix infinite.mtx "real symmetric" "3 3 3" "1 1 1" "2 2 inf" "3 3 1"
refuses 2 '[Ii]nf|finite|number' solve infinite.mtx
array b_nan.mtx "3 1" 1 nan 3
refuses 2 '[Nn]a[Nn]|finite|number' solve identity.mtx b_nan.mtx
matrix range.mtx "real symmetric" "3 3 3" "1 1 1" "2 2 1" "4 4 1"
refuses 2 'range.mtx' solve range.mtx
matrix truncated.mtx "real symmetric" "3 3 3" "1 1 1" "2 2 1"
refuses 2 'truncated.mtx' solve truncated.mtx
gzip -c chain.mtx | head -c 60 >cut.mtx.gz
refuses 2 'cut.mtx.gz' solve cut.mtx.gz
matrix huge.mtx "real symmetric" "3 3 1000000000000000000" "1 1 1" "2 2 1" "3 3 1"
refuses 2 'huge.mtx' solve huge.mtx
matrix wide.mtx "real symmetric" "1000000000000000000 1000000000000000000 1" "1 1 1"
refuses 2 'wide.mtx' solve wide.mtx
matrix sparse.mtx "real symmetric" "2000000000 2000000000 1" "1 1 1"
refuses 2 'sparse.mtx' solve sparse.mtx
matrix complex.mtx "complex hermitian" "1 1 1" "1 1 1 0"
refuses 2 'complex' solve complex.mtx
: >empty.mtx
refuses 2 'empty.mtx' solve empty.mtx
head -c 4096 /dev/urandom >noise.mtx
refuses 2 'noise.mtx' solve noise.mtx

# --- matrices from structural engineering -------------------------------------------------------------------------
if [ -d "$data" ]; then
  names="bcsstk15 bcsstk16 msc04515"
  [ -z "$sanitiser" ] || names=bcsstk16 # the others take long there
  for name in $names; do
    for solver in "sa --block 1" "sa --block 3" ${cholmod:+"cholmod"}; do
      expect 0 solve "$data/$name.mtx.gz" --tol 1e-8 --solver $solver --json data.json
      holds "residual above 1e-8" awk '/"true_residual":/ { exit !($2 + 0 <= 1e-8) }' data.json
    done
  done
else
  echo "skipped: there is no $data, so bcsstk15, bcsstk16 and msc04515 were not solved"
fi

conclude
