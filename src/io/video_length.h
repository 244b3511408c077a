// Whether a video file is complete: some truncated containers look like shorter videos.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace kinema::io {

/// The size of the whole file according to an ASF header (.wmv, .asf). Nothing for other containers, whose length
/// FFmpeg itself knows, and for streams, which have none.
std::optional<std::uintmax_t> declared_video_bytes(const std::filesystem::path& path);

/// The same from the first bytes of a file.
std::optional<std::uintmax_t> declared_asf_bytes(std::string_view beginning);

/// Throws Error if a video of which `read` frames were read is truncated: its header `said` more frames, or a longer
/// file.
void check_video_is_whole(const std::filesystem::path& path, std::optional<std::size_t> said, std::size_t read);

}  // namespace kinema::io
