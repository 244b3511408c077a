// A small appearance model of synthetic faces, trained once for all tests of a program.
#pragma once

#include "kinema/face.h"
#include "synth/faces/faces.h"

#include <memory>
#include <vector>

namespace kinema::io {

inline const face::Model& small_face_model() {
  static const face::Model model = [] {
    const std::vector<synth::FaceShot> shots = synth::face_shots(3, 0, 10, 96, 1);
    std::vector<GreyImage> images;
    images.reserve(shots.size());
    for (const synth::FaceShot& shot : shots) images.push_back(synth::grey_of(shot.picture));
    std::vector<face::Example> examples;
    for (std::size_t i = 0; i < shots.size(); ++i) {
      examples.push_back({{images[i].grey.data(), 96, 96, 96}, shots[i].landmarks, "shot"});
    }
    face::TrainSettings settings;
    settings.pixels = 400;
    settings.levels = 2;
    settings.cascade_stages = 2;
    settings.displacements = 2;
    settings.threads = 1;
    face::Model made = face::train(examples, face::default_layout(68), settings);
    made.detector_box = {0.01f, 0.1f, 0.4f};
    made.note = "for tests";
    return made;
  }();
  return model;
}

}  // namespace kinema::io
