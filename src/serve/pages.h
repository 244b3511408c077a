// The files of the live page. They are made by Vite from web/ and become part of the library when it is built; a build
// without npm has none.
#pragma once

#include <span>
#include <string_view>

namespace kinema::serve {

struct Page {
  std::string_view path;  ///< "/index.html"
  std::string_view type;  ///< as in Content-Type
  std::string_view content;
};

/// Empty in a build without pages.
std::span<const Page> built_in_pages();

}  // namespace kinema::serve
