// A program outside muslin, in C++: a few steps of a small sheet. Prints the library's version.
#include <iostream>
#include <memory>
#include <muslin/muslin.h>
#include <string>

int main() {
  mus_scene scene;
  if (mus_scene_builtin("drooping", &scene))
    return 1;
  mus_sim *made = nullptr;
  bool failed =
      mus_scene_resize(&scene, 100, MUS_TESSELLATION_REGULAR) != MUS_OK || mus_sim_create(&scene, &made) != MUS_OK;
  std::unique_ptr<mus_sim, decltype(&mus_sim_free)> sim(made, mus_sim_free);
  double start = failed ? 0 : mus_sim_time(sim.get());
  for (int i = 0; i < 3 && !failed; ++i)
    failed = mus_sim_step(sim.get(), nullptr) != MUS_OK;
  failed = failed || mus_sim_time(sim.get()) <= start || std::string(mus_version()) != MUSLIN_VERSION_STRING;
  if (failed)
    std::cerr << mus_last_error() << '\n';
  std::cout << "muslin " << mus_version() << " from C++\n";
  mus_scene_free(&scene);
  return failed;
}
