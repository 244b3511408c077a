#include "kinema/files.h"

#include "io/face_model_file.h"
#include "io/filter_json.h"
#include "io/output_file.h"
#include "io/skeleton_json.h"

namespace kinema {

body::Skeleton read_skeleton(const std::filesystem::path& path) { return io::read_skeleton(path); }

void write_skeleton(const std::filesystem::path& path, const body::Skeleton& skeleton) {
  io::OutputFile file(path);
  file.write(io::skeleton_json(skeleton));
  file.commit();
}

head::Calibration read_filter(const std::filesystem::path& path) { return io::read_filter(path); }

void write_filter(const std::filesystem::path& path, const head::Calibration& calibration) {
  io::write_filter(path, calibration);
}

face::Model read_face_model(const std::filesystem::path& path) { return io::read_face_model(path); }

void write_face_model(const std::filesystem::path& path, const face::Model& model) {
  io::write_face_model(path, model);
}

}  // namespace kinema
