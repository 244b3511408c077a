# Runs the tests of inner/ and holds what ctest says of each against what it must say.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/inner -B ${FOLDER} -DPROGRAM=${PROGRAM} -DMODULES=${MODULES}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CTEST} --test-dir ${FOLDER} OUTPUT_VARIABLE said ERROR_VARIABLE failures RESULT_VARIABLE status)
set(must
  "one [ .*]+Passed"          # passes
  "one\\.gpu [ .*]+Failed"    # skips and fails
  "one\\.data [ .*]+Skipped"  # skips
  "other\\.gpu [ .*]+Passed"  # skips and passes
  "other\\.data [ .*]+Failed" # fails
)
foreach(line ${must})
  if(NOT said MATCHES "Test +#[0-9]+: ${line}")
    message(SEND_ERROR "ctest did not say '${line}'")
  endif()
endforeach()
if(status EQUAL 0)
  message(SEND_ERROR "ctest succeeded")
endif()
message("${said}")
