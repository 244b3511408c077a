// The report page of `kinema body evaluate`.
#pragma once

#include "app/body/evaluation.h"
#include "report/report.h"

#include <string>

namespace kinema::app {

report::Report evaluation_report(const Evaluation& evaluation, const std::string& poses, const std::string& truth);

// Parts of it, for other reports.
report::Table joints_table(const Evaluation& evaluation);
report::Plot frames_plot(const Evaluation& evaluation);

}  // namespace kinema::app
