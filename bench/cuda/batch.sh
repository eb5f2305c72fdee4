# shellcheck shell=bash
# Small scenes stepped together on the GPU and on all cores: steps of members per second, by examples/batch.c.
# QUICK=1: small sizes only.
set -u

# row MEMBERS VERTICES FRAMES
row() {
  local device rate=()
  for device in "${DEVICE:-cuda}" cpu; do
    rate+=("$(program batch "$device" "$1" "$2" "$3" | sed -n 's/^.*: \([0-9]*\) steps of members.*/\1/p')")
  done
  [ -n "${rate[0]}" ] && [ -n "${rate[1]}" ] || return 1
  echo "| $1 | $2 | ${rate[0]} | ${rate[1]} | $(awk -v a="${rate[0]}" -v b="${rate[1]}" 'BEGIN { printf "%.1f", a / b }') |"
}

echo '| members | vertices of each | GPU: steps of members per second | all cores | ratio |'
echo '|---|---|---|---|---|'
row 16 144 10 || exit 1
row 128 144 10 || exit 1
[ "${QUICK:-0}" != 0 ] && exit 0
row 128 900 10 || exit 1
row 512 400 10 || exit 1
