#include "kinema/expression_tracker.h"

#include "face/constants.h"
#include "face/tracker/eyelid.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace kinema::face {
namespace {

constexpr std::size_t weights = expression_names.size();
constexpr double asked_seconds = 1;  // of a neutral face that was asked for
constexpr double least_deviation = 0.02;

constexpr std::size_t number_of(std::string_view name) {
  for (std::size_t e = 0; e < weights; ++e) {
    if (expression_names[e] == name) return e;
  }
  return weights;
}
constexpr std::array<std::size_t, 2> lids = {number_of("eyeBlinkLeft"), number_of("eyeBlinkRight")};
static_assert(lids[0] < weights && lids[1] < weights);

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Values of a person at rest: their medians over some time, and then slowly on.
template <std::size_t Count>
class Rest {
public:
  using Values = std::array<double, Count>;

  // From now on for so long, and then with this drift, units per second.
  void learn(double seconds, double drift) {
    left_ = seconds;
    drift_ = drift;
    for (std::vector<double>& seen : seen_) seen.clear();
  }

  void add(const Values& values, double seconds) {
    const double step = drift_ * seconds;
    for (std::size_t i = 0; i < Count; ++i) {
      if (learning()) {
        seen_[i].push_back(values[i]);
        at_[i] = median(seen_[i]);
      } else {
        at_[i] += std::clamp(values[i] - at_[i], -step, step);
      }
    }
    left_ -= seconds;
  }

  bool learning() const { return left_ > 0; }
  const Values& values() const { return at_; }

private:
  Values at_ = {};
  std::array<std::vector<double>, Count> seen_;
  double left_ = 0, drift_ = 0;
};

// Where expressions and angles of one person begin, and how far expressions go.
class Neutral {
public:
  Neutral() {
    for (std::size_t e = 0; e < weights; ++e) full_[e] = full_weights[e];
  }

  // `kept`: what is learnt does not drift.
  void learn(double seconds, bool kept) {
    weights_.learn(seconds, kept ? 0 : neutral_drift);
    angles_.learn(seconds, kept ? 0 : rest_drift);
  }

  void add(const HeadPose& pose, double seconds) {
    weights_.add(pose.expression, seconds);
    angles_.add({pose.yaw, pose.pitch, pose.roll}, seconds);
    if (weights_.learning()) return;
    for (std::size_t e = 0; e < weights; ++e) {
      full_[e] = std::max(full_[e], pose.expression[e] - weights_.values()[e]);
    }
  }

  void relate(HeadPose& pose) const {
    for (std::size_t e = 0; e < weights; ++e) {
      pose.expression[e] = std::clamp((pose.expression[e] - weights_.values()[e]) / full_[e], 0.0, 1.0);
      pose.expression_deviation[e] = std::max(least_deviation, pose.expression_deviation[e] / full_[e]);
    }
    pose.rest_angles = angles_.values();
  }

private:
  Rest<weights> weights_;
  Rest<3> angles_;
  Expression full_ = {};
};

using Eyes = std::array<std::optional<EyePatch>, 2>;

}  // namespace

struct ExpressionTracker::State {
  ExpressionSettings settings;
  Neutral neutral;
  std::array<Eyelid, 2> eyelids;
  std::optional<double> last;  // time of the last frame
  bool asked = false;          // for a neutral face, from the next frame on
  bool due = false;            // settings.neutral_at is still to come

  void forget() {
    neutral = {};
    neutral.learn(settings.learning, settings.learning == 0);  // without learning, the mean face stays
    for (Eyelid& eyelid : eyelids) eyelid.reset();
    last.reset();
    asked = false;
    due = settings.neutral_at.has_value();
  }

  void follow(const Eyes& eyes, double time, HeadPose& pose) {
    const double seconds = last ? std::clamp(time - *last, 0.0, 1.0) : 0;
    last = time;
    if (due && time >= *settings.neutral_at) asked = true, due = false;
    if (asked) {
      neutral.learn(asked_seconds, true);
      for (Eyelid& eyelid : eyelids) eyelid.reset();
      asked = false;
    }
    neutral.add(pose, seconds);
    neutral.relate(pose);
    std::array<std::optional<Eyelid::Value>, 2> values;
    for (std::size_t eye = 0; eye < 2; ++eye) {
      if (eyes[eye]) values[eye] = eyelids[eye].follow(*eyes[eye], seconds);
    }
    if (values[0] && values[1]) {
      const double both = std::min(values[0]->closure, values[1]->closure);
      for (auto& value : values) value->closure = both + lone_lid * (value->closure - both);
    }
    for (std::size_t eye = 0; eye < 2; ++eye) {
      if (!values[eye]) continue;
      const Eyelid::Value& value = *values[eye];
      const double blink = blink_of(value.closure);
      // by the slope between open and closed, and at its ends by what a deviation changes
      const double low = blink_of(value.closure - value.deviation), high = blink_of(value.closure + value.deviation);
      pose.expression[lids[eye]] = blink;
      pose.expression_deviation[lids[eye]] = std::max(least_deviation, 0.5 * (high - low));
    }
  }
};

ExpressionTracker::ExpressionTracker(const ExpressionSettings& settings) : state_(std::make_unique<State>()) {
  if (!(settings.learning >= 0) || !std::isfinite(settings.learning)) {
    throw Error(fmt::format("the neutral face is learnt for {} s: give 0 or more", settings.learning));
  }
  if (settings.neutral_at && !std::isfinite(*settings.neutral_at)) {
    throw Error(fmt::format("the neutral face is shown at {} s: give a time", *settings.neutral_at));
  }
  state_->settings = settings;
  state_->forget();
}
ExpressionTracker::~ExpressionTracker() = default;
ExpressionTracker::ExpressionTracker(ExpressionTracker&&) noexcept = default;
ExpressionTracker& ExpressionTracker::operator=(ExpressionTracker&&) noexcept = default;

void ExpressionTracker::follow(const ImageView<const std::uint8_t>& image, std::span<const float> landmarks,
                               double time, HeadPose& pose) {
  const bool readable = image.data != nullptr && landmarks.size() == 2 * HeadPoseSolver::landmarks;
  state_->follow(readable ? eye_patches(image, landmarks) : Eyes{}, time, pose);
}

void ExpressionTracker::follow(const ColourView& image, std::span<const float> landmarks, double time, HeadPose& pose) {
  const bool readable = landmarks.size() == 2 * HeadPoseSolver::landmarks;
  state_->follow(readable ? eye_patches(image, landmarks) : Eyes{}, time, pose);
}

void ExpressionTracker::hold(HeadPose& pose) const {
  state_->neutral.relate(pose);
  for (std::size_t lid : lids) pose.expression[lid] = 0;
}

void ExpressionTracker::set_neutral() { state_->asked = true; }
void ExpressionTracker::reset() { state_->forget(); }

}  // namespace kinema::face
