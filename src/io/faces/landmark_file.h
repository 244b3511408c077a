// Files of face landmarks: .pts of 300-W, .asf of IMM, dlib's XML, COCO's JSON and CSV. In memory, coordinates are
// pixels that count from 0 at the centre of the first pixel, whatever the file counts from.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

/// The number of the first pixel in a file: 1 in 300-W's .pts, 0 in all others. A number here applies to any file.
struct LandmarkSettings {
  std::optional<double> first_pixel;
};

/// One face of a file.
struct LandmarkedFace {
  std::string image;                         ///< as the file names it; "": the image with the file's own name
  std::vector<float> landmarks;              ///< x0 y0 x1 y1 ...
  bool relative = false;                     ///< .asf: fractions of the image's width and height, not pixels
  std::optional<std::array<double, 4>> box;  ///< x y width height, if the file has one
  std::string place;                         ///< in the file, for messages: "image 3", "line 7"; may be empty
};

/// By extension: .pts and .asf hold one face, .xml, .json and .csv any number. Throws Error with file, place and
/// remedy.
std::vector<LandmarkedFace> read_landmarks(const std::filesystem::path& path, const LandmarkSettings& settings = {});

/// Whether the extension is of a file about one image (.pts, .asf), or about many (.xml, .json, .csv).
bool holds_one_face(const std::filesystem::path& path);
bool holds_many_faces(const std::filesystem::path& path);

/// Whether a file looks like landmarks, so that a folder may hold other tables too: a .csv whose first line is "file"
/// and then x0,y0,..., a .json or .xml with the words of such files.
bool looks_like_landmarks(const std::filesystem::path& path);

/// Version 1 of .pts as in 300-W, counted from 1 unless told otherwise. Written whole or not at all.
void write_pts(const std::filesystem::path& path, std::span<const float> landmarks, double first_pixel = 1);

// The readers behind read_landmarks, each from the bytes of a file; coordinates are already shifted to count from 0.
// Their errors do not name the file.

LandmarkedFace read_pts(std::string_view bytes, double first_pixel);
LandmarkedFace read_asf(std::string_view bytes);
std::vector<LandmarkedFace> read_dlib_xml(std::string_view bytes, double first_pixel);
std::vector<LandmarkedFace> read_coco_json(std::string_view bytes, double first_pixel);
std::vector<LandmarkedFace> read_landmark_csv(std::string_view bytes, double first_pixel);

/// More landmarks than any face has: a file that claims more is refused.
inline constexpr std::size_t most_landmarks = 4096;

/// A coordinate that is possible in an image, as the stored float. Throws Error otherwise.
float coordinate(double value, std::string_view what);

}  // namespace kinema::io
