# CPack's description of the Debian packages; tools/package builds them. CMAKE_INSTALL_PREFIX is /.
set(parts ${CMAKE_CURRENT_LIST_DIR})
set(made ${PROJECT_BINARY_DIR}/package_parts)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME glimpsed)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each has its own
set(CPACK_PACKAGE_CONTACT "$ENV{GLIMPSE_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
  WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${parts}/finish.cmake)
# A package a component.
set(CPACK_COMPONENTS_ALL glimpsed libglimpse-dev)
if(GLIMPSE_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python3-glimpsed)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_GLIMPSED_PACKAGE_NAME glimpsed)
set(CPACK_DEBIAN_GLIMPSED_DESCRIPTION "linear models from streams, looking at few attributes
glimpsed reads examples from pipes, files and sockets, chooses which few
attributes of each example to look at, and learns a linear model on the fly.
It predicts at any time. Its checkpoints survive a power failure.

This package has the daemon, glimpsectl, which asks it, and generators of
simulated data sets.")
# As debhelper says it for sysusers.
set(CPACK_DEBIAN_GLIMPSED_PACKAGE_DEPENDS
  "systemd | systemd-standalone-sysusers | systemd-sysusers, init-system-helpers (>= 1.54~)")
set(CPACK_DEBIAN_GLIMPSED_PACKAGE_SUGGESTS "prometheus, python3-glimpsed")
# Debian's own package glimpse, a text search, has versions from 4 on. Ours had that name in 0.1.0, and its files moved here.
set(CPACK_DEBIAN_GLIMPSED_PACKAGE_BREAKS "glimpse (<< 1~)")
set(CPACK_DEBIAN_GLIMPSED_PACKAGE_REPLACES "glimpse (<< 1~)")
set(CPACK_DEBIAN_GLIMPSED_PACKAGE_CONTROL_EXTRA ${made}/conffiles ${made}/postinst ${made}/prerm ${made}/postrm)

set(CPACK_DEBIAN_LIBGLIMPSE-DEV_PACKAGE_NAME libglimpse-dev)
set(CPACK_DEBIAN_LIBGLIMPSE-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBGLIMPSE-DEV_PACKAGE_SHLIBDEPS OFF)
# The library holds what headers of this Boost were compiled to: its program must be compiled by the same.
set(boost ${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR})
set(CPACK_DEBIAN_LIBGLIMPSE-DEV_PACKAGE_DEPENDS "libboost${boost}-dev, libboost-json${boost}-dev, libfmt-dev, \
libeigen3-dev, libfast-float-dev, libxxhash-dev, libzstd-dev, zlib1g-dev")
set(CPACK_DEBIAN_LIBGLIMPSE-DEV_DESCRIPTION "learners that look at few attributes (development files)
The static library, headers, CMake and pkg-config files of the learners,
readers of examples and checkpoints that glimpsed is made of, and an example.")

if(GLIMPSE_PYTHON)
  # The extension is of the version of Python that it was built for. The client needs the standard library alone, the
  # estimators scikit-learn.
  set(CPACK_DEBIAN_PYTHON3-GLIMPSED_PACKAGE_NAME python3-glimpsed)
  set(CPACK_DEBIAN_PYTHON3-GLIMPSED_PACKAGE_SECTION python)
  find_package(Python REQUIRED COMPONENTS Interpreter)
  math(EXPR next_python "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON3-GLIMPSED_PACKAGE_DEPENDS
    "python3 (>= 3.${Python_VERSION_MINOR}~), python3 (<< 3.${next_python}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON3-GLIMPSED_PACKAGE_BREAKS "python3-glimpse, glimpse-lab, glimpsed-tools")
  set(CPACK_DEBIAN_PYTHON3-GLIMPSED_PACKAGE_REPLACES "python3-glimpse, glimpse-lab, glimpsed-tools")
  set(CPACK_DEBIAN_PYTHON3-GLIMPSED_PACKAGE_RECOMMENDS "python3-sklearn (>= 1.2)")
  set(CPACK_DEBIAN_PYTHON3-GLIMPSED_PACKAGE_SUGGESTS "glimpsed, python3-pandas, python3-scipy, python3-matplotlib")
  set(CPACK_DEBIAN_PYTHON3-GLIMPSED_DESCRIPTION "learners that look at few attributes (Python 3)
The learners of glimpsed as estimators like scikit-learn's, in the process
of those who use them: GlimpseRegressor and GlimpseClassifier read arrays
and tables where they lie, and learn what the daemon would, to the bit.

Client, AsyncClient and Source ask and feed a daemon. glimpsed.lab compares the
algorithms with each other, as the papers that describe them did.")
  set(CPACK_DEBIAN_PYTHON3-GLIMPSED_PACKAGE_CONTROL_EXTRA ${made}/python3/postinst ${made}/python3/prerm)
endif()

# Scripts of dpkg, and what stands in /usr/share/doc.
foreach(script postinst prerm postrm python3/postinst python3/prerm)
  configure_file(${parts}/scripts/${script} ${made}/${script} COPYONLY)
endforeach()
file(WRITE ${made}/conffiles "/etc/glimpse/glimpsed.conf\n")
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  install(FILES ${parts}/copyright ${made}/changelog.Debian DESTINATION usr/share/doc/${component}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
execute_process(COMMAND ${parts}/changelog "$ENV{GLIMPSE_MAINTAINER}" OUTPUT_FILE ${made}/changelog.Debian
  COMMAND_ERROR_IS_FATAL ANY)
include(CPack)
