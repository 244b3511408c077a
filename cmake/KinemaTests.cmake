# kinema_add_tests(TARGET NAME [GPU PATTERNS] [DATA PATTERNS] [LARGE PATTERNS] [APART SUITE...]): the tests of a program, run in
# one process, since loading OpenCV and CUDA for each would take longer than most of them. Beside it stand those that need a GPU
# (NAME.gpu, with the label gpu), those that need the data beside the project (NAME.data), and suites that take long
# (NAME.SUITE). LARGE are those whose subject is a size, such as the paper's largest problem: they hold nothing that a smaller
# case does not show to a sanitizer or a debug build, which would take many times as long for them and therefore do without.
#
# Where every test skips, as without GPU or data, tests/test_main.cpp ends with 77, and ctest reports a skip; where one fails,
# ctest reports a failure, whatever the others do.
function(kinema_add_tests target name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "GPU;DATA;LARGE" "APART")
  list(JOIN arg_APART ":" apart)
  set(without ${arg_GPU}:${arg_DATA}:${apart})
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    string(APPEND without ":${arg_LARGE}")
  endif()
  add_test(NAME ${name} COMMAND ${target} --gtest_brief=1 --gtest_filter=-${without})
  set(names ${name})
  foreach(part GPU DATA)
    if(arg_${part})
      string(TOLOWER ${part} label)
      add_test(NAME ${name}.${label} COMMAND ${target} --gtest_brief=1 --gtest_filter=${arg_${part}})
      set_tests_properties(${name}.${label} PROPERTIES LABELS ${label})
      list(APPEND names ${name}.${label})
    endif()
  endforeach()
  foreach(suite ${arg_APART})
    string(REGEX REPLACE "[.*]+$" "" suite_name ${suite})
    add_test(NAME ${name}.${suite_name} COMMAND ${target} --gtest_brief=1 --gtest_filter=${suite})
    list(APPEND names ${name}.${suite_name})
  endforeach()
  set_tests_properties(${names} PROPERTIES TIMEOUT 3600 SKIP_RETURN_CODE 77)
endfunction()
