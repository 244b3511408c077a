#include "bench/report_page.h"

#include "bench/plot.h"

#include <fmt/format.h>

namespace kinema::bench {
namespace {

constexpr const char* page_style =
    ":root{color-scheme:light dark;--ink:#1c1f24;--soft:#5b616b;--rule:#d9dce1;--paper:#fff}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--soft:#a2a8b2;--rule:#3a3f47;--paper:#16181c}}"
    "body{margin:2rem auto;max-width:80rem;padding:0 1rem;background:var(--paper);color:var(--ink);"
    "font:15px/1.5 system-ui,sans-serif}"
    "h1{font-size:1.6rem}h2{font-size:1.1rem;margin-top:2rem}p{color:var(--soft);max-width:60rem}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dt{color:var(--soft)}dd{margin:0}"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(30rem,100%),1fr));gap:1.5rem}"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}"
    "th,td{padding:.15rem .55rem;text-align:right;white-space:nowrap}th{border-bottom:1px solid var(--ink)}"
    ".word{text-align:left}.group td{border-top:1px solid var(--rule)}";

}  // namespace

std::string page_head(const std::string& title, const std::string& heading) {
  return fmt::format(
             "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
             "<meta name='viewport' content='width=device-width,initial-scale=1'><title>{}</title><style>",
             escape(title)) +
         page_style + plot_style() + fmt::format("</style></head><body>\n<h1>{}</h1>\n", escape(heading));
}

std::string page_foot() { return "</body></html>\n"; }

std::string machine_html(const Machine& machine, const std::string& commit, const std::string& date,
                         const std::string& problem) {
  const Build& build = machine.build;
  std::string html = "<dl>";
  const auto entry = [&](const char* term, const std::string& text) {
    if (!text.empty()) html += fmt::format("<dt>{}</dt><dd>{}</dd>", term, escape(text));
  };
  entry("CPU",
        fmt::format("{}, {} cores, {} threads, {}", machine.cpu, machine.cores, machine.threads, machine.system));
  for (const Gpu& gpu : machine.gpus)
    entry("GPU", fmt::format("{}, {} multiprocessors", gpu.name, gpu.multiprocessors));
  entry("kinema", fmt::format("{} {}, {}, SIMD {}, threads {}{}{}", build.version, machine.build_type, build.compiler,
                              build.simd, build.threads, build.cuda.empty() ? "" : ", CUDA " + build.cuda,
                              machine.embree.empty() ? "" : ", Embree " + machine.embree));
  entry("commit", commit);
  entry("date", date);
  entry("problem", problem);
  return html + "</dl>";
}

HtmlTable::HtmlTable(const std::string& caption, const std::vector<std::string>& heads, std::size_t words)
    : words_(words) {
  html_ = fmt::format("<h2>{}</h2><div class='scroll'><table><thead><tr>", escape(caption));
  for (std::size_t i = 0; i < heads.size(); ++i) html_ += cell("th", i, heads[i]);
  html_ += "</tr></thead><tbody>";
}

void HtmlTable::add(const std::vector<std::string>& cells, bool first_of_group) {
  html_ += first_of_group ? "<tr class='group'>" : "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) html_ += cell("td", i, cells[i]);
  html_ += "</tr>";
}

std::string HtmlTable::cell(const char* tag, std::size_t column, const std::string& text) const {
  return fmt::format("<{0}{1}>{2}</{0}>", tag, column < words_ ? " class='word'" : "", escape(text));
}

}  // namespace kinema::bench
