#include "bench/face/face_problem.h"

#include "core/random.h"
#include "core/threads.h"
#include "face/model/raster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace kinema::bench {
namespace {

using std::numbers::pi;

constexpr std::uint32_t waves = 48;        // of the texture: each face has its own weight of each
constexpr std::uint32_t shape_bends = 10;  // of the shape

// Random numbers for one purpose: 0 to 1, or around 0.
class Numbers {
public:
  Numbers(std::uint64_t seed, std::uint32_t purpose, std::uint32_t of) : seed_(seed), purpose_(purpose), of_(of) {}
  double uniform() {
    const Philox words = philox(seed_, purpose_, of_, next_++, 0xface);
    return uniform_open(words.word[0], words.word[1]);
  }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  double normal() { return normal_quantile(uniform()); }

private:
  std::uint64_t seed_;
  std::uint32_t purpose_, of_, next_ = 0;
};

enum Purpose : std::uint32_t { texture_waves, bends, face_shape, face_texture, face_place, background, grain, start };

// 68 landmarks in the order of 300-W, around a centre at 0; the face is about 2 wide and 2.4 high.
std::vector<double> mean_landmarks() {
  std::vector<double> shape;
  const auto add = [&](double x, double y) { shape.push_back(x), shape.push_back(y); };
  const auto ellipse = [&](double x, double y, double rx, double ry, double from, double to, int count, bool closed) {
    for (int i = 0; i < count; ++i) {
      const double angle = (from + (to - from) * i / (closed ? count : count - 1)) * pi;
      add(x + rx * std::cos(angle), y + ry * std::sin(angle));
    }
  };
  ellipse(0, -0.05, 1.0, 1.25, 1.04, -0.04, 17, false);     // jaw, from the person's right ear
  ellipse(-0.48, -0.42, 0.32, 0.16, 1.05, 1.95, 5, false);  // brows
  ellipse(0.48, -0.42, 0.32, 0.16, 1.05, 1.95, 5, false);
  for (int i = 0; i < 4; ++i) add(0, -0.25 + 0.15 * i);  // bridge of the nose
  for (int i = 0; i < 5; ++i) add(-0.2 + 0.1 * i, 0.32 + 0.03 * (2 - std::abs(i - 2)));
  ellipse(-0.45, -0.22, 0.17, 0.08, 1, 3, 6, true);  // eyes
  ellipse(0.45, -0.22, 0.17, 0.08, 1, 3, 6, true);
  ellipse(0, 0.65, 0.36, 0.16, 1, 3, 12, true);  // lips, outer and inner
  ellipse(0, 0.65, 0.26, 0.07, 1, 3, 8, true);
  return shape;
}

struct Wave {
  double x, y, phase;
};

std::vector<Wave> make_waves(std::uint64_t seed, std::uint32_t of, std::uint32_t count, double most) {
  Numbers numbers(seed, texture_waves, of);
  std::vector<Wave> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double length = most * std::sqrt(numbers.uniform()), angle = 2 * pi * numbers.uniform();
    all.push_back({length * std::cos(angle), length * std::sin(angle), 2 * pi * numbers.uniform()});
  }
  return all;
}

// Skin with dark brows, eyes, nostrils and mouth, and light from one side.
double mean_texture(double x, double y) {
  const auto blob = [&](double cx, double cy, double rx, double ry) {
    const double u = (x - cx) / rx, v = (y - cy) / ry;
    return std::exp(-(u * u + v * v));
  };
  double value = 150 + 25 * x - 20 * y * y;
  for (const double side : {-1.0, 1.0})
    value += -60 * blob(0.48 * side, -0.53, 0.3, 0.07) - 70 * blob(0.45 * side, -0.22, 0.15, 0.07) -
             40 * blob(0.1 * side, 0.33, 0.06, 0.04);
  value += 30 * blob(0, 0.1, 0.08, 0.3) - 50 * blob(0, 0.65, 0.33, 0.1) + 20 * blob(-0.5, 0.25, 0.25, 0.25) +
           20 * blob(0.5, 0.25, 0.25, 0.25);
  return value;
}

std::vector<double> own_shape(std::uint64_t seed, std::uint32_t number, const std::vector<double>& mean) {
  Numbers numbers(seed, face_shape, number);
  std::vector<double> shape = mean;
  for (std::uint32_t k = 0; k < shape_bends; ++k) {
    // a smooth field over the face, the same for every face, weighted per face
    Numbers field(seed, bends, k);
    const double fx = field.between(-2, 2), fy = field.between(-2, 2), phase = 2 * pi * field.uniform();
    const double angle = 2 * pi * field.uniform(), strength = 0.05 * numbers.normal() / std::sqrt(1.0 + k);
    for (std::size_t i = 0; i < mean.size(); i += 2) {
      const double by = strength * std::sin(fx * mean[i] + fy * mean[i + 1] + phase);
      shape[i] += by * std::cos(angle), shape[i + 1] += by * std::sin(angle);
    }
  }
  const double open = 0.06 * numbers.uniform();
  for (std::size_t i = 55; i < 60; ++i) shape[2 * i + 1] += open;
  for (std::size_t i = 65; i < 68; ++i) shape[2 * i + 1] += 1.3 * open;
  return shape;
}

struct Painter {
  const std::vector<double>& mean;
  const std::vector<Wave>& texture;
  std::vector<double> strengths;

  double operator()(double x, double y) const {
    double value = mean_texture(x, y);
    for (std::size_t i = 0; i < texture.size(); ++i)
      value += strengths[i] * std::cos(texture[i].x * x + texture[i].y * y + texture[i].phase);
    return value;
  }

  // The triangle's part of the image: each of its pixels shows the corresponding position of the mean face.
  void paint(const std::array<std::uint16_t, 3>& corner, const std::vector<double>& at, std::size_t width,
             std::size_t height, std::vector<float>& picture) const {
    const auto x = [&](std::size_t k) { return at[2 * std::size_t{corner[k]}]; };
    const auto y = [&](std::size_t k) { return at[2 * std::size_t{corner[k]} + 1]; };
    const double area = (x(1) - x(0)) * (y(2) - y(0)) - (x(2) - x(0)) * (y(1) - y(0));
    if (std::abs(area) < 1e-9) return;
    const auto low = [](double a, double b, double c, std::size_t end) {
      return static_cast<std::size_t>(std::clamp(std::floor(std::min({a, b, c})), 0.0, static_cast<double>(end)));
    };
    const auto high = [](double a, double b, double c, std::size_t end) {
      return static_cast<std::size_t>(std::clamp(std::ceil(std::max({a, b, c})) + 1, 0.0, static_cast<double>(end)));
    };
    for (std::size_t v = low(y(0), y(1), y(2), height); v < high(y(0), y(1), y(2), height); ++v)
      for (std::size_t u = low(x(0), x(1), x(2), width); u < high(x(0), x(1), x(2), width); ++u) {
        const double px = static_cast<double>(u), py = static_cast<double>(v);
        const double b = ((px - x(0)) * (y(2) - y(0)) - (x(2) - x(0)) * (py - y(0))) / area;
        const double c = ((x(1) - x(0)) * (py - y(0)) - (px - x(0)) * (y(1) - y(0))) / area;
        if (b < -1e-9 || c < -1e-9 || b + c > 1 + 1e-9) continue;
        const double a = 1 - b - c;
        const auto mean_at = [&](std::size_t k, std::size_t axis) { return mean[2 * std::size_t{corner[k]} + axis]; };
        picture[v * width + u] = static_cast<float>((*this)(a * mean_at(0, 0) + b * mean_at(1, 0) + c * mean_at(2, 0),
                                                            a * mean_at(0, 1) + b * mean_at(1, 1) + c * mean_at(2, 1)));
      }
  }
};

}  // namespace

DrawnFace draw_face(std::uint64_t seed, std::uint32_t number, const DrawSettings& settings) {
  DrawnFace drawn{settings.width, settings.height, {}, {}};
  const std::size_t count = settings.width * settings.height;
  std::vector<float> picture(count);

  const std::vector<Wave> behind = make_waves(seed, 1000 + number, 6, 25.0 / static_cast<double>(settings.width));
  Numbers backdrop(seed, background, number);
  const double level = backdrop.between(60, 190);
  for (std::size_t v = 0; v < settings.height; ++v)
    for (std::size_t u = 0; u < settings.width; ++u) {
      double value = level;
      for (const Wave& wave : behind)
        value += 14 * std::cos(wave.x * static_cast<double>(u) + wave.y * static_cast<double>(v) + wave.phase);
      picture[v * settings.width + u] = static_cast<float>(value);
    }

  const std::vector<double> mean = mean_landmarks(), own = own_shape(seed, number, mean);
  const std::vector<Wave> texture = make_waves(seed, 0, waves, 9);
  Numbers tone(seed, face_texture, number);
  Painter painter{mean, texture, {}};
  for (std::uint32_t i = 0; i < waves; ++i) painter.strengths.push_back(7 * std::exp(i / -16.0) * tone.normal());
  Numbers place(seed, face_place, number);
  const double size = settings.size * place.between(0.9, 1.1), turn = 0.15 * (place.uniform() - 0.5);
  const double cx = settings.x * static_cast<double>(settings.width) + place.between(-5, 5);
  const double cy = settings.y * static_cast<double>(settings.height) + place.between(-5, 5);
  std::vector<double> at(own.size());
  for (std::size_t i = 0; i < own.size(); i += 2) {
    at[i] = cx + size * (std::cos(turn) * own[i] - std::sin(turn) * own[i + 1]);
    at[i + 1] = cy + size * (std::sin(turn) * own[i] + std::cos(turn) * own[i + 1]);
  }
  for (const auto& triangle : face::delaunay(mean))
    painter.paint(triangle, at, settings.width, settings.height, picture);

  for (std::size_t i = 0; i < count; ++i) {
    const Philox words = philox(seed, grain, number, static_cast<std::uint32_t>(i), 0);
    const double noise = 6 * uniform_open(words.word[0], words.word[1]) - 3;
    drawn.pixels.push_back(static_cast<std::uint8_t>(std::clamp(picture[i] + noise + 0.5, 0.0, 255.0)));
  }
  drawn.landmarks.assign(at.begin(), at.end());
  return drawn;
}

face::Start displaced_start(const DrawnFace& drawn, std::uint64_t seed, std::uint32_t number) {
  Numbers numbers(seed, start, number);
  double x = 0, y = 0, square = 0;
  const std::size_t points = drawn.landmarks.size() / 2;
  const auto n = static_cast<double>(points);
  for (std::size_t i = 0; i < drawn.landmarks.size(); i += 2) x += drawn.landmarks[i], y += drawn.landmarks[i + 1];
  x /= n, y /= n;
  for (std::size_t i = 0; i < drawn.landmarks.size(); i += 2)
    square += (drawn.landmarks[i] - x) * (drawn.landmarks[i] - x) +
              (drawn.landmarks[i + 1] - y) * (drawn.landmarks[i + 1] - y);
  const double size = std::sqrt(square / n);
  const double scale = 1 + 0.05 * numbers.normal(), turn = 0.05 * numbers.normal();
  const double dx = 0.07 * size * numbers.normal(), dy = 0.07 * size * numbers.normal();
  face::Start displaced;
  for (std::size_t i = 0; i < drawn.landmarks.size(); i += 2) {
    const double u = drawn.landmarks[i] - x, v = drawn.landmarks[i + 1] - y;
    displaced.landmarks.push_back(static_cast<float>(x + dx + scale * (std::cos(turn) * u - std::sin(turn) * v)));
    displaced.landmarks.push_back(static_cast<float>(y + dy + scale * (std::sin(turn) * u + std::cos(turn) * v)));
  }
  return displaced;
}

std::vector<DrawnFace> draw_faces(std::uint64_t seed, std::uint32_t count, int threads) {
  std::vector<DrawnFace> faces(count);
  Threads(threads).for_each(count, [&](std::size_t i) { faces[i] = draw_face(seed, static_cast<std::uint32_t>(i)); });
  return faces;
}

std::shared_ptr<const face::Model> make_face_model(const std::vector<DrawnFace>& faces,
                                                   const FaceModelSettings& settings) {
  std::vector<face::Example> examples;
  examples.reserve(faces.size());
  for (const DrawnFace& one : faces) examples.push_back({one.view(), one.landmarks, "drawn"});
  face::TrainSettings train;
  train.pixels = settings.pixels;
  train.levels = 1;
  train.features = settings.features;
  train.resampled = settings.resampled;
  train.mirrored = false;
  train.combined_modes = settings.modes;
  train.shape_modes = 10;
  train.texture_modes = 50;
  train.project_out = settings.project_out;
  train.cascade_stages = settings.cascade_stages;
  train.quality = false;
  train.seed = settings.seed;
  train.threads = settings.threads;
  face::Model model = face::train(examples, face::default_layout(face_landmarks), train);
  model.sequence = {{face::Method::combined, 0, 10, 0}};
  return std::make_shared<const face::Model>(std::move(model));
}

}  // namespace kinema::bench
