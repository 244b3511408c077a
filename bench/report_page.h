// What the pages of all benchmarks share: their head with the style, a table, and a list of what they ran on.
#pragma once

#include "bench/report_machine.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kinema::bench {

/// Up to and with the heading.
std::string page_head(const std::string& title, const std::string& heading);
std::string page_foot();

/// Machine, build, commit and date, and in a line what was measured on.
std::string machine_html(const Machine& machine, const std::string& commit, const std::string& date,
                         const std::string& problem);

/// A table from its cells; the first `words` columns are text, the rest numbers.
class HtmlTable {
public:
  HtmlTable(const std::string& caption, const std::vector<std::string>& heads, std::size_t words);
  void add(const std::vector<std::string>& cells, bool first_of_group);
  std::string html() const { return html_ + "</tbody></table></div>\n"; }

private:
  std::string cell(const char* tag, std::size_t column, const std::string& text) const;
  std::string html_;
  std::size_t words_;
};

}  // namespace kinema::bench
