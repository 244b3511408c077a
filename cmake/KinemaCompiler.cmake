# How everything is compiled. Floating-point flags live here and nowhere else.

# These apply to this directory and below, not to a project that embeds this one.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()

# Output directories and compiler launchers are the choice of the top-level project.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  # Searched once: installing ccache later would change every command line and so rebuild everything.
  if(NOT DEFINED KINEMA_CCACHE)
    find_program(KINEMA_CCACHE ccache)
  endif()
endif()
if(KINEMA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # the two liberties that it needs to cache what was compiled with precompiled headers
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${KINEMA_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${KINEMA_CCACHE})
endif()

# Settings of every target of the project; nothing of it reaches those who link the library.
add_library(kinema_compiler INTERFACE)
target_compile_options(kinema_compiler INTERFACE
  # No contraction: a product is fused with a sum where the code says so, so one source gives one result at any
  # optimisation level. No errno: sqrt is one instruction. Anything stronger (fast-math) is not wanted.
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -fno-math-errno>
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wno-unknown-pragmas>
  # no notes about the ABI of g++ before 10.1 on ARM
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-psabi>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-unknown-pragmas --expt-relaxed-constexpr>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:$<BOOL:$<TARGET_PROPERTY:KINEMA_FAST_CUDA>>>>:-fmad=false>
  # But for what others are measured against, and for nothing else: the compiler may do what makes it fast, as its authors
  # would have let it.
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:$<TARGET_PROPERTY:KINEMA_FAST_CUDA>>>:-fmad=true -prec-div=false
    -prec-sqrt=false -ftz=true>)

# Bounds checks in operator[], front, back and similar functions of the standard library.
target_compile_definitions(kinema_compiler INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Debug>>:_GLIBCXX_ASSERTIONS>)

if(KINEMA_TUNABLE)
  if(KINEMA_CUDA)
    message(FATAL_ERROR "KINEMA_TUNABLE goes without the cuda backend, which cannot read variables of the host: "
      "add -DKINEMA_CUDA=OFF")
  endif()
  target_compile_definitions(kinema_compiler INTERFACE KINEMA_TUNABLE)
endif()

if(KINEMA_SANITIZE)
  target_compile_options(kinema_compiler INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${KINEMA_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  target_link_options(kinema_compiler INTERFACE -fsanitize=${KINEMA_SANITIZE})
  # Boost.Asio uses fences, which the thread sanitizer ignores; g++ warns about each of them
  if(KINEMA_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(kinema_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)
  endif()
endif()

# kinema_precompile(TARGET HEADER...): precompiles these headers and the most used ones of the standard library, which take
# longer to parse than most sources. Sources still include what they need: the build must also work with
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON.
# {fmt} has its functions optimised in a debug build as well, by a pragma; once precompiled by g++, it leaves __OPTIMIZE__
# defined. Intrinsics that are included later then are functions, whose arguments cannot be immediate operands: a source that
# adds intrinsics (of Eigen or Highway) to what is precompiled needs SKIP_PRECOMPILE_HEADERS.
function(kinema_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <filesystem> <functional> <map> <memory>
    <optional> <span> <string> <vector> ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)  # for ccache
  endif()
endfunction()

# kinema_compile_quickly(TARGET [EXCEPT SOURCE...]): with KINEMA_QUICK, compiles a release with -O1 instead of -O3, which
# saves about a third of the compile time of targets that mostly parse, format and communicate, and twelve sources at a time,
# which saves about half of what is left, most of which goes into the same templates of the JSON library in every source.
# EXCEPT names the sources with loops over pixels or points. Results are the same at every level, because no level reorders
# floating-point operations.
function(kinema_compile_quickly target)
  if(NOT KINEMA_QUICK)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "EXCEPT")
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  file(GLOB_RECURSE cuda *.cu)  # newer versions of CMake would join these as well
  set_property(SOURCE ${cuda} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  foreach(source IN LISTS arg_EXCEPT)
    # otherwise a renamed file would silently become slower
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      message(FATAL_ERROR "kinema_compile_quickly(${target} EXCEPT ${source}): there is no such file")
    endif()
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
    # g++ 12 crashes on a header that was precompiled at another level
    set_property(SOURCE ${source} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
    set_property(SOURCE ${source} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

# kinema_define_part(PART SOURCE...): defines KINEMA_HAVE_<PART> for these sources if this build has the part
function(kinema_define_part part)
  if(KINEMA_HAVE_${part})
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_DEFINITIONS KINEMA_HAVE_${part})
  endif()
endfunction()
