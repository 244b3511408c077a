// Whether a PNG file is whole, told from its chunks before any decoder sees it: decoders print their own complaints,
// give half of a picture or take memory for whatever size a header claims.
#pragma once

#include <string_view>

namespace kinema::io {

/// Throws an Error, without the file's name, where the bytes are no PNG, end early, fail a checksum or claim more
/// pixels than they could hold.
void check_png(std::string_view bytes);

bool is_png(std::string_view bytes);

}  // namespace kinema::io
