// Constants of the head tracker that were chosen by trial: see core/constant.h. "clips": Boy, Girl, David and FaceOcc1 of
// docs/head-accuracy.md, with which the others were measured too.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::head {

// ---- plain mode

/// Less skin than this is the noise of a camera before a background without skin.
KINEMA_CONSTANT(double, least_area, 2e-4);  // share of the frame
/// A head of less than this share of its area at calibration (at 4.5 times the distance) is not reported.
KINEMA_CONSTANT(double, least_reference_area, 0.05);  // share of the area at calibration
/// Skin that covers less of its own extent is scattered over the frame, not a head.
KINEMA_CONSTANT(double, least_compactness, 0.12);  // share of the ellipse of the same moments

// ---- the soft window

/// Radius of the window around the window; what lies between the two is the head's surroundings. [clips, before: 1.6]
KINEMA_CONSTANT(double, surround_factor, 1.8);  // radii of the window
/// Radius of the window: for a disc of skin the contrast is largest there. [a disc of skin, computed]
KINEMA_CONSTANT(double, window_factor, 1.2);  // radii of the head
/// A window that is nearer than this to its place of rest has converged.
KINEMA_CONSTANT(double, climb_tolerance, 0.01);  // pixels
/// Steps towards the place of rest, at most.
KINEMA_CONSTANT(int, climb_steps, 20);  // steps
/// A shift between head and window below this is attributed to an oval in whole pixels, and ignored. [clips, before:
/// 0.1]
KINEMA_CONSTANT(double, least_anchor_shift, 0.015);  // radii of the head
/// The largest shift between head and window.
KINEMA_CONSTANT(double, largest_anchor_shift, 0.6);  // radii of the head
/// The smallest and the largest window, over that for a disc of skin.
KINEMA_CONSTANT(double, smallest_anchor_size, 0.7);  // ratio
/// See smallest_anchor_size.
KINEMA_CONSTANT(double, largest_anchor_size, 1.6);  // ratio

// ---- size: it changes slowly and its measurement is noisy

/// Sizes are tried at this factor above and below the last one.
KINEMA_CONSTANT(double, size_step, 1.1);  // ratio
/// The part of the measured change that is applied in one frame. [clips, before: 0.2 and 0.25]
KINEMA_CONSTANT(double, size_gain, 0.4);  // share
/// The smallest and the largest head, over that of calibration.
KINEMA_CONSTANT(double, smallest_size, 0.3);  // ratio
/// See smallest_size.
KINEMA_CONSTANT(double, largest_size, 4);  // ratio
/// Contrast from which a measured size is trusted; a half-covered head has no size.
KINEMA_CONSTANT(double, sized_contrast, 0.75);  // share of the usual contrast

// ---- found or lost, by contrast: skin inside the window less skin around it

/// Below this the head is lost.
KINEMA_CONSTANT(double, lost_contrast, 0.3);  // share of the usual contrast
/// Above this a lost head is found again.
KINEMA_CONSTANT(double, found_contrast, 0.45);  // share of the usual contrast
/// Below this there is no head at all.
KINEMA_CONSTANT(double, least_contrast, 0.06);  // contrast, 0...1
/// A place with less skin inside than this has not the head's colours, in the reason why it is lost.
KINEMA_CONSTANT(double, no_colours, 0.5);  // share of the contrast needed
/// Rate at which the usual contrast, and the usual response of the pattern, follow those of the frames.
KINEMA_CONSTANT(double, usual_rate, 0.03);  // share per frame
/// Cost of a place one radius away from the last one; it grows with the square of the distance.
KINEMA_CONSTANT(double, distance_cost, 0.05);  // contrast
/// Contrast at the place of calibration, over that of what was found elsewhere, from which the former is preferred.
KINEMA_CONSTANT(double, calibrated_contrast, 0.6);  // ratio
/// As far from the place of calibration that place is preferred.
KINEMA_CONSTANT(double, calibrated_reach, 0.7);  // radii of the window

// ---- search

/// A head that was seen in the last frame is searched for this far from its place there.
KINEMA_CONSTANT(double, search_radius, 2.2);  // radii of the window
/// Cells per radius of the map of degrees, in a search near the last place.
KINEMA_CONSTANT(double, near_cells, 6);  // cells
/// Cells per radius of the map of degrees, in a search of the whole frame.
KINEMA_CONSTANT(double, far_cells, 5);  // cells
/// Places of the map from which windows start, for each size.
KINEMA_CONSTANT(std::size_t, search_places, 3);  // places
/// Sizes in which a lost head is searched too, and a larger one.
KINEMA_CONSTANT(double, smaller_head, 0.7);  // ratio
KINEMA_CONSTANT(double, larger_head, 1.4);   // ratio
/// Side of the outer box of the map's contrast.
KINEMA_CONSTANT(double, box_surround_factor, 1.7);  // sides of the inner box
/// Rounds in which the size of a newly found head is fitted.
KINEMA_CONSTANT(int, size_rounds, 3);  // rounds
/// Windows nearer than this are the same.
KINEMA_CONSTANT(double, same_window, 0.02);  // radii of the window

// ---- recalibration: colours learned during tracking

/// Frames from one lesson to the next. [clips, before: 3]
KINEMA_CONSTANT(std::size_t, learning_interval, 6);  // frames
/// The rate at full need, see full_loss. [clips, before: 0.12]
KINEMA_CONSTANT(double, learning_rate, 0.15);  // share per lesson
/// Loss of contrast since the start from which the full rate applies. Without loss little is learned, since what is
/// learned from a badly placed window cannot be unlearned.
KINEMA_CONSTANT(double, full_loss, 0.2);  // share of the first contrast
/// The rate without loss, over the full rate.
KINEMA_CONSTANT(double, least_need, 0.15);  // share
/// Contrast below which a frame is not learned from: the head may be half covered.
KINEMA_CONSTANT(double, learning_contrast, 0.6);  // share of the usual contrast
/// Outer radius of the surroundings whose colours are learned.
KINEMA_CONSTANT(double, colour_reach, 2.6);  // radii of the head
/// Inner radius of them; hair and ears lie before it.
KINEMA_CONSTANT(double, colour_gap, 1.25);  // radii of the head
/// Extent of the neck below the centre, which belongs to neither side.
KINEMA_CONSTANT(double, colour_neck, 2);  // radii of the head
/// Pixels that are sampled, about.
KINEMA_CONSTANT(double, colour_samples, 24000);  // pixels
/// Weight of the whole frame in the colours of the surroundings, for the time when the head is lost.
KINEMA_CONSTANT(float, frame_colours, 0.25f);  // share
/// Weight of the first frame in the colours of the head. [clips, before: 0.35]
KINEMA_CONSTANT(float, first_colours, 0.5f);  // share
/// The part of a change of light that is believed at once, as an exponent: a passing shadow is such a change too.
KINEMA_CONSTANT(double, light_exponent, 0.5);  // exponent
/// A change of light below this is ignored.
KINEMA_CONSTANT(double, least_light_change, 0.004);  // ratio - 1
/// Share of pixels in a cell of colours below which its degree approaches that of the calibration. [clips, before:
/// 2e-5]
KINEMA_CONSTANT(float, rare_colour, 1e-4f);  // share of the pixels

// ---- the pattern: a correlation filter over edges. Its response falls as the head turns, and to a fifth or less of the
// usual one before anything else.

/// Weight of the usual response in the value of a place.
KINEMA_CONSTANT(double, pattern_weight, 0.3);  // contrast
/// Response below which the pattern is not trusted. [clips, before: 0.35]
KINEMA_CONSTANT(double, pattern_from, 0.2);  // share of the usual response
/// Response from which it is fully trusted, and learned. [clips, before: 0.7]
KINEMA_CONSTANT(double, pattern_full, 0.5);  // share of the usual response
/// Response that something in another place must have to be taken for the head.
KINEMA_CONSTANT(double, pattern_elsewhere, 0.35);  // share of the usual response
/// Distance from which a place counts as another one.
KINEMA_CONSTANT(double, elsewhere_distance, 0.7);  // radii of the window
/// Response below which a head that is followed by its pattern alone is lost. [Girl and David without their colours: 0.25 to 0.35]
KINEMA_CONSTANT(double, pattern_alone, 0.35);  // share of the usual response
/// Sizes that are tried where the head is followed by its pattern alone, over that of the last frame.
KINEMA_CONSTANT(double, pattern_size_step, 1.03);  // ratio
/// Response of another size from which it is taken, over that of the same size.
KINEMA_CONSTANT(double, pattern_size_gain, 1.02);  // ratio
/// The usual response at the start, from a calibration in another frame.
KINEMA_CONSTANT(double, first_response, 0.7);  // response
/// How far colours may pull the head from the place of a fully trusted pattern. [clips, before: 0.15]
KINEMA_CONSTANT(double, pattern_slack, 0.1);  // radii of the head
/// Frames from one lesson of the pattern to the next.
KINEMA_CONSTANT(std::size_t, pattern_interval, 2);  // frames
/// The rate at which it is learned.
KINEMA_CONSTANT(double, pattern_rate, 0.04);  // share per lesson
/// Weight of the first frame in the pattern.
KINEMA_CONSTANT(float, first_pattern, 0.3f);  // share
/// Regularisation of the filter, which keeps weak frequencies from counting.
KINEMA_CONSTANT(float, pattern_regularisation, 1e-2f);  // share of the mean energy
/// Standard deviation of the response that the filter is trained for.
KINEMA_CONSTANT(double, response_deviation, 0.1);  // widths of the head
/// Edges below this are noise.
KINEMA_CONSTANT(float, edge_noise, 64);  // squared levels
/// Weight of brightness beside edges.
KINEMA_CONSTANT(float, brightness_weight, 0.5f);  // ratio

// ---- the static background

/// Differences up to this are noise: sums over three channels.
KINEMA_CONSTANT(int, still_difference, 24);  // levels
/// Differences from this on are something else.
KINEMA_CONSTANT(int, moved_difference, 72);  // levels
/// A frame counts 2^-this in the background: a difference halves in about 350 frames, or ten seconds.
KINEMA_CONSTANT(int, background_slowness, 9);  // binary exponent
/// The background is not learned within this radius: hair, and what the head covers next.
KINEMA_CONSTANT(double, background_gap, 1.6);  // radii of the head

// ---- calibration

/// Pixels between the oval and one this many times as large are left out: hair, ears, and the error of the oval.
KINEMA_CONSTANT(double, calibration_ring, 1.35);  // ratio
/// So is the neck: what lies below the oval, as far from its centre.
KINEMA_CONSTANT(double, calibration_neck, 2);  // radii of the oval
/// Of the planes, the softest whose score is at least this share of the best is taken.
KINEMA_CONSTANT(double, soft_plane_score, 0.98);  // share of the best score
/// Width of the fuzzy band in the search for a plane.
KINEMA_CONSTANT(double, search_band, 48);  // levels
/// Normals with which the search starts, spread over the half sphere.
KINEMA_CONSTANT(int, search_normals, 120);  // normals
/// Of them, those from which it climbs.
KINEMA_CONSTANT(std::size_t, search_climbs, 4);  // normals
/// Squared distance from which colours are left out of the fit of a Gaussian.
KINEMA_CONSTANT(double, colour_outlier, 9);  // squared deviations
/// Rounds of that fit.
KINEMA_CONSTANT(int, gaussian_rounds, 4);  // rounds
/// A Gaussian's variances may grow or shrink by this factor.
KINEMA_CONSTANT(double, largest_growth, 40);  // ratio

}  // namespace kinema::head

// Switches of parts, to measure what they are worth: see core/constant.h. What each does stands in scripts/mechanism_list.py,
// beside those that a constant or an option of the command switches off.
namespace kinema::head::mechanisms {

// head_window.cpp
KINEMA_MECHANISM(pattern_seed);
KINEMA_MECHANISM(searched_everywhere);
KINEMA_MECHANISM(searched_window_sizes);
KINEMA_MECHANISM(climbed_again);

// adaptation.cpp
KINEMA_MECHANISM(smoothed_colours);

}  // namespace kinema::head::mechanisms
