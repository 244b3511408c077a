// The paper's steps on the CPU. CPU 1: fig. 1, one pixel after the other. CPU 2: the weights of all colours are
// precomputed (eq. 7), as floats. CPU 3: the same, with rows divided among the cores.
#include "bench/head/steps/steps.h"
#include "core/threads.h"
#include "head/moments/frame_rows.h"
#include "head/moments/moments_backends.h"
#include "head/moments/pixel_reader.h"

#include <algorithm>
#include <array>

namespace kinema::head {
namespace {

// Rows per task of CPU 3; the division does not depend on the number of threads, so the sums do not either. Few, since a
// share of a frame must also be divided evenly.
constexpr std::size_t rows_of_a_piece = 4;

std::size_t colour_index(Rgb p) { return p.r * std::size_t{65536} + p.g * std::size_t{256} + p.b; }

// Fig. 1 over some rows. The sums are double, since in single precision those of a large frame would stop growing.
template <class Weight>
Sums sum_rows(const ColourView& frame, std::size_t begin, std::size_t end, const Weight& weight) {
  return with_format(frame.format, [&](auto format) {
    Sums sums;
    for (std::size_t y = begin; y < end; ++y) {
      const PixelRow<format()> row(frame, y);
      for (std::size_t x = 0; x < frame.width; ++x) {
        const double w = weight(row[x]);
        sums.w += w;
        sums.wx += w * static_cast<double>(x);
        sums.wy += w * static_cast<double>(y);
      }
    }
    return sums;
  });
}

class Cpu1 final : public Moments {
public:
  void set_classifier(const Classifier& classifier) override {
    check_classifier(classifier);
    classifier_ = classifier;
  }

  Sums measure(const ColourView& frame, const Weighing& weighing) override {
    check_frame(frame);
    check_unweighed(weighing, "cpu1");
    if (const auto* table = std::get_if<std::shared_ptr<const Table>>(&classifier_)) {
      const std::uint8_t* degrees = (*table)->degrees.data();
      return sum_rows(frame, 0, frame.height, [&](Rgb p) { return degrees[colour_index(p)] / 255.0f; });
    }
    const SkinPlane f = std::get<SkinPlane>(classifier_);
    const auto degree = [&](Rgb p) {
      return std::max(0.0, std::min(1.0, p.r * f.r + p.g * f.g + p.b * f.b + f.d));  // eq. 2
    };
    return sum_rows(frame, 0, frame.height, degree);
  }
  using Moments::measure;

private:
  Classifier classifier_ = SkinPlane{};
};

// CPU 2, and with threads CPU 3.
class Cpu2 final : public Moments {
public:
  Cpu2(int threads, std::string_view name) : threads_(threads), name_(name), weights_(std::size_t{1} << 24) {}

  void set_classifier(const Classifier& classifier) override {
    check_classifier(classifier);
    threads_.for_each(256, [&](std::size_t r) {
      for (std::size_t g = 0; g < 256; ++g)
        for (std::size_t b = 0; b < 256; ++b) {
          const std::size_t i = (r * 256 + g) * 256 + b;
          if (const auto* f = std::get_if<SkinPlane>(&classifier)) {
            const double v =
                static_cast<double>(r) * f->r + static_cast<double>(g) * f->g + static_cast<double>(b) * f->b + f->d;
            weights_[i] = static_cast<float>(std::max(0.0, std::min(1.0, v)));
          } else {
            weights_[i] = std::get<std::shared_ptr<const Table>>(classifier)->degrees[i] / 255.0f;
          }
        }
    });
  }

  Sums measure(const ColourView& frame, const Weighing& weighing) override {
    check_frame(frame);
    check_unweighed(weighing, name_);
    const auto weight = [&](Rgb p) { return weights_[colour_index(p)]; };
    const std::size_t pieces = (frame.height + rows_of_a_piece - 1) / rows_of_a_piece;
    parts_.resize(pieces);
    threads_.for_each(pieces, [&](std::size_t piece) {
      const std::size_t begin = piece * rows_of_a_piece;
      parts_[piece] = sum_rows(frame, begin, std::min(begin + rows_of_a_piece, frame.height), weight);
    });
    Sums sums;
    for (const Sums& part : parts_) sums = sums + part;
    return sums;
  }
  using Moments::measure;

private:
  Threads threads_;
  std::string_view name_;
  std::vector<float> weights_;  // of all colours, eq. 7
  std::vector<Sums> parts_;
};

}  // namespace

std::unique_ptr<Moments> make_cpu_step(int step, int threads) {
  if (step == 1) return std::make_unique<Cpu1>();
  if (step == 2) return std::make_unique<Cpu2>(1, "cpu2");
  return std::make_unique<Cpu2>(threads, "cpu3");
}

}  // namespace kinema::head
