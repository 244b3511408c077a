// The faces of a film that a model can be refined on: trusted, labelled by the median of several fits, spread out.
#include "face/constants.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"
#include "face/training/cascade.h"
#include "face/training/training_set.h"
#include "kinema/error.h"
#include "kinema/face_refine.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace kinema::face {
namespace {

// Starts of these fits lie about as far from the face as those of a good detector.
constexpr Displacement label_displacement{0.03, 0.03, 0.05};

std::vector<float> median_of(const std::vector<std::vector<float>>& shapes) {
  std::vector<float> result(shapes.front().size()), values(shapes.size());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t k = 0; k < shapes.size(); ++k) values[k] = shapes[k][i];
    std::nth_element(values.begin(), middle, values.end());
    result[i] = *middle;
    if (values.size() % 2 == 0) result[i] = (result[i] + *std::max_element(values.begin(), middle)) / 2;
  }
  return result;
}

}  // namespace

struct FilmFaces::State {
  FilmSettings settings;
  TrackerSettings tracking;
  std::optional<Tracker> tracker;
  std::unique_ptr<Fitter> fitter;
  std::size_t frames = 0, trusted = 0;
  double spacing = film_spacing;
  std::vector<OwnedExample> faces;
  std::vector<std::vector<float>> shapes;  // of each, in the model's unit

  const Model& model() const { return *settings.model; }

  std::vector<float> unit_shape(std::span<const float> landmarks) const {
    return transformed<float>(inverse(similarity_between<float, float>(model().shape.mean, landmarks)), landmarks);
  }

  // Nearer than the spacing to one of the first `count`.
  bool crowded(const std::vector<float>& shape, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      double squares = 0;
      for (std::size_t k = 0; k < shape.size(); ++k)
        squares += (double{shape[k]} - shapes[i][k]) * (double{shape[k]} - shapes[i][k]);
      if (squares < spacing * spacing * static_cast<double>(shape.size()) / 2) return true;
    }
    return false;
  }

  void thin_out() {
    while (faces.size() > settings.most) {
      spacing *= 1.2;
      std::size_t kept = 0;
      for (std::size_t i = 0; i < faces.size(); ++i) {
        if (crowded(shapes[i], kept)) continue;
        if (kept != i) faces[kept] = std::move(faces[i]), shapes[kept] = std::move(shapes[i]);
        ++kept;
      }
      faces.resize(kept), shapes.resize(kept);
    }
  }

  // The median of fits from several starts, of the picture and of its mirror image; nothing if they disagree.
  std::optional<std::vector<float>> label(const GreyView& image, std::span<const float> landmarks) {
    const bool mirrored = !model().layout.mirror.empty();
    std::vector<std::uint8_t> turned;
    if (mirrored) turned = mirror_image(image);
    std::vector<Face> starts;
    const auto add_starts = [&](const GreyView& picture, std::span<const float> shape, std::uint32_t number) {
      const Similarity pose = similarity_between<float, float>(model().shape.mean, shape);
      for (std::uint32_t i = 0; i < film_starts; ++i) {
        starts.push_back({picture, {}, false});
        starts.back().start.similarity = displaced_pose(pose, shape, label_displacement, 1, number, i);
      }
    };
    add_starts(image, landmarks, 0);
    if (mirrored)
      add_starts({turned.data(), image.width, image.height, image.width},
                 mirror_landmarks(landmarks, image.width, model().layout), 1);
    std::vector<Fit> fits(starts.size());
    fitter->fit(starts, fits);
    std::vector<std::vector<float>> shapes_of_fits;
    for (std::size_t i = 0; i < fits.size(); ++i)
      shapes_of_fits.push_back(i < film_starts ? fits[i].landmarks
                                               : mirror_landmarks(fits[i].landmarks, image.width, model().layout));
    std::vector<float> median = median_of(shapes_of_fits);
    double distance = 0;
    for (const std::vector<float>& one : shapes_of_fits) distance += mean_distance(one, median);
    distance /= static_cast<double>(shapes_of_fits.size()) * error_unit(model().layout, median);
    if (distance > film_disagreement) return std::nullopt;
    return median;
  }
};

FilmFaces::FilmFaces(const FilmSettings& settings) : state_(std::make_unique<State>()) {
  if (settings.model == nullptr) throw Error("no face model is given");
  check_refinable(*settings.model);
  if (settings.model->quality.weights.empty())
    throw Error("a model without a score cannot tell which faces of a film to learn from; give labelled pictures");
  if (!(settings.trusted > 0 && settings.trusted <= 1))
    throw Error(fmt::format("trusted is {}: a probability is between 0 and 1", settings.trusted));
  state_->settings = settings;
  state_->tracking = {.model = settings.model, .detect = settings.detect};
  state_->tracking.head.reset();
  FitSettings fits;
  fits.score = false;
  state_->fitter = make_fitter(settings.model, fits, {Backend::cpu, settings.threads});
}

FilmFaces::~FilmFaces() = default;
FilmFaces::FilmFaces(FilmFaces&&) noexcept = default;
FilmFaces& FilmFaces::operator=(FilmFaces&&) noexcept = default;

void FilmFaces::add(const GreyView& image, double time) {
  State& state = *state_;
  ++state.frames;
  if (!state.tracker || !state.settings.consecutive)
    state.tracker.emplace(state.tracking, Compute(Backend::cpu, state.settings.threads));
  const Estimate estimate = state.tracker->track(image, time);
  if (!estimate.found || estimate.fit.failure > state.settings.trusted) return;
  ++state.trusted;
  if (state.crowded(state.unit_shape(estimate.fit.landmarks), state.shapes.size())) return;
  std::optional<std::vector<float>> landmarks = state.label(image, estimate.fit.landmarks);
  if (!landmarks) return;
  std::vector<float> shape = state.unit_shape(*landmarks);
  if (state.crowded(shape, state.shapes.size())) return;
  OwnedExample face{{}, image.width, image.height, std::move(*landmarks)};
  for (std::size_t y = 0; y < image.height; ++y)
    face.pixels.insert(face.pixels.end(), image.data + y * image.stride, image.data + y * image.stride + image.width);
  state.faces.push_back(std::move(face));
  state.shapes.push_back(std::move(shape));
  state.thin_out();
}

std::size_t FilmFaces::frames() const { return state_->frames; }
std::size_t FilmFaces::trusted() const { return state_->trusted; }
std::span<const OwnedExample> FilmFaces::faces() const { return state_->faces; }

}  // namespace kinema::face
