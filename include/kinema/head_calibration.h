// Calibration of the head tracker: from frames with an oval around the face to the colours of this user in this light,
// and the head's size and position.
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

/// Where the head lies in the soft window that follows it. Hair and neck pull the window off the head's centre and
/// enlarge it, in every frame alike.
struct Anchor {
  double shift_x = 0, shift_y = 0;  ///< from the window's centre to the head's, in the head's radii
  double size = 1;                  ///< of the window, over that for a head that is one disc of skin
};

inline constexpr std::size_t head_patch_side = 64;

/// The head at calibration: its position, size and appearance.
struct HeadReference {
  std::size_t width = 0, height = 0;  ///< of the frames, in pixels
  Oval oval;

  /// eq. 6 of the oval alone: the share of a frame that a head at the reference distance covers.
  double area = 0;

  /// eq. 6 of the whole frame: what plain mode measures, other things of the same colours included.
  double frame_area = 0;

  Anchor anchor;

  /// Skin inside the window less skin around it: what has much less contrast is no head. 0: unknown.
  double contrast = 0;

  /// Luma around it, head_patch_side x head_patch_side, from two radii left of and above its centre to two right of and
  /// below it. Empty: unknown.
  std::vector<std::uint8_t> patch;

  /// Metres from the camera, if it was measured.
  std::optional<double> distance;

  /// Horizontal, in radians, if it is known.
  std::optional<double> field_of_view;
};

/// The contents of `filter.json`. A filter that was written by hand has no reference.
struct Calibration {
  Filter filter;
  std::optional<HeadReference> head;
};

struct CalibrationSettings {
  /// See skin_model_names().
  std::string classifier = "plane";

  /// Kept in the result, see HeadReference.
  std::optional<double> distance, field_of_view;
};

/// Below this score tracking will be poor: too much around the head has its colours.
inline constexpr double low_score = 0.5;

/// Counts pixels inside the oval as skin and those outside as background, by cells of colour; a ring around the oval and the
/// neck below it are left out. One oval for all frames, or one for each. Throws Error if an oval does not lie in its frame or
/// leaves no background.
std::vector<ColourCount> count_colours(std::span<const ColourView> frames, std::span<const Oval> ovals);

/// The plane (eq. 2) that maximises the degree of skin less that of background, each normalised; of those that are
/// nearly as good the softest, since a soft edge keeps the centroid from jumping. Throws Error without skin or
/// background.
SkinPlane fit_plane(std::span<const ColourCount> colours);

/// fit_plane() or the fit of another classifier, by name.
SkinModel fit_model(const std::string& classifier, std::span<const ColourCount> colours);

Calibration calibrate(std::span<const ColourView> frames, std::span<const Oval> ovals,
                      const CalibrationSettings& settings = {});

}  // namespace kinema::head
