// The face: the data of an appearance model. Immutable, and shared by any number of fitters; train() makes it, io
// writes and reads it. "Efficient Parallel Implementation of Active Appearance Model Fitting Algorithm on GPU"
// (Wang, Ma, Zhu, Sun), section 2.1, eqs. 1-6.
//
// Shapes are x0 y0 x1 y1 ... In the model they have their own unit: the mean shape has its centroid at 0 and a root
// mean square distance of 1 from it. A similarity maps them to an image, whose pixels count from 0 at the centre of the
// first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinema::face {

/// Constant numbers, owned or in a memory-mapped file. Copies share them.
template <class T>
class Array {
public:
  Array() = default;
  Array(std::vector<T> values) {  // NOLINT: converts implicitly from a vector
    auto owned = std::make_shared<const std::vector<T>>(std::move(values));
    values_ = *owned;
    owner_ = std::move(owned);
  }
  /// A view of what `owner` keeps alive.
  Array(std::span<const T> values, std::shared_ptr<const void> owner) : values_(values), owner_(std::move(owner)) {}

  const T* data() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const T& operator[](std::size_t i) const { return values_[i]; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  operator std::span<const T>() const { return values_; }  // NOLINT: as a vector does

private:
  std::span<const T> values_;
  std::shared_ptr<const void> owner_;
};

/// Row-major. Bases are stored one mode per row, so that a mode is contiguous: the paper's matrix P of columns is this
/// matrix transposed.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  Array<float> values;

  std::span<const float> row(std::size_t i) const { return {values.data() + i * columns, columns}; }
};

/// x' = a x - b y + tx, y' = b x + a y + ty: the paper's pose with a = 1 + s_x, b = s_y.
struct Similarity {
  double a = 1, b = 0, tx = 0, ty = 0;
};

/// The meaning of the landmarks. Only `mirror` and `outer_eyes` affect results.
struct Layout {
  struct Group {
    std::string name;         ///< jaw, left_brow, ...
    std::vector<int> points;  ///< in the order of the line
    bool closed = false;      ///< the line returns to its first point
  };
  std::vector<Group> groups;
  std::vector<int> mirror;                    ///< for each landmark that on the other side; empty: unknown
  std::vector<std::array<int, 3>> triangles;  ///< empty: Delaunay of the mean shape
  std::array<int, 2> outer_eyes = {-1, -1};   ///< errors are measured over their distance; -1: over the shape's size
};

/// 68 landmarks as in 300-W, or 73 as in IMM frontal; empty for any other number.
Layout default_layout(std::size_t landmarks);

/// eq. 2: s = s0 + Ps b.
struct ShapeModel {
  Array<float> mean;       ///< 2 n
  Matrix modes;            ///< modes x 2 n, orthonormal rows, orthogonal to the four of a similarity
  Array<float> variances;  ///< of b, descending

  std::size_t landmarks() const { return mean.size() / 2; }
};

/// What the numbers of a texture are.
enum class Features {
  intensity,    ///< the grey value: 1 channel
  orientation,  ///< cos and sin of the gradient's direction, 0 where the gradient is negligible: 2 channels
  edges,        ///< the gradient over its magnitude plus the image's mean magnitude: 2 channels, softer
};
std::size_t channels(Features features);

/// In the order of the enumeration, as the command and Python call them.
inline constexpr std::array<std::string_view, 3> feature_names = {"intensity", "orientation", "edges"};
constexpr std::string_view name(Features features) { return feature_names[static_cast<std::size_t>(features)]; }

/// A small picture of the face, resampled to the model's size and upright by the similarity known when its stage
/// starts: pixel (u, v) shows the image at the similarity of the point ((u - x)/scale, (v - y)/scale) in the model's
/// unit, averaged over n x n samples, n = ceil(image pixels per pixel of the frame). Features are computed on it, once.
struct Frame {
  float scale = 1;  ///< pixels per unit
  float x = 0, y = 0;
  std::uint32_t width = 0, height = 0;
};

/// One resolution of the appearance model. `values` is pixels x channels; the channels of a pixel are neighbours.
struct Level {
  Features features = Features::intensity;

  /// The texture is normalised as in section 2.1: g = (g_im - mu 1)/alpha, mu the mean of g_im, alpha = (g_im - mu
  /// 1).g0/n, but never less than a tenth of the standard deviation of g_im; all 0 where that is 0. Otherwise g = g_im.
  bool photometric = true;

  /// Textures are sampled from a frame; otherwise from the image itself, as in the paper, which requires intensity.
  /// Both bilinearly, with coordinates clamped to the border.
  bool resampled = false;
  Frame frame;

  float scale = 1;                       ///< of the raster of the mean shape: pixels per unit
  std::uint32_t width = 0, height = 0;   ///< the box of that raster
  Array<std::uint32_t> places;           ///< pixels: row * width + column in that box, ascending
  Array<std::uint16_t> pixel_triangles;  ///< pixels: index into Model::triangles
  Array<float> barycentric;              ///< pixels x 3: weights of the triangle's corners
  Array<std::uint32_t> neighbours;       ///< pixels x 4: left, right, up, down; itself where there is none

  Array<float> mean;               ///< values: g0, of mean 0 and variance 1 where photometric
  Matrix texture_modes;            ///< modes x values: Pg, eq. 3, orthonormal rows
  Array<float> texture_variances;  ///< of b_g, descending
  float residual_variance = 0;     ///< mean square, over the training set, of a value's residual after the modes

  /// eq. 4, the combined model. c = shape_weight^2 Qs^T (s - s0) + Qg^T (g - g0).
  float shape_weight = 1;
  Matrix shape_combined;            ///< modes x 2 n: Qs
  Matrix texture_combined;          ///< modes x values: Qg
  Array<float> combined_variances;  ///< of c

  /// eq. 6: (modes + 4) x values; dp = -R r, dp = (dc, ds_x, ds_y, dt_x, dt_y). The pose is a displacement in the
  /// model's unit applied before the current pose: T <- T o dT.
  Matrix gradient;

  /// The independent model, inverse compositional: (4 + shape modes) x values. dq = project_out (g - g0); Pg, and where
  /// photometric also 1 and g0, along which normalised textures never differ, are projected out. dq are the
  /// parameters of [pose_modes; shape modes], which displace the vertices of the mean shape; the warp is then composed
  /// with the inverse of that displacement.
  Matrix project_out;

  std::size_t pixels() const { return places.size(); }
  std::size_t channel_count() const { return channels(features); }
};

/// A regression of a cascade: predicts the displacement of the landmarks from the texture around each of them. The
/// texture has Cascade::bins channels of gradient orientation, in the frame, at each landmark plus each offset:
/// value = (landmark * offsets + offset) * bins + bin.
struct CascadeStage {
  std::uint32_t frame = 0;  ///< index into Cascade::frames; resampled if it differs from the previous stage's
  Array<float> offsets;     ///< 2 per place, pixels of the frame
  Matrix gradient;          ///< (4 + shape modes) x values
  Array<float> constant;    ///< 4 + shape modes: dq = constant + gradient * texture; s <- s + [pose_modes; modes]^T dq
};

/// For a wide basin of convergence: successive regressions, each trained on the residual errors of the one before.
struct Cascade {
  std::vector<Frame> frames;
  std::vector<CascadeStage> stages;
  std::uint32_t bins = 8;
};

/// Of QualityModel::weights.
inline constexpr std::size_t quality_feature_count = 7;

/// Predicts the reliability of a fit.
struct QualityModel {
  Frame frame;
  Array<float> offsets;  ///< 2 per place, as in CascadeStage

  /// landmarks x (1 + offsets * bins): log of the expected error of each landmark over the outer-eye distance, from the
  /// texture around it; the constant comes first.
  Matrix landmark_error;

  /// 1 + landmarks * offsets * bins: the same for the mean error, from the texture around all of them.
  Array<float> overall_error;

  /// The probability of failure is 1/(1 + exp(-w.f - v.b)), f from quality_features() of the library: 1 first.
  Array<float> weights;

  /// v, one per shape mode: some shapes are fitted less well than others. Empty: none.
  Array<float> shape_weights;

  /// The confidence in a landmark is 1/(1 + exp(-w.f)), f = 1, log of its expected error, and the argument of the
  /// probability of failure.
  Array<float> landmark_weights;
};

/// Where the face lies in a box.
struct BoxPlacement {
  float x = 0, y = 0;  ///< the centroid of the shape, from the box's centre, over the box's size sqrt(w h)
  float scale = 0;     ///< image pixels per unit, over the box's size
};

enum class Method {
  cascade,       ///< the regressions of Model::cascade; `iterations` is the number of its stages, 0: all
  combined,      ///< algorithm 1: combined model, fixed R
  project_out,   ///< inverse compositional, independent model, texture projected out of a fixed Hessian
  simultaneous,  ///< inverse compositional, shape and texture solved together in each iteration (Wiberg)
};

/// In the order of the enumeration, as the command and Python call them.
inline constexpr std::array<std::string_view, 4> method_names = {"cascade", "combined", "project-out", "simultaneous"};
constexpr std::string_view name(Method method) { return method_names[static_cast<std::size_t>(method)]; }

struct Stage {
  Method method = Method::combined;
  std::uint32_t level = 0;        ///< of Model::levels; not for the cascade
  std::uint32_t iterations = 10;  ///< at most

  /// simultaneous: the weight of the prior on the shape parameters, in units of the mean squared residual of the
  /// training set; 0: none.
  float prior = 0;
};

struct Model {
  Layout layout;
  ShapeModel shape;
  std::vector<std::array<std::uint16_t, 3>> triangles;
  Matrix pose_modes;            ///< 4 x 2 n, orthonormal: mean shape, mean shape turned by 90 degrees, x, y
  std::vector<Level> levels;    ///< 0 is the finest and has the requested number of pixels
  Cascade cascade;              ///< may be empty
  QualityModel quality;         ///< may be empty: fits then have no probability of failure
  BoxPlacement landmark_box;    ///< the bounding box of the landmarks
  BoxPlacement detector_box;    ///< the face detector's box; scale 0: unknown
  std::vector<Stage> sequence;  ///< the stages of a fit whose settings name none

  // how it was made, for information
  std::uint32_t examples = 0;
  bool mirrored = false;
  std::string note;
};

/// Throws Error, naming the part, if sizes disagree, an index is out of range or a number is not finite.
void check(const Model& model);

}  // namespace kinema::face
