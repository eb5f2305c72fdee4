// Built-in scenes with elastic solids. See builtin.h.
//
// pachinko follows Xian, Tong and Liu 2019, figure 1, as do octopus, dragon and armadillo their meshes; the scenes'
// measures are ours. Without the armadillo's file, the dragon takes its place. All starts are free of intersections.
#include "scene/builtin.h"

#define FLOOR "{\"name\": \"floor\", \"shape\": {\"kind\": \"floor\"}}"
#define PEG(number, x, y)                                                                                              \
  "   {\"name\": \"peg-" number                                                                                        \
  "\", \"shape\": {\"kind\": \"cylinder\", \"radius\": 0.03, \"length\": 0.5, \"facet\": 0.001}, \"rotate\": [90, 0, " \
  "0],\n"                                                                                                              \
  "    \"translate\": [" x ", " y ", 0]},\n"
#define WALL(name, x)                                                                                                  \
  "   {\"name\": \"" name "\", \"shape\": {\"kind\": \"box\", \"size\": [0.05, 2, 0.6]}, \"translate\": [" x           \
  ", 1, 0], \"hidden\": true},\n"
#define GLASS(name, z)                                                                                                 \
  "   {\"name\": \"" name "\", \"shape\": {\"kind\": \"box\", \"size\": [2, 2, 0.05]}, \"translate\": [0, 1, " z       \
  "], \"friction\": 0.05, "                                                                                            \
  "\"hidden\": true},\n"

const mus_builtin mus_builtin_solids[] = {
    {"cantilever", "a beam of rubber that is held at one end sags under its weight",
     "{\"name\": \"cantilever\", \"frames\": 72, \"time_step\": 0.01,\n"
     " \"solids\": [{\"name\": \"beam\", \"material\": \"rubber\", \"translate\": [0, 0.6, 0],\n"
     "   \"shape\": {\"size\": [1, 0.2, 0.2], \"vertices\": 5591},\n"
     "   \"pins\": [{\"where\": {\"box\": [-0.5001, 0, -1, -0.4999, 2, 1]}}]}]}\n"},
    {"octopus", "an octopus of soft rubber falls to the floor",
     "{\"name\": \"octopus\", \"frames\": 72, \"time_step\": 0.005,\n"
     " \"bodies\": [" FLOOR "],\n"
     " \"solids\": [{\"name\": \"octopus\", \"material\": \"rubber\", \"young\": 4e4,\n"
     "   \"shape\": {\"kind\": \"octopus\", \"vertices\": 6600},\n"
     "   \"rotate\": [0, 0, 15], \"translate\": [0, 0.6, 0], \"colour\": \"#c25b4e\"}]}\n"},
    {"dragon", "a soft dragon tumbles down three steps",
     "{\"name\": \"dragon\", \"frames\": 96, \"time_step\": 0.005,\n"
     " \"bodies\": [" FLOOR ",\n"
     "   {\"name\": \"step-1\", \"shape\": {\"kind\": \"box\", \"size\": [2, 0.3, 1]}, \"translate\": [0, 0.15, "
     "0.6]},\n"
     "   {\"name\": \"step-2\", \"shape\": {\"kind\": \"box\", \"size\": [2, 0.6, 1]}, \"translate\": [0, 0.3, 0]},\n"
     "   {\"name\": \"step-3\", \"shape\": {\"kind\": \"box\", \"size\": [2, 0.9, 1]}, \"translate\": [0, 0.45, "
     "-0.6]}],\n"
     " \"solids\": [{\"name\": \"dragon\", \"material\": \"rubber\", \"young\": 1e5,\n"
     "   \"shape\": {\"kind\": \"dragon\", \"vertices\": 6600},\n"
     "   \"translate\": [0, 1.1, -0.3], \"velocity\": [0, 0, 1.5], \"colour\": \"#5f8f4e\"}]}\n"},
    {"armadillo", "an armadillo, or the dragon where there is none, falls on its back and bounces",
     "{\"name\": \"armadillo\", \"frames\": 72, \"time_step\": 0.005,\n"
     " \"bodies\": [" FLOOR "],\n"
     " \"solids\": [{\"name\": \"armadillo\", \"material\": \"rubber\", \"young\": 2e5,\n"
     "   \"shape\": {\"kind\": \"dragon\", \"vertices\": 6600},\n"
     "   \"rotate\": [-75, 20, 0], \"translate\": [0, 1.6, 0], \"colour\": \"#9a7b4f\"}]}\n"},
    {"pachinko", "soft balls, boxes and an octopus drop through pegs",
     "{\"name\": \"pachinko\", \"frames\": 96, \"time_step\": 0.005,\n"
     " \"bodies\": [\n" GLASS("back", "-0.26") GLASS("front", "0.26") WALL("left", "-0.85") WALL("right", "0.85")
         PEG("1", "-0.6", "1.2") PEG("2", "-0.2", "1.2") PEG("3", "0.2", "1.2") PEG("4", "0.6", "1.2")
             PEG("5", "-0.4", "0.85") PEG("6", "0", "0.85") PEG("7", "0.4", "0.85") PEG("8", "-0.6", "0.5")
                 PEG("9", "-0.2", "0.5") PEG("10", "0.2", "0.5") PEG("11", "0.6", "0.5") FLOOR
     "],\n"
     " \"solids\": [\n"
     "   {\"name\": \"ball-1\", \"material\": \"rubber\", \"young\": 5e4,\n"
     "    \"shape\": {\"kind\": \"ball\", \"radius\": 0.16, \"vertices\": 800},\n"
     "    \"translate\": [-0.42, 1.5, 0], \"colour\": \"#d2603a\"},\n"
     "   {\"name\": \"box-1\", \"material\": \"rubber\", \"young\": 5e4,\n"
     "    \"shape\": {\"size\": [0.2, 0.2, 0.2], \"vertices\": 800},\n"
     "    \"rotate\": [0, 0, 20], \"translate\": [0.03, 1.5, 0], \"colour\": \"#3a7bd2\"},\n"
     "   {\"name\": \"ball-2\", \"material\": \"rubber\", \"young\": 5e4,\n"
     "    \"shape\": {\"kind\": \"ball\", \"radius\": 0.14, \"vertices\": 800},\n"
     "    \"translate\": [0.46, 1.5, 0], \"colour\": \"#e0b13c\"},\n"
     "   {\"name\": \"octopus\", \"material\": \"rubber\", \"young\": 5e4,\n"
     "    \"shape\": {\"kind\": \"octopus\", \"scale\": 0.34, \"vertices\": 2500},\n"
     "    \"rotate\": [0, 20, 0], \"translate\": [-0.2, 1.78, 0], \"colour\": \"#b0508a\"},\n"
     "   {\"name\": \"ball-3\", \"material\": \"rubber\", \"young\": 5e4,\n"
     "    \"shape\": {\"kind\": \"ball\", \"radius\": 0.15, \"vertices\": 800},\n"
     "    \"translate\": [0.3, 1.92, 0], \"colour\": \"#4ea36b\"}]}\n"},
    {"cushion", "a sheet of cotton falls over a soft ball, which gives way",
     "{\"name\": \"cushion\", \"frames\": 72, \"time_step\": 0.005,\n"
     " \"bodies\": [" FLOOR "],\n"
     " \"solids\": [{\"name\": \"ball\", \"material\": \"gel\", \"young\": 1e4, \"translate\": [0, 0.252, 0],\n"
     "   \"shape\": {\"kind\": \"ball\", \"radius\": 0.25, \"vertices\": 3000}, \"colour\": \"#d2603a\"}],\n"
     " \"cloths\": [{\"name\": \"sheet\", \"shape\": {\"vertices\": 6400}, \"translate\": [0.05, 0.55, 0.03]}]}\n"}};

const int mus_builtin_solids_count = sizeof mus_builtin_solids / sizeof *mus_builtin_solids;
