// Whether a video file has all the bytes that it says it has: some containers cut short look like shorter videos.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace kinema::io {

/// The size of the whole file as an ASF header (.wmv, .asf) gives it. Nothing for other containers, which FFmpeg itself
/// knows the length of, and for streams, which have none.
std::optional<std::uintmax_t> declared_video_bytes(const std::filesystem::path& path);

}  // namespace kinema::io
