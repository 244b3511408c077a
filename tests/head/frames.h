// Frames for tests of head::Moments: random ones in every format, and what is done with them by each backend.
#pragma once

#include "bench/head/steps/steps.h"
#include "kinema/head.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::head {

using bench::make_moments;

/// A frame that owns its bytes. There are none past its last pixel, so reading on is found out by a sanitizer.
struct Frame {
  std::vector<std::uint8_t> data, chroma;
  ColourView view;

  Frame() = default;
  Frame(const Frame&) = delete;
  Frame(Frame&&) = default;
};

enum class Colours {
  noise,     ///< every byte at random
  blobs,     ///< smooth, with a region of skin
  greys,     ///< R = G = B
  extremes,  ///< 0 and 255 only
  one,       ///< a single colour
};

/// `slack`: bytes of a row past its pixels.
Frame random_frame(std::uint64_t seed, std::size_t width, std::size_t height, PixelFormat format,
                   Colours colours = Colours::noise, std::size_t slack = 0);

/// A picture of 3 bytes a pixel, blue first, in another format; video by the inverse of BT.601.
Frame in_format(const std::vector<std::uint8_t>& bgr, std::size_t width, std::size_t height, PixelFormat format);

inline constexpr PixelFormat formats[] = {PixelFormat::bgr,  PixelFormat::rgb,  PixelFormat::bgra,
                                          PixelFormat::rgba, PixelFormat::nv12, PixelFormat::yuyv};

/// Planes from gentle to steep, of either sign.
SkinPlane random_plane(std::uint64_t seed);

/// Bytes at random, smooth or not.
Classifier random_table(std::uint64_t seed);

/// Within the tolerance of the reference: 1e-5 of the frame's area, 1e-3 of a pixel, and what follows from it for the
/// second moments. `least`: of the area, for the centroid of next to nothing is not asked for. `name`: whose sums they are. The
/// paper's steps have no second moments, and those on a GPU add floats one by one, as printed: a sum of millions of them is
/// known to some thousandths.
::testing::AssertionResult agree(const Sums& sums, const Sums& reference, const ColourView& frame,
                                 std::string_view name = "", double least = 1e-3);

/// The reference's sums, and those of a backend, of one frame.
::testing::AssertionResult agrees(std::string_view name, const Classifier& classifier, const ColourView& frame,
                                  const Weighing& weighing = {}, const MomentsSettings& settings = {});

/// Runs a test on what bench::make_moments() makes by name; what needs a GPU is skipped, with a line, where there is none.
class OnMoments : public ::testing::TestWithParam<const char*> {
protected:
  void SetUp() override;
};

std::string moments_name(const ::testing::TestParamInfo<const char*>& info);

/// Backends that know a Weighing, and all with the paper's steps. Where joint and cpu+gpu divide a frame depends on
/// measured times, and with it their last bits, and the paper's atomic sums of floats come in any order: they are in neither
/// list of those that repeat exactly.
inline constexpr const char* backend_names[] = {"cpu", "cuda", "joint"};
inline constexpr const char* repeating_backend_names[] = {"cpu", "cuda"};
inline constexpr const char* all_names[] = {"cpu",  "cpu1", "cpu2", "cpu3", "cuda", "joint", "gpu1",   "gpu2",
                                            "gpu3", "gpu4", "gpu5", "gpu6", "gpu7", "gpu8",  "cpu+gpu"};
inline constexpr const char* repeating_names[] = {"cpu", "cpu1", "cpu2", "cpu3", "cuda"};

}  // namespace kinema::head
