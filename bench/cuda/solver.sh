# shellcheck shell=bash
# sa on the GPU and on all cores: renewal and solve per step, medians over steps of 2 ms, tolerance 1e-5.
# QUICK=1: small sizes only.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# row SCENE VERTICES STEPS SOLVERS
row() {
  local file=$folder/$1-$2.json
  program muslin bench --example "$1" --vertices "$2" --time-step 0.002 --tolerance 1e-5 --warmup 3 --steps "$3" \
    --errors 0 --solvers "$4" --json "$file" >"$folder/text" 2>&1 || { cat "$folder/text" >&2; return 1; }
  python3 - "$1" "$2" "$file" <<'END'
import json, statistics, sys
scene, vertices, file = sys.argv[1:]
results = json.load(open(file))["results"]
there = next(r for r in results if r["solver"].endswith("cuda"))
here = next((r for r in results if r["solver"] == "sa"), None)
def median(r, *keys):
    return statistics.median(sum(solve[k] for k in keys) for solve in r["solves"]) * 1e3
d, both = there["device"], median(there, "setup_s", "solve_s")
host = median(here, "setup_s", "prefilter_s", "solve_s") if here else 0
share = lambda what: f"{d[what + '_bytes'] / d[what + '_s'] / d['copy_bytes_s']:.0%}"
cells = [f"{scene}, {int(vertices):,}", f"{there['iterations']:.1f}", f"{median(there, 'setup_s'):.2f}",
         f"{median(there, 'solve_s'):.2f}", f"{both:.2f}", f"{1e3 * d['transfer_s']:.1f}",
         f"{here['iterations']:.1f}" if here else "", f"{host:.1f}" if here else "", f"{host / both:.1f}" if here else "",
         share("product"), share("smoother"), f"{d['bytes'] / int(vertices):.0f}"]
print("| " + " | ".join(cells) + " |")
END
}

echo '| scene, vertices | iterations | renewal | solve | both | transfers | all cores: iterations | set-up and solve | ratio | product, of a copy | smoother, of a copy | bytes per vertex |'
echo '|---|---|---|---|---|---|---|---|---|---|---|---|'
both=sa:cuda,sa
for scene in drooping pinned; do
  row $scene 40401 20 $both || exit 1
  row $scene 120409 20 $both || exit 1
  [ "${QUICK:-0}" != 0 ] && continue
  row $scene 1002001 20 $both || exit 1
done
if [ "${QUICK:-0}" = 0 ]; then
  row drooping 4004001 4 sa:cuda || exit 1
  row pinned 4004001 4 sa:cuda || exit 1
fi

if has bench_cuda_peer; then
  echo
  echo 'Beside AMGCL with its CUDA back end, at the same residual; every call is counted, with transfers:'
  echo
  echo '```'
  program bench_cuda_peer 120409 5
  [ "${QUICK:-0}" = 0 ] && program bench_cuda_peer 1002001 2 full,keep
  echo '```'
fi
