# How muslin's own sources are compiled. The flags sit on muslin_flags, which our targets link privately, so that programs
# that link the library, installed or by add_subdirectory, keep their own.
if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_C_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")
endif()

# These end with this folder and those below it.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Results must not depend on what the compiler happens to contract, so fused multiply-add is used only where it is
# written (the AVX kernels).
add_library(muslin_flags INTERFACE)
target_compile_options(muslin_flags INTERFACE -fno-math-errno -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion
                       -Wshadow "$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes>"
                       $<$<AND:$<BOOL:${MUSLIN_WERROR}>,$<NOT:$<COMPILE_LANGUAGE:CUDA>>>:-Werror>
                       $<$<BOOL:${MUSLIN_NATIVE}>:-march=native>)
target_compile_definitions(muslin_flags INTERFACE _POSIX_C_SOURCE=200809L)
