// The cpu backend: bytes for the paths, which run down and up the picture at the same time; SIMD and threads over rows
// for the rest.
#include "core/stopwatch.h"
#include "core/threads.h"
#include "stereo/choice_kernel.h"
#include "stereo/constants.h"
#include "stereo/evidence_kernel.h"
#include "stereo/matcher_backends.h"
#include "stereo/outline_kernel.h"
#include "stereo/paths_kernel.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::stereo {
namespace {

// Pixels to the first sure one in a direction, 0: none within reach, by those of the next pixel there. Without a branch.
std::uint8_t further(std::uint8_t sure, std::uint8_t next) {
  const auto one_more = static_cast<std::uint8_t>(next + (next != 0 ? 1 : 0));
  const auto within = static_cast<std::uint8_t>(one_more <= constants::confirming_reach ? one_more : 0);
  return sure != 0 ? std::uint8_t{1} : within;
}

// Of successive pixels that do not lie in that direction from each other.
void step_further(const std::uint8_t* __restrict sure, const std::uint8_t* __restrict next, int count,
                  std::uint8_t* __restrict out) {
  for (int x = 0; x < count; ++x) out[x] = further(sure[x], next[x]);
}

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
    prepare(left, left_, window_.left, window_.right);
    prepare(aligned, right_, right_begin(), right_end());
    times_.push_back({"census", watch.lap()});
    aggregate();
    times_.push_back({"paths", watch.lap()});
    set_planes(left);
    for (int i = 0; i < constants::refinements; ++i) refine();
    judge(aligned);
    fill_black_pixels();
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
    white_stride_ = (columns_ + 2 * margin + 1) / 2 + beyond_row;
    disparities_ = rounded_disparities(plan_, window);
  }

  // Columns of the right picture that disparities of the window reach, with all that refinement adds to them.
  int right_begin() const {
    return std::max(0, window_.left - window_.first - disparities_ - constants::refinements - 4);
  }
  int right_end() const { return std::min(plan_.width, window_.right + 4); }

  // The right picture as it would lie on the rows of the left one, in these columns.
  ImageView<const std::uint8_t> align_rows(ImageView<const std::uint8_t> right, const RowShift& shift) {
    if (shift.a == 0 && shift.b == 0 && shift.c == 0) return right;
    aligned_.resize(right.width * right.height);
    const int from = std::max(0, window_.top - margin - picture_margin),
              to = std::min(plan_.height, window_.bottom + margin + picture_margin);
    const int begin = std::max(0, right_begin() - picture_margin),
              end = std::min(plan_.width, right_end() + picture_margin);
    threads_.for_each(static_cast<std::size_t>(to - from), [&](std::size_t n) {
      const int y = from + static_cast<int>(n);
      std::uint8_t* row = aligned_.data() + static_cast<std::size_t>(y) * right.width;
      const auto below_at = [&](int x) {
        return static_cast<int>(std::floor(64 * rows_below(shift, x, y, plan_.width, plan_.height) + 0.5f));
      };
      // neighbours lie as many sixty-fourths of a row below, but for a few
      for (int x = begin; x < end;) {
        const int below = below_at(x);
        int same = x, other = end;  // the last that does, and the first that does not
        for (int far = 1; same + far < other; far *= 2) (below_at(same + far) == below ? same : other) = same + far;
        while (other - same > 1) {
          const int middle = same + (other - same) / 2;
          (below_at(middle) == below ? same : other) = middle;
        }
        const int upper = std::clamp(y + (below >> 6), 0, plan_.height - 1),
                  lower = std::min(upper + 1, plan_.height - 1), part = below & 63;
        const std::uint8_t *one = right.data + static_cast<std::size_t>(upper) * right.stride,
                           *two = right.data + static_cast<std::size_t>(lower) * right.stride;
        for (; x < other; ++x) row[x] = static_cast<std::uint8_t>(((64 - part) * one[x] + part * two[x] + 32) >> 6);
      }
    });
    return {aligned_.data(), right.width, right.height, right.width};
  }

  void prepare(ImageView<const std::uint8_t> picture, CensusImage& image, int from, int to) const {
    image.width = plan_.width;
    image.top = window_.top;
    image.bottom = window_.bottom;
    const auto rows = static_cast<std::size_t>(image.bottom - image.top);
    image.smooth.resize(image.stride() * (rows + 2 * picture_margin));
    image.left = from;
    image.right = to;
    for (auto& plane : image.census) plane.resize(static_cast<std::size_t>(image.width) * rows + 2 * image.margin());
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

  // Paths that go down and up meet in the middle: each way writes the sums of its first half, and finds the other's in its
  // second, where its own need not be kept. Those along rows are followed where they are needed, if there is no third thread
  // that could do it meanwhile.
  void aggregate() {
    const PathProblem problem{&left_,
                              &right_,
                              window_.left,
                              window_.top,
                              static_cast<int>(columns_),
                              static_cast<int>(rows_),
                              window_.first,
                              disparities_,
                              plan_.large_step.data(),
                              constants::small_step,
                              constants::uniqueness};
    penalties_.resize(problem);
    threads_.for_each(rows_, [&](std::size_t y) { penalties_.compute_row(problem, static_cast<int>(y)); });
    const std::size_t row = problem.row_bytes(), middle = rows_ / 2;
    const bool ahead = threads_.count() > 2;
    const auto grow = [](std::vector<std::uint8_t>& memory, std::size_t size) {
      if (memory.size() < size) memory.resize(size);
    };
    grow(down_and_up_, row * rows_);
    found_.resize(columns_ * rows_);
    const std::size_t parts = ahead ? std::min(rows_, static_cast<std::size_t>(threads_.count())) : 2;
    row_memory_.resize(
        std::max({row_memory_.size(), parts, std::size_t{2}}));  // one for each way, also of a single row
    if (ahead) {
      grow(along_[0], row * rows_);
      threads_.for_each(parts, [&](std::size_t part) {
        for (std::size_t y = part; y < rows_; y += parts) {
          row_memory_[part].match_costs(problem, static_cast<int>(y));
          row_memory_[part].follow_row(problem, penalties_, static_cast<int>(y), along_[0].data() + y * row);
        }
      });
    }
    threads_.for_each(2, [&](std::size_t pass) {
      ColumnPaths& paths = column_paths_[pass];
      paths.start(problem, pass == 0);
      for (std::size_t n = pass == 0 ? middle : rows_ - middle; n > 0; --n) {
        row_memory_[pass].match_costs(problem, paths.row);
        paths.follow(problem, penalties_, row_memory_[pass],
                     down_and_up_.data() + static_cast<std::size_t>(paths.row) * row);
      }
    });
    threads_.for_each(2, [&](std::size_t pass) {
      ColumnPaths& paths = column_paths_[pass];
      RowMemory& memory = row_memory_[pass];
      Choice& choice = choices_[pass];
      choice.start(problem);
      own_[pass].resize(row);
      if (!ahead) grow(along_[pass], row);
      for (std::size_t n = pass == 0 ? rows_ - middle : middle; n > 0; --n) {
        const auto y = static_cast<std::size_t>(paths.row);
        memory.match_costs(problem, paths.row);
        if (!ahead) memory.follow_row(problem, penalties_, paths.row, along_[pass].data());
        const std::uint8_t* along = ahead ? along_[0].data() + y * row : along_[pass].data();
        paths.follow(problem, penalties_, memory, own_[pass].data());
        choice.choose(problem, along, own_[pass].data(), down_and_up_.data() + y * row, found_.data() + y * columns_);
      }
    });
  }

  std::size_t index(std::size_t x, std::size_t y) const { return (y + margin) * stride_ + x + margin; }

  // Of row n, counted from the margin on: whether its second pixel is white and not its first; how many white and black ones lie in
  // the window; and the index of the first of either.
  std::size_t odd(std::size_t n) const {
    return on_white(window_.left - margin, window_.top - margin + static_cast<int>(n)) ? 0 : 1;
  }
  std::size_t whites(std::size_t n) const { return (columns_ + 1 - odd(n)) / 2; }
  std::size_t white_index(std::size_t n) const { return n * white_stride_ + margin / 2; }
  WhiteRow white_row(std::size_t y) const {
    return {white_index(y + margin), whites(y + margin), odd(y + margin) != 0};
  }

  void set_planes(ImageView<const std::uint8_t> left) {
    const std::size_t white_plane = white_stride_ * (rows_ + 2 * margin);
    for (auto* plane : {&smooth_, &steepness_, &deviation_}) plane->resize(plane_);
    for (auto* plane : {&white_.bright, &white_.smooth, &white_.across, &white_.down, &white_.say, &white_.trusted,
                        &white_.moved, &white_.slope, &white_.deviation})
      plane->resize(white_plane);
    for (auto* plane : {&white_.disparity, &white_.refined, &white_.sure}) plane->assign(white_plane, no_disparity);
    for (auto* plane : {&disparity_, &sure_}) plane->assign(plane_, no_disparity);
    threads_.for_each(rows_ + 2 * margin, [&](std::size_t n) {
      const int y = window_.top + static_cast<int>(n) - margin;
      const int inside = std::clamp(y, 0, plan_.height - 1);
      // the smoothed picture has rows of its own margin around the window, which is wider than this one
      const std::uint16_t *above = left_.smooth_row(y - 1), *here = left_.smooth_row(y),
                          *below = left_.smooth_row(y + 1);
      const std::size_t length = columns_ + 2 * margin;
      std::vector<float> across(length), down(length);
      for (std::size_t i = 0; i < length; ++i) {
        const int x = std::clamp(window_.left + static_cast<int>(i) - margin, 0, plan_.width - 1);
        const std::size_t at = n * stride_ + i;
        smooth_[at] = static_cast<float>(here[x]) / 16;
        // Sobel, per pixel
        const int ahead = above[x + 1] + 2 * here[x + 1] + below[x + 1],
                  behind = above[x - 1] + 2 * here[x - 1] + below[x - 1];
        const int lower = below[x - 1] + 2 * below[x] + below[x + 1],
                  upper = above[x - 1] + 2 * above[x] + above[x + 1];
        across[i] = static_cast<float>(ahead - behind) / 128;
        down[i] = static_cast<float>(lower - upper) / 128;
        steepness_[at] = across[i] * across[i] + down[i] * down[i];
      }
      for (std::size_t i = odd(n), at = n * white_stride_; i < length; i += 2, ++at) {
        const int x = std::clamp(window_.left + static_cast<int>(i) - margin, 0, plan_.width - 1);
        white_.bright[at] = left.at(static_cast<std::size_t>(x), static_cast<std::size_t>(inside));
        white_.smooth[at] = smooth_[n * stride_ + i];
        white_.across[at] = across[i];
        white_.down[at] = down[i];
        white_.say[at] = white_.trusted[at] = say_of(across[i]);
      }
    });
    threads_.for_each(rows_, [&](std::size_t y) {
      const WhiteRow row = white_row(y);
      const float* found = found_.data() + y * columns_ + odd(y + margin);
      for (std::size_t i = 0; i < row.count; ++i)
        if (const float d = found[2 * i]; d > 0) white_.disparity[row.first + i] = d;
    });
  }

  EvidencePlanes planes(const std::vector<float>& left) const {
    return {left.data(),         white_.smooth.data(),    white_.across.data(),
            white_.down.data(),  white_.trusted.data(),   white_.moved.data(),
            white_.slope.data(), white_.disparity.data(), white_stride_};
  }

  // The right picture at each white pixel's own disparity, of rows whose numbers are `scale` of grey levels. Disparities that
  // leave the picture are dropped.
  template <class Row>
  void move_rows(const Row& row_of, float scale) {
    threads_.for_each(rows_, [&](std::size_t y) {
      const auto* row = row_of(window_.top + static_cast<int>(y));
      const int end = right_end();
      std::vector<float> right(static_cast<std::size_t>(end));
      for (int x = right_begin(); x < end; ++x) right[static_cast<std::size_t>(x)] = scale * static_cast<float>(row[x]);
      move_right({right.data(), end, window_.left + static_cast<int>(odd(y + margin))}, white_.disparity.data(),
                 white_.moved.data(), white_.slope.data(), white_index(y + margin), whites(y + margin));
    });
  }

  // On the smoothed pictures, whose slopes have less noise.
  void refine() {
    move_rows([&](int y) { return right_.smooth_row(y); }, 1.0f / 16);
    residual_.resize(white_stride_ * rows_);
    threads_.for_each(rows_, [&](std::size_t y) {
      const WhiteRow white = white_row(y);
      std::vector<float> refined(white.count + beyond_row);
      refine_disparities(planes(white_.smooth), white, refined.data(), residual_.data() + y * white_stride_);
      std::copy_n(refined.data(), white.count, white_.refined.data() + white.first);
    });
    threads_.for_each(rows_, [&](std::size_t y) {
      const WhiteRow white = white_row(y);
      const float* residual = residual_.data() + y * white_stride_;
      for (std::size_t i = 0, at = white.first; i < white.count; ++i, ++at)
        white_.trusted[at] = white_.say[at] * trust_of(residual[i], white_.across[at], white_.down[at]);
    });
    white_.disparity.swap(white_.refined);
  }

  // How sure each disparity is.
  void judge(ImageView<const std::uint8_t> right) {
    move_rows([&](int y) { return right.data + static_cast<std::size_t>(y) * right.stride; }, 1);
    threads_.for_each(rows_, [&](std::size_t y) {
      const WhiteRow white = white_row(y);
      match_deviations(planes(white_.bright), white, white_.deviation.data() + white.first);
      for (std::size_t at = white.first; at < white.first + white.count; ++at) {
        const float d = white_.disparity[at];
        const bool sure = white_.deviation[at] < no_deviation && d <= plan_.nearest && d >= plan_.farthest;
        white_.sure[at] = sure ? d : no_disparity;
      }
    });
  }

  // All pixels again.
  void fill_black_pixels() {
    threads_.for_each(rows_, [&](std::size_t y) {
      const std::size_t n = y + margin, white = white_index(n), other = 1 - odd(n), blacks = columns_ - whites(n);
      std::vector<float> found(blacks + beyond_row), disparity(found), sure(found), deviation(found);
      for (std::size_t i = 0; i < blacks; ++i) found[i] = found_[y * columns_ + other + 2 * i];
      const auto row = static_cast<std::ptrdiff_t>(white_stride_), side = static_cast<std::ptrdiff_t>(other);
      const std::size_t above = white - white_stride_;
      fill_black({found.data(),
                  white_.disparity.data() + above,
                  white_.sure.data() + above,
                  white_.deviation.data() + above,
                  {0, 2 * row, row + side - 1, row + side}},
                 blacks, disparity.data(), sure.data(), deviation.data());
      const std::size_t first = index(0, y);
      const auto spread = [&](const float* from, std::size_t count, std::size_t begin, std::vector<float>& plane) {
        for (std::size_t i = 0; i < count; ++i) plane[first + begin + 2 * i] = from[i];
      };
      spread(white_.disparity.data() + white, whites(n), odd(n), disparity_);
      spread(white_.sure.data() + white, whites(n), odd(n), sure_);
      spread(white_.deviation.data() + white, whites(n), odd(n), deviation_);
      spread(disparity.data(), blacks, other, disparity_);
      spread(sure.data(), blacks, other, sure_);
      spread(deviation.data(), blacks, other, deviation_);
    });
  }

  // How many pixels away the first sure one lies in each direction; 0: none within reach. A pixel's neighbour knows all but
  // the last step.
  void find_sure() {
    const auto columns = static_cast<int>(columns_), rows = static_cast<int>(rows_);
    is_sure_.resize(columns_ * rows_);
    threads_.for_each(rows_, [&](std::size_t y) {
      const float* sure = sure_.data() + index(0, y);
      std::uint8_t* out = is_sure_.data() + y * columns_;
      for (std::size_t x = 0; x < columns_; ++x) out[x] = sure[x] > 0 ? 1 : 0;
    });
    threads_.for_each(8, [&](std::size_t way) {
      const auto [dx, dy] = directions[way];
      std::vector<std::uint8_t>& steps = to_sure_[way];
      steps.assign(columns_ * rows_ + beyond_row, 0);
      for (int m = 0; m < rows; ++m) {
        const int y = dy > 0 ? rows - 1 - m : m, j = y + dy;
        if (j < 0 || j >= rows) continue;
        std::uint8_t* own = steps.data() + static_cast<std::size_t>(y) * columns_;
        const std::uint8_t *next = steps.data() + static_cast<std::size_t>(j) * columns_ + dx,
                           *sure = is_sure_.data() + static_cast<std::size_t>(j) * columns_ + dx;
        if (dy == 0) {
          for (int n = 1; n < columns; ++n) {
            const int x = dx > 0 ? columns - 1 - n : n;
            own[x] = further(sure[x], next[x]);
          }
        } else {
          const int first = std::max(0, -dx);
          step_further(sure + first, next + first, columns - std::abs(dx), own + first);
        }
      }
    });
  }

  // Where a surface has little texture, what the paths found is right if the sure disparities around it say the same.
  void confirm() {
    find_sure();
    kept_.assign(plane_, no_disparity);
    threads_.for_each(rows_, [&](std::size_t y) {
      ConfirmRow row{disparity_.data(), sure_.data(), smooth_.data(), plan_.nearest, plan_.farthest, {}, {}};
      for (std::size_t way = 0; way < 8; ++way) {
        row.steps[way] = to_sure_[way].data() + y * columns_;
        row.ways[way] = directions[way].dy * static_cast<std::ptrdiff_t>(stride_) + directions[way].dx;
      }
      confirm_row(row, index(0, y), columns_, kept_.data(), deviation_.data());
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
    const auto width = static_cast<std::size_t>(plan_.width);
    resize(plan_, out);
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
  std::size_t columns_ = 0, rows_ = 0, stride_ = 0, plane_ = 0, white_stride_ = 0;
  int disparities_ = 0;
  std::vector<std::uint8_t> aligned_;  // the right picture, on the rows of the left one
  CensusImage left_, right_;
  PathPenalties penalties_;
  std::vector<RowMemory> row_memory_;                 // by thread
  ColumnPaths column_paths_[2];                       // down and up
  std::vector<std::uint8_t> along_[2], down_and_up_;  // sums of paths, by row, column and disparity
  std::vector<std::uint8_t> own_[2];                  // of a row
  Choice choices_[2];
  std::vector<float> found_;  // whole disparities with fractions by a parabola: rows x columns
  // planes of the window with margins
  std::vector<float> smooth_, steepness_, disparity_, deviation_, sure_, kept_, trimmed_;
  struct {  // of its white pixels
    std::vector<float> bright, smooth, across, down, say, trusted, moved, slope, disparity, refined, deviation, sure;
  } white_;
  std::vector<std::uint8_t> is_sure_, to_sure_[8];  // rows x columns, the latter by direction
  std::vector<float> residual_;                     // of a step of the refinement, of white pixels
};

}  // namespace

std::unique_ptr<Matcher> make_cpu_matcher(const Plan& plan, const Window& whole, double focal_baseline) {
  return std::make_unique<CpuMatcher>(plan, whole, focal_baseline);
}

}  // namespace kinema::stereo
