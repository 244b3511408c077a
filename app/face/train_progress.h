// The progress bar of a training, which Ctrl-C ends.
#pragma once

#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "kinema/error.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kinema::app {

class TrainProgress {
public:
  /// For TrainSettings::progress; not beyond the life of this.
  std::function<void(std::string_view stage, double done)> teller() {
    return [this](std::string_view stage, double done) {
      if (interrupt_.asked())
        throw Error("stopped before the model was made; nothing was written", Error::Cause::running);
      if (stage != stage_) bar_.emplace(std::string(stage), 1000, true);
      stage_ = stage;
      bar_->show(static_cast<std::size_t>(1000 * std::clamp(done, 0.0, 1.0)));
    };
  }

  void end() { bar_.reset(); }

private:
  const Interrupt interrupt_;
  std::optional<Progress> bar_;
  std::string stage_;
};

}  // namespace kinema::app
