#include "app/face/face_sinks.h"

#include "app/options/face_options.h"
#include "io/faces/landmark_file.h"
#include "io/files/output_file.h"
#include "io/overlays/face_overlay.h"
#include "io/overlays/picture_words.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace kinema::app {
namespace fs = std::filesystem;

namespace {

// Images of a video have one size: others are fitted into it uncropped, on black.
io::Picture fitted_into(const io::Picture& picture, int width, int height) {
  if (picture.width == width && picture.height == height) return picture;
  const double scale =
      std::min(static_cast<double>(width) / picture.width, static_cast<double>(height) / picture.height);
  const io::Picture small = io::resized(picture, std::clamp(static_cast<int>(picture.width * scale), 1, width),
                                        std::clamp(static_cast<int>(picture.height * scale), 1, height));
  io::Picture frame{width, height,
                    std::vector<std::uint8_t>(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height))};
  const int left = (width - small.width) / 2, top = (height - small.height) / 2;
  for (int y = 0; y < small.height; ++y) {
    const auto from = small.bgr.begin() + 3 * static_cast<std::ptrdiff_t>(y) * small.width;
    std::copy(from, from + 3 * static_cast<std::ptrdiff_t>(small.width),
              frame.bgr.begin() + 3 * ((static_cast<std::ptrdiff_t>(top) + y) * width + left));
  }
  return frame;
}

// Of a picture that is no frame of a film: its file's name without its ending.
std::string own_name(const FaceSinks::Frame& frame) {
  return frame.time ? std::string() : fs::path(frame.file).stem().string();
}

bool is_picture(const std::string& name) {
  return fs::path(name).extension() == ".png" && name.find('%') == std::string::npos;
}

}  // namespace

io::Picture face_overlay(const io::Picture& picture, const face::Model& model, const std::vector<face::Estimate>& faces,
                         std::string_view caption, std::string_view why) {
  const int factor = io::overlay_enlargement(picture.width, picture.height);
  io::Picture canvas = io::enlarged_for_overlay(picture, factor);
  bool any = false;
  for (const face::Estimate& face : faces) {
    if (!face.found) continue;
    any = true;
    io::FaceDrawing drawing;
    drawing.confidence = face.fit.confidence;
    drawing.person = face.person;
    io::draw_landmarks(canvas, io::enlarged_landmarks(face.landmarks, factor), model.layout, model.triangles, drawing);
  }
  io::draw_words(canvas, caption, any ? std::string_view{} : why);
  return canvas;
}

FaceSinks::FaceSinks(const FaceFiles& files, const face::Model& model, bool single, double fps)
    : files_(files), model_(model), single_(single) {
  for (const std::string& name : {files.landmarks, files.csv}) {
    if (!name.empty()) writers_.push_back(std::make_unique<io::LandmarkWriter>(name, model.shape.landmarks()));
  }
  for (const std::string& folder : {files.pts, files.patches, files.appearance}) {
    if (!folder.empty()) io::make_folder(folder);
  }
  if (files.overlay.empty()) return;
  if (single_ && is_picture(files.overlay)) {
    const io::OutputFile can_be_written(files.overlay);
  } else {
    overlay_.emplace(files.overlay, fps);
  }
}

void FaceSinks::draw(const Frame& frame, const std::vector<face::Estimate>& faces, std::string_view why) {
  if (files_.overlay.empty() || frame.picture->empty()) return;
  std::string caption = frame.time ? fmt::format("{:.2f} s", *frame.time) : frame.file;
  for (const face::Estimate& face : faces) {
    if (face.found) caption += fmt::format("  quality {:.2f}", face.fit.quality);
  }
  const io::Picture picture = face_overlay(*frame.picture, model_, faces, caption, why);
  if (!overlay_) {
    io::write_picture_png(files_.overlay, picture);
    return;
  }
  if (!size_) size_ = picture;
  overlay_->add(fitted_into(picture, size_->width, size_->height), frame.number, own_name(frame));
}

void FaceSinks::write_pictures(const Frame& frame, const face::Estimate& face, const std::string& name) {
  if (!files_.patches.empty()) {
    io::write_picture_png(fs::path(files_.patches) / (name + ".png"),
                          io::shape_free_patch(model_, 0, *frame.picture, face.landmarks));
  }
  if (files_.appearance.empty()) return;
  const face::Level& level = model_.levels.front();
  const io::GreyImage grey = io::grey_of(*frame.picture);
  const std::vector<float> texture = face::sample_texture(model_, 0, grey.view(), face.landmarks);
  const io::Picture pair = io::contact_sheet(
      {io::texture_picture(level, texture), io::texture_picture(level, io::fitted_texture(level, texture))}, 2,
      static_cast<int>(level.width), static_cast<int>(level.height));
  io::write_picture_png(fs::path(files_.appearance) / (name + ".png"), pair);
}

void FaceSinks::add(const Frame& frame, const std::vector<face::Estimate>& faces, std::string_view why) {
  int number = 0;
  for (const face::Estimate& face : faces) {
    if (!face.found) continue;
    // of several people their own numbers, else counted
    const int own_number = face.person > 0 ? face.person : number;
    face::Fit fit = face.fit;
    fit.landmarks = face.landmarks;  // smoothed, if requested
    for (const auto& writer : writers_) {
      writer->add({frame.number,
                   frame.file,
                   frame.time,
                   &fit,
                   {},
                   face.person > 0 ? 0 : number,
                   face.person,
                   face.head ? &*face.head : nullptr});
    }
    const std::string own = own_name(frame), stem = own.empty() ? fmt::format("{:06}", frame.number) : own;
    const std::string name = own_number == 0 ? stem : fmt::format("{}_{}", stem, own_number);
    if (!files_.pts.empty()) io::write_pts(fs::path(files_.pts) / (name + ".pts"), face.landmarks);
    write_pictures(frame, face, name);
    ++number;
  }
  if (number == 0) {
    for (const auto& writer : writers_)
      writer->add({frame.number, frame.file, frame.time, nullptr, why, 0, 0, nullptr});
  }
  draw(frame, faces, why);
}

void FaceSinks::commit() {
  for (const auto& writer : writers_) writer->commit();
  if (overlay_ && size_) overlay_->commit();
}

}  // namespace kinema::app
