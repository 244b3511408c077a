// The files of a sequence in their order, and the numbers that are missing among them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

enum class FileKind { picture, cloud, video, other };

/// By the ending of the name: pictures .png .tif .tiff .pgm .jpg .jpeg .bmp, clouds .npy .ply .pcd .xyz .txt, videos
/// .mp4 .avi .mkv .mov .webm .m4v .mpg .mpeg .wmv.
FileKind kind_of(const std::filesystem::path& path);

struct FrameFile {
  long index = 0;
  double stamp = 0;            ///< seconds since the first frame, where the sequence is stamped
  std::filesystem::path path;  ///< also of a missing one: the name it would have
  bool missing = false;        ///< a number that no file has
};

struct FrameSequence {
  std::vector<FrameFile> frames;
  bool numbered = false;  ///< indices are the numbers in the names; else they count from 0
  bool stamped = false;   ///< the names are seconds, such as 1341846092.023879.png
};

/// Files of a folder (not of those in it) of one kind, hidden ones, notes in .txt and the one called `except` left out,
/// and where `lossless` those that cannot hold depth (.jpg, .bmp). Numbers in the
/// names order them, and those that are missing between the first and the last come as missing frames; names without
/// numbers come in alphabetical order. Throws Error where two sequences lie in one folder.
FrameSequence list_folder(const std::filesystem::path& folder, FileKind kind, bool lossless = false,
                          std::string_view except = {});

/// Files of one kind of a folder in alphabetical order, counted from 0: whatever numbers are in their names.
FrameSequence list_names(const std::filesystem::path& folder, FileKind kind);

/// As list_folder, for the files that a printf pattern names, such as dir/%010d_depth.png.
FrameSequence list_pattern(const std::string& pattern);
bool is_pattern(const std::string& text);

/// The files as they are given; where they are a numbered sequence with gaps, with those.
FrameSequence list_files(const std::vector<std::filesystem::path>& files);

}  // namespace kinema::io
