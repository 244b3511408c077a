// All outputs of a run of the face fitter, frame by frame.
#pragma once

#include "app/face/face_run.h"
#include "io/faces/landmark_output.h"
#include "io/pictures/image_file.h"
#include "io/pictures/picture_sink.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::app {

class FaceSinks {
public:
  /// `single`: one image, whose overlay is one image too. Throws Error if a target cannot be written.
  FaceSinks(const FaceFiles& files, const face::Model& model, bool single, double fps);

  struct Frame {
    std::int64_t number = 0;
    std::string file;
    std::optional<double> time;
    const io::Picture* picture = nullptr;  // empty if it could not be read
  };
  void add(const Frame& frame, const std::vector<face::Estimate>& faces, std::string_view why);
  void commit();

private:
  void draw(const Frame& frame, const std::vector<face::Estimate>& faces, std::string_view why);
  void write_pictures(const Frame& frame, const face::Estimate& face, const std::string& name);

  FaceFiles files_;
  const face::Model& model_;
  bool single_;
  std::vector<std::unique_ptr<io::LandmarkWriter>> writers_;
  std::optional<io::PictureSink> overlay_;
  std::optional<io::Picture> size_;  // of the overlay's first image, applied to all others
};

/// A face with its landmarks, mesh and a caption, as in overlays.
io::Picture face_overlay(const io::Picture& picture, const face::Model& model, const std::vector<face::Estimate>& faces,
                         std::string_view caption, std::string_view why);

}  // namespace kinema::app
