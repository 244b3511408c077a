// What `kinema demo` found out, and the page that shows it: one HTML file that needs nothing beside it.
#pragma once

#include "app/demo_face.h"
#include "app/demo_head.h"
#include "app/demo_walk.h"
#include "bench/body_problem.h"
#include "kinema/backend.h"
#include "kinema/body.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kinema::app {

/// The likelihood alone, on a person made of capsules.
struct LikelihoodDemo {
  bench::BodyProblem problem;
  body::LikelihoodSettings settings;
  Backend backend = Backend::automatic;
  body::PointCount points;
  std::vector<double> log_likelihood;  // (samples); sample 0 is the true pose
  std::vector<StageTime> stages;
  double make_ms = 0, set_points_ms = 0, evaluate_ms = 0, reference_ms = 0;

  std::size_t true_rank = 1;   // 1: no sample is more likely than the true pose
  std::size_t best_other = 0;  // the most likely sample that is not the true pose
  std::size_t checked = 0;     // samples that the reference backend weighed too
  double difference = 0;       // the largest among them, relative

  std::size_t samples() const { return log_likelihood.size(); }
  const float* capsules(std::size_t sample) const {
    return problem.capsules.data() + sample * bench::person_capsules * body::capsule_floats;
  }
};

/// The rows of the table, for the page and for the terminal.
struct DemoRow {
  std::string label, text;
};
std::vector<DemoRow> walk_rows(const Walk& walk);
std::vector<DemoRow> head_rows(const HeadDemo& demo);
std::vector<DemoRow> face_rows(const FaceDemo& face);
std::vector<DemoRow> likelihood_rows(const LikelihoodDemo& demo);

/// The head's part of the page.
std::string head_part(const HeadDemo& demo);

std::string demo_page(const Walk& walk, const HeadDemo& head, const FaceDemo& face, const LikelihoodDemo& likelihood);

}  // namespace kinema::app
