// The report page without its data: built from web/ by Vite, or, in a build without npm, web/report_plain.html.
#pragma once

#include <string_view>

namespace kinema::report {

/// HTML in which `data_marker` stands once, where the report goes as JSON.
std::string_view page_template();

inline constexpr std::string_view data_marker = "KINEMA_REPORT_DATA";

}  // namespace kinema::report
