// The face: training an appearance model (face_model.h) on labelled images, and fitting it to others.
#pragma once

#include "kinema/backend.h"
#include "kinema/compute.h"
#include "kinema/face_model.h"
#include "kinema/image.h"
#include "kinema/stage_time.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::face {

using GreyView = ImageView<const std::uint8_t>;

/// A labelled image. The image must outlive the example.
struct Example {
  GreyView image;
  std::vector<float> landmarks;  ///< x0 y0 x1 y1 ..., pixels from 0
  std::string name;              ///< for messages
};

/// A labelled image that owns its pixels, rows without gaps.
struct OwnedExample {
  std::vector<std::uint8_t> pixels;
  std::size_t width = 0, height = 0;
  std::vector<float> landmarks;
};

/// Labelled images by number, as many as are asked for. One number always gives the same; called by several threads at
/// once.
using ExampleStream = std::function<OwnedExample(std::uint32_t number)>;

struct TrainSettings {
  /// Of the finest level, exactly.
  std::uint32_t pixels = 32768;

  /// Each further level has a quarter of the pixels of the one before.
  std::uint32_t levels = 3;

  Features features = Features::edges;

  /// Sample from a frame of the model's size (see Frame). Off, with intensity: from the image, as in the paper.
  bool resampled = true;

  /// Add a mirrored copy of each example; needs Layout::mirror. Doubles the data and the time.
  bool mirrored = true;

  /// Modes are kept up to this share of the variance, or this number where it is not 0.
  double shape_variance = 0.98, texture_variance = 0.95, combined_variance = 0.95;
  std::uint32_t shape_modes = 0, texture_modes = 0, combined_modes = 0;

  /// But at most this many texture or combined modes, unless a number is given: with hundreds, which the share would
  /// ask for with edges, a texture model explains a misplaced face as well as a found one.
  std::uint32_t most_modes = 80;

  enum class Gradient {
    derivative,  ///< averaged derivative of displaced examples, pseudo-inverse (Cootes 2001)
    regression,  ///< ridge regression of random displacements on their residuals (Cootes 1998)
    none,        ///< no combined model: smaller, quicker
  };
  Gradient gradient = Gradient::derivative;

  /// Project-out matrices for inverse compositional fits.
  bool project_out = true;

  /// Displaced copies of each example for regression and cascade; every fourth is displaced twice as far. The time of
  /// the cascade grows with their square.
  std::uint32_t displacements = 4;

  /// Regressions in the cascade; 0: none.
  std::uint32_t cascade_stages = 5;

  /// Penalty of its regressions, in mean squared inputs; 0: the one that serves held-out examples best. Where the faces
  /// to be fitted differ from the examples, as photographs from drawings, a greater one serves them better.
  double penalty = 0;

  /// Prior on the shape in the last stage of a fit, in mean squared residuals of the examples; 0: the usual 30.
  double prior = 0;

  /// The errors of a start that the cascade must correct, as standard deviations: of the position over the width and
  /// height of the landmarks' box, of the scale, and of the rotation in radians.
  double start_shift = 0.05, start_scale = 0.05, start_turn = 0.087;

  /// Learn the probability of failure, from fits by models of parts of the examples: needs 8 examples, and costs a
  /// second training of the cascade.
  bool quality = true;

  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: one per core. The result does not depend on it.

  /// For a progress bar: called occasionally, by the calling thread, with the stage and the share of all work done.
  std::function<void(std::string_view stage, double done)> progress;
};

/// Throws Error if there are fewer than 3 examples, they have different numbers of landmarks, a shape is degenerate
/// (all points on a line) or the settings are invalid; the message names the example.
Model train(std::span<const Example> examples, const Layout& layout, const TrainSettings& settings = {});

/// The same on more examples than memory holds: each regression of the cascade learns from `count` (more than 1,000 are
/// worth it) that no other has seen, and the probability of failure from further ones. Takes count * (cascade_stages + 1)
/// and some thousands of the stream; memory depends on the number of landmarks, not on `count`.
Model train(const ExampleStream& stream, std::uint32_t count, const Layout& layout, const TrainSettings& settings = {});

/// The same model with its probability of failure learned anew from fits of `count` examples of the stream, 8 at least, of
/// which training has seen none: those that the above would take. Landmarks stay as they are. Of the settings only those
/// of starts, penalty, mirrored, seed and threads count. Throws Error if the model has no cascade.
Model train_score(const Model& model, const ExampleStream& stream, std::uint32_t count,
                  const TrainSettings& settings = {});

/// Where a fit starts.
struct Start {
  struct Box {
    float x = 0, y = 0, width = 0, height = 0;
    bool detector = false;  ///< from a face detector; otherwise the bounding box of the landmarks
  };
  std::optional<Box> box;
  std::vector<float> landmarks;          ///< only position, size and rotation are used
  std::optional<Similarity> similarity;  ///< the model's unit to image pixels

  /// Use the shape of `landmarks` too: for a fit that continues from the frame before.
  bool keep_shape = false;
};

/// The pose of a start, for this model. Throws Error if it has none: nothing given, a box without extent, another
/// number of landmarks, a number that is not finite.
Similarity start_pose(const Model& model, const Start& start);

struct Face {
  GreyView image;
  Start start;
  bool on_device = false;  ///< the pixels lie in GPU memory: only the cuda backend accepts them

  /// In place of `image`, a colour frame in host memory, of which the device makes the grey one: only for a fitter that
  /// takes_colour().
  ColourView colour = {};
};

struct FitSettings {
  /// One after the other; empty: Model::sequence.
  std::vector<Stage> stages;

  /// Algorithm 1: the factors k by which a step is tried, in this order; the first that lowers E is taken.
  std::vector<float> damping = {1, 0.5f, 0.25f, 0.125f};

  /// A stage ends when E falls by less than this share, or no factor lowers it. Negative: all iterations are done.
  double threshold = 1e-4;

  /// Limit of shape and combined parameters, in standard deviations; 0: none.
  double limit = 3;

  /// Compute the probability of failure and confidences, if the model has them.
  bool score = true;

  /// Number of starts of the cascade, at displaced poses, of which the median is taken: steadier, slower in proportion.
  int starts = 1;
};

struct Fit {
  std::vector<float> landmarks;   ///< x0 y0 ..., image pixels from 0
  Similarity pose;                ///< the model's unit to the image
  std::vector<float> shape;       ///< b
  std::vector<float> combined;    ///< c of the last combined stage, empty without
  double error = 0;               ///< E of the last stage over its values; 0 after a cascade alone
  int iterations = 0;             ///< of all stages
  bool converged = false;         ///< the last stage ended before its iterations were used up, or it was the cascade
  double quality = 0;             ///< 1 - failure; 1 / (1 + error) without a quality model
  double failure = 0;             ///< probability that the mean error is over 8 % of the outer-eye distance
  std::vector<float> confidence;  ///< of each landmark, that it is within 8 %; empty without a quality model
  double ms = 0;
};

/// A stage of a fit, and where it runs.
struct PlacedStage {
  Stage stage;
  Backend backend = Backend::cpu;
};

/// The hot operation. Not thread-safe.
class Fitter {
public:
  virtual ~Fitter() = default;

  /// The stages of a fit in order, and where each runs: cuda leaves stages without a kernel to the CPU.
  virtual std::vector<PlacedStage> stages() const = 0;

  /// Where the stages run: cuda if any of them does.
  Backend backend() const;

  /// Whether Face::colour may be given: all stages run on a device, in one chain.
  virtual bool takes_colour() const { return false; }

  /// Announces the picture of the call after the next, such as the next frame of a video, so that a device can copy it
  /// while it works on the next call. No fit depends on it. The pixels must not change until then; a face without
  /// pixels withdraws the announcement.
  virtual void expect(const Face& /*face*/) {}

  /// Throws Error if an image has no pixels or a start is invalid (see start_pose()).
  virtual Fit fit(const Face& face) = 0;

  /// The same for many at once: `out` has one entry per face.
  virtual void fit(std::span<const Face> faces, std::span<Fit> out);

  /// Where the time of the last call went.
  virtual std::vector<StageTime> times() const { return {}; }
};

/// Fits and, if the fit seems to have failed, tries again from the pose in which it ended and from others around the
/// start; returns the fit with the lowest probability of failure. For starts that may be far off, such as a detector's.
/// Without a quality model, or with a fitter that does not score, it is a plain fit.
Fit fit_again(Fitter& fitter, const Model& model, const Face& face, double doubtful = 0.3);

/// The same for fits of many faces: those with a higher probability of failure are tried again, on a device all of them from
/// all starts as one batch.
void fit_doubtful_again(Fitter& fitter, const Model& model, std::span<const Face> faces, std::span<Fit> fits,
                        double doubtful = 0.3);

/// Throws Error if settings do not fit the model (a level or a part that it lacks) or the backend is not available.
std::unique_ptr<Fitter> make_fitter(std::shared_ptr<const Model> model, const FitSettings& settings = {},
                                    const Compute& compute = {});

/// The texture of a level at a shape, normalised: the shape-free patch.
std::vector<float> sample_texture(const Model& model, std::uint32_t level, const GreyView& image,
                                  std::span<const float> landmarks);

}  // namespace kinema::face
