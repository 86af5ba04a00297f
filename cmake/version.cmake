# The program's version: of a checkout what git knows, else the file VERSION, which names the last release.
#
#   the commit that a tag names           v0.2.0                     0.2.0
#   five commits after it                 v0.2.0-5-gab12cd3          0.2.0+5.gab12cd3
#   with changes that are not committed   v0.2.0-5-gab12cd3-dirty    0.2.0+5.gab12cd3.dirty
#   no tag, 7 commits since VERSION was changed          ab12cd3     (VERSION)+7.gab12cd3
#   no tag, a shallow clone: the time of the commit      ab12cd3     (VERSION)+0.20261123072530.gab12cd3
#   no git                                                           (VERSION)
#
# Packages of later commits have higher versions, as dpkg compares them.
#
# -DTS_VERSION=... is taken as it is. Included by CMakeLists.txt; and run by each build as a script, which writes OUT when the version
# has changed, so that only main.c is compiled again after a commit:
#   cmake -DSOURCE=DIR [-DTS_VERSION=...] -DOUT=FILE -P version.cmake

# *out: the version that a line of `git describe --tags --always --dirty` stands for; `last` is the text of VERSION.
function(ts_version_of out described last)
  set(dirty "")
  if(described MATCHES "^(.*)-dirty$")
    set(described "${CMAKE_MATCH_1}")
    set(dirty "dirty")
  endif()
  if(described MATCHES "^v([0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.]+)?)-([0-9]+(\\.[0-9]+)?)-g([0-9a-f]+)$")
    set(version "${CMAKE_MATCH_1}+${CMAKE_MATCH_3}.g${CMAKE_MATCH_5}")
  elseif(described MATCHES "^v([0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.]+)?)$")
    set(version "${CMAKE_MATCH_1}")
  else()
    set(version "${last}")
    set(dirty "")
  endif()
  if(dirty AND version MATCHES "\\+")
    string(APPEND version ".dirty")
  elseif(dirty)
    string(APPEND version "+dirty")
  endif()
  set(${out} "${version}" PARENT_SCOPE)
endfunction()

# *out: how far the commit of a checkout without tags is from the one that changed VERSION last; 0 and the commit's time where the
# history between them is missing.
function(ts_version_distance out source)
  set(git git -C "${source}")
  execute_process(COMMAND ${git} rev-parse --is-shallow-repository OUTPUT_VARIABLE shallow OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(shallow STREQUAL "true")
    execute_process(COMMAND ${CMAKE_COMMAND} -E env TZ=UTC ${git} log -1 --date=format-local:%Y%m%d%H%M%S --format=0.%cd
                    OUTPUT_VARIABLE distance OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  else()
    execute_process(COMMAND ${git} log -1 --format=%H -- VERSION OUTPUT_VARIABLE changed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${git} rev-list --count "${changed}..HEAD" OUTPUT_VARIABLE distance OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(${out} "${distance}" PARENT_SCOPE)
endfunction()

# *out: the version of the sources in `source`. A repository around them, of something else, says nothing.
function(ts_version_find out source)
  file(STRINGS "${source}/VERSION" last LIMIT_COUNT 1)
  set(described "")
  if(EXISTS "${source}/.git")
    execute_process(COMMAND git -C "${source}" describe --tags --always --dirty "--match=v[0-9]*"
                    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(described MATCHES "^[0-9a-f]+(-dirty)?$")
      ts_version_distance(distance "${source}")
      set(described "v${last}-${distance}-g${described}")
    endif()
  endif()
  ts_version_of(version "${described}" "${last}")
  set(${out} "${version}" PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  cmake_minimum_required(VERSION 3.25)
  if(NOT TS_VERSION)
    ts_version_find(TS_VERSION "${SOURCE}")
  endif()
  file(CONFIGURE OUTPUT "${OUT}" CONTENT "#define TS_VERSION \"${TS_VERSION}\"\n" @ONLY)
endif()
