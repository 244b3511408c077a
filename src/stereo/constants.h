// Constants of stereo matching that were chosen by trial: see core/constant.h.
//
// "realistic pairs": people before painted walls, made by a renderer that is not kinema's own, with true depths.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::stereo::constants {

/// Penalty of a disparity that changes by one from a pixel to its neighbour. [realistic pairs]
KINEMA_CONSTANT(int, small_step, 4);  // bits of the census
/// Penalty of a larger change where both pixels are equally bright. With the 24 bits of the census, four paths fit in a
/// byte up to 39. [realistic pairs]
KINEMA_CONSTANT(int, large_step, 36);  // bits of the census
/// The same at the strongest edges of the picture. [realistic pairs]
KINEMA_CONSTANT(int, edge_step, 8);  // bits of the census
/// Difference of brightness that halves the penalty. [realistic pairs]
KINEMA_CONSTANT(double, edge_contrast, 8);  // grey levels
/// A match counts where the sum of its paths is below that of any other disparity by this share of it. [realistic
/// pairs]
KINEMA_CONSTANT(double, uniqueness, 1.0 / 32);  // share
/// Pixels of a square that differ in brightness from its middle by more have no say: they may belong to another
/// surface. [realistic pairs]
KINEMA_CONSTANT(double, alike, 30);  // grey levels
/// The same grows with the slope of the picture in the middle: a pixel on an edge has a part in both of its sides. [a
/// chessboard held by a man, OpenCV's samples]
KINEMA_CONSTANT(double, alike_on_edge, 4);  // pixels
/// Pixels of a square have less say the steeper the picture is across them, half of it at this slope: the outline of a
/// rounded limb, where it turns away from the camera, would else speak for all of it. [realistic pairs]
KINEMA_CONSTANT(double, steep, 3.2);  // grey levels per pixel
/// Pixels of a square have half their say where the pictures differ by this, although they agree around the pixel.
/// [realistic pairs]
KINEMA_CONSTANT(double, unlike, 1.5);  // grey levels
/// The same grows with the slope of the picture: a small error of the disparity makes a large difference on an edge.
/// [a chessboard held by a man, OpenCV's samples]
KINEMA_CONSTANT(double, unlike_on_edge, 0.3);  // pixels
/// How far a square is taken for flat in the refinement; else it keeps the shape that its disparities have: the middle
/// of a rounded limb is nearer than its rims. [realistic pairs]
KINEMA_CONSTANT(double, flatness, 0.5);  // share
/// Pixels of a square whose disparity differs from that of its middle by more belong to another surface.
KINEMA_CONSTANT(double, same_surface, 1);  // pixels
/// A square counts from this sum of weights of its white pixels on. [realistic pairs]
KINEMA_CONSTANT(double, fewest, 0.5);  // pixels
/// What the disparities around a pixel weigh against the pictures, which say little where a surface is plain: as much
/// as this sum of squared slopes. [realistic pairs]
KINEMA_CONSTANT(double, smoothness, 50);  // squared grey levels per pixel
/// Steps of least squares. [realistic pairs]
KINEMA_CONSTANT(int, refinements, 4);  // steps
/// Each is longer than what a square asks for, since its neighbours will ask for the same. [realistic pairs: four steps
/// do what six would without]
KINEMA_CONSTANT(double, overstep, 1.5);  // ratio
/// A step of the refinement is at most this long.
KINEMA_CONSTANT(double, longest_step, 0.5);  // pixels
/// Correlation of the two pictures in a square below which a match is chance. [realistic pairs]
KINEMA_CONSTANT(double, least_correlation, 0.5);  // correlation
/// Share of the variance of noise that the smoothed slopes of a picture have. [three by three binomial weights and
/// central differences, about 0.02 for independent noise]
KINEMA_CONSTANT(double, slope_noise, 0.03);  // share
/// Deviation of the rows of one picture about those of the other, after their alignment. [realistic pairs]
KINEMA_CONSTANT(double, row_error, 0.05);  // pixels
/// A disparity is unknown where the two pictures determine it worse. [realistic pairs]
KINEMA_CONSTANT(double, most_deviation, 0.8);  // pixels
/// Deviations as computed from the pictures are multiplied by this. [realistic pairs]
KINEMA_CONSTANT(double, deviation_scale, 0.8);  // ratio
/// Deviation of a disparity that follows from those around it alone. [realistic pairs]
KINEMA_CONSTANT(double, smooth_deviation, 0.25);  // pixels
/// Deviation of the best matches. [realistic pairs]
KINEMA_CONSTANT(double, least_deviation, 0.08);  // pixels
/// An unsure disparity is taken over where the first sure ones in eight directions, up to this far away, confirm it: those as bright
/// as it is, on both sides of it along so many lines, and no more than so many that differ. [realistic pairs]
KINEMA_CONSTANT(int, confirming_reach, 20);  // pixels
/// [realistic pairs]
KINEMA_CONSTANT(int, confirming, 2);  // lines
/// [realistic pairs]
KINEMA_CONSTANT(int, contradicting, 1);  // directions
/// [realistic pairs]
KINEMA_CONSTANT(double, as_bright, 20);  // grey levels
/// A slope of the picture from which an edge may be an outline. [realistic pairs]
KINEMA_CONSTANT(double, outline_slope, 3);  // grey levels per pixel
/// Disparities that fall by this share of themselves are those of something behind. [realistic pairs]
KINEMA_CONSTANT(double, behind, 0.06);  // share
/// A disparity needs so many others like it in the square of nine by nine pixels around it. [realistic pairs]
KINEMA_CONSTANT(int, support, 20);  // pixels
/// A slope of the picture below which a pixel is plain. [realistic pairs]
KINEMA_CONSTANT(double, plain_slope, 1.5);  // grey levels per pixel
/// The outline of a plain area lies within this distance of it. [realistic pairs]
KINEMA_CONSTANT(int, outline_distance, 7);  // pixels
/// Share of far pixels in the outline of an area from which it lies behind the near ones, and how many at least.
/// [realistic pairs]
KINEMA_CONSTANT(double, far_share, 0.1);  // share
/// [realistic pairs]
KINEMA_CONSTANT(std::size_t, far_pixels, 15);  // pixels
/// Pixels of a square that tells how far apart the rows are.
KINEMA_CONSTANT(double, row_square, 40);  // pixels
/// Sum of squared slopes from which such a square tells something. [realistic pairs]
KINEMA_CONSTANT(double, row_texture, 100);  // squared grey levels per pixel
/// The most that one square counts. [realistic pairs]
KINEMA_CONSTANT(double, row_weight, 2000);  // inverse variance, squared pixels
/// Squares that are off by more count for less than half. [realistic pairs]
KINEMA_CONSTANT(double, row_outlier, 0.2);  // pixels
/// Fewer squares tell nothing.
KINEMA_CONSTANT(int, row_squares, 100);  // squares
/// A lens is at fault if so many pairs show it, from the first on. [as first written: a third of a second at 30 pairs a
/// second]
KINEMA_CONSTANT(int, faulty_pairs, 10);  // pairs
/// A picture with less contrast shows nothing, if the other one has twice as much.
KINEMA_CONSTANT(double, covered_contrast, 6);  // grey levels
/// A picture is blurred if its slopes have less than this share of the other's, squared. [realistic pairs: pictures of
/// a pair differ by a tenth; a blur of 2 pixels leaves a quarter]
KINEMA_CONSTANT(double, blurred_share, 0.35);  // share

}  // namespace kinema::stereo::constants
