// Constants of the head tracker that were chosen by trial. See core/constant.h for what the tags mean and how a special
// build overrides them; docs/constants.md shows how far the result depends on each.
//
// "clips": Boy, Girl, David and FaceOcc1 of docs/head.md. "as first written": the value was never revised, and what it was
// chosen on is not recorded; the clips were measured with it.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::head {

// ---- plain mode

/// Less skin than this is the noise of a camera before a background without skin.
/// @unit share of the frame
/// @chosen as first written
KINEMA_CONSTANT(double, least_area, 2e-4);

/// A head of less than this share of its area at calibration (at 4.5 times the distance) is not reported.
/// @unit share of the area at calibration
/// @chosen as first written
KINEMA_CONSTANT(double, least_reference_area, 0.05);

/// Skin that covers less of its own extent is scattered over the frame, not a head.
/// @unit share of the ellipse of the same moments
/// @chosen as first written
KINEMA_CONSTANT(double, least_compactness, 0.12);

// ---- the soft window

/// Radius of the window around the window; what lies between the two is the head's surroundings.
/// @unit radii of the window
/// @chosen clips, before: 1.6
KINEMA_CONSTANT(double, surround_factor, 1.8);

/// Radius of the window: for a disc of skin the contrast is largest there.
/// @unit radii of the head
/// @chosen a disc of skin, computed
KINEMA_CONSTANT(double, window_factor, 1.2);

/// A window that is nearer than this to its place of rest has converged.
/// @unit pixels
/// @chosen as first written
KINEMA_CONSTANT(double, climb_tolerance, 0.01);

/// Steps towards the place of rest, at most.
/// @unit steps
/// @chosen as first written
KINEMA_CONSTANT(int, climb_steps, 20);

/// Ratio of successive steps above which the rest of the way is not extrapolated any further.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, largest_step_ratio, 0.97);

/// The longest extrapolated step.
/// @unit radii of the window
/// @chosen as first written
KINEMA_CONSTANT(double, longest_extrapolation, 0.5);

/// A shift between head and window below this is attributed to an oval in whole pixels, and ignored.
/// @unit radii of the head
/// @chosen clips, before: 0.1
KINEMA_CONSTANT(double, least_anchor_shift, 0.015);

/// The largest shift between head and window.
/// @unit radii of the head
/// @chosen as first written
KINEMA_CONSTANT(double, largest_anchor_shift, 0.6);

/// The smallest and the largest window, over that for a disc of skin.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, smallest_anchor_size, 0.7);

/// See smallest_anchor_size.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, largest_anchor_size, 1.6);

// ---- size: it changes slowly and its measurement is noisy

/// Sizes are tried at this factor above and below the last one.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, size_step, 1.1);

/// The part of the measured change that is applied in one frame.
/// @unit share
/// @chosen clips, before: 0.2 and 0.25
KINEMA_CONSTANT(double, size_gain, 0.4);

/// The part of the measured change that goes into the rate of growth.
/// @unit share per frame
/// @chosen as first written
KINEMA_CONSTANT(double, growth_gain, 0.02);

/// Decay of the rate of growth: gone within a second.
/// @unit ratio per frame
/// @chosen as first written
KINEMA_CONSTANT(double, growth_decay, 0.95);

/// The smallest and the largest head, over that of calibration.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, smallest_size, 0.3);

/// See smallest_size.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, largest_size, 4);

/// Contrast from which a measured size is trusted; a half-covered head has no size.
/// @unit share of the usual contrast
/// @chosen as first written
KINEMA_CONSTANT(double, sized_contrast, 0.75);

// ---- found or lost, by contrast: skin inside the window less skin around it

/// Below this the head is lost.
/// @unit share of the usual contrast
/// @chosen as first written
KINEMA_CONSTANT(double, lost_contrast, 0.3);

/// Above this a lost head is found again.
/// @unit share of the usual contrast
/// @chosen as first written
KINEMA_CONSTANT(double, found_contrast, 0.45);

/// Below this there is no head at all.
/// @unit contrast, 0...1
/// @chosen as first written
KINEMA_CONSTANT(double, least_contrast, 0.06);

/// Rate at which the usual contrast, and the usual response of the pattern, follow those of the frames.
/// @unit share per frame
/// @chosen as first written
KINEMA_CONSTANT(double, usual_rate, 0.03);

/// Cost of a place one radius away from the last one; it grows with the square of the distance.
/// @unit contrast
/// @chosen as first written
KINEMA_CONSTANT(double, distance_cost, 0.05);

/// Contrast at the place of calibration, over that of what was found elsewhere, from which the former is preferred.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, calibrated_contrast, 0.6);

/// As far from the place of calibration that place is preferred.
/// @unit radii of the window
/// @chosen as first written
KINEMA_CONSTANT(double, calibrated_reach, 0.7);

// ---- search

/// A head that was seen in the last frame is searched for this far from its place there.
/// @unit radii of the window
/// @chosen as first written
KINEMA_CONSTANT(double, search_radius, 2.2);

/// Cells per radius of the map of degrees, in a search near the last place.
/// @unit cells
/// @chosen as first written
KINEMA_CONSTANT(double, near_cells, 6);

/// Cells per radius of the map of degrees, in a search of the whole frame.
/// @unit cells
/// @chosen as first written
KINEMA_CONSTANT(double, far_cells, 5);

/// Places of the map from which windows start, for each size.
/// @unit places
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, search_places, 3);

/// Side of the outer box of the map's contrast.
/// @unit sides of the inner box
/// @chosen as first written
KINEMA_CONSTANT(double, box_surround_factor, 1.7);

/// Rounds in which the size of a newly found head is fitted.
/// @unit rounds
/// @chosen as first written
KINEMA_CONSTANT(int, size_rounds, 3);

/// Windows nearer than this are the same.
/// @unit radii of the window
/// @chosen as first written
KINEMA_CONSTANT(double, same_window, 0.02);

// ---- recalibration: colours learned during tracking

/// Frames from one lesson to the next.
/// @unit frames
/// @chosen clips, before: 3
KINEMA_CONSTANT(std::size_t, learning_interval, 6);

/// The rate at full need, see full_loss.
/// @unit share per lesson
/// @chosen clips, before: 0.12
KINEMA_CONSTANT(double, learning_rate, 0.15);

/// Loss of contrast since the start from which the full rate applies. Without loss little is learned, since what is learned
/// from a badly placed window cannot be unlearned.
/// @unit share of the first contrast
/// @chosen as first written
KINEMA_CONSTANT(double, full_loss, 0.2);

/// The rate without loss, over the full rate.
/// @unit share
/// @chosen as first written
KINEMA_CONSTANT(double, least_need, 0.15);

/// Contrast below which a frame is not learned from: the head may be half covered.
/// @unit share of the usual contrast
/// @chosen as first written
KINEMA_CONSTANT(double, learning_contrast, 0.6);

/// Outer radius of the surroundings whose colours are learned.
/// @unit radii of the head
/// @chosen as first written
KINEMA_CONSTANT(double, colour_reach, 2.6);

/// Inner radius of them; hair and ears lie before it.
/// @unit radii of the head
/// @chosen as first written
KINEMA_CONSTANT(double, colour_gap, 1.25);

/// Extent of the neck below the centre, which belongs to neither side.
/// @unit radii of the head
/// @chosen as first written
KINEMA_CONSTANT(double, colour_neck, 2);

/// Pixels that are sampled, about.
/// @unit pixels
/// @chosen as first written
KINEMA_CONSTANT(double, colour_samples, 24000);

/// Weight of the whole frame in the colours of the surroundings, for the time when the head is lost.
/// @unit share
/// @chosen as first written
KINEMA_CONSTANT(float, frame_colours, 0.25f);

/// Weight of the first frame in the colours of the head.
/// @unit share
/// @chosen clips, before: 0.35
KINEMA_CONSTANT(float, first_colours, 0.5f);

/// The part of a change of light that is believed at once, as an exponent: a passing shadow is such a change too.
/// @unit exponent
/// @chosen as first written
KINEMA_CONSTANT(double, light_exponent, 0.5);

/// A change of light below this is ignored.
/// @unit ratio - 1
/// @chosen as first written
KINEMA_CONSTANT(double, least_light_change, 0.004);

/// Share of pixels in a cell of colours below which its degree approaches that of the calibration.
/// @unit share of the pixels
/// @chosen clips, before: 2e-5
KINEMA_CONSTANT(float, rare_colour, 1e-4f);

// ---- the pattern: a correlation filter over edges. Its response falls as the head turns, and to a fifth or less of the
// usual one before anything else.

/// Weight of the usual response in the value of a place.
/// @unit contrast
/// @chosen as first written
KINEMA_CONSTANT(double, pattern_weight, 0.3);

/// Response below which the pattern is not trusted.
/// @unit share of the usual response
/// @chosen clips, before: 0.35
KINEMA_CONSTANT(double, pattern_from, 0.2);

/// Response from which it is fully trusted, and learned.
/// @unit share of the usual response
/// @chosen clips, before: 0.7
KINEMA_CONSTANT(double, pattern_full, 0.5);

/// Response that something in another place must have to be taken for the head.
/// @unit share of the usual response
/// @chosen as first written
KINEMA_CONSTANT(double, pattern_elsewhere, 0.35);

/// Distance from which a place counts as another one.
/// @unit radii of the window
/// @chosen as first written
KINEMA_CONSTANT(double, elsewhere_distance, 0.7);

/// The usual response at the start, from a calibration in another frame.
/// @unit response
/// @chosen as first written
KINEMA_CONSTANT(double, first_response, 0.7);

/// How far colours may pull the head from the place of a fully trusted pattern.
/// @unit radii of the head
/// @chosen clips, before: 0.15
KINEMA_CONSTANT(double, pattern_slack, 0.1);

/// Frames from one lesson of the pattern to the next.
/// @unit frames
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, pattern_interval, 2);

/// The rate at which it is learned.
/// @unit share per lesson
/// @chosen as first written
KINEMA_CONSTANT(double, pattern_rate, 0.04);

/// Weight of the first frame in the pattern.
/// @unit share
/// @chosen as first written
KINEMA_CONSTANT(float, first_pattern, 0.3f);

/// Regularisation of the filter, which keeps weak frequencies from counting.
/// @unit share of the mean energy
/// @chosen as first written
KINEMA_CONSTANT(float, pattern_regularisation, 1e-2f);

/// Standard deviation of the response that the filter is trained for.
/// @unit widths of the head
/// @chosen as first written
KINEMA_CONSTANT(double, response_deviation, 0.1);

/// Edges below this are noise.
/// @unit squared levels
/// @chosen as first written
KINEMA_CONSTANT(float, edge_noise, 64);

/// Weight of brightness beside edges.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(float, brightness_weight, 0.5f);

// ---- the static background

/// Differences up to this are noise: sums over three channels.
/// @unit levels
/// @chosen as first written
KINEMA_CONSTANT(int, still_difference, 24);

/// Differences from this on are something else.
/// @unit levels
/// @chosen as first written
KINEMA_CONSTANT(int, moved_difference, 72);

/// A frame counts 2^-this in the background: a difference halves in about 350 frames, or ten seconds.
/// @unit binary exponent
/// @chosen as first written
KINEMA_CONSTANT(int, background_slowness, 9);

/// The background is not learned within this radius: hair, and what the head covers next.
/// @unit radii of the head
/// @chosen as first written
KINEMA_CONSTANT(double, background_gap, 1.6);

// ---- calibration

/// Of the planes, the softest whose score is at least this share of the best is taken.
/// @unit share of the best score
/// @chosen as first written
KINEMA_CONSTANT(double, soft_plane_score, 0.98);

/// Width of the fuzzy band in the search for a plane.
/// @unit levels
/// @chosen as first written
KINEMA_CONSTANT(double, search_band, 48);

/// Normals with which the search starts, spread over the half sphere.
/// @unit normals
/// @chosen as first written
KINEMA_CONSTANT(int, search_normals, 120);

/// Of them, those from which it climbs.
/// @unit normals
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, search_climbs, 4);

/// Squared distance from which colours are left out of the fit of a Gaussian.
/// @unit squared deviations
/// @chosen as first written
KINEMA_CONSTANT(double, colour_outlier, 9);

/// Rounds of that fit.
/// @unit rounds
/// @chosen as first written
KINEMA_CONSTANT(int, gaussian_rounds, 4);

/// A Gaussian's variances may grow or shrink by this factor.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, largest_growth, 40);

}  // namespace kinema::head
