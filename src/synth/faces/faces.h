// Synthetic faces by number: people, moments, sets of labelled pictures and a clip of one moving person. Everything is
// a function of a seed and a number.
#pragma once

#include "io/pictures/image_file.h"
#include "kinema/face.h"
#include "synth/faces/face_photograph.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace kinema::synth {

FaceIdentity face_identity(std::uint64_t seed, std::uint32_t person);
FaceExpression face_expression(std::uint64_t seed, std::uint32_t moment);

/// Pose, light, lens and backdrop of a picture with sides of `size` pixels that contains the whole face.
FaceScene face_scene(std::uint64_t seed, std::uint32_t moment, int size);

/// A different person for each number, at a different moment.
FaceShot face_shot(std::uint64_t seed, std::uint32_t number, int size);

/// Many of them, made by several threads.
std::vector<FaceShot> face_shots(std::uint64_t seed, std::uint32_t first, std::uint32_t count, int size, int threads);

/// One of them, grey, to train a model on. Needs no OpenCV.
face::OwnedExample face_example(std::uint64_t seed, std::uint32_t number, int size);

/// Where drawn faces lie in the boxes of OpenCV's face detector, relative to the mean shape of a model trained on them.
/// Measured with `kinema face train --drawn 1000 --learn-detector` and `kinema face info --json`.
inline constexpr face::BoxPlacement opencv_detector_box{0, 0.140f, 0.320f};

/// One person, who turns the head, speaks, smiles and blinks under constant light.
class FaceClip {
public:
  FaceClip(std::uint64_t seed, int size) : seed_(seed), size_(size) {}

  /// `time` in seconds.
  FaceShot at(double time) const;

  std::vector<FaceShot> frames(std::uint32_t count, double frames_per_second, int threads) const;

private:
  std::uint64_t seed_;
  int size_;
};

/// Luma as in television. Needs no OpenCV.
io::GreyImage grey_of(const io::Picture& picture);

/// Writes face_0000.png with face_0000.pts beside it, and so on, numbered from `first`. Needs OpenCV.
void write_face_set(const std::filesystem::path& folder, const std::vector<FaceShot>& shots, std::uint32_t first,
                    int threads);

/// Standard deviations: of the shift relative to width and height of the landmarks' box, of the scale, and of the
/// rotation in radians.
struct StartNoise {
  double shift = 0.05, scale = 0.05, turn = 0.0872665;  // 5 %, 5 %, 5 degrees
};

/// The similarity from the model to these landmarks, displaced: deterministic in seed and number.
face::Similarity displaced_start(const face::Model& model, std::span<const float> landmarks, const StartNoise& noise,
                                 std::uint64_t seed, std::uint32_t number);

}  // namespace kinema::synth
