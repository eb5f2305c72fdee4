# shellcheck shell=bash
# Frames of Projective Dynamics on the GPU, one iteration each, of dragons and, with four iterations, of a sheet.
# QUICK=1: a small one only.
set -u
frames() { program bench_projective --device cuda --precision single --frames 40 "$@" || exit 1; }

echo '```'
if [ "${QUICK:-0}" != 0 ]; then
  frames 14800 50/all gs:3,chebyshev:3
else
  frames 137000 50/1000/all gs:3,chebyshev:3
  frames 200000 50/1000/all gs:3,chebyshev:3
  frames 126966 50/1000/all chebyshev:3
  frames --iterations 4 --cloth mass-spring 40401 50/1000/all gs:3,chebyshev:3
fi
echo '```'
