# cmake --install: headers, the libraries, the program, documents, and what find_package and pkg-config read. The components
# are the Debian packages of cmake/package.cmake.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY include/muslin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h")
install(TARGETS muslin_static EXPORT muslinStatic ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
if(MUSLIN_SHARED)
  install(TARGETS muslin_shared EXPORT muslinShared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
          NAMELINK_COMPONENT development)
endif()
if(TARGET muslin_cli)
  install(TARGETS muslin_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
if(MUSLIN_CUDA)
  install(TARGETS muslin_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
endif()

# README.md and docs/ side by side as in the sources, so that links between them hold.
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# --- what the static library links --------------------------------------------------------------------------------
# By their names, for find_library and the linker, and the folders that they were found in here.
set(linked ${JANSSON_LINK_LIBRARIES} ${PNG_LIBRARIES} ${ZLIB_LIBRARIES} ${LAPACK_LIBRARIES} ${OpenMP_C_LIBRARIES} m)
if(MUSLIN_CHOLMOD AND CHOLMOD_LIBRARY)
  list(PREPEND linked ${CHOLMOD_LIBRARY})
endif()
if(embree_library)
  list(PREPEND linked ${embree_library})
endif()
if(QHULL_FOUND)
  list(PREPEND linked ${QHULL_LINK_LIBRARIES})
endif()
if(MUSLIN_PETSC)
  list(PREPEND linked ${PETSC_LINK_LIBRARIES} ${MPI_C_LIBRARIES})
endif()
set(linked_names "")
set(linked_folders "")
foreach(item ${linked})
  if(IS_ABSOLUTE "${item}")
    cmake_path(GET item PARENT_PATH folder)
    cmake_path(GET item STEM name)
    string(REGEX REPLACE "^lib" "" name ${name})
    list(APPEND linked_folders ${folder})
  else()
    string(REGEX REPLACE "^-l" "" name ${item})
  endif()
  list(APPEND linked_names ${name})
endforeach()
list(REMOVE_DUPLICATES linked_names)
list(REMOVE_DUPLICATES linked_folders)

# --- find_package -------------------------------------------------------------------------------------------------
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/muslin)
configure_package_config_file(cmake/muslinConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/muslinConfig.cmake
                              INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change calls.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/muslinConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/muslinConfig.cmake ${PROJECT_BINARY_DIR}/cmake/muslinConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT development)
install(EXPORT muslinStatic NAMESPACE muslin:: DESTINATION ${package_folder} COMPONENT development)
if(MUSLIN_SHARED)
  install(EXPORT muslinShared NAMESPACE muslin:: DESTINATION ${package_folder} COMPONENT development)
endif()

# --- pkg-config ---------------------------------------------------------------------------------------------------
# Libs.private, not Requires.private, even for libraries that pkg-config knows: it would ask for their development packages
# also where the shared library is linked, which needs none of them.
set(options ${linked_folders})
list(REMOVE_ITEM options ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES})
list(TRANSFORM options PREPEND -L)
list(TRANSFORM linked_names PREPEND -l OUTPUT_VARIABLE names)
list(APPEND options ${names})
list(JOIN options " " libraries_of_static)
set(libraries "")
if(NOT MUSLIN_SHARED)
  set(libraries " ${libraries_of_static}")
  set(libraries_of_static "")
endif()
# Relative to the file, so that the tree can be moved.
file(RELATIVE_PATH up_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" up_to_prefix ${up_to_prefix})
file(RELATIVE_PATH libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/muslin.pc.in ${PROJECT_BINARY_DIR}/cmake/muslin.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/muslin.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
