# Finds what the library links (muslin_dependencies: whoever links the static library needs it too) and what only its own
# sources need besides (muslin_private_dependencies: headers, and which optional parts are there). docs/dependencies.md
# says what each is for.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON) # a project that takes muslin in by add_subdirectory links them too
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(LAPACK REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET GLOBAL jansson)

add_library(muslin_dependencies INTERFACE)
target_link_libraries(muslin_dependencies INTERFACE OpenMP::OpenMP_C ZLIB::ZLIB PNG::PNG LAPACK::LAPACK
                      PkgConfig::JANSSON m)
add_library(muslin_private_dependencies INTERFACE)

if(MUSLIN_CHOLMOD)
  find_path(CHOLMOD_INCLUDE cholmod.h PATH_SUFFIXES suitesparse)
  find_library(CHOLMOD_LIBRARY cholmod)
  if(CHOLMOD_INCLUDE AND CHOLMOD_LIBRARY)
    target_include_directories(muslin_private_dependencies SYSTEM INTERFACE ${CHOLMOD_INCLUDE})
    target_compile_definitions(muslin_private_dependencies INTERFACE MUSLIN_CHOLMOD=1)
    target_link_libraries(muslin_dependencies INTERFACE ${CHOLMOD_LIBRARY})
  else()
    message(STATUS "CHOLMOD not found: the cholmod solver is left out")
  endif()
endif()

if(MUSLIN_EMBREE)
  # Versions 4 and 3 differ in names and calls; src/render/embree.c knows both.
  foreach(version 4 3)
    find_path(EMBREE${version}_INCLUDE embree${version}/rtcore.h)
    find_library(EMBREE${version}_LIBRARY embree${version})
    if(EMBREE${version}_INCLUDE AND EMBREE${version}_LIBRARY)
      set_source_files_properties(src/render/embree.c PROPERTIES COMPILE_DEFINITIONS MUSLIN_EMBREE=${version}
                                  INCLUDE_DIRECTORIES ${EMBREE${version}_INCLUDE})
      set(embree_library ${EMBREE${version}_LIBRARY})
      target_link_libraries(muslin_dependencies INTERFACE ${embree_library})
      break()
    endif()
  endforeach()
  if(NOT embree_library)
    message(STATUS "Embree not found: pictures are left out (libembree-dev has it)")
  endif()
endif()

if(MUSLIN_QHULL)
  pkg_check_modules(QHULL IMPORTED_TARGET GLOBAL qhull_r)
  if(QHULL_FOUND)
    target_include_directories(muslin_private_dependencies SYSTEM INTERFACE ${QHULL_INCLUDE_DIRS})
    target_compile_definitions(muslin_private_dependencies INTERFACE MUSLIN_QHULL=1)
    target_link_libraries(muslin_dependencies INTERFACE PkgConfig::QHULL)
  else()
    message(STATUS "qhull not found: irregular tessellations are left out (libqhull-dev has it)")
  endif()
endif()

if(MUSLIN_PETSC)
  # petsc.pc leaves MPI out, though petsc.h includes mpi.h, and asks for compiler flags that are none of its business.
  find_package(MPI REQUIRED COMPONENTS C)
  pkg_check_modules(PETSC REQUIRED petsc)
  target_include_directories(muslin_private_dependencies SYSTEM INTERFACE ${PETSC_INCLUDE_DIRS} ${MPI_C_INCLUDE_DIRS})
  target_compile_definitions(muslin_private_dependencies INTERFACE MUSLIN_PETSC=1)
  target_link_libraries(muslin_dependencies INTERFACE ${PETSC_LINK_LIBRARIES} ${MPI_C_LIBRARIES})
endif()

if(MUSLIN_AMGCL)
  # Headers alone; without Boost they read no settings from files. What is measured is to be as fast as it can be.
  find_path(AMGCL_INCLUDE amgcl/amg.hpp)
  if(NOT AMGCL_INCLUDE)
    message(FATAL_ERROR "AMGCL's headers are not found: -DAMGCL_INCLUDE=DIR, where DIR has amgcl/amg.hpp, says where they are")
  endif()
  enable_language(CXX)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  set_source_files_properties(bench/amgcl.cpp PROPERTIES COMPILE_DEFINITIONS AMGCL_NO_BOOST
                              COMPILE_OPTIONS "-std=c++17;-O3;-march=native;-w;-ffp-contract=fast;${OpenMP_CXX_FLAGS}"
                              INCLUDE_DIRECTORIES ${AMGCL_INCLUDE})
  target_compile_definitions(muslin_private_dependencies INTERFACE MUSLIN_AMGCL=1)
  target_link_libraries(muslin_dependencies INTERFACE stdc++)
endif()
