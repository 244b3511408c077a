#include "stereo/row_alignment.h"

#include "stereo/constants.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace kinema::stereo {
namespace {

constexpr int reach = 4;    // of a square
constexpr int spacing = 4;  // of squares
constexpr double most_squares = 40000;

// The brightness of the right picture on the left one's rows.
double moved(ImageView<const std::uint8_t> right, double x, double y) {
  const double u = std::clamp(x, 0.0, static_cast<double>(right.width) - 1.001),
               v = std::clamp(y, 0.0, static_cast<double>(right.height) - 1.001);
  const auto i = static_cast<std::size_t>(u), j = static_cast<std::size_t>(v);
  const double s = u - static_cast<double>(i), t = v - static_cast<double>(j);
  return (1 - t) * ((1 - s) * right.at(i, j) + s * right.at(i + 1, j)) +
         t * ((1 - s) * right.at(i, j + 1) + s * right.at(i + 1, j + 1));
}

}  // namespace

void RowAlignment::add(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                       const Disparities& disparities) {
  using namespace constants;
  ++pairs_;
  // of a difference as large as it was before the first estimate, squares see only a part
  if (pairs_ == 2) seen_.clear();
  if (static_cast<double>(seen_.size()) > most_squares)
    seen_.erase(seen_.begin(), seen_.begin() + static_cast<std::ptrdiff_t>(seen_.size() / 2));
  const auto across = [&](int i) { return 2.0 * i / (width_ - 1) - 1; };
  const auto along = [&](int i) { return 2.0 * i / (height_ - 1) - 1; };
  const auto grey = [&](int x, int y) {
    return static_cast<double>(left.at(static_cast<std::size_t>(x), static_cast<std::size_t>(y)));
  };
  for (int y = reach + 2; y < height_ - reach - 2; y += spacing) {
    for (int x = reach + 2; x < width_ - reach - 2; x += spacing) {
      const float own =
          disparities
              .disparity[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)];
      if (own <= 0) continue;
      // the difference of the pictures is v (slope down) - u (slope across), and of that u is eliminated
      double n = 0, sr = 0, sx = 0, sy = 0, rx = 0, ry = 0, xx = 0, xy = 0, yy = 0, rr = 0;
      for (int j = y - reach; j <= y + reach; ++j) {
        for (int i = x - reach; i <= x + reach; ++i) {
          const float d = disparities.disparity[static_cast<std::size_t>(j) * static_cast<std::size_t>(width_) +
                                                static_cast<std::size_t>(i)];
          if (!(std::abs(d - own) <= same_surface)) continue;
          const double below = shift_.a + shift_.b * across(i) + shift_.c * along(j);
          const double rest = grey(i, j) - moved(right, i - d, j + below);
          const auto slope = [&](int dx, int dy) {
            // Sobel, per pixel
            const int px = dy, py = dx;
            double sum = 0;
            for (int k = -1; k <= 1; ++k) {
              const double weight = k == 0 ? 2 : 1;
              sum += weight * (grey(i + dx + k * px, j + dy + k * py) - grey(i - dx + k * px, j - dy + k * py));
            }
            return sum / 8;
          };
          const double gx = slope(1, 0), gy = slope(0, 1);
          n += 1, sr += rest, sx += gx, sy += gy, rr += rest * rest;
          rx += rest * gx, ry += rest * gy, xx += gx * gx, xy += gx * gy, yy += gy * gy;
        }
      }
      if (n < row_square) continue;
      xx -= sx * sx / n, xy -= sx * sy / n, yy -= sy * sy / n, rx -= sx * sr / n, ry -= sy * sr / n, rr -= sr * sr / n;
      if (xx < row_texture) continue;
      const double told = yy - xy * xy / xx;
      if (told < row_texture) continue;
      const double below = shift_.a + shift_.b * across(x) + shift_.c * along(y);
      seen_.push_back({below + (ry - xy / xx * rx) / told, std::min(told / std::max(1.0, rr / n), row_weight),
                       across(x), along(y)});
    }
  }
  squares_ = seen_.size();
  if (squares_ < static_cast<std::size_t>(row_squares)) return;

  // weighted least squares, in which squares that are far off lose their weight
  Eigen::Vector3d model(shift_.a, shift_.b, shift_.c);
  std::vector<double> off(seen_.size());
  for (int i = 0; i < 8; ++i) {
    Eigen::Matrix3d normal = 1e-6 * Eigen::Matrix3d::Identity();
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (std::size_t k = 0; k < seen_.size(); ++k) {
      const Square& s = seen_[k];
      const Eigen::Vector3d terms(1, s.x, s.y);
      off[k] = s.below - model.dot(terms);
      const double weight = s.weight / (1 + off[k] * off[k] / (row_outlier * row_outlier));
      normal += weight * terms * terms.transpose();
      sum += weight * s.below * terms;
    }
    model = normal.ldlt().solve(sum);
  }
  shift_ = {model[0], model[1], model[2]};
  for (double& one : off) one = std::abs(one);
  std::nth_element(off.begin(), off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2), off.end());
  spread_ = off[off.size() / 2];
}

}  // namespace kinema::stereo
