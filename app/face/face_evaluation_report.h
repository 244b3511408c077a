// The report page of `kinema face evaluate`.
#pragma once

#include "app/face/face_evaluation.h"
#include "report/report.h"

#include <string>

namespace kinema::app {

/// `worst`: an image of the worst faces; without bytes if there is none.
report::Report face_evaluation_report(const FaceEvaluation& evaluation, const std::string& model,
                                      const std::string& images, const std::string& start,
                                      const report::Pictures::Picture& worst);

/// The cumulative curve of the errors.
report::Plot face_curve(const FaceEvaluation& evaluation);

}  // namespace kinema::app
