// Stands in for the pages in a build without npm.
#include "serve/pages.h"

namespace kinema::serve {

std::span<const Page> built_in_pages() { return {}; }

}  // namespace kinema::serve
