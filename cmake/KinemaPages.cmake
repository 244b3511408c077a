# The live page and the page of reports: npm installs Vite, three.js and uPlot into web/node_modules at configuration, Vite
# builds the pages when they have changed, and they become source files of the library. Sets KINEMA_HAVE_NPM and
# KINEMA_NODE.

# kinema_add_report_page(target): the page of reports becomes a source of the target; without npm a plainer one does, made
# of the same style and the same script but for the plots.
function(kinema_add_report_page target)
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(source ${PROJECT_BINARY_DIR}/report_page.cpp)
  set(embed ${PROJECT_SOURCE_DIR}/cmake/EmbedReportPage.cmake)
  file(GLOB sources CONFIGURE_DEPENDS ${web}/src/report/*)
  if(KINEMA_HAVE_NPM)
    set(dist ${PROJECT_BINARY_DIR}/web-report)
    set(page ${dist}/report.html)
    set(build
      COMMAND ${KINEMA_NODE} node_modules/typescript/bin/tsc --noEmit
      COMMAND ${KINEMA_NODE} node_modules/vite/bin/vite.js build --mode report --logLevel warn --outDir ${dist} --emptyOutDir)
    list(APPEND sources ${web}/report.html ${web}/vite.config.ts ${web}/tsconfig.json ${web}/node_modules/.kinema-lock.json)
  else()
    set(page ${web}/report_plain.html)
    set(build "")
    list(APPEND sources ${page})
  endif()
  add_custom_command(
    OUTPUT ${source}
    ${build}
    COMMAND ${CMAKE_COMMAND} -DPAGE=${page} -DPARTS=${web}/src/report -DOUTPUT=${source} -P ${embed}
    WORKING_DIRECTORY ${web}
    DEPENDS ${sources} ${embed}
    COMMENT "Building the page of reports"
    VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()

set(KINEMA_HAVE_NPM OFF)
if(NOT KINEMA_PAGES)
  return()
endif()
find_program(KINEMA_NPM npm)
find_program(KINEMA_NODE node)
if(NOT KINEMA_NPM OR NOT KINEMA_NODE)
  return()
endif()
execute_process(COMMAND ${KINEMA_NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE "v" "" node_version "${node_version}")
if(node_version VERSION_LESS 18)
  message(STATUS "node is ${node_version}: the pages need 18 or later")
  return()
endif()
execute_process(COMMAND ${KINEMA_NPM} --version OUTPUT_VARIABLE KINEMA_NPM_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE
                ERROR_QUIET)

# The packages of the lock file, unless they are here already. A copy of it beside them says which those are.
set(web ${PROJECT_SOURCE_DIR}/web)
set(installed ${web}/node_modules/.kinema-lock.json)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${web}/package-lock.json)
file(SHA256 ${web}/package-lock.json wanted)
set(present "")
if(EXISTS ${installed})
  file(SHA256 ${installed} present)
endif()
if(NOT present STREQUAL wanted)
  # not `npm ci`, which refuses a lock file that leaves out the tools' builds for machines we do not build on
  message(STATUS "npm install in web/")
  execute_process(COMMAND ${KINEMA_NPM} install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error
                    --fetch-retries=1
                  WORKING_DIRECTORY ${web} TIMEOUT 180 RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE complaint)
  if(failed)
    string(REGEX MATCH "npm error [^\n]*" complaint "${complaint}")
    message(STATUS "npm install failed, so there will be no pages: ${complaint}")
    return()
  endif()
  configure_file(${web}/package-lock.json ${installed} COPYONLY)
endif()

set(KINEMA_HAVE_NPM ON)

# kinema_add_pages(target): the live page becomes a source of the target, built again when a file of it changes.
function(kinema_add_pages target)
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(dist ${PROJECT_BINARY_DIR}/web)
  set(pages ${PROJECT_BINARY_DIR}/pages.cpp)
  file(GLOB sources CONFIGURE_DEPENDS ${web}/src/*.ts ${web}/src/*.css ${web}/public/*)
  add_custom_command(
    OUTPUT ${pages}
    COMMAND ${KINEMA_NODE} node_modules/typescript/bin/tsc --noEmit
    COMMAND ${KINEMA_NODE} node_modules/vite/bin/vite.js build --logLevel warn --outDir ${dist} --emptyOutDir
    COMMAND ${KINEMA_NODE} embed.mjs ${dist} ${pages}
    WORKING_DIRECTORY ${web}
    DEPENDS ${sources} ${web}/index.html ${web}/vite.config.ts ${web}/tsconfig.json ${web}/embed.mjs
      ${web}/node_modules/.kinema-lock.json
    COMMENT "Building the live page"
    VERBATIM)
  target_sources(${target} PRIVATE ${pages})
endfunction()
