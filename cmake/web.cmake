# The page of `serve` (web/): made by node from packages of npm, which are fetched once per lock file into the user's cache.
# TS_WEB=AUTO builds the page when node and the packages can be had, ON insists, OFF leaves it out. Without it the program has no page.
set(TS_WEB AUTO CACHE STRING "Build the page of serve: AUTO, ON or OFF")
set_property(CACHE TS_WEB PROPERTY STRINGS AUTO ON OFF)

set(TS_WEB_DIR "" CACHE INTERNAL "Where the page is built; empty: it is not" FORCE)

function(ts_web_missing why)
  if(TS_WEB STREQUAL "ON")
    message(FATAL_ERROR "TS_WEB=ON: ${why}")
  endif()
  message(STATUS "Page of serve: not built, ${why}")
endfunction()

function(ts_web)
  if(TS_WEB STREQUAL "OFF" OR (TS_WEB STREQUAL "AUTO" AND (TS_FUZZ OR TS_COVERAGE)))
    return()
  endif()
  find_program(TS_NODE node)
  find_program(TS_NPM npm)
  mark_as_advanced(TS_NODE TS_NPM)
  if(NOT TS_NODE OR NOT TS_NPM)
    ts_web_missing("node or npm is missing")
    return()
  endif()
  execute_process(COMMAND ${TS_NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT version MATCHES "^v([0-9]+)" OR CMAKE_MATCH_1 LESS 18)
    ts_web_missing("node ${version} is older than 18")
    return()
  endif()
  execute_process(COMMAND ${TS_NODE} ${PROJECT_SOURCE_DIR}/web/packages.mjs RESULT_VARIABLE failed OUTPUT_VARIABLE packages
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    ts_web_missing("its packages could not be fetched (npm ci)")
    return()
  endif()
  set(work ${PROJECT_BINARY_DIR}/web)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/* ${PROJECT_SOURCE_DIR}/web/icicle/*)
  add_custom_command(OUTPUT ${work}/page/manifest.json
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${work}/source
    COMMAND ${CMAKE_COMMAND} -E make_directory ${work}/source
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/web/src ${work}/source/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/web/icicle ${work}/source/icicle
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/web/build.mjs ${PROJECT_SOURCE_DIR}/web/package.json
            ${PROJECT_SOURCE_DIR}/web/tsconfig.json ${work}/source
    COMMAND ${CMAKE_COMMAND} -E create_symlink ${packages} ${work}/source/node_modules
    COMMAND ${TS_NODE} ${work}/source/build.mjs ${work}/page
    DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/web/build.mjs ${PROJECT_SOURCE_DIR}/web/package.json ${PROJECT_SOURCE_DIR}/web/tsconfig.json
    COMMENT "Building the page of serve"
    VERBATIM)
  # Beside the program, where it looks for what is installed.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/trace_streamer)
  file(CREATE_LINK ${work}/page ${PROJECT_BINARY_DIR}/share/trace_streamer/web SYMBOLIC)
  add_custom_target(ts_web_page ALL DEPENDS ${work}/page/manifest.json)
  set(TS_WEB_DIR ${work}/page CACHE INTERNAL "Where the page is built; empty: it is not" FORCE)
  set(TS_WEB_PACKAGES ${packages} CACHE INTERNAL "Packages that the page is built and tested with")
endfunction()
ts_web()
