// The files of a sequence in order, and the numbers missing among them.
#pragma once

#include "kinema/error.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

/// Whether a text is meant as a pattern: it holds a %.
bool is_pattern(const std::string& text);

/// The parts of a file name around %0Nd, with %% replaced by %. It is never used as a format string.
struct NamePattern {
  std::string before, after;
  std::size_t width = 0;  ///< of the number, filled up with zeros; 0: as many digits as it has

  /// Of the last part of a path. Throws Error if that has not exactly one %d, %i or %u, with zeros or without a width.
  static NamePattern of(const std::filesystem::path& path);

  std::string name(std::int64_t number) const;

  /// The digits of the number in a name, if it matches.
  std::optional<std::string_view> match(std::string_view name) const;

  static Error refusal(const std::filesystem::path& path);
};

enum class FileKind { picture, cloud, video, other };

/// By file extension: images .png .tif .tiff .pgm .jpg .jpeg .bmp, clouds .npy .ply .pcd .xyz .txt, videos .mp4 .avi
/// .mkv .mov .webm .m4v .mpg .mpeg .wmv.
FileKind kind_of(const std::filesystem::path& path);

struct FrameFile {
  long index = 0;
  double stamp = 0;            ///< seconds since the first frame, if the sequence has time stamps
  std::filesystem::path path;  ///< of a missing frame: the name it would have
  bool missing = false;        ///< a number that no file has
};

struct FrameSequence {
  std::vector<FrameFile> frames;
  bool numbered = false;  ///< indices are the numbers in the names; otherwise they count from 0
  bool stamped = false;   ///< the names are seconds, such as 1341846092.023879.png
};

/// Files of one kind in a folder (not in its subfolders), without hidden files, notes in .txt and the file called
/// `except`; if `lossless`, also without those that cannot hold depth (.jpg, .bmp). They are ordered by the numbers in
/// their names, and numbers missing between the first and the last give missing frames; names without numbers are in
/// alphabetical order. Throws Error if one folder holds two sequences.
FrameSequence list_folder(const std::filesystem::path& folder, FileKind kind, bool lossless = false,
                          std::string_view except = {});

/// Files of one kind in a folder in alphabetical order, counted from 0, whatever the numbers in their names.
FrameSequence list_names(const std::filesystem::path& folder, FileKind kind);

/// As list_folder, for the files that match a printf pattern, such as dir/%010d_depth.png.
FrameSequence list_pattern(const std::string& text);

/// The files as given; if they are a numbered sequence with gaps, including the gaps.
FrameSequence list_files(const std::vector<std::filesystem::path>& files);

}  // namespace kinema::io
