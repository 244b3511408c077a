// How the pages of evaluations look, by day and by night.
#pragma once

namespace kinema::app {

inline constexpr const char* page_style = R"(
:root { color-scheme: light dark; --page: #f7f8fa; --card: #fff; --ink: #1b2430; --quiet: #5d6b7c; --rule: #dfe4ea;
  --gap: #f5c98b66; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --card: #161c25; --ink: #e6ebf1; --quiet: #97a5b5;
  --rule: #2a333f; --gap: #8a5a1d66; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 900px; margin: 0 auto; padding: 2.5rem 1.25rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.1rem; margin: 0 0 .6rem; }
.lead { color: var(--quiet); margin: 0 0 1.25rem; overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 1.1rem 1.25rem;
  margin-bottom: 1.25rem; overflow-x: auto; }
.card img { display: block; max-width: 100%; height: auto; border-radius: 6px; }
.numbers { display: flex; flex-wrap: wrap; gap: .5rem 2rem; }
.numbers div { color: var(--quiet); font-size: .9rem; }
.numbers b { display: block; color: var(--ink); font-size: 1.5rem; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .35rem .6rem; border-top: 1px solid var(--rule); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
thead th { border-top: 0; color: var(--quiet); font-weight: 500; }
table + table { margin-top: 1.25rem; }
tfoot td { font-weight: 600; }
)";

}  // namespace kinema::app
