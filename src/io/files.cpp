#include "kinema/files.h"

#include "io/faces/face_model_file.h"
#include "io/faces/filter_json.h"
#include "io/files/library_place.h"
#include "io/files/output_file.h"
#include "io/motion/skeleton_json.h"
#include "kinema/error.h"

namespace kinema {

body::Skeleton read_skeleton(const std::filesystem::path& path) { return io::read_skeleton(path); }

void write_skeleton(const std::filesystem::path& path, const body::Skeleton& skeleton) {
  io::write_file(path, io::skeleton_json(skeleton));
}

head::Calibration read_filter(const std::filesystem::path& path) { return io::read_filter(path); }

void write_filter(const std::filesystem::path& path, const head::Calibration& calibration) {
  io::write_filter(path, calibration);
}

face::Model read_face_model(const std::filesystem::path& path) { return io::read_face_model(path); }

std::filesystem::path default_face_model() { return io::shared_file("face.kface"); }

face::Model read_face_model() {
  const std::filesystem::path place = default_face_model();
  if (place.empty())
    throw Error(
        "kinema's face model is not installed: share/kinema/face.kface belongs beside the library; give one of kinema "
        "face train");
  return io::read_face_model(place);
}

void write_face_model(const std::filesystem::path& path, const face::Model& model) {
  io::write_face_model(path, model);
}

}  // namespace kinema
