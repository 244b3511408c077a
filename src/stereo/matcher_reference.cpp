// The reference: semi-global matching as Hirschmüller (PAMI 2008, section 2) describes it, with the whole volume of
// costs in memory and one path after the other; least squares and deviations in double precision.
#include "stereo/constants.h"
#include "stereo/matcher_backends.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstdlib>

namespace kinema::stereo {
namespace {

using namespace constants;

// A value for each pixel of a picture; beyond its border, that of the border.
template <class T>
struct Plane {
  Plane() = default;
  Plane(int w, int h, T value)
      : width(w), height(h), values(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), value) {}
  T& at(int x, int y) {
    const auto column = static_cast<std::size_t>(std::clamp(x, 0, width - 1));
    return values[static_cast<std::size_t>(std::clamp(y, 0, height - 1)) * static_cast<std::size_t>(width) + column];
  }
  T at(int x, int y) const { return const_cast<Plane*>(this)->at(x, y); }

  int width = 0, height = 0;
  std::vector<T> values;
};

using Census = std::bitset<census_bits>;

Plane<double> picture_of(ImageView<const std::uint8_t> view) {
  Plane<double> plane(static_cast<int>(view.width), static_cast<int>(view.height), 0);
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x)
      plane.at(x, y) = view.at(static_cast<std::size_t>(x), static_cast<std::size_t>(y));
  return plane;
}

// Linear between rows, in steps of a sixty-fourth, rounded to whole grey levels.
Plane<double> on_the_rows(const Plane<double>& right, const RowShift& shift) {
  Plane<double> plane = right;
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) {
      const double below =
          std::floor(64 * static_cast<double>(rows_below(shift, x, y, plane.width, plane.height)) + 0.5) / 64;
      const double whole = std::floor(below), part = below - whole;
      const int upper = std::clamp(y + static_cast<int>(whole), 0, plane.height - 1);
      plane.at(x, y) = std::floor((1 - part) * right.at(x, upper) + part * right.at(x, upper + 1) + 0.5);
    }
  }
  return plane;
}

Plane<double> smoothed(const Plane<double>& picture) {
  Plane<double> plane = picture;
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) {
      double sum = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) sum += (2 - std::abs(dx)) * (2 - std::abs(dy)) * picture.at(x + dx, y + dy);
      plane.at(x, y) = sum / 16;
    }
  }
  return plane;
}

Plane<Census> census_of(const Plane<double>& smooth) {
  Plane<Census> plane(smooth.width, smooth.height, {});
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) {
      std::size_t bit = 0;
      for (int dy = 0; dy <= census_reach; ++dy)
        for (int dx = dy == 0 ? 1 : -census_reach; dx <= census_reach; ++dx)
          plane.at(x, y)[bit++] = smooth.at(x + dx, y + dy) > smooth.at(x - dx, y - dy);
    }
  }
  return plane;
}

class ReferenceMatcher final : public Matcher {
public:
  ReferenceMatcher(const Plan& plan, const Window& whole, double focal_baseline)
      : Matcher(whole, focal_baseline), plan_(plan) {}

  void match(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, const RowShift& shift,
             const Window& window, Disparities& out) override {
    check_pair(plan_, left, right, window);
    window_ = window;
    disparities_ = rounded_disparities(plan_, window);
    left_ = picture_of(left);
    right_ = on_the_rows(picture_of(right), shift);
    smooth_ = smoothed(left_);
    smooth_right_ = smoothed(right_);
    disparity_ = Plane<double>(plan_.width, plan_.height, 0);
    deviation_ = disparity_;
    trust_ = Plane<double>(plan_.width, plan_.height, 1);
    choose(sum_of_paths(match_costs()));
    for (int i = 0; i < refinements; ++i) refine();
    judge();
    fill_black();
    confirm();
    trim_outlines();
    keep_supported();
    resize(plan_, out);
    for_pixels([&](int x, int y) {
      const std::size_t at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(plan_.width) + static_cast<std::size_t>(x);
      out.disparity[at] = static_cast<float>(disparity_.values[at]);
      out.deviation[at] = disparity_.values[at] > 0 ? static_cast<float>(deviation_.values[at]) : 0;
    });
  }

private:
  // A value for each pixel of the window and disparity.
  using Volume = std::vector<int>;
  int columns() const { return window_.right - window_.left; }
  int rows() const { return window_.bottom - window_.top; }
  std::size_t place(int x, int y, int d) const {
    return (static_cast<std::size_t>(y - window_.top) * static_cast<std::size_t>(columns()) +
            static_cast<std::size_t>(x - window_.left)) *
               static_cast<std::size_t>(disparities_) +
           static_cast<std::size_t>(d);
  }
  bool inside(int x, int y) const {
    return x >= window_.left && x < window_.right && y >= window_.top && y < window_.bottom;
  }
  template <class Visit>
  void for_pixels(const Visit& visit) const {
    for (int y = window_.top; y < window_.bottom; ++y)
      for (int x = window_.left; x < window_.right; ++x) visit(x, y);
  }

  Volume match_costs() const {
    const Plane<Census> left = census_of(smooth_), right = census_of(smoothed(right_));
    Volume costs(static_cast<std::size_t>(columns()) * static_cast<std::size_t>(rows()) *
                 static_cast<std::size_t>(disparities_));
    for_pixels([&](int x, int y) {
      for (int d = 0; d < disparities_; ++d) {
        const int match = x - window_.first - d;
        costs[place(x, y, d)] =
            match >= 0 ? static_cast<int>((left.at(x, y) ^ right.at(match, y)).count()) : outside_cost;
      }
    });
    return costs;
  }

  // Equations 13 and 14, in eight directions.
  Volume sum_of_paths(const Volume& costs) const {
    Volume sums(costs.size()), path(costs.size());
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if (dx == 0 && dy == 0) continue;
        const bool down = dy > 0 || (dy == 0 && dx > 0);
        for (int j = 0; j < rows(); ++j) {
          for (int i = 0; i < columns(); ++i) {
            // in an order in which the predecessor comes first
            const int y = down ? window_.top + j : window_.bottom - 1 - j;
            const int x = down ? window_.left + i : window_.right - 1 - i;
            const int px = x - dx, py = y - dy;
            if (!inside(px, py)) {
              for (int d = 0; d < disparities_; ++d) path[place(x, y, d)] = costs[place(x, y, d)];
            } else {
              const int* before = path.data() + place(px, py, 0);
              const int least = *std::min_element(before, before + disparities_);
              const int large =
                  least + plan_.large_step[static_cast<std::size_t>(std::abs(smooth_.at(x, y) - smooth_.at(px, py)))];
              for (int d = 0; d < disparities_; ++d) {
                int best = std::min(before[d], large);
                if (d > 0) best = std::min(best, before[d - 1] + small_step);
                if (d + 1 < disparities_) best = std::min(best, before[d + 1] + small_step);
                path[place(x, y, d)] = costs[place(x, y, d)] + best - least;
              }
            }
          }
        }
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += path[i];
      }
    }
    return sums;
  }

  // The disparity with the smallest sum, if no other comes near it and the right pixel chooses the left one too.
  void choose(const Volume& sums) {
    for_pixels([&](int x, int y) {
      const int* own = sums.data() + place(x, y, 0);
      const int best = static_cast<int>(std::min_element(own, own + disparities_) - own);
      if (best < 1 || best + 1 >= disparities_ || window_.first + best > x) return;
      int second = 1 << 20;
      for (int d = 0; d < disparities_; ++d)
        if (std::abs(d - best) > 1) second = std::min(second, own[d]);
      if (second - own[best] < uniqueness * own[best]) return;
      int seen = -1, least = 1 << 20;
      for (int d = 0; d < disparities_; ++d) {
        const int other = x - best + d;  // a left pixel that the right one may show
        if (other >= window_.left && other < window_.right && sums[place(other, y, d)] < least)
          least = sums[place(other, y, d)], seen = d;
      }
      if (std::abs(seen - best) > 1) return;
      const double bend = own[best - 1] + own[best + 1] - 2 * own[best];
      disparity_.at(x, y) = window_.first + best + (bend > 0 ? 0.5 * (own[best - 1] - own[best + 1]) / bend : 0);
    });
  }

  // The right picture where a pixel's disparity points, and its slope there.
  struct Moved {
    double grey, slope;
  };
  bool moves(int x, double d) const {
    const double whole = std::floor(x - d);
    return d > 0 && whole >= 1 && whole + 2 < plan_.width;
  }
  static Moved moved(const Plane<double>& right, int x, int y, double d) {
    const double place = x - d, whole = std::floor(place), t = place - whole;
    const int i = static_cast<int>(whole);
    const double p0 = right.at(i - 1, y), p1 = right.at(i, y), p2 = right.at(i + 1, y), p3 = right.at(i + 2, y);
    const double c1 = 0.5 * (p2 - p0), c2 = p0 - 2.5 * p1 + 2 * p2 - 0.5 * p3, c3 = 0.5 * (p3 - p0) + 1.5 * (p1 - p2);
    return {((c3 * t + c2) * t + c1) * t + p1, (3 * c3 * t + 2 * c2) * t + c1};
  }

  double across(int x, int y) const {
    double sum = 0;
    for (int k = -1; k <= 1; ++k) sum += (2 - std::abs(k)) * (smooth_.at(x + 1, y + k) - smooth_.at(x - 1, y + k));
    return sum / 8;
  }
  double down(int x, int y) const {
    double sum = 0;
    for (int k = -1; k <= 1; ++k) sum += (2 - std::abs(k)) * (smooth_.at(x + k, y + 1) - smooth_.at(x + k, y - 1));
    return sum / 8;
  }

  template <class Visit>
  void for_white_pixels(const Visit& visit) const {
    for_pixels([&](int x, int y) {
      if (on_white(x, y)) visit(x, y);
    });
  }

  // Weighted samples of a square, of its white pixels: both pictures, the right one's slope, how far disparities differ from the
  // middle's, the left picture's slopes.
  struct Sample {
    double weight, l, r, g, away, gx, gy;
  };
  std::vector<Sample> square(const Plane<double>& left, const Plane<double>& right, double flat, int x, int y) const {
    std::vector<Sample> samples;
    const double own = disparity_.at(x, y);
    const double similar = alike + alike_on_edge * (std::abs(across(x, y)) + std::abs(down(x, y)));
    for (int dy = -square_reach; dy <= square_reach; ++dy) {
      for (int dx = -square_reach; dx <= square_reach; ++dx) {
        const int i = x + dx, j = y + dy;
        if (!inside(i, j) || !on_white(i, j)) continue;
        const double d = disparity_.at(i, j), away = d - own;
        const double weight = (1 - std::abs(smooth_.at(i, j) - smooth_.at(x, y)) / similar) * trust_.at(i, j) /
                              (1 + across(i, j) * across(i, j) / (steep * steep));
        if (!(d > 0) || !moves(i, d) || std::abs(away) > same_surface || weight <= 0) continue;
        const auto [grey, slope] = moved(right, i, j, d);
        samples.push_back({weight, left.at(i, j) - left.at(x, y), grey + slope * flat * away - left.at(x, y), slope,
                           away, across(i, j), down(i, j)});
      }
    }
    return samples;
  }

  template <class Value>
  static double mean(const std::vector<Sample>& samples, const Value& value) {
    double sum = 0, weight = 0;
    for (const Sample& s : samples) sum += s.weight * value(s), weight += s.weight;
    return sum / weight;
  }
  static double weight_of(const std::vector<Sample>& samples) {
    double sum = 0;
    for (const Sample& s : samples) sum += s.weight;
    return sum;
  }
  // The weighted covariance of two of a sample's numbers.
  static double covariance(const std::vector<Sample>& samples, double Sample::*a, double Sample::*b) {
    const double ma = mean(samples, [&](const Sample&s) { return s.*a; }),
                 mb = mean(samples, [&](const Sample&s) { return s.*b; });
    return mean(samples, [&](const Sample& s) { return (s.*a - ma) * (s.*b - mb); });
  }

  // Of the left picture's contrast over the right one's.
  static double gain_of(const std::vector<Sample>& samples) {
    const double n = weight_of(samples);
    return std::clamp(std::sqrt(std::max(n * covariance(samples, &Sample::l, &Sample::l), 1e-6) /
                                std::max(n * covariance(samples, &Sample::r, &Sample::r), 1e-6)),
                      0.7, 1.4);
  }

  // Least squares on the smoothed pictures, whose slopes have less noise, and on the disparities around.
  void refine() {
    Plane<double> refined = disparity_, trust(plan_.width, plan_.height, 1);
    for_white_pixels([&](int x, int y) {
      const double own = disparity_.at(x, y);
      if (own <= 0) return;
      if (!moves(x, own)) {
        refined.at(x, y) = 0;
        return;
      }
      const std::vector<Sample> samples = square(smooth_, smooth_right_, flatness, x, y);
      const double n = weight_of(samples);
      if (n < fewest) return;
      double around = 0, weights = 0;
      for (const Sample& s : samples) {
        const double like = s.weight * (1 - s.away * s.away / (same_surface * same_surface));
        around += like * s.away, weights += like;
      }
      const double gain = gain_of(samples);
      const double pull =
          covariance(samples, &Sample::g, &Sample::r) - covariance(samples, &Sample::g, &Sample::l) / gain;
      const double step =
          (n * pull + smoothness * around / weights) / (n * covariance(samples, &Sample::g, &Sample::g) + smoothness);
      refined.at(x, y) = own + std::clamp(overstep * step, -longest_step, longest_step);
      // by how much the pixel itself differs from what its square says
      const double residual = mean(samples, [](const Sample& s) { return s.l; }) -
                              gain * (mean(samples, [](const Sample& s) { return s.r; }) -
                                      (moved(smooth_right_, x, y, own).grey - smooth_.at(x, y)));
      const double scale = unlike + unlike_on_edge * (std::abs(across(x, y)) + std::abs(down(x, y)));
      trust.at(x, y) = 1 / (1 + residual * residual / (scale * scale));
    });
    disparity_ = refined;
    trust_ = trust;
  }

  void judge() {
    sure_ = Plane<double>(plan_.width, plan_.height, 0);
    for_white_pixels([&](int x, int y) {
      const double own = disparity_.at(x, y);
      if (own <= 0) return;
      if (!moves(x, own)) {
        disparity_.at(x, y) = 0;
        return;
      }
      const std::vector<Sample> samples = square(left_, right_, 1, x, y);
      const double n = weight_of(samples);
      if (n < fewest) return;
      const double ll = covariance(samples, &Sample::l, &Sample::l), rr = covariance(samples, &Sample::r, &Sample::r),
                   lr = covariance(samples, &Sample::l, &Sample::r);
      if (lr <= least_correlation * std::sqrt(ll * rr)) return;
      const double gain = gain_of(samples);
      const double noise = std::max(ll + gain * (gain * rr - 2 * lr), 0.0);
      const double texture = std::max(covariance(samples, &Sample::gx, &Sample::gx) - slope_noise * noise, 1e-3);
      const double tilt = covariance(samples, &Sample::gx, &Sample::gy) / texture;
      double squares = 0;
      for (const Sample& s : samples) squares += s.weight * s.weight;
      const double independent = 2 * n * n / squares;  // with the black pixels
      const double variance = noise / (texture * independent) + row_error * row_error * tilt * tilt;
      const double seen = deviation_scale * deviation_scale * variance;
      if (seen > most_deviation * most_deviation || own > static_cast<double>(plan_.nearest) ||
          own < static_cast<double>(plan_.farthest))
        return;
      sure_.at(x, y) = own;
      deviation_.at(x, y) = combined_deviation(static_cast<float>(seen));
    });
  }

  // A black pixel has what its white neighbours have that lie on its surface; it is sure if two of them are.
  void fill_black() {
    for_pixels([&](int x, int y) {
      const double found = disparity_.at(x, y);
      if (on_white(x, y) || found <= 0) return;
      double all = 0, sure = 0, deviations = 0;
      int count = 0, sure_count = 0;
      for (const auto& [dx, dy] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        const int i = x + dx, j = y + dy;
        if (!inside(i, j) || disparity_.at(i, j) <= 0 || std::abs(disparity_.at(i, j) - found) > same_surface) continue;
        all += disparity_.at(i, j), ++count;
        if (sure_.at(i, j) > 0) sure += sure_.at(i, j), deviations += deviation_.at(i, j), ++sure_count;
      }
      disparity_.at(x, y) = count > 0 ? all / count : 0;
      if (sure_count < 2) return;
      sure_.at(x, y) = sure / sure_count;
      deviation_.at(x, y) = deviations / sure_count;
    });
  }

  // Disparities that are not sure by themselves, but that the sure ones around them confirm.
  void confirm() {
    Plane<double> kept = sure_;
    for_pixels([&](int x, int y) {
      const double own = disparity_.at(x, y);
      if (sure_.at(x, y) > 0 || own <= 0 || own > static_cast<double>(plan_.nearest) ||
          own < static_cast<double>(plan_.farthest))
        return;
      int lines = 0, contradicted = 0;
      double between = 0, weights = 0;  // the confirming disparities, by their nearness
      // the first sure disparity in a direction: 1 confirms, -1 contradicts, 0 says nothing
      const auto look = [&](int dx, int dy) {
        int n = 1;
        while (n <= confirming_reach && inside(x + n * dx, y + n * dy) && sure_.at(x + n * dx, y + n * dy) <= 0) ++n;
        const int i = x + n * dx, j = y + n * dy;
        if (n > confirming_reach || !inside(i, j)) return 0;
        if (std::abs(sure_.at(i, j) - own) > same_surface) return -1;
        if (std::abs(smooth_.at(i, j) - smooth_.at(x, y)) > as_bright) return 0;
        between += sure_.at(i, j) / n;
        weights += 1.0 / n;
        return 1;
      };
      for (const auto& [dx, dy] : {std::pair{1, 0}, {0, 1}, {1, 1}, {1, -1}}) {
        const int one = look(dx, dy), other = look(-dx, -dy);
        lines += one == 1 && other == 1 ? 1 : 0;
        contradicted += (one == -1 ? 1 : 0) + (other == -1 ? 1 : 0);
      }
      if (lines < confirming || contradicted > contradicting) return;
      kept.at(x, y) = (own + 2 * between / weights) / 3;  // of which the paths' own part is the less precise
      deviation_.at(x, y) = confirmed_deviation();
    });
    disparity_ = kept;
  }

  // Between an outline and the open side beyond it.
  void trim_outlines() {
    Plane<double> kept = disparity_;
    const auto steepness = [&](int x, int y) {
      const int i = std::clamp(x, 0, plan_.width - 1), j = std::clamp(y, 0, plan_.height - 1);
      return std::hypot(across(i, j), down(i, j));
    };
    for_pixels([&](int x, int y) {
      const double own = disparity_.at(x, y);
      if (own <= 0) return;
      const double limit = std::max(steepness(x, y), outline_slope);
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          if (dx == 0 && dy == 0) continue;
          int out = 1;
          for (; out <= outline_reach; ++out) {
            const int i = x + out * dx, j = y + out * dy;
            if (!inside(i, j) || disparity_.at(i, j) < (1 - behind) * own) break;
          }
          for (int in = 1; in <= outline_reach + 1 - out; ++in)
            if (steepness(x - in * dx, y - in * dy) > limit) kept.at(x, y) = 0;
        }
      }
    });
    disparity_ = kept;
  }

  void keep_supported() {
    Plane<double> kept = disparity_;
    for_pixels([&](int x, int y) {
      const double own = disparity_.at(x, y);
      if (own <= 0) return;
      int count = 0;
      for (int j = y - support_reach; j <= y + support_reach; ++j)
        for (int i = x - support_reach; i <= x + support_reach; ++i)
          if (inside(i, j) && disparity_.at(i, j) > 0 && std::abs(disparity_.at(i, j) - own) <= same_surface) ++count;
      if (count <= support) kept.at(x, y) = 0;
    });
    disparity_ = kept;
  }

  Plan plan_;
  Window window_;
  int disparities_ = 0;
  Plane<double> left_, right_, smooth_, smooth_right_, disparity_, trust_, sure_, deviation_;
};

}  // namespace

std::unique_ptr<Matcher> make_reference_matcher(const Plan& plan, const Window& whole, double focal_baseline) {
  return std::make_unique<ReferenceMatcher>(plan, whole, focal_baseline);
}

}  // namespace kinema::stereo
