// The face: refining a trained model on a few faces of one's own, labelled or from a film of one person.
#pragma once

#include "kinema/face_tracker.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace kinema::face {

/// The fewest examples that refine() accepts: fewer say nothing about other faces.
inline constexpr std::size_t least_refine_examples = 4;

struct RefineSettings {
  /// Learn from a mirrored copy of each example too; needs Layout::mirror of the model.
  bool mirrored = true;

  /// The examples are frames of one film, in their order: whole stretches of it are held out, not every fourth frame.
  bool film = false;

  /// Displaced copies of each example.
  std::uint32_t displacements = 8;

  /// The errors of a start that the cascade must correct, as in TrainSettings.
  double start_shift = 0.05, start_scale = 0.05, start_turn = 0.087;

  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: one per core. The result does not depend on it.

  /// As in TrainSettings.
  std::function<void(std::string_view stage, double done)> progress;
};

struct Refinement {
  Model model;          ///< `start` itself if it was not improved
  bool better = false;  ///< examples are fitted better by models that were refined on the others

  /// Mean errors of these fits over the outer-eye distance, by the start and by the models that were refined without them;
  /// of a film, whose landmarks are no truth, the mean distance between fits of one face from different starts.
  double before = 0, after = 0;
};

/// A model like `start`, better on faces like the examples: every regression of the cascade keeps its weights and learns
/// a correction of what it leaves on them, and their shapes and textures are added to its modes. Layout, levels, sequence
/// and mean shape stay.
///
/// Throws Error if the model has no cascade, or there are too few examples, or they do not have its landmarks.
Refinement refine(const Model& start, std::span<const Example> examples, const RefineSettings& settings = {});

struct FilmSettings {
  std::shared_ptr<const Model> model = {};  ///< with a quality model: its score tells which fits to trust
  Detect detect = {};

  /// Frames follow one another; otherwise they are unrelated pictures of the person.
  bool consecutive = true;

  /// Fits with a higher probability of failure are not learned from.
  double trusted = 0.1;

  /// Faces to collect, at most: those that differ most.
  std::uint32_t most = 60;

  int threads = 0;  ///< 0: one per core. The result does not depend on it.
};

/// Collects examples for refine() from a film or pictures of one person without landmarks: the model labels those that its
/// score trusts, and on which fits from several starts, of the picture and of its mirror image, agree. Not thread-safe.
class FilmFaces {
public:
  /// Throws Error if there is no model, or it has no quality model.
  explicit FilmFaces(const FilmSettings& settings);
  ~FilmFaces();
  FilmFaces(FilmFaces&&) noexcept;
  FilmFaces& operator=(FilmFaces&&) noexcept;

  /// The next frame; `time` in seconds.
  void add(const GreyView& image, double time);

  std::size_t frames() const;   ///< frames added so far
  std::size_t trusted() const;  ///< those in which the score trusts the fit

  /// In the order of their frames.
  std::span<const OwnedExample> faces() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::face
