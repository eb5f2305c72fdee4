# Steps of 1/30 s as minima: newton-sa on the GPU, to the accuracy that the method of Wang et al. 2018 (fmg:plain, on all
# cores) has after as many cycles as they take, on cloths of their sizes without contact, which their times leave out.
# Milliseconds are medians. QUICK=1: two cloths.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
runs=${RUNS:-21}

cat >"$folder/sphere.json" <<'END'
{"name": "sphere", "contact": false,
 "cloths": [{"shape": {"size": [1.2, 1.2]}, "pins": [{"where": {"sphere": [0, 0, 0, 0.25]},
   "turn": [{"time": 0, "value": [0, 0, 0]}, {"time": 4, "value": [0, 540, 0]}]}]}]}
END
cat >"$folder/dress.json" <<'END'
{"name": "dress", "contact": false, "wind": [1, 0, 0.5], "gust": 0.3,
 "cloths": [{"fabric": "silk", "shape": {"kind": "tube", "size": [1.6, 1.3]}, "rotate": [0, 0, 90],
   "pins": [{"where": {"box": [-1, 0.6499, -1, 1, 1, 1]}, "amplitude": [0.05, 0, 0.05], "frequency": 1}]}]}
END
cat >"$folder/gown.json" <<'END'
{"name": "gown", "contact": false,
 "cloths": [{"shape": {"kind": "tube", "size": [2.4, 1.2]}, "rotate": [0, 0, 90],
   "pins": [{"where": {"box": [-1, 0.5999, -1, 1, 1, 1]},
     "turn": [{"time": 0, "value": [0, 0, 0]}, {"time": 2, "value": [0, 180, 0]}]}]}]}
END
python3 - "$folder/curtain.json" <<'END'
import json, sys
pins = [{"where": {"box": [x - 0.04, 0.9999, -1, x + 0.04, 1.1, 1]},
         "offset": [{"time": 0, "value": [0, 0, 0]}, {"time": 3, "value": [-0.4 * (x + 1), 0, 0.05 * (-1) ** k]}]}
        for k, x in enumerate([-1 + 0.2 * k for k in range(11)])]
cloth = {"fabric": "wool", "shape": {"size": [2, 2]}, "rotate": [90, 0, 0], "pins": pins}
json.dump({"name": "curtain", "contact": False, "cloths": [cloth]}, open(sys.argv[1], "w"))
END

# row SCENE VERTICES CYCLES: theirs
row() {
  local file=$folder/$1.json there=$folder/$1-there.json both=$folder/$1-both.json
  program muslin bench --nonlinear --device auto --example "$file" --vertices "$2" --methods newton-sa,fmg:plain \
    --iterations "$3" --json "$both" >"$folder/text" 2>&1 &&
    program muslin bench --nonlinear --device cuda --example "$file" --vertices "$2" --methods newton-sa \
      --iterations 12 --median "$runs" --reference none --json "$there" >>"$folder/text" 2>&1 ||
    { cat "$folder/text" >&2; return 1; }
  python3 - "$1" "$3" "$both" "$there" <<'END'
import json, sys
scene, cycles, both, there = sys.argv[1], int(sys.argv[2]), *(json.load(open(f)) for f in sys.argv[3:])
newton, paper = both["results"][:2]
fast = there["results"][0]
least = min(both["minimum"], there["minimum"])
def errors(r):
    return [(e - least) / (r["energy"][0] - least) for e in r["energy"]]
def reach(r, error):
    found = errors(r)
    for k in range(len(found)):
        if max(found[k:]) <= error:
            return f"{k}, {1e3 * r['seconds'][k]:.2f}"
    return "–"
asked = errors(paper)[min(cycles, len(paper["energy"]) - 1)]
assert fast["energy"][0] == newton["energy"][0], "the GPU has not come to the same state twice"
print("| " + " | ".join([f"{scene}, {there['vertices']:,}", str(cycles), f"{asked:.2%}", reach(fast, asked),
      reach(fast, 1e-2), reach(fast, 1e-3), reach(paper, asked), there["machine"]["device"]]) + " |")
END
}

echo '| cloth, vertices | cycles of fmg:plain | error then | newton-sa: iterations, ms to it | to 1% | to 0.1% | fmg:plain on all cores | device |'
echo '|---|---|---|---|---|---|---|---|'
row curtain 40000 1 || exit 1
row sphere 120000 2 || exit 1
[ "${QUICK:-0}" != 0 ] && exit
row dress 132000 3 || exit 1
row gown 104000 3 || exit 1
