// kinema body likelihood: log p of eq. 3 for files of points and capsules, shared among the ranks of mpirun.
#include "app/options/options.h"
#include "app/options/places.h"
#include "app/options/progress.h"
#include "core/stopwatch.h"
#include "io/files/npy.h"
#include "io/files/output_file.h"
#include "kinema/body.h"
#include "kinema/error.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace kinema::app {
namespace {

using io::any_size;

struct BodyLikelihoodOptions {
  CommonOptions common;
  std::string points, capsules, background, out;
  body::LikelihoodSettings settings;
  bool no_free_space = false, no_culling = false;
};

struct Input {
  io::NpyArray<float> points;    // (I, 3)
  io::NpyArray<float> capsules;  // (J, K, 7)
  std::optional<io::NpyArray<std::uint8_t>> background;

  std::size_t samples() const { return capsules.shape[0]; }
  std::size_t capsules_each() const { return capsules.shape[1]; }
  PointsView points_view() const {
    PointsView view{points.data.data(), points.shape[0], {}};
    if (background) view.background = background->data;
    return view;
  }
  body::CapsulesView samples_view(Slice slice) const {
    return {capsules.data.data() + slice.begin * capsules_each() * body::capsule_floats, slice.size(), capsules_each(),
            body::capsule_floats};
  }
};

Input read(const BodyLikelihoodOptions& options) {
  Input input;
  input.points = io::read_npy<float>(options.points, {any_size, 3});
  input.capsules = io::read_npy<float>(options.capsules, {any_size, any_size, body::capsule_floats});
  if (!options.background.empty()) {
    input.background = io::read_npy<std::uint8_t>(options.background, {any_size});
    if (input.background->shape[0] != input.points.shape[0]) {
      throw Error(fmt::format("{}: marks {} points where {} has {}: give one mark per point", options.background,
                              input.background->shape[0], options.points, input.points.shape[0]));
    }
  }
  // such a file holds no data, so its size does not bound the number of samples
  constexpr std::size_t most_without_capsules = 10'000'000;
  if (input.capsules_each() == 0 && input.samples() > most_without_capsules) {
    throw Error(fmt::format("{}: has the shape {}, samples without a capsule: give capsules, or fewer samples",
                            options.capsules, io::shape_text(input.capsules.shape)));
  }
  return input;
}

// Why the capsules of a file are refused, in terms of the file. A rank has a slice of the samples, and the library no
// file at all; so the position is determined here, once an error is known.
std::optional<std::string> first_bad_capsule(const Input& input) {
  const char* names[body::capsule_floats] = {"ax", "ay", "az", "r", "bx", "by", "bz"};
  const std::vector<float>& data = input.capsules.data;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::size_t number = i % body::capsule_floats, capsule = i / body::capsule_floats;
    const bool radius = number == 3;
    if (std::isfinite(data[i]) && (!radius || data[i] > 0)) continue;
    return fmt::format("[{}, {}, {}] ({}) is {}: {}", capsule / input.capsules_each(), capsule % input.capsules_each(),
                       number, names[number], data[i],
                       radius ? "a radius must be finite and above 0" : "an end of a capsule must be finite");
  }
  return std::nullopt;
}

// The number of ray-capsule tests per call, about a second of work, for the progress bar.
std::size_t tests_a_call(Backend backend) {
  switch (backend) {
    case Backend::reference:
      return std::size_t{1} << 26;
    case Backend::cuda:
      return std::size_t{1} << 38;
    default:
      return std::size_t{1} << 33;
  }
}

struct Weighing {
  body::PointCount points;
  std::vector<double> log_likelihood;  // of this rank's slice
  double set_points_ms = 0, evaluate_ms = 0;
  std::vector<StageTime> stages;
};

void add_times(std::vector<StageTime>& sums, const std::vector<StageTime>& times) {
  for (const StageTime& time : times) {
    auto sum = std::find_if(sums.begin(), sums.end(), [&](const auto& s) { return s.stage == time.stage; });
    if (sum == sums.end())
      sums.push_back(time);
    else
      sum->ms += time.ms;
  }
}

Weighing evaluate(const BodyLikelihoodOptions& options, const Input& input, const Ranks& ranks) {
  Weighing result;
  const auto likelihood = body::make_likelihood(options.settings, options.common.compute);
  Stopwatch watch;
  result.points = likelihood->set_points(input.points_view());
  result.set_points_ms = watch.lap();

  const Slice mine = ranks.slice(input.samples());
  result.log_likelihood.resize(mine.size());
  const std::size_t tests_a_sample = std::max<std::size_t>(1, input.points.shape[0] * input.capsules_each());
  const std::size_t step = std::max<std::size_t>(1, tests_a_call(options.common.compute.backend) / tests_a_sample);
  Progress progress("samples", mine.size(), ranks.first());
  try {
    for (std::size_t begin = mine.begin; begin < mine.end; begin += step) {
      const Slice part{begin, std::min(begin + step, mine.end)};
      likelihood->evaluate(input.samples_view(part),
                           std::span(result.log_likelihood).subspan(begin - mine.begin, part.size()));
      add_times(result.stages, likelihood->times());
      progress.show(part.end - mine.begin);
    }
  } catch (const Error& error) {
    if (error.cause() != Error::Cause::input) throw;
    throw Error(fmt::format("{}: {}", options.capsules, first_bad_capsule(input).value_or(error.what())));
  }
  result.evaluate_ms = watch.lap();
  return result;
}

void check(BodyLikelihoodOptions& options) {
  check_places({}, {{"--out", options.out}},
               {{"--points", options.points}, {"--capsules", options.capsules}, {"--background", options.background}},
               options.common);
  for (const auto& [flag, value] : {std::pair{"--tau", options.settings.tau}, {"--sigma", options.settings.sigma}}) {
    if (!std::isfinite(value) || value <= 0) {
      throw Error(fmt::format("{} is {}: it must be a finite number of metres above 0", flag, value));
    }
  }
}

void run(BodyLikelihoodOptions options, const Ranks& ranks) {
  std::optional<io::OutputFile> out;
  Input input;
  Weighing mine;
  Stopwatch watch;
  double read_ms = 0;
  ranks.together([&] {
    check(options);
    check_devices(options.common);
    divide_machine(ranks, options.common);
    options.common.compute = choose(options.common.compute);
    if (ranks.first()) out.emplace(options.out);
    watch.lap();
    input = read(options);
    read_ms = watch.lap();
  });
  ranks.together([&] { mine = evaluate(options, input, ranks); });

  std::vector<double> all;
  ranks.together([&] { all.resize(ranks.first() ? input.samples() : 0); });
  ranks.gather(mine.log_likelihood, all);
  watch.lap();
  ranks.together([&] {
    if (!ranks.first()) return;
    io::write_npy<double>(*out, all, {all.size()});
    out->commit();
  });
  const double write_ms = watch.lap();
  if (!ranks.first()) return;

  if (mine.points.dropped > 0) {
    warn(stderr, "{}: dropped {} of {} points, which are not finite or lie at the camera", options.points,
         mine.points.dropped, input.points.shape[0]);
  }
  const auto best = std::max_element(all.begin(), all.end());
  if (!options.common.json) {
    fmt::print("{} points, {} samples of {} capsules on {}: {:.1f} ms\n", mine.points.used, all.size(),
               input.capsules_each(), name(options.common.compute.backend), mine.evaluate_ms);
    if (best != all.end()) fmt::print("best: sample {}, log-likelihood {:.6g}\n", best - all.begin(), *best);
    return;
  }
  nlohmann::ordered_json json;
  json["backend"] = name(options.common.compute.backend);
  json["points"] = input.points.shape[0];
  json["used"] = mine.points.used;
  json["dropped"] = mine.points.dropped;
  json["samples"] = all.size();
  json["capsules"] = input.capsules_each();
  json["ranks"] = ranks.count();
  json["devices"] = options.common.compute.devices;
  json["ms"] = {{"read", read_ms},
                {"set_points", mine.set_points_ms},
                {"evaluate", mine.evaluate_ms},
                {"write", write_ms},
                {"stages", nlohmann::ordered_json::object()}};
  for (const StageTime& time : mine.stages) json["ms"]["stages"][time.stage] = time.ms;
  json["results"] = {{"out", options.out}};
  if (best != all.end()) {
    json["results"]["best"] = {{"sample", best - all.begin()}, {"log_likelihood", *best}};
    json["results"]["min"] = *std::min_element(all.begin(), all.end());
    json["results"]["max"] = *best;
  }
  print_json(json);
}

// "0,-0.5,2"
Vec3 parse_camera(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& word : split(text, ',')) {
    std::size_t used = 0;
    try {
      numbers.push_back(std::stod(word, &used));
    } catch (const std::exception&) {
      used = word.size() + 1;
    }
    if (used != word.size() || !std::isfinite(numbers.back())) {
      throw Error(fmt::format("--camera is '{}': give three finite numbers of metres, such as 0,-0.5,2", text));
    }
  }
  if (numbers.size() != 3) {
    throw Error(fmt::format("--camera is '{}': give three numbers of metres, such as 0,-0.5,2", text));
  }
  return {numbers[0], numbers[1], numbers[2]};
}

body::Association parse_association(const std::string& word) {
  if (word == "nearest") return body::Association::nearest;
  if (word == "first-hit") return body::Association::first_hit;
  throw Error(fmt::format("--association is '{}': it is nearest or first-hit", word));
}

}  // namespace

void add_body_likelihood(Verb parent, Task& task) {
  Verb verb = parent.add("likelihood", "Compute the log-likelihood of poses, given the points of a frame");
  const auto options = std::make_shared<BodyLikelihoodOptions>();
  body::LikelihoodSettings& settings = options->settings;
  verb.option("--points", options->points, "P.npy", "Points (I,3) float32, metres, z forward").required();
  verb.option("--capsules", options->capsules, "C.npy", "Poses (J,K,7) float32 as ax ay az r bx by bz").required();
  verb.option("--out", options->out, "L.npy", "The result (J,) float64: log p of eq. 3 without its constant")
      .required();
  verb.length("--tau", settings.tau, "Distance at which residuals are truncated, in metres or with a unit")
      .show_default(settings.tau);
  verb.length("--sigma", settings.sigma, "Standard deviation of a point about the skin, in metres or with a unit")
      .show_default(settings.sigma);
  verb.parsed(
      "--association", settings.association, parse_association, "nearest|first-hit",
      "Compare a point with the capsule whose surface is nearest along its ray (the default), or with the first "
      "one hit");
  verb.parsed("--camera", settings.camera, parse_camera, "x,y,z", "Origin of all rays, in metres [0,0,0]");
  verb.option("--background", options->background, "B.npy",
              "Marks (I,) bool or uint8: nonzero for a point behind the person");
  verb.flag("--no-free-space", options->no_free_space, "Ignore the marks: the paper's sum exactly");
  verb.flag("--no-culling", options->no_culling, "Test every capsule on every ray: the same bits, slower");
  add_common_options(verb, options->common);
  verb.chosen([options, &task] {
    options->settings.free_space = !options->no_free_space;
    options->settings.culling = !options->no_culling;
    task.shared = true;
    task.run = [options](const Ranks& ranks) { run(*options, ranks); };
  });
}

}  // namespace kinema::app
