// A user's program, through the installed headers and library alone: one sphere, seen by one ray, and a file of a person.
#include <kinema/kinema.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  kinema::body::LikelihoodSettings settings;
  settings.tau = 0.1;
  settings.sigma = 0.05;
  const auto likelihood = kinema::body::make_likelihood(settings, kinema::Backend::cpu);

  // the skin lies at 1.9 m on the ray, the point 0.05 m before it
  const std::vector<float> point = {0.0f, 0.0f, 1.85f};
  const std::vector<float> sphere = {0.0f, 0.0f, 2.0f, 0.1f, 0.0f, 0.0f, 2.0f};
  double log_likelihood = 0;
  likelihood->set_points({point.data(), 1});
  likelihood->evaluate({sphere.data(), 1, 1, kinema::body::capsule_floats}, {&log_likelihood, 1});

  const double expected = -0.05 * 0.05 / (2 * 0.05 * 0.05);
  std::printf("kinema %s: log likelihood %.6f, expected %.6f\n", kinema::build().version.c_str(), log_likelihood,
              expected);
  if (std::abs(log_likelihood - expected) > 1e-4) return 1;  // float32 inputs: 1.85 is off by 2e-8 m

  const kinema::body::Skeleton person = kinema::body::default_human();
  kinema::write_skeleton("person.json", person);
  if (kinema::read_skeleton("person.json").joints.size() != person.joints.size()) return 1;

  // the library's own data are found from wherever this program lies
  return kinema::read_face_model().shape.landmarks() > 0 ? 0 : 1;
}
