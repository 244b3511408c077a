// Turns the built pages into a C++ source: node embed.mjs DIST pages.cpp
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

function files(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)]));
}

// Bytes as string literals; a number in octal has three digits, so that nothing after it joins it.
function literal(bytes) {
  const lines = [];
  for (let start = 0; start < bytes.length; start += 4000) {
    let line = "";
    for (const byte of bytes.subarray(start, start + 4000)) {
      const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63; // no quotes, no trigraphs
      line += plain ? String.fromCharCode(byte) : "\\" + byte.toString(8).padStart(3, "0");
    }
    lines.push(`"${line}"`);
  }
  return lines.join("\n") || '""';
}

const [dist, target] = process.argv.slice(2);
const pages = files(dist).map((file) => {
  const type = types[extname(file)];
  if (!type) throw new Error(`${file}: a kind of file that embed.mjs does not know`);
  const bytes = readFileSync(file);
  const path = "/" + relative(dist, file).split(sep).join("/");
  return `    {"${path}", "${type}", {${literal(bytes)}, ${bytes.length}}},`;
});

writeFileSync(
  target,
  `// Made from web/ by embed.mjs.
#include "serve/pages.h"

namespace kinema::serve {

std::span<const Page> built_in_pages() {
  static constexpr Page pages[] = {
${pages.join("\n")}
  };
  return pages;
}

}  // namespace kinema::serve
`,
);
