# `cpack -G DEB` in the build folder makes a package for Debian and Ubuntu. scripts/package.sh builds and checks one.
set(TS_MAINTAINER "trace_streamer maintainers <maintainers@trace-streamer.example>" CACHE STRING
    "Who the package names as its maintainer")
set(CPACK_PACKAGE_NAME trace-streamer)
set(CPACK_PACKAGE_CONTACT "${TS_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "convert profiler recordings to a SQLite database")
set(CPACK_PACKAGE_DESCRIPTION "\
trace_streamer reads recordings of profilers, plain or compressed, and writes
one SQLite database:
 * OpenHarmony: .htrace recordings with ArkTS data and plugins, hilog;
 * Node.js, Chrome: heap snapshots, timelines, CPU and heap profiles,
   performance traces;
 * Java: JDK Flight Recorder, Flare, Cloud Profiler, Eclipse TPTP;
 * Linux, Android: ftrace as text and raw pages, systrace, perf script;
 * Go, Python and others: pprof, folded stacks, speedscope, Datakit uploads.

Questions in SQL about memory, CPU time and calls are part of the package,
and so is a page that shows a database in the browser (trace_streamer serve).")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(TS_FLEET_BUILT)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4 | libcurl4t64") # loaded when it is asked for, so that no dependency is found
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_GENERATOR DEB)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};${PROJECT_NAME};Unspecified;/") # not the library
set(CPACK_SOURCE_GENERATOR "")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/package_version.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_files.cmake)

# Read by cpack: the version is that of the program that was built.
file(WRITE ${CPACK_PROJECT_CONFIG_FILE} "\
set(TS_SOURCE [[${PROJECT_SOURCE_DIR}]])
file(STRINGS [[${PROJECT_BINARY_DIR}/version/version_made.h]] line REGEX TS_VERSION)
string(REGEX REPLACE [[^[^\"]*\"(.*)\"$]] [[\\1]] CPACK_PACKAGE_VERSION \"\${line}\")
")
include(CPack)
