#include "kinema/one_euro.h"

#include "core/low_pass.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace kinema::head {

OneEuro::OneEuro(const OneEuroSettings& settings) : settings_(settings) {
  for (const auto& [name, value] :
       {std::pair{"cutoff", settings.cutoff}, {"cutoff of the speed", settings.speed_cutoff}}) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw Error(fmt::format("the smoothing has a {} of {}: give hertz above 0", name, value));
    }
  }
  if (!(settings.beta >= 0) || !std::isfinite(settings.beta)) {
    throw Error(fmt::format("the smoothing has a beta of {}: give 0 or more", settings.beta));
  }
}

double OneEuro::filter(double value, double time) {
  const double seconds = time - time_;
  time_ = time;
  if (!started_ || !(seconds > 0)) {
    started_ = true;
    speed_ = 0;
    return value_ = value;
  }
  const double speed = (value - value_) / seconds;
  speed_ += low_pass_share(settings_.speed_cutoff, seconds) * (speed - speed_);
  const double cutoff = settings_.cutoff + settings_.beta * std::abs(speed_);
  return value_ += low_pass_share(cutoff, seconds) * (value - value_);
}

}  // namespace kinema::head
