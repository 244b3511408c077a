// Landmarks of faces in files: .pts of 300-W, .asf of IMM, dlib's XML, COCO's JSON and CSV. In memory coordinates are
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

/// What a file counts the first pixel as: 300-W's .pts say 1, all others 0. A number here is taken for any file.
struct LandmarkSettings {
  std::optional<double> first_pixel;
};

/// One face of a file.
struct LandmarkedFace {
  std::string image;                         ///< as the file names it; "": the picture with the file's own name
  std::vector<float> landmarks;              ///< x0 y0 x1 y1 ...
  bool relative = false;                     ///< .asf: over the width and height of the picture, not pixels
  std::optional<std::array<double, 4>> box;  ///< x y width height, where the file has one
  std::string place;                         ///< in the file, for messages: "image 3", "line 7"; may be empty
};

/// By the ending: .pts and .asf hold one face, .xml, .json and .csv any number. Throws Error with file, place and mend.
std::vector<LandmarkedFace> read_landmarks(const std::filesystem::path& path, const LandmarkSettings& settings = {});

/// Whether the ending is of a file about one picture (.pts, .asf), or about many (.xml, .json, .csv).
bool holds_one_face(const std::filesystem::path& path);
bool holds_many_faces(const std::filesystem::path& path);

/// A .csv that says "file" and then x0,y0,... in its first line, a .json or .xml with the words that such files have: so
/// that a folder may hold other tables too.
bool looks_like_landmarks(const std::filesystem::path& path);

/// Version 1 of .pts as 300-W has it, counted from 1 unless told otherwise. Written whole or not at all.
void write_pts(const std::filesystem::path& path, std::span<const float> landmarks, double first_pixel = 1);

// The readers behind read_landmarks, each from the bytes of a file, with what they count from already taken off. Their
// errors do not name the file.

LandmarkedFace read_pts(std::string_view bytes, double first_pixel);
LandmarkedFace read_asf(std::string_view bytes);
std::vector<LandmarkedFace> read_dlib_xml(std::string_view bytes, double first_pixel);
std::vector<LandmarkedFace> read_coco_json(std::string_view bytes, double first_pixel);
std::vector<LandmarkedFace> read_landmark_csv(std::string_view bytes, double first_pixel);

/// More landmarks than any face has: a file that asks for more is no such file.
inline constexpr std::size_t most_landmarks = 4096;

/// A coordinate that a picture could have, as the float that is kept. Throws Error where it is none.
float coordinate(double value, std::string_view what);

}  // namespace kinema::io
