// Skin classifiers: the degree to which a colour is skin. Each is a small struct of parameters that can be stored,
// fitted to labelled pixels, and turned into the table that head::Moments reads; Filter is one of them with a record of
// how it was made.
#pragma once

#include "kinema/head.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kinema::head {

/// A Gaussian of two numbers: the degree is exp(-q/2), q the squared distance from the mean in units of the covariance.
struct Ellipse {
  std::array<double, 2> mean;
  std::array<double, 3> covariance;  ///< of the first, of both, of the second
};

/// In normalised colour, r = R/(R+G+B) and g = G/(R+G+B), which does not depend on brightness.
struct RgGaussian {
  static constexpr std::string_view name = "rg";
  Ellipse rg = {{0.44, 0.31}, {0.0012, -0.0004, 0.0003}};  ///< the locus of skin under lamps from warm to daylight

  /// R+G+B below which a colour is mostly noise: the degree falls to 0 in proportion.
  double darkest = 60;
};

/// A Gaussian in CIE x and y, X and Y over X+Y+Z (Rec. 709 primaries, of the channels as they are), which does not depend on
/// brightness: the CIE-XYZ "with all components divided by the sum" that the paper names.
struct XyzGaussian {
  static constexpr std::string_view name = "xyz";
  Ellipse xy = {{0.354, 0.3495}, {0.000187, 0.00008, 0.000096}};  ///< the locus of RgGaussian
  double darkest = 60;                                            ///< as there
};

/// An elliptical Gaussian in Cb and Cr (BT.601, full range: 128 is grey), as in the paper's [10] and [14].
struct CbCrGaussian {
  static constexpr std::string_view name = "cbcr";
  Ellipse cbcr = {{109, 152}, {110, -40, 90}};

  /// Luma (0...255) below which chroma is noise: the degree falls to 0 in proportion.
  double darkest = 25;
};

/// A box in hue, saturation and value whose edges are ramps: 1 inside, 0 from `soft` outside on.
struct HsvBox {
  static constexpr std::string_view name = "hsv";
  std::array<double, 2> hue = {-20, 50};           ///< degrees; the range runs upwards and may cross 0
  std::array<double, 2> saturation = {0.2, 0.68};  ///< 0...1
  std::array<double, 2> value = {0.3, 1};          ///< 0...1
  std::array<double, 3> soft = {10, 0.08, 0.1};    ///< of hue (degrees), saturation and value; above 0
};

/// A Gaussian in tint and saturation, the T and S of Terrillon's TSL (the paper's STV space, its [10]). Tint is an
/// angle of 0...1 and wraps; saturation is 0 for grey.
struct TslGaussian {
  static constexpr std::string_view name = "tsl";
  Ellipse ts = {{0.53, 0.16}, {0.0016, 0, 0.004}};
  double darkest = 25;  ///< as in CbCrGaussian
};

/// The share of skin in each cell of a grid over RGB (Bayes), smoothed; trilinear between the cells' centres.
struct Histogram {
  static constexpr std::string_view name = "histogram";
  int bins = 0;                       ///< cells per channel, 2...64
  std::vector<std::uint8_t> degrees;  ///< bins^3, 255 for 1, at (R bins + G) bins + B
};

/// Any classifier. The plane (eq. 2) is "plane".
using SkinModel = std::variant<SkinPlane, RgGaussian, XyzGaussian, CbCrGaussian, HsvBox, TslGaussian, Histogram>;

/// The colours of one user, in one light, with one camera.
struct Filter {
  SkinModel model;
  double score = 0;    ///< see score(), for the pixels it was made from; low: skin and background do not separate
  std::string camera;  ///< which camera, or the file it was made from; free text
  std::string light;   ///< free text
};

/// "plane", "rg", "xyz", "cbcr", "hsv", "tsl" or "histogram".
std::string_view name(const SkinModel& model);
std::vector<std::string_view> skin_model_names();

/// Throws Error if a parameter is invalid: not finite, a matrix that is no covariance, an empty box.
void check(const SkinModel& model);

/// The definition: the degree, 0...1, of a colour with channels 0...255.
double degree(const SkinModel& model, double r, double g, double b);

/// eq. 7: degree() of all colours, rounded to bytes, independent of the number of threads (0: one per core).
Table make_table(const SkinModel& model, int threads = 0);

/// For head::Moments: a plane as it is, anything else as a table.
Classifier make_classifier(const SkinModel& model, int threads = 0);

/// A colour of labelled frames, or the mean of a cell of colours, and its number of pixels.
struct ColourCount {
  float r = 0, g = 0, b = 0;  ///< 0...255
  double skin = 0;            ///< pixels labelled as skin
  double other = 0;           ///< pixels labelled as background
};

/// The share of skin pixels less that of background pixels, each by degree: 1 where they separate, 0 where they do not.
double score(const SkinModel& model, std::span<const ColourCount> colours);

/// The parameters that fit labelled pixels; a Gaussian's size and a box's extent are those that score best. The order
/// of the colours does not matter except for rounding. Throws Error without skin or without background.
RgGaussian fit_rg(std::span<const ColourCount> colours);
XyzGaussian fit_xyz(std::span<const ColourCount> colours);
CbCrGaussian fit_cbcr(std::span<const ColourCount> colours);
HsvBox fit_hsv(std::span<const ColourCount> colours);
TslGaussian fit_tsl(std::span<const ColourCount> colours);

Histogram fit_histogram(std::span<const ColourCount> colours, int bins = 32);

}  // namespace kinema::head
