// Whether a video file has all the bytes that it says it has: some containers cut short look like shorter videos.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace kinema::io {

/// The size of the whole file as an ASF header (.wmv, .asf) gives it. Nothing for other containers, which FFmpeg itself
/// knows the length of, and for streams, which have none.
std::optional<std::uintmax_t> declared_video_bytes(const std::filesystem::path& path);

/// Throws Error where a video from which `read` frames came ended before its end: it `said` to have more, or to be a
/// longer file.
void check_video_is_whole(const std::filesystem::path& path, std::optional<std::size_t> said, std::size_t read);

}  // namespace kinema::io
