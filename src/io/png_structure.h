// Checks from its chunks that a PNG file is complete, before any decoder reads it: decoders print their own messages,
// return half an image or allocate whatever size a header claims.
#pragma once

#include <string_view>

namespace kinema::io {

/// Throws an Error, without the file's name, if the bytes are not a PNG, are truncated, fail a checksum or claim more
/// pixels than they could hold.
void check_png(std::string_view bytes);

bool is_png(std::string_view bytes);

}  // namespace kinema::io
