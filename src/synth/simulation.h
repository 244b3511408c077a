// A motion before a simulated sensor, from figures to the frames of a recording.
#pragma once

#include "io/recordings/simulated_recording.h"
#include "synth/sensor.h"

#include <functional>

namespace kinema::synth {

enum class Mode { depth, stereo, points };

struct SimulationSettings {
  Mode mode = Mode::depth;
  Camera camera{640, 480, 525, 525, 319.5, 239.5};
  StageSettings stage;
  SensorSettings sensor;
  double baseline = 0.12;  ///< of the stereo cameras, metres
  bool background = true;  ///< floor and wall
};

class Simulation {
public:
  /// One figure per frame, in a world with y up.
  Simulation(std::vector<Figure> figures, const SimulationSettings& settings);

  std::size_t frames() const { return figures_.size(); }
  std::size_t frames_in_view() const;
  const Stage& stage() const { return stage_; }

  /// Folders of a recording in this mode.
  std::vector<std::string> kinds() const;

  /// All frames, several at a time; `done` is called in between with the number finished.
  void write(const io::SimulatedRecording& recording, int thread_count,
             const std::function<void(std::size_t)>& done) const;

  /// The depth image of the empty scene.
  void write_background(const io::SimulatedRecording& recording) const;

  /// body::common_joints in the frame of the (left) camera, for each frame.
  std::vector<std::vector<Vec3>> truth() const;

private:
  void write_frame(const io::SimulatedRecording& recording, std::size_t frame) const;
  View view() const;

  SimulationSettings settings_;
  Stage stage_;
  std::vector<Figure> figures_;  // in the camera frame
};

}  // namespace kinema::synth
