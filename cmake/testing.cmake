# Sanitisers, and the environment of tests: muslin_test_environment(), which each directory with tests calls last.
#
# OpenMP's barriers live in a run-time library that the thread sanitiser does not see into. clang's library explains
# them to it through the tool libarcher; gcc's does not, so every parallel loop there would be reported as a race.
if(MUSLIN_SANITIZE)
  add_compile_options(-fsanitize=${MUSLIN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MUSLIN_SANITIZE})
endif()

# Tests run more threads than cores; threads that spin at barriers would keep the others from getting there. So do
# OpenBLAS's, which the dense references call; how the library keeps them in check is test_factor's.
set(test_environment "OMP_WAIT_POLICY=passive" "OPENBLAS_NUM_THREADS=1")
if(MUSLIN_SANITIZE MATCHES "address")
  # GCC before 13.3 misaligns vectors of 64 bytes where it looks for uses after a return (its bug 110027), and the kernels
  # for AVX-512 have such vectors.
  set(use_after_return 1)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 13.3)
    set(use_after_return 0)
  endif()
  list(APPEND test_environment "UBSAN_OPTIONS=print_stacktrace=1"
       "ASAN_OPTIONS=detect_stack_use_after_return=${use_after_return}")
elseif(MUSLIN_SANITIZE MATCHES "thread")
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "The thread sanitiser needs clang's OpenMP: cmake --preset tsan")
  endif()
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-resource-dir OUTPUT_VARIABLE clang_resources
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_library(ARCHER_LIBRARY archer HINTS ${clang_resources}/../.. REQUIRED)
  list(APPEND test_environment
       "OMP_TOOL_LIBRARIES=${ARCHER_LIBRARY}" "OMP_NUM_THREADS=3"
       "TSAN_OPTIONS=ignore_noninstrumented_modules=1:suppressions=${PROJECT_SOURCE_DIR}/script/tsan.supp")
endif()

function(muslin_test_environment)
  get_property(tests DIRECTORY PROPERTY TESTS)
  if(tests)
    set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT ${test_environment})
  endif()
endfunction()
