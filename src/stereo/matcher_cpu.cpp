// The cpu backend: bytes for the paths, which run down and up the picture at the same time; SIMD and threads over rows
// for the rest.
#include "core/stopwatch.h"
#include "core/threads.h"
#include "stereo/constants.h"
#include "stereo/evidence_kernel.h"
#include "stereo/matcher_backends.h"
#include "stereo/outline_kernel.h"
#include "stereo/paths_kernel.h"

#include <algorithm>
#include <cmath>

namespace kinema::stereo {
namespace {

class CpuMatcher final : public Matcher {
public:
  CpuMatcher(const Plan& plan, const Window& whole, double focal_baseline)
      : Matcher(whole, focal_baseline), plan_(plan), threads_(plan.threads) {}

  void match(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, const RowShift& shift,
             const Window& window, Disparities& out) override {
    check_pair(plan_, left, right, window);
    times_.clear();
    Stopwatch watch;
    set_window(window);
    const ImageView<const std::uint8_t> aligned = align_rows(right, shift);
    prepare(left, left_);
    prepare(aligned, right_);
    times_.push_back({"census", watch.lap()});
    aggregate();
    times_.push_back({"paths", watch.lap()});
    set_planes(left);
    for (int i = 0; i < constants::refinements; ++i) refine();
    judge(aligned);
    confirm();
    times_.push_back({"refine", watch.lap()});
    judge_neighbourhoods(out);
    times_.push_back({"outlines", watch.lap()});
  }

  std::vector<StageTime> times() const override { return times_; }

private:
  struct Direction {
    int dx, dy;
  };
  // opposite ones follow each other
  static constexpr Direction directions[8] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};

  void set_window(const Window& window) {
    window_ = window;
    columns_ = static_cast<std::size_t>(window.right - window.left);
    rows_ = static_cast<std::size_t>(window.bottom - window.top);
    stride_ = columns_ + 2 * margin + beyond_row;
    plane_ = stride_ * (rows_ + 2 * margin);
    disparities_ =
        std::min(plan_.disparities, (window.disparities + disparity_step - 1) / disparity_step * disparity_step);
  }

  // The right picture as it would lie on the rows of the left one.
  ImageView<const std::uint8_t> align_rows(ImageView<const std::uint8_t> right, const RowShift& shift) {
    if (shift.a == 0 && shift.b == 0 && shift.c == 0) return right;
    aligned_.resize(right.width * right.height);
    const int from = std::max(0, window_.top - margin - picture_margin),
              to = std::min(plan_.height, window_.bottom + margin + picture_margin);
    // as rows_below() adds them up, the part of the columns once for all rows
    std::vector<double> across(right.width);
    for (std::size_t x = 0; x < right.width; ++x)
      across[x] = shift.a + shift.b * (2.0 * static_cast<double>(x) / (plan_.width - 1) - 1);
    threads_.for_each(static_cast<std::size_t>(to - from), [&](std::size_t n) {
      const int y = from + static_cast<int>(n);
      const double down = shift.c * (2.0 * y / (plan_.height - 1) - 1);
      std::uint8_t* row = aligned_.data() + static_cast<std::size_t>(y) * right.width;
      for (std::size_t x = 0; x < right.width; ++x) {
        const int below = static_cast<int>(std::floor(64 * static_cast<float>(across[x] + down) + 0.5f));
        const int upper = std::clamp(y + (below >> 6), 0, plan_.height - 1),
                  lower = std::min(upper + 1, plan_.height - 1), part = below & 63;
        row[x] = static_cast<std::uint8_t>(((64 - part) * right.at(x, static_cast<std::size_t>(upper)) +
                                            part * right.at(x, static_cast<std::size_t>(lower)) + 32) >>
                                           6);
      }
    });
    return {aligned_.data(), right.width, right.height, right.width};
  }

  void prepare(ImageView<const std::uint8_t> picture, CensusImage& image) const {
    image.width = plan_.width;
    image.top = window_.top;
    image.bottom = window_.bottom;
    const auto rows = static_cast<std::size_t>(image.bottom - image.top);
    image.smooth.resize(image.stride() * (rows + 2 * picture_margin));
    for (auto& plane : image.census) plane.resize(static_cast<std::size_t>(image.width) * rows);
    threads_.for_each(rows + 2 * picture_margin, [&](std::size_t n) {
      const int row = image.top + static_cast<int>(n) - picture_margin;
      const auto source = [&](int y) {
        return picture.data + static_cast<std::size_t>(std::clamp(y, 0, plan_.height - 1)) * picture.stride;
      };
      const int y = std::clamp(row, 0, plan_.height - 1);
      std::uint16_t* out = image.smooth_row(row);
      smooth_row(source(y - 1), source(y), source(y + 1), image.width, out);
      std::fill(out - picture_margin, out, out[0]);
      std::fill(out + image.width, out + image.width + picture_margin, out[image.width - 1]);
    });
    threads_.for_each(rows, [&](std::size_t n) {
      const int y = image.top + static_cast<int>(n);
      std::uint8_t* const planes[3] = {image.census_row(0, y), image.census_row(1, y), image.census_row(2, y)};
      census_row(image, y, planes);
    });
  }

  void aggregate() {
    const PathProblem problem{&left_,
                              &right_,
                              window_.left,
                              window_.top,
                              static_cast<int>(columns_),
                              static_cast<int>(rows_),
                              disparities_,
                              plan_.large_step.data(),
                              constants::small_step,
                              constants::uniqueness};
    const std::size_t row = columns_ * static_cast<std::size_t>(disparities_);
    for (auto& sums : sums_) sums.resize(std::max(sums.size(), row * rows_));
    threads_.for_each(2, [&](std::size_t pass) { sum_paths(problem, pass == 0, sums_[pass].data()); });
    found_.resize(columns_ * rows_);
    threads_.for_each(rows_, [&](std::size_t y) {
      choose_disparities(problem, sums_[0].data() + y * row, sums_[1].data() + y * row, found_.data() + y * columns_);
    });
  }

  std::size_t index(std::size_t x, std::size_t y) const { return (y + margin) * stride_ + x + margin; }

  void set_planes(ImageView<const std::uint8_t> left) {
    for (auto* plane :
         {&bright_, &smooth_, &across_, &down_, &steepness_, &say_, &trusted_, &moved_, &slope_, &deviation_})
      plane->resize(plane_);
    disparity_.assign(plane_, no_disparity);
    sure_.assign(plane_, no_disparity);
    threads_.for_each(rows_ + 2 * margin, [&](std::size_t n) {
      const int y = window_.top + static_cast<int>(n) - margin;
      const int inside = std::clamp(y, 0, plan_.height - 1);
      // the smoothed picture has rows of its own margin around the window, which is wider than this one
      const std::uint16_t *above = left_.smooth_row(y - 1), *here = left_.smooth_row(y),
                          *below = left_.smooth_row(y + 1);
      for (std::size_t i = 0; i < columns_ + 2 * margin; ++i) {
        const int x = std::clamp(window_.left + static_cast<int>(i) - margin, 0, plan_.width - 1);
        const std::size_t at = n * stride_ + i;
        bright_[at] = left.at(static_cast<std::size_t>(x), static_cast<std::size_t>(inside));
        smooth_[at] = static_cast<float>(here[x]) / 16;
        // Sobel, per pixel
        const int ahead = above[x + 1] + 2 * here[x + 1] + below[x + 1],
                  behind = above[x - 1] + 2 * here[x - 1] + below[x - 1];
        const int lower = below[x - 1] + 2 * below[x] + below[x + 1],
                  upper = above[x - 1] + 2 * above[x] + above[x + 1];
        across_[at] = static_cast<float>(ahead - behind) / 128;
        down_[at] = static_cast<float>(lower - upper) / 128;
        steepness_[at] = across_[at] * across_[at] + down_[at] * down_[at];
        say_[at] = trusted_[at] = say_of(across_[at]);
      }
    });
    threads_.for_each(rows_, [&](std::size_t y) {
      for (std::size_t x = 0; x < columns_; ++x)
        if (const float d = found_[y * columns_ + x]; d > 0) disparity_[index(x, y)] = d;
    });
  }

  EvidencePlanes planes(const std::vector<float>& left) const {
    return {left.data(),   smooth_.data(), across_.data(),    down_.data(), trusted_.data(),
            moved_.data(), slope_.data(),  disparity_.data(), stride_};
  }

  // The right picture at each pixel's own disparity, of rows whose numbers are `scale` of grey levels. Disparities that leave
  // the picture are dropped.
  template <class Row>
  void move_right(const Row& row_of, float scale) {
    threads_.for_each(rows_, [&](std::size_t y) {
      const auto* row = row_of(window_.top + static_cast<int>(y));
      for (std::size_t x = 0; x < columns_; ++x) {
        const std::size_t at = index(x, y);
        const float d = disparity_[at];
        if (d <= 0) continue;
        const float place = static_cast<float>(static_cast<std::size_t>(window_.left) + x) - d,
                    whole = static_cast<float>(static_cast<int>(place)),  // where it is above 0
            t = place - whole;
        if (whole < 1 || whole + 2 >= static_cast<float>(plan_.width)) {
          disparity_[at] = no_disparity;
          continue;
        }
        // Catmull-Rom between four pixels: linear interpolation would blur half-way positions
        const auto* p = row + static_cast<std::size_t>(whole) - 1;
        const float p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
        const float c1 = 0.5f * (p2 - p0), c2 = p0 - 2.5f * p1 + 2 * p2 - 0.5f * p3,
                    c3 = 0.5f * (p3 - p0) + 1.5f * (p1 - p2);
        moved_[at] = scale * (((c3 * t + c2) * t + c1) * t + p1);
        slope_[at] = scale * ((3 * c3 * t + 2 * c2) * t + c1);
      }
    });
  }

  // On the smoothed pictures, whose slopes have less noise.
  void refine() {
    move_right([&](int y) { return right_.smooth_row(y); }, 1.0f / 16);
    refined_.resize(columns_ * rows_);
    next_.resize(columns_ * rows_);
    threads_.for_each(rows_, [&](std::size_t y) {
      std::vector<float> step(columns_ + beyond_row), residual(columns_ + beyond_row);
      refinement_steps(planes(smooth_), index(0, y), columns_, step.data(), residual.data());
      for (std::size_t x = 0; x < columns_; ++x) {
        refined_[y * columns_ + x] = disparity_[index(x, y)] + step[x];
        next_[y * columns_ + x] = say_[index(x, y)] * trust_of(residual[x]);
      }
    });
    threads_.for_each(rows_, [&](std::size_t y) {
      std::copy_n(refined_.data() + y * columns_, columns_, disparity_.data() + index(0, y));
      std::copy_n(next_.data() + y * columns_, columns_, trusted_.data() + index(0, y));
    });
  }

  // How sure each disparity is; those that are not are dropped.
  void judge(ImageView<const std::uint8_t> right) {
    move_right([&](int y) { return right.data + static_cast<std::size_t>(y) * right.stride; }, 1);
    threads_.for_each(rows_, [&](std::size_t y) {
      std::vector<float> deviation(columns_ + beyond_row);
      match_deviations(planes(bright_), index(0, y), columns_, deviation.data());
      for (std::size_t x = 0; x < columns_; ++x) deviation_[index(x, y)] = deviation[x];
    });
    threads_.for_each(rows_, [&](std::size_t y) {
      for (std::size_t x = 0; x < columns_; ++x) {
        const std::size_t at = index(x, y);
        const float d = disparity_[at];
        const bool sure = deviation_[at] < no_deviation && d <= plan_.nearest && d >= plan_.farthest;
        sure_[at] = sure ? d : no_disparity;
      }
    });
  }

  // How many pixels away the first sure one lies in each direction; 0: none within reach. A pixel's neighbour knows all but
  // the last step.
  void find_sure() {
    threads_.for_each(8, [&](std::size_t way) {
      const auto [dx, dy] = directions[way];
      const auto columns = static_cast<int>(columns_), rows = static_cast<int>(rows_);
      std::vector<std::uint8_t>& steps = to_sure_[way];
      steps.assign(columns_ * rows_, 0);
      for (int m = 0; m < rows; ++m) {
        const int y = dy > 0 ? rows - 1 - m : m, j = y + dy;
        if (j < 0 || j >= rows) continue;
        std::uint8_t* own = steps.data() + static_cast<std::size_t>(y) * columns_;
        const std::uint8_t* next = steps.data() + static_cast<std::size_t>(j) * columns_;
        const float* sure = sure_.data() + index(0, static_cast<std::size_t>(j));
        for (int n = std::abs(dx); n < columns; ++n) {
          const int x = dx > 0 ? columns - 1 - n : n, i = x + dx;
          const int further = next[i] == 0 || next[i] == constants::confirming_reach ? 0 : next[i] + 1;
          own[x] = static_cast<std::uint8_t>(sure[i] > 0 ? 1 : further);
        }
      }
    });
  }

  // Where a surface has little texture, what the paths found is right if the sure disparities around it say the same.
  void confirm() {
    find_sure();
    kept_ = sure_;
    threads_.for_each(rows_, [&](std::size_t v) {
      const int y = static_cast<int>(v);
      for (std::size_t u = 0; u < columns_; ++u) {
        const int x = static_cast<int>(u);
        const std::size_t at = index(u, v);
        const float d = disparity_[at];
        if (sure_[at] > 0 || !(d <= plan_.nearest && d >= plan_.farthest)) continue;
        int lines = 0, sides = 0, contradicting = 0;
        float between = 0, weights = 0;  // the confirming disparities, by their nearness
        for (int way = 0; way < 8; ++way) {
          const auto [dx, dy] = directions[way];
          if (way % 2 == 0) sides = 0;
          const int n = to_sure_[way][v * columns_ + u];
          if (n > 0) {
            const std::size_t other = index(static_cast<std::size_t>(x + n * dx), static_cast<std::size_t>(y + n * dy));
            if (std::abs(sure_[other] - d) > static_cast<float>(constants::same_surface))
              ++contradicting;
            else if (std::abs(smooth_[other] - smooth_[at]) <= static_cast<float>(constants::as_bright))
              ++sides, between += sure_[other] / static_cast<float>(n), weights += 1 / static_cast<float>(n);
          }
          if (way % 2 == 1 && sides == 2) ++lines;
        }
        if (lines < constants::confirming || contradicting > constants::contradicting) continue;
        kept_[at] = (d + 2 * (between / weights)) / 3;  // of which the paths' own part is the less precise
        deviation_[at] = confirmed_deviation();
      }
    });
  }

  // Drops what lies beside an outline, and patches that are too small to be a surface.
  void judge_neighbourhoods(Disparities& out) {
    static_assert(outline_reach <= margin && support_reach <= margin);
    trimmed_.assign(plane_, no_disparity);
    threads_.for_each(rows_, [&](std::size_t y) {
      std::vector<float> row(columns_ + beyond_row);
      trim_outlines(kept_.data(), steepness_.data(), stride_, index(0, y), columns_, row.data());
      std::copy_n(row.data(), columns_, trimmed_.data() + index(0, y));
    });
    const auto width = static_cast<std::size_t>(plan_.width), height = static_cast<std::size_t>(plan_.height);
    out.width = plan_.width;
    out.height = plan_.height;
    out.disparity.assign(width * height, 0.0f);
    out.deviation.assign(width * height, 0.0f);
    threads_.for_each(rows_, [&](std::size_t y) {
      std::vector<float> row(columns_ + beyond_row);
      keep_supported(trimmed_.data(), stride_, index(0, y), columns_, row.data());
      const std::size_t first =
          (static_cast<std::size_t>(window_.top) + y) * width + static_cast<std::size_t>(window_.left);
      for (std::size_t x = 0; x < columns_; ++x) {
        out.disparity[first + x] = row[x];
        out.deviation[first + x] = row[x] > 0 ? deviation_[index(x, y)] : 0;
      }
    });
  }

  static constexpr int margin = 4;  // of planes around the window
  static_assert(margin >= square_reach && margin + 1 <= picture_margin);

  Plan plan_;
  Threads threads_;
  std::vector<StageTime> times_;
  Window window_;
  std::size_t columns_ = 0, rows_ = 0, stride_ = 0, plane_ = 0;
  int disparities_ = 0;
  std::vector<std::uint8_t> aligned_;  // the right picture, on the rows of the left one
  CensusImage left_, right_;
  std::vector<std::uint8_t> sums_[2];  // of paths down and up: rows x columns x disparities
  std::vector<float> found_;           // whole disparities with fractions by a parabola: rows x columns
  // planes of the window with margins
  std::vector<float> bright_, smooth_, across_, down_, steepness_, say_, trusted_, moved_, slope_, disparity_,
      deviation_, sure_, kept_, trimmed_;
  std::vector<std::uint8_t> to_sure_[8];  // by direction: rows x columns
  std::vector<float> refined_, next_;     // rows x columns
};

}  // namespace

std::unique_ptr<Matcher> make_cpu_matcher(const Plan& plan, const Window& whole, double focal_baseline) {
  return std::make_unique<CpuMatcher>(plan, whole, focal_baseline);
}

}  // namespace kinema::stereo
