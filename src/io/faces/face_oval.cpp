#include "io/faces/face_oval.h"

#include "io/pictures/image_file.h"

#include <algorithm>

namespace kinema::io {
namespace {

using Box = face::Start::Box;

constexpr double smallest_head = 1.0 / 24;  // of the picture's shorter side
constexpr double same_face = 0.3;           // of the area that two boxes cover together, common to both

// the detector's box is square and wider than the face, which it cuts off at the brow
head::Oval oval_of(const Box& box) {
  const double cx = box.x + (box.width - 1) / 2.0, cy = box.y + (box.height - 1) / 2.0;
  return {cx, cy + 0.02 * box.height, 0.38 * box.width, 0.5 * box.height};
}

double overlap(const Box& a, const Box& b) {
  const double width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const double height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const double common = width * height;
  return common / (a.width * a.height + b.width * b.height - common);
}

}  // namespace

std::optional<head::Oval> largest_face(const FaceDetector& detector, const Picture& picture) {
  const std::vector<Box> faces = detector.detect(grey_of(picture).view());
  if (faces.empty()) return std::nullopt;
  return oval_of(faces.front());
}

std::vector<FaceDetector::Find> find_heads(const FaceDetector& detector, const Picture& picture) {
  return detector.find(grey_of(picture).view(), smallest_head);
}

std::vector<std::optional<head::Oval>> surest_face(const std::vector<std::vector<FaceDetector::Find>>& frames) {
  struct Track {
    Box last;
    int votes = 0;
    std::vector<std::optional<head::Oval>> ovals;
  };
  std::vector<Track> tracks;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    for (const auto& [box, votes] : frames[i]) {
      auto track = std::find_if(tracks.begin(), tracks.end(), [&box = box, i](const Track& known) {
        return !known.ovals[i] && overlap(known.last, box) > same_face;
      });
      if (track == tracks.end()) track = tracks.insert(track, {box, 0, decltype(Track::ovals)(frames.size())});
      track->last = box;
      track->votes += votes;
      track->ovals[i] = oval_of(box);
    }
  }
  const auto surest =
      std::max_element(tracks.begin(), tracks.end(), [](const Track& a, const Track& b) { return a.votes < b.votes; });
  return surest == tracks.end() ? std::vector<std::optional<head::Oval>>(frames.size()) : surest->ovals;
}

}  // namespace kinema::io
