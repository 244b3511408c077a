// kinema face train --start: a model that is refined on faces of the user's own.
#pragma once

#include "app/options/face_options.h"
#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "io/faces/face_model_file.h"
#include "kinema/error.h"
#include "kinema/face_refine.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::app {

struct RefineOptions {
  CommonOptions common;
  ImageOptions images;            ///< labelled faces, or
  std::vector<std::string> film;  ///< a film or pictures of one person
  std::string start;              ///< "shipped" or a file
  std::string out, detector, note;
  bool mirrored = true, sequence = false;
};

/// The file of --start. Throws Error if it is the model that ships and that is not installed.
std::filesystem::path start_file(const std::string& start);

/// In which a model of a file is stored.
io::FaceModelPrecision precision_of(const std::filesystem::path& file);

void refine_face_model(const RefineOptions& options);

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
