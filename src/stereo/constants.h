// Constants of stereo matching that were chosen by trial; see core/constant.h for the tags.
//
// "realistic pairs": people before painted walls, made by a renderer that is not kinema's own, with true depths.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::stereo::constants {

/// Penalty of a disparity that changes by one from a pixel to its neighbour.
/// @unit bits of the census
/// @chosen realistic pairs
KINEMA_CONSTANT(int, small_step, 4);

/// Penalty of a larger change where both pixels are equally bright. With the 24 bits of the census, four paths fit in a byte up to
/// 39.
/// @unit bits of the census
/// @chosen realistic pairs
KINEMA_CONSTANT(int, large_step, 36);

/// The same at the strongest edges of the picture.
/// @unit bits of the census
/// @chosen realistic pairs
KINEMA_CONSTANT(int, edge_step, 8);

/// Difference of brightness that halves the penalty.
/// @unit grey levels
/// @chosen realistic pairs
KINEMA_CONSTANT(double, edge_contrast, 8);

/// A match counts where the sum of its paths is below that of any other disparity by this share of it.
/// @unit share
/// @chosen realistic pairs
KINEMA_CONSTANT(double, uniqueness, 1.0 / 32);

/// Pixels of a square that differ in brightness from its middle by more have no say: they may belong to another surface.
/// @unit grey levels
/// @chosen realistic pairs
KINEMA_CONSTANT(double, alike, 30);

/// The same grows with the slope of the picture in the middle: a pixel on an edge has a part in both of its sides.
/// @unit pixels
/// @chosen a chessboard held by a man, OpenCV's samples
KINEMA_CONSTANT(double, alike_on_edge, 4);

/// Pixels of a square have less say the steeper the picture is across them, half of it at this slope: the outline of a rounded
/// limb, where it turns away from the camera, would else speak for all of it.
/// @unit grey levels per pixel
/// @chosen realistic pairs
KINEMA_CONSTANT(double, steep, 3.2);

/// Pixels of a square have half their say where the pictures differ by this, although they agree around the pixel.
/// @unit grey levels
/// @chosen realistic pairs
KINEMA_CONSTANT(double, unlike, 1.5);

/// How far a square is taken for flat in the refinement, where it else keeps the shape that its disparities have: the middle of
/// a rounded limb is nearer than its rims.
/// @unit share
/// @chosen realistic pairs
KINEMA_CONSTANT(double, flatness, 0.5);

/// Pixels of a square whose disparity differs from that of its middle by more belong to another surface.
/// @unit pixels
/// @chosen as first written
KINEMA_CONSTANT(double, same_surface, 1);

/// A square counts from this sum of weights on.
/// @unit pixels
/// @chosen realistic pairs
KINEMA_CONSTANT(double, fewest, 1);

/// What the disparities around a pixel weigh against the pictures, which say little where a surface is plain: as much as this sum
/// of squared slopes, of every other pixel of a square.
/// @unit squared grey levels per pixel
/// @chosen realistic pairs
KINEMA_CONSTANT(double, smoothness, 50);

/// Steps of least squares.
/// @unit steps
/// @chosen realistic pairs
KINEMA_CONSTANT(int, refinements, 4);

/// Each is longer than what a square asks for, since its neighbours will ask for the same.
/// @unit ratio
/// @chosen realistic pairs: four steps do what six would without
KINEMA_CONSTANT(double, overstep, 1.5);

/// A step of the refinement is at most this long.
/// @unit pixels
/// @chosen as first written
KINEMA_CONSTANT(double, longest_step, 0.5);

/// Correlation of the two pictures in a square below which a match is chance.
/// @unit correlation
/// @chosen realistic pairs
KINEMA_CONSTANT(double, least_correlation, 0.5);

/// Share of the variance of noise that the smoothed slopes of a picture have.
/// @unit share
/// @chosen three by three binomial weights and central differences, about 0.02 for independent noise
KINEMA_CONSTANT(double, slope_noise, 0.03);

/// Deviation of the rows of one picture about those of the other, after their alignment.
/// @unit pixels
/// @chosen realistic pairs
KINEMA_CONSTANT(double, row_error, 0.05);

/// A disparity is unknown where the two pictures determine it worse.
/// @unit pixels
/// @chosen realistic pairs
KINEMA_CONSTANT(double, most_deviation, 0.8);

/// Deviations as computed from the pictures are multiplied by this.
/// @unit ratio
/// @chosen realistic pairs
KINEMA_CONSTANT(double, deviation_scale, 0.8);

/// Deviation of a disparity that follows from those around it alone.
/// @unit pixels
/// @chosen realistic pairs
KINEMA_CONSTANT(double, smooth_deviation, 0.25);

/// Deviation of the best matches.
/// @unit pixels
/// @chosen realistic pairs
KINEMA_CONSTANT(double, least_deviation, 0.08);

/// A disparity that is not sure by itself is taken over where the first sure ones in eight directions, up to this far away,
/// confirm it: those as bright as it is, on both sides of it along so many lines, and no more than so many that differ.
/// @unit pixels
/// @chosen realistic pairs
KINEMA_CONSTANT(int, confirming_reach, 20);
/// @unit lines
/// @chosen realistic pairs
KINEMA_CONSTANT(int, confirming, 2);
/// @unit directions
/// @chosen realistic pairs
KINEMA_CONSTANT(int, contradicting, 1);
/// @unit grey levels
/// @chosen realistic pairs
KINEMA_CONSTANT(double, as_bright, 20);

/// A slope of the picture from which an edge may be an outline.
/// @unit grey levels per pixel
/// @chosen realistic pairs
KINEMA_CONSTANT(double, outline_slope, 3);

/// Disparities that fall by this share of themselves are those of something behind.
/// @unit share
/// @chosen realistic pairs
KINEMA_CONSTANT(double, behind, 0.06);

/// A disparity needs so many others like it in the square of nine by nine pixels around it.
/// @unit pixels
/// @chosen realistic pairs
KINEMA_CONSTANT(int, support, 20);

/// A slope of the picture below which a pixel is plain.
/// @unit grey levels per pixel
/// @chosen realistic pairs
KINEMA_CONSTANT(double, plain_slope, 1.5);

/// The outline of a plain area lies within this distance of it.
/// @unit pixels
/// @chosen realistic pairs
KINEMA_CONSTANT(int, outline_distance, 7);

/// Share of far pixels in the outline of an area from which it lies behind the near ones, and how many at least.
/// @unit share
/// @chosen realistic pairs
KINEMA_CONSTANT(double, far_share, 0.1);
/// @unit pixels
/// @chosen realistic pairs
KINEMA_CONSTANT(std::size_t, far_pixels, 15);

/// Pixels of a square that tells how far apart the rows are.
/// @unit pixels
/// @chosen as first written
KINEMA_CONSTANT(double, row_square, 40);

/// Sum of squared slopes from which such a square tells something.
/// @unit squared grey levels per pixel
/// @chosen realistic pairs
KINEMA_CONSTANT(double, row_texture, 100);

/// The most that one square counts.
/// @unit inverse variance, squared pixels
/// @chosen realistic pairs
KINEMA_CONSTANT(double, row_weight, 2000);

/// Squares that are off by more count for less than half.
/// @unit pixels
/// @chosen realistic pairs
KINEMA_CONSTANT(double, row_outlier, 0.2);

/// Fewer squares tell nothing.
/// @unit squares
/// @chosen as first written
KINEMA_CONSTANT(int, row_squares, 100);

/// A lens is at fault if so many pairs show it, from the first on.
/// @unit pairs
/// @chosen as first written: a third of a second at 30 pairs a second
KINEMA_CONSTANT(int, faulty_pairs, 10);

/// A picture with less contrast shows nothing, if the other one has twice as much.
/// @unit grey levels
/// @chosen as first written
KINEMA_CONSTANT(double, covered_contrast, 6);

/// A picture is blurred if its slopes have less than this share of the other's, squared.
/// @unit share
/// @chosen realistic pairs: pictures of a pair differ by a tenth; a blur of 2 pixels leaves a quarter
KINEMA_CONSTANT(double, blurred_share, 0.35);

}  // namespace kinema::stereo::constants
