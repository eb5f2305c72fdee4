// Built-in scenes with elastic solids on lattices, after those of Zhu, Sifakis, Teran and Brandt 2010; measures are
// ours. See builtin.h.
#include "scene/builtin.h"

const mus_builtin mus_builtin_lattices[] = {
    {"jelly", "a cube of jelly drops onto a plate that is drawn to and fro",
     "{\"name\": \"jelly\", \"frames\": 72, \"time_step\": 0.0209,\n"
     " \"solids\": [{\"name\": \"jelly\", \"method\": \"lattice\", \"lattice\": {\"cells\": 20},\n"
     "   \"material\": \"gel\", \"poisson\": 0.49, \"colour\": \"#c8443c\",\n"
     "   \"shape\": {\"kind\": \"box\", \"size\": [0.3, 0.3, 0.3], \"vertices\": 9000}, \"translate\": [0, 0.2, 0]}],\n"
     " \"bodies\": [{\"name\": \"plate\", \"shape\": {\"kind\": \"box\", \"size\": [0.9, 0.04, 0.6]}, \"friction\": "
     "0.8,\n"
     "   \"translate\": [\n"
     "     {\"time\": 0, \"value\": [0, -0.02, 0]}, {\"time\": 0.6, \"value\": [0, -0.02, 0]},\n"
     "     {\"time\": 0.9, \"value\": [0.06, -0.02, 0]}, {\"time\": 1.2, \"value\": [-0.06, -0.02, 0]},\n"
     "     {\"time\": 1.5, \"value\": [0.06, -0.02, 0]}, {\"time\": 1.8, \"value\": [-0.06, -0.02, 0]},\n"
     "     {\"time\": 2.1, \"value\": [0, -0.02, 0]}]}]}\n"},
    {"flesh", "a walking figure with soft flesh around its bones",
     "{\"name\": \"flesh\", \"frames\": 60, \"time_step\": 0.0209,\n"
     " \"solids\": [{\"name\": \"flesh\", \"method\": \"lattice\", \"lattice\": {\"cells\": 64},\n"
     "   \"material\": \"flesh\", \"poisson\": 0.49, \"colour\": \"#d9a184\",\n"
     "   \"shape\": {\"kind\": \"body\", \"body\": \"walker\"},\n"
     "   \"pins\": [{\"body\": \"walker\", \"where\": {\"bones\": 0.02}}]}],\n"
     " \"bodies\": [{\"name\": \"walker\", \"hidden\": true, \"shape\": {\"kind\": \"mannequin\",\n"
     "   \"speed\": [{\"time\": 0.2, \"value\": 0}, {\"time\": 0.7, \"value\": 1.3}]}}]}\n"},
    {"car", "a car of rubber, or the dragon where there is none, is shaken by its wheels",
     "{\"name\": \"car\", \"frames\": 60, \"time_step\": 0.0209,\n"
     " \"solids\": [{\"name\": \"car\", \"method\": \"lattice\", \"lattice\": {\"cells\": 48},\n"
     "   \"material\": \"rubber\", \"young\": 3e5, \"poisson\": 0.4, \"colour\": \"#3f6fb5\",\n"
     "   \"shape\": {\"kind\": \"dragon\", \"vertices\": 12000},\n"
     "   \"pins\": [{\"where\": {\"box\": [-2, -0.1, -2, 2, 0.06, 2]},\n"
     "     \"amplitude\": [0.04, 0.03, 0], \"frequency\": 2}]}]}\n"},
    {"impact", "a ball hits a head of soft rubber",
     "{\"name\": \"impact\", \"frames\": 48, \"time_step\": 0.0209,\n"
     " \"solids\": [{\"name\": \"head\", \"method\": \"lattice\", \"lattice\": {\"cells\": 20},\n"
     "   \"material\": \"rubber\", \"young\": 4e4, \"poisson\": 0.49, \"colour\": \"#8a6a4f\",\n"
     "   \"shape\": {\"kind\": \"ball\", \"radius\": 0.3, \"vertices\": 12000},\n"
     "   \"pins\": [{\"where\": {\"box\": [-1, -1, -1, 1, 1, -0.14]}}]}],\n"
     " \"bodies\": [{\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\", \"radius\": 0.1}, \"friction\": 0.2,\n"
     "   \"translate\": [\n"
     "     {\"time\": 0, \"value\": [0.06, 0.02, 0.9]}, {\"time\": 0.5, \"value\": [0.06, 0.02, 0.33]},\n"
     "     {\"time\": 0.6, \"value\": [0.06, 0.02, 0.33]}, {\"time\": 1, \"value\": [0.06, 0.02, 0.9]}]}]}\n"}};

const int mus_builtin_lattices_count = sizeof mus_builtin_lattices / sizeof *mus_builtin_lattices;
