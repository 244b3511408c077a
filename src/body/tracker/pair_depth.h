// Depth images of stereo pairs for the foreground: of the whole picture while nobody is tracked, else mostly of the
// neighbourhood of the expected person, which is a tenth of the work.
#pragma once

#include "core/threads.h"
#include "kinema/body_tracker.h"
#include "kinema/lens_check.h"
#include "kinema/points.h"
#include "kinema/source.h"
#include "stereo/plain_areas.h"
#include "stereo/row_alignment.h"

#include <memory>
#include <span>
#include <vector>

namespace kinema::body {

class PairDepth {
public:
  /// Throws Error if the settings have no camera of pairs.
  PairDepth(const TrackerSettings& settings, const Compute& compute);

  /// The camera of the depth images: that of the settings, with fewer pixels where pictures have very many, or disparities are
  /// very large.
  const Camera& camera() const { return camera_; }

  /// The depth of a pair, metres, 0: unknown. `seen` may be null: see GreyPair. `expected`: capsules (K x 7 floats) where
  /// the tracker predicts the person, empty during a search. Beyond their neighbourhood it may be that of an earlier
  /// pair. Valid until the next call. Throws Error if the first two pictures are no pair, exchanged or with rows
  /// that do not agree, or if a lens stays covered or out of focus.
  ImageView<const float> depth(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                               const io::GreyPair::Seen* seen, std::span<const float> expected);

  /// Plain areas of the last pair that lie behind something as near as `depth`, metres, count as seen past it: the depth of
  /// their pixels, in the image that depth() gave, becomes past_depth(). depth() does so by itself where a person is expected.
  void look_past(double depth);

  /// Farther away than anything that is measured, but not more than needed: a bundle of longer rays is wider at its end, too wide
  /// for single precision.
  float past_depth() const { return past_depth_; }

  /// Sets the deviations of points that were made of pixels of the depth image.
  void set_deviations(PointCloud& cloud) const;

  /// How the rows of the pair agree.
  const stereo::RowAlignment& rows() const { return rows_; }

private:
  stereo::Window window_around(std::span<const float> expected) const;

  // Averages of reduction_ x reduction_ pixels.
  ImageView<const std::uint8_t> reduced(ImageView<const std::uint8_t> picture, std::vector<std::uint8_t>& pixels) const;
  void drop_unseen(const io::GreyPair::Seen& seen);
  void check_pair(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right);

  Camera given_;  // of the pictures
  Threads threads_;
  int reduction_ = 1;
  Camera camera_;
  double gate_;
  float past_depth_;
  std::vector<std::uint8_t> small_left_, small_right_;
  ImageView<const std::uint8_t> left_;  // as it was matched
  std::unique_ptr<stereo::Matcher> matcher_;
  stereo::LensCheck lenses_;
  stereo::RowAlignment rows_;
  stereo::Disparities disparities_;
  stereo::Window window_;  // of the last match
  stereo::PlainAreas areas_;
  std::vector<std::uint8_t> past_;
  std::vector<float> depth_, deviation_;  // the latter in metres
  int until_whole_ = 0;                   // pairs
};

}  // namespace kinema::body
