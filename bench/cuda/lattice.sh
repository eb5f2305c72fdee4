# shellcheck shell=bash
# Linear elasticity on a lattice on the GPU and on all cores: V-cycles per second, and the rate of each.
# QUICK=1: small sizes only.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# row CELLS CYCLE DIRECTIONS [OPTION...]
row() {
  local cells=$1 cycle=$2 directions=$3 device
  shift 3
  for device in "${DEVICE:-cuda}" cpu; do
    program muslin bench --lattice --cells "$cells" --cycle "$cycle" --directions "$directions" --device "$device" \
      --json "$folder/$device.json" "$@" >"$folder/text" 2>&1 || { cat "$folder/text" >&2; return 1; }
  done
  python3 - "$folder/${DEVICE:-cuda}.json" "$folder/cpu.json" "$*" <<'END_OF_PYTHON'
import json, sys
there, here = (json.load(open(name)) for name in sys.argv[1:3])
ms = lambda r: 1e3 * r["seconds_per_cycle"]
gpu = there["gpu"] or {"bytes": 0, "transfer_seconds": 0}
print("| " + " | ".join(
    [f"{there['cells']}³ {sys.argv[3]}".strip(), there["cycle"], str(there["directions"]), str(there["cycles"]),
     f"{there['rate']:.3f}", f"{ms(there):.2f}", f"{1e3 / ms(there):.0f}", f"{there['bandwidth_part']:.0%}",
     f"{1e3 * gpu['transfer_seconds']:.1f}", f"{1e-6 * gpu['bytes']:.0f}", f"{here['rate']:.3f}", f"{ms(here):.1f}",
     f"{ms(here) / ms(there):.1f}"]) + " |")
END_OF_PYTHON
}

echo '| cells | cycle | directions | cycles | rate | ms a cycle | cycles a second | of a copy | transfers, ms | MB there | all cores: rate | ms a cycle | ratio |'
echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|'
row 64 v 0 || exit 1
row 64 k 2 || exit 1
[ "${QUICK:-0}" != 0 ] && exit 0
row 128 v 0 || exit 1
row 128 k 2 || exit 1
row 64 v 0 --corotational --tolerance 1e-5 || exit 1
