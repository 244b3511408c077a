# Writes a header with the commit of the sources, at every build, and touches it only when the commit is another one.
# cmake -DSOURCE=<folder> -DOUTPUT=<header> -P commit.cmake

cmake_policy(VERSION 3.24)
set(commit "")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define KINEMA_BUILT_COMMIT \"@commit@\"\n" @ONLY)
