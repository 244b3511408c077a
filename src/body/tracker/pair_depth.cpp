#include "body/tracker/pair_depth.h"

#include "body/constants_mechanisms.h"
#include "body/tracker/constants_pairs.h"
#include "kinema/body.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace kinema::body {

using namespace constants::pairs;

namespace {

// How often pictures are halved, as a factor.
int reduction_of(const TrackerSettings& settings) {
  int reduction = 1;
  const auto too_large = [&] {
    return settings.camera.fx * settings.baseline / settings.stereo.nearest > most_disparities * reduction ||
           settings.camera.width > widest * reduction;
  };
  while (reduction < 8 && too_large()) reduction *= 2;
  return reduction;
}

Camera reduced_camera(const Camera& camera, int reduction) {
  const double r = reduction;
  return {camera.width / reduction,    camera.height / reduction,  camera.fx / r, camera.fy / r,
          (camera.cx + 0.5) / r - 0.5, (camera.cy + 0.5) / r - 0.5};
}

// What a ball at `along` on an axis of the picture and `z` ahead covers of it: slopes of the rays that touch its sides.
struct Cover {
  double low, high;
};
Cover cover(double along, double z, double radius) {
  constexpr double widest = 1e3;
  const double distance = std::hypot(along, z);
  if (distance <= radius) return {-widest, widest};
  const double turn = std::atan2(along, z), half = std::asin(radius / distance);
  const auto slope = [&](double angle) {
    return std::abs(angle) < 1.5 ? std::tan(angle) : std::copysign(widest, angle);
  };
  return {slope(turn - half), slope(turn + half)};
}

}  // namespace

PairDepth::PairDepth(const TrackerSettings& settings, const Compute& compute)
    : given_(settings.camera),
      threads_(compute.threads),
      reduction_(reduction_of(settings)),
      camera_(reduced_camera(settings.camera, reduction_)),
      gate_(settings.foreground.gate),
      past_depth_(static_cast<float>(past_distance * settings.foreground.farthest)),
      matcher_(stereo::make_matcher(camera_, settings.baseline, settings.stereo, compute)),
      rows_(camera_.width, camera_.height),
      depth_(static_cast<std::size_t>(camera_.width) * static_cast<std::size_t>(camera_.height)),
      deviation_(depth_.size()) {}

ImageView<const std::uint8_t> PairDepth::reduced(ImageView<const std::uint8_t> picture,
                                                 std::vector<std::uint8_t>& pixels) const {
  if (picture.width != static_cast<std::size_t>(given_.width) ||
      picture.height != static_cast<std::size_t>(given_.height) || picture.data == nullptr)
    throw Error(fmt::format("the picture has {} x {} pixels and the camera {} x {}", picture.width, picture.height,
                            given_.width, given_.height));
  if (reduction_ == 1) return picture;
  const auto width = static_cast<std::size_t>(camera_.width), height = static_cast<std::size_t>(camera_.height);
  const auto side = static_cast<std::size_t>(reduction_);
  const auto count = static_cast<unsigned>(reduction_ * reduction_);
  pixels.resize(width * height);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      unsigned sum = count / 2;
      for (std::size_t j = 0; j < side; ++j)
        for (std::size_t i = 0; i < side; ++i) sum += picture.at(x * side + i, y * side + j);
      pixels[y * width + x] = static_cast<std::uint8_t>(sum / count);
    }
  }
  return {pixels.data(), width, height, width};
}

// The first pair, matched: throws Error if its pictures are exchanged or their rows far apart. Rows that are a few pixels
// apart are matched again as they should be.
void PairDepth::check_pair(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right) {
  const auto known = [](const stereo::Disparities& of) {
    return static_cast<double>(std::count_if(of.disparity.begin(), of.disparity.end(), [](float d) { return d > 0; })) /
           static_cast<double>(of.disparity.size());
  };
  const double share = known(disparities_), needed = doubted_ratio * share + doubtful_share / 4;
  if (share > doubtful_share) return;
  stereo::Disparities tried;
  matcher_->match(right, left, {}, window_, tried);
  const double exchanged = known(tried);
  double best = std::max(needed, exchanged);
  int below = 0;
  for (int rows = -farthest_rows; rows <= farthest_rows; rows += 2) {
    if (rows == 0) continue;
    matcher_->match(left, right, {static_cast<double>(rows), 0, 0}, window_, tried);
    if (known(tried) > best) best = known(tried), below = rows;
  }
  if (below == 0) {
    if (exchanged <= needed) return;
    throw Error("the pictures of the pair are exchanged: they match the other way round; swap left and right");
  }
  if (std::abs(below) > corrected_rows)
    throw Error(
        fmt::format("the rows of the pair do not agree: the right picture lies about {} pixels {}; calibrate the "
                    "cameras, or rectify the pictures",
                    std::abs(below), below > 0 ? "lower" : "higher"));
  rows_.begin_at({static_cast<double>(below), 0, 0});
  matcher_->match(left, right, rows_.shift(), window_, disparities_);
}

void PairDepth::drop_unseen(const io::GreyPair::Seen& seen) {
  const auto columns = static_cast<std::size_t>(given_.width), side = static_cast<std::size_t>(reduction_);
  for (int y = window_.top; y < window_.bottom; ++y) {
    const std::size_t row = static_cast<std::size_t>(y) * side * columns;
    for (int x = window_.left; x < window_.right; ++x) {
      float& d = disparities_.disparity[static_cast<std::size_t>(y) * static_cast<std::size_t>(camera_.width) +
                                        static_cast<std::size_t>(x)];
      if (d <= 0) continue;
      const auto match = static_cast<std::ptrdiff_t>(std::lround(static_cast<float>(x) - d));
      if (match < 0 || seen.left[row + static_cast<std::size_t>(x) * side] == 0 ||
          seen.right[row + static_cast<std::size_t>(match) * side] == 0)
        d = 0;
    }
  }
}

stereo::Window PairDepth::window_around(std::span<const float> expected) const {
  double left = 1e9, top = 1e9, right = -1e9, bottom = -1e9, nearest = 1e9;
  for (std::size_t k = 0; k + capsule_floats <= expected.size(); k += capsule_floats) {
    const float* c = expected.data() + k;
    for (const std::size_t end : {0, 4}) {
      // whatever passes the gate, and a margin for the paths to settle in
      const double reach = static_cast<double>(c[3]) + gate_, z = c[end + 2];
      const Cover across = cover(c[end], z, reach), down = cover(c[end + 1], z, reach);
      left = std::min(left, camera_.fx * across.low + camera_.cx);
      right = std::max(right, camera_.fx * across.high + camera_.cx);
      top = std::min(top, camera_.fy * down.low + camera_.cy);
      bottom = std::max(bottom, camera_.fy * down.high + camera_.cy);
      nearest = std::min(nearest, std::max(z - reach, 0.1));
    }
  }
  const stereo::Window& all = matcher_->whole();
  const auto pixel = [](double at, int low, int high) {
    return static_cast<int>(std::clamp(at, static_cast<double>(low), static_cast<double>(high)));
  };
  return {pixel(left - window_margin, 0, all.right), pixel(top - window_margin, 0, all.bottom),
          pixel(right + window_margin + 1, 0, all.right), pixel(bottom + window_margin + 1, 0, all.bottom),
          pixel(matcher_->focal_baseline() / nearest + 2, 2, all.disparities)};
}

ImageView<const float> PairDepth::depth(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                                        const io::GreyPair::Seen* seen, std::span<const float> expected) {
  left_ = left = reduced(left, small_left_);
  right = reduced(right, small_right_);
  const std::string& fault = lenses_.look(left, right);
  if (lenses_.lasts()) throw Error(fault);
  window_ = matcher_->whole();
  bool whole = expected.empty() || --until_whole_ <= 0;
  if (!whole) {
    const stereo::Window part = window_around(expected);
    whole = part.right - part.left < least_window || part.bottom - part.top < least_window;
    if (!whole) window_ = part;
  }
  matcher_->match(left, right, rows_.shift(), window_, disparities_);
  if (whole && fault.empty() && rows_.pairs() < row_pairs) {
    // the first pair is matched again on rows that agree
    const bool first = rows_.pairs() == 0;
    if (first) check_pair(left, right);
    rows_.add(left, right, disparities_);
    if (first) matcher_->match(left, right, rows_.shift(), window_, disparities_);
  }
  if (seen != nullptr) drop_unseen(*seen);
  if (whole) until_whole_ = rows_.pairs() < row_pairs ? 1 : refresh_interval;

  const auto width = static_cast<std::size_t>(camera_.width), height = static_cast<std::size_t>(camera_.height);
  const auto product = static_cast<float>(matcher_->focal_baseline());
  threads_.for_each(static_cast<std::size_t>(window_.bottom - window_.top), [&](std::size_t row) {
    const std::size_t first = (static_cast<std::size_t>(window_.top) + row) * width;
    const float distance = product;  // of one pixel of disparity
    for (std::size_t i = first + static_cast<std::size_t>(window_.left);
         i < first + static_cast<std::size_t>(window_.right); ++i) {
      const float d = disparities_.disparity[i];
      depth_[i] = d > 0 ? distance / d : 0;
      deviation_[i] = d > 0 ? disparities_.deviation[i] * distance / (d * d) : 0;
    }
  });
  if (!expected.empty()) {
    double farthest = 0;
    for (std::size_t k = 0; k + capsule_floats <= expected.size(); k += capsule_floats)
      farthest = std::max({farthest, static_cast<double>(expected[k + 2]), static_cast<double>(expected[k + 6])});
    look_past(farthest);
  }
  return {depth_.data(), width, height, width};
}

void PairDepth::set_deviations(PointCloud& cloud) const {
  cloud.deviation.resize(cloud.size());
  in_parts(&threads_, cloud.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const float* p = cloud.xyz.data() + 3 * i;
      cloud.deviation[i] = 0;
      if (!mechanisms::pair_deviations || cloud.background[i] != 0) continue;
      const auto x = static_cast<std::size_t>(std::lround(camera_.fx * static_cast<double>(p[0] / p[2]) + camera_.cx)),
                 y = static_cast<std::size_t>(std::lround(camera_.fy * static_cast<double>(p[1] / p[2]) + camera_.cy));
      cloud.deviation[i] = deviation_[y * static_cast<std::size_t>(camera_.width) + x];
    }
  });
}

void PairDepth::look_past(double depth) {
  if (!mechanisms::plain_areas) return;
  areas_.mark_beyond(left_, disparities_, window_, matcher_->focal_baseline() / (depth + past_margin), threads_, past_);
  const auto width = static_cast<std::size_t>(camera_.width);
  threads_.for_each(static_cast<std::size_t>(window_.bottom - window_.top), [&](std::size_t row) {
    const std::size_t first = (static_cast<std::size_t>(window_.top) + row) * width;
    for (std::size_t i = first + static_cast<std::size_t>(window_.left);
         i < first + static_cast<std::size_t>(window_.right); ++i)
      if (float& own = depth_[i]; own == 0 || own == past_depth_) own = past_[i] != 0 ? past_depth_ : 0;
  });
}

}  // namespace kinema::body
