#include "io/face_oval.h"

#include "io/image_file.h"

namespace kinema::io {

std::optional<head::Oval> largest_face(const FaceDetector& detector, const Picture& picture) {
  const std::vector<face::Start::Box> faces = detector.detect(grey_of(picture));
  if (faces.empty()) return std::nullopt;
  const face::Start::Box& box = faces.front();
  // the detector's box is square and wider than the face, which it cuts at the brow
  const double cx = box.x + (box.width - 1) / 2.0, cy = box.y + (box.height - 1) / 2.0;
  return head::Oval{cx, cy + 0.02 * box.height, 0.38 * box.width, 0.5 * box.height};
}

}  // namespace kinema::io
