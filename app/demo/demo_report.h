// The measurements of `kinema demo`, and the report page that shows them.
#pragma once

#include "app/demo/demo_face.h"
#include "app/demo/demo_head.h"
#include "app/demo/demo_walk.h"
#include "bench/body/body_problem.h"
#include "kinema/body.h"
#include "kinema/compute.h"
#include "report/report.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kinema::app {

/// The likelihood alone, for a person made of capsules.
struct LikelihoodDemo {
  bench::BodyProblem problem;
  body::LikelihoodSettings settings;
  Compute compute;
  body::PointCount points;
  std::vector<double> log_likelihood;  // (samples); sample 0 is the true pose
  std::vector<StageTime> stages;
  double make_ms = 0, set_points_ms = 0, evaluate_ms = 0, reference_ms = 0;

  std::size_t true_rank = 1;   // 1: no sample is more likely than the true pose
  std::size_t best_other = 0;  // the most likely sample that is not the true pose
  std::size_t checked = 0;     // samples also evaluated by the reference backend
  double difference = 0;       // the largest among them, relative

  std::size_t samples() const { return log_likelihood.size(); }
  const float* capsules(std::size_t sample) const {
    return problem.capsules.data() + sample * bench::person_capsules * body::capsule_floats;
  }
};

/// The results as text, for the page and the terminal.
struct DemoRow {
  std::string label, text;
};
std::vector<DemoRow> walk_rows(const Walk& walk);
std::vector<DemoRow> head_rows(const HeadDemo& demo);
std::vector<DemoRow> face_rows(const FaceDemo& face);
std::vector<DemoRow> likelihood_rows(const LikelihoodDemo& demo);

report::Report demo_report(const Walk& walk, const HeadDemo& head, const FaceDemo& face,
                           const LikelihoodDemo& likelihood);

// Parts of it: the trackers, and the likelihood with its own title and text.
report::Section walk_section(const Walk& walk);
report::Section head_section(const HeadDemo& demo);
report::Section face_section(const FaceDemo& demo);
report::Section likelihood_section(const LikelihoodDemo& demo);

}  // namespace kinema::app
