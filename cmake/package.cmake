# cpack: Debian packages, a component of cmake/install.cmake each. script/package makes them.
set(library_package libmuslin${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME muslin)
set(CPACK_PACKAGE_VENDOR muslin)
set(CPACK_PACKAGE_CONTACT "muslin developers <developers@muslin.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME muslin)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS ffmpeg)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "The program muslin: simulates, checks, draws and shows cloth.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The shared library.")

# The static library links others, which only those need who link it.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libmuslin-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS
    "libjansson-dev, zlib1g-dev, libpng-dev, libopenblas-dev, libsuitesparse-dev, libqhull-dev, libembree-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Headers, the static library, and what CMake and pkg-config read.")

# Debian wants each package's terms in a file of this name; cmake --install has LICENSE.
configure_file(cmake/copyright.in ${PROJECT_BINARY_DIR}/cmake/copyright @ONLY)
foreach(package "muslin program" "${library_package} library" "libmuslin-dev development")
  separate_arguments(package)
  list(GET package 0 name)
  list(GET package 1 component)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/copyright DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${name}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
