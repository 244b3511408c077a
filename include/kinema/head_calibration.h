// Calibration of the head tracker: from frames with an oval about the face to the colours of this user in this light,
// and what the oval says about the head's size and place.
#pragma once

#include "kinema/head_classifier.h"
#include "kinema/image.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kinema::head {

/// An upright ellipse, in pixels.
struct Oval {
  double cx = 0, cy = 0;
  double rx = 0, ry = 0;
};

/// How a head lies in the soft window that follows it. Hair and neck pull the window off its centre and make it larger,
/// always alike.
struct Anchor {
  double shift_x = 0, shift_y = 0;  ///< from the window's centre to the head's, in the head's radii
  double size = 1;                  ///< of the window, over that for a head that is one disc of skin
};

inline constexpr std::size_t head_patch_side = 64;

/// What is known about the head beside its colours: where and how large it was when the filter was made.
struct HeadReference {
  std::size_t width = 0, height = 0;  ///< of the frames, in pixels
  Oval oval;

  /// eq. 6 of the oval alone: what a head at the reference distance covers of a frame.
  double area = 0;

  /// eq. 6 of the whole frame: what the plain mode sees of it, with all else that has its colours.
  double frame_area = 0;

  Anchor anchor;

  /// Skin inside the window less skin around it: what stands out much less is no head. 0: not known.
  double contrast = 0;

  /// What it looks like: light and dark about it, head_patch_side rows of as many, from two radii left of and above its
  /// centre to two right of and below it. Empty: not known.
  std::vector<std::uint8_t> patch;

  /// Metres from the camera, where it was measured.
  std::optional<double> distance;

  /// Radians, across the frame, where it is known.
  std::optional<double> field_of_view;
};

/// What `filter.json` holds. A filter that was written by hand has no reference.
struct Calibration {
  Filter filter;
  std::optional<HeadReference> head;
};

struct CalibrationSettings {
  /// See skin_model_names().
  std::string classifier = "plane";

  /// Pixels between the oval and one this many times as large count for neither side: hair, ears and an oval that does
  /// not sit well.
  double ring = 1.35;

  /// Nor does what lies below the oval, down to this many of its radii from its centre: the neck. 0: it counts.
  double neck = 2;

  /// Cells a channel of the grid over RGB into which pixels fall.
  int cells = 32;

  /// Kept in the result, see HeadReference.
  std::optional<double> distance, field_of_view;
};

/// Below this score tracking will be bad: too much around the head has its colours.
inline constexpr double low_score = 0.5;

/// Counts the pixels of frames inside the oval as skin and those outside as background, by cells of colours. One oval
/// for all frames, or one for each. Throws Error where an oval does not lie in its frame or nothing is left outside.
std::vector<ColourCount> count_colours(std::span<const ColourView> frames, std::span<const Oval> ovals,
                                       const CalibrationSettings& settings = {});

/// The plane (eq. 2) that maximises the degree of skin less that of background, each normalised; of those that are
/// nearly as good the softest, since a soft edge is what keeps the centroid from jumping. Throws Error without skin or
/// without background.
Plane fit_plane(std::span<const ColourCount> colours);

/// fit_plane() or the fit of another classifier, by name.
SkinModel fit_model(const std::string& classifier, std::span<const ColourCount> colours);

Calibration calibrate(std::span<const ColourView> frames, std::span<const Oval> ovals,
                      const CalibrationSettings& settings = {});

}  // namespace kinema::head
