# Toolchain file of the preset `wasm`: the module for web viewers (src/wasm), by emscripten. Libraries are those that scripts/libs.sh wasm has
# built, in the user's cache or in TS_LIBS, and no others. emcc runs scripts whose packages Debian has in a folder of its own, so that
# NODE_PATH=/usr/share/nodejs must be set wherever node is not Debian's (scripts/wasm.sh does).
find_program(TS_EMCC emcc REQUIRED)
get_filename_component(emscripten ${TS_EMCC} REALPATH)
get_filename_component(emscripten ${emscripten} DIRECTORY)
if(NOT EXISTS ${emscripten}/cmake/Modules/Platform/Emscripten.cmake)
  set(emscripten /usr/share/emscripten) # of Debian, whose emcc is a file in /usr/bin
endif()
include(${emscripten}/cmake/Modules/Platform/Emscripten.cmake)
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)

set(TS_LIBS "" CACHE PATH "Folder with the target's libraries; empty: where scripts/libs.sh puts it")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TS_LIBS)
set(libs ${TS_LIBS})
if(NOT libs)
  set(libs $ENV{XDG_CACHE_HOME})
  if(NOT libs)
    set(libs $ENV{HOME}/.cache)
  endif()
  string(APPEND libs /trace_streamer/libs-wasm)
endif()
if(NOT EXISTS ${libs}/lib/pkgconfig)
  message(FATAL_ERROR "No libraries in ${libs}: scripts/libs.sh wasm")
endif()
list(APPEND CMAKE_FIND_ROOT_PATH ${libs})
set(ENV{PKG_CONFIG_LIBDIR} ${libs}/lib/pkgconfig)
set(ENV{PKG_CONFIG_PATH} "")

# Without threads and what needs them.
set(TS_THREADS OFF CACHE BOOL "")
set(TS_SIMD none CACHE STRING "")
