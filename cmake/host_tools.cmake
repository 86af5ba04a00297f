# Programs that make sources of the build, and so run on the machine that builds. When the build is for another one they are compiled by
# the machine's own compiler, or taken ready-made from the folder TS_HOST_TOOLS.
set(TS_HOST_TOOLS "" CACHE PATH "When cross compiling: the folder with mkviews and mkweb for this machine; empty: they are compiled")

# ts_host_tool(NAME SOURCE...): sets NAME to what a custom command of the same folder has as its COMMAND and in its DEPENDS. The sources need
# no libraries, and include from src/ and tools/. Only when the build is for this machine the program is a target.
function(ts_host_tool name)
  if(NOT CMAKE_CROSSCOMPILING AND NOT TS_HOST_TOOLS)
    add_executable(${name} ${ARGN})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools)
    target_link_libraries(${name} PRIVATE ts_flags)
    set(${name} ${name} PARENT_SCOPE)
    return()
  endif()
  if(TS_HOST_TOOLS)
    if(NOT EXISTS ${TS_HOST_TOOLS}/${name})
      message(FATAL_ERROR "TS_HOST_TOOLS: ${TS_HOST_TOOLS} has no ${name}")
    endif()
    set(${name} ${TS_HOST_TOOLS}/${name} PARENT_SCOPE)
    return()
  endif()
  find_program(TS_HOST_CC NAMES $ENV{CC_FOR_BUILD} cc gcc clang NO_CMAKE_FIND_ROOT_PATH REQUIRED
               DOC "Compiler for programs that run during the build")
  mark_as_advanced(TS_HOST_CC)
  set(tool ${PROJECT_BINARY_DIR}/host_tools/${name})
  add_custom_command(OUTPUT ${tool}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/host_tools
    COMMAND ${TS_HOST_CC} -std=c11 -O2 -D_GNU_SOURCE -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/tools
            -MD -MF ${tool}.d -MT ${tool} -o ${tool} ${ARGN}
    DEPENDS ${ARGN}
    DEPFILE ${tool}.d
    COMMENT "Compiling ${name} for this machine"
    VERBATIM)
  set(${name} ${tool} PARENT_SCOPE)
endfunction()
