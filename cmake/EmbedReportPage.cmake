# Writes the page of reports as a C++ source: cmake -DPAGE=... -DPARTS=... -DOUTPUT=... -P EmbedReportPage.cmake
# A page that Vite built holds its style and script already; in the plain one they stand where it names them.
cmake_minimum_required(VERSION 3.24)

file(READ ${PAGE} html)
if(html MATCHES "@KINEMA_REPORT_STYLE@")
  foreach(part STYLE=report.css RENDER=render.js PLOTS=plain_plots.js)
    string(REGEX MATCH "^([A-Z]+)=(.*)$" part ${part})
    set(name ${CMAKE_MATCH_1})
    file(READ ${PARTS}/${CMAKE_MATCH_2} text)
    string(REPLACE "@KINEMA_REPORT_${name}@" "${text}" html "${html}")
  endforeach()
endif()
file(WRITE ${OUTPUT} "// Made from web/ by EmbedReportPage.cmake.
#include \"report/page_template.h\"

namespace kinema::report {

std::string_view page_template() {
  static constexpr char html[] = R\"html(${html})html\";
  return {html, sizeof(html) - 1};
}

}  // namespace kinema::report
")
