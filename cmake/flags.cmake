# One interface target with the flags of all our own code. Generated code gets no warnings.
add_library(ts_flags INTERFACE)
target_include_directories(ts_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(ts_flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
target_compile_options(ts_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
  -Wcast-qual -Wpointer-arith -Wformat=2 -Wundef -fno-common)
if(NOT TS_THREADS)
  target_compile_definitions(ts_flags INTERFACE TS_NO_THREADS)
endif()
if(TS_WERROR)
  target_compile_options(ts_flags INTERFACE -Werror)
endif()

# Ways of the same work with instructions of x86: which of them are compiled. best: those that the processor
# that runs the program has; sse2: no others; none: plain C. The databases are the same.
set(TS_SIMD "best" CACHE STRING "best, sse2 or none")
set_property(CACHE TS_SIMD PROPERTY STRINGS best sse2 none)
if(TS_SIMD STREQUAL "none")
  target_compile_definitions(ts_flags INTERFACE TS_NO_SSE2)
elseif(TS_SIMD STREQUAL "sse2")
  target_compile_definitions(ts_flags INTERFACE TS_NO_AVX2)
elseif(NOT TS_SIMD STREQUAL "best")
  message(FATAL_ERROR "TS_SIMD is best, sse2 or none")
endif()

# The same bytes from any folder: no path of the sources or of the build gets into objects. The build's
# folder comes last, because the last prefix that fits is taken and it is mostly in the sources'.
# gcov needs the true paths.
if(NOT TS_COVERAGE)
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
                      -ffile-prefix-map=${PROJECT_BINARY_DIR}=./build)
endif()

if(TS_SANITIZE)
  # A third of the time that -O2 -g takes to compile. With the checks between its statements, gcc no longer
  # sees what values a variable can have; the build without them warns.
  add_compile_options(-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized -Wno-format-truncation)
    # A message for each check takes 14 MB of data, which cost more at each start of the program than most tests do.
    option(TS_SANITIZE_TRAP "Undefined behaviour is an illegal instruction at its place, without a message" ON)
    if(TS_SANITIZE_TRAP)
      add_compile_options(-fsanitize-undefined-trap-on-error)
    endif()
  endif()
endif()
if(TS_COVERAGE)
  add_compile_options(--coverage -O0 -g)
  add_link_options(--coverage)
endif()
if(TS_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "TS_FUZZ needs clang: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(NOT TS_SANITIZE AND NOT TS_COVERAGE AND NOT EMSCRIPTEN AND CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  add_link_options(-Wl,-z,relro,-z,now)
  # Returns and indirect jumps are checked by processors that can: CET of x86, PAC and BTI of AArch64.
  include(CheckCCompilerFlag)
  set(flag -fcf-protection=full)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(flag -mbranch-protection=standard)
  endif()
  check_c_compiler_flag(${flag} TS_HAS_BRANCH_PROTECTION)
  if(TS_HAS_BRANCH_PROTECTION)
    add_compile_options(${flag})
  endif()
  # A row is cleared before it is filled, 100 to 250 bytes each: gcc takes the string instruction of x86 for it,
  # which needs longer to begin than stores need for all of it.
  set(flag -mmemset-strategy=vector_loop:256:noalign,libcall:-1:noalign)
  check_c_compiler_flag(${flag} TS_HAS_MEMSET_STRATEGY)
  if(TS_HAS_MEMSET_STRATEGY)
    add_compile_options(${flag})
  endif()
endif()
if(TS_SANITIZE AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  # What the sanitizers keep of each check has pointers, half a million of them. Where a program is at any address
  # the loader changes each at every start, in 14 MB of pages of its own, which takes longer than most tests.
  unset(CMAKE_C_LINK_PIE_SUPPORTED CACHE) # of an earlier run
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
else()
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C)
endif()
