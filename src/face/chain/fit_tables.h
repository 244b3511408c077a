// What the stages of a fit need of a model, as plain arrays in one piece of memory that can be copied to a device. The structs
// hold pointers into it; fit_chain.h says what is done with them.
#pragma once

#include "core/host_device.h"
#include "kinema/face.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kinema::face {

/// [pose_modes; shape modes], and the mean shape. `all` = 4 + modes.
struct ShapeTable {
  int landmarks = 0, size = 0, modes = 0, all = 0;
  double share = 0;                       ///< 1 / landmarks
  double centre_x = 0, centre_y = 0;      ///< of the mean shape
  double sum_x = 0, sum_y = 0;            ///< of its distances from there: what rounding leaves of 0
  double by_square = 0;                   ///< 1 / the sum of their squares
  const float* mean = nullptr;            ///< size
  const double* centred = nullptr;        ///< size: the mean shape from its centre
  const double* basis = nullptr;          ///< all x size
  const double* by_coordinate = nullptr;  ///< size x all, the same transposed
  const double* most = nullptr;           ///< modes: bound of b, infinite: none
  const double* variances = nullptr;      ///< modes

  // the triangulation, for the composition of warps
  int triangles = 0;
  int around = 0;                           ///< of vertex_triangles
  const int* corners = nullptr;             ///< triangles x 3
  const double* inverse_edges = nullptr;    ///< triangles x 4, row-major
  const int* vertex_first = nullptr;        ///< landmarks + 1: into vertex_triangles
  const double* vertex_share = nullptr;     ///< landmarks: 1 / the number of triangles, 0: none
  const int* vertex_triangles = nullptr;    ///< those around a vertex that are not degenerate, ascending
  const int* vertex_of_triangle = nullptr;  ///< of each of vertex_triangles

  template <class Visit>
  void visit(Visit&& v) {
    v(mean), v(centred), v(basis), v(by_coordinate), v(most), v(variances);
    v(corners), v(inverse_edges), v(vertex_first), v(vertex_share), v(vertex_triangles), v(vertex_of_triangle);
  }
};

/// The texture around landmarks in a frame of orientation bins.
struct RingTable {
  Frame frame;
  int bins = 0, places = 0;        ///< places around each landmark
  const float* offsets = nullptr;  ///< places x 2
  const float* cosines = nullptr;  ///< bins
  const float* sines = nullptr;    ///< bins

  template <class Visit>
  void visit(Visit&& v) {
    v(offsets), v(cosines), v(sines);
  }
};

/// One regression of the cascade.
struct RegressionTable {
  RingTable rings;
  bool enters = false;  ///< its frame is not that of the one before
  int rows = 0, inputs = 0;
  const float* gradient = nullptr;  ///< rows x inputs
  const float* constant = nullptr;  ///< rows

  template <class Visit>
  void visit(Visit&& v) {
    rings.visit(v);
    v(gradient), v(constant);
  }
};

/// Pixels of one triangle, at most most_chunk_pixels: the unit in which sums over a texture are divided.
struct PixelChunk {
  std::uint16_t corner[3];
  std::uint16_t pixels;
  int first;
};
inline constexpr int most_chunk_pixels = 64;

/// Vertices whose part of J J^T one block adds.
inline constexpr int vertex_group = 8;

/// A level under an inverse compositional stage. The rows of its stack are [Pg; A; g0; 1], A the project-out matrix or nothing.
struct LevelTable {
  Features features = Features::intensity;
  bool resampled = false, photometric = false, simultaneous = false;
  Frame frame;
  int channels = 1, pixels = 0, values = 0, chunks = 0;
  int modes = 0;                         ///< of Pg
  int steps = 0;                         ///< rows of A
  int rows = 0;                          ///< modes + steps + 2
  int row_width = 0;                     ///< rows of the stack, padded to whole vectors
  int most_pairs = 0, most_entries = 0;  ///< of a vertex group: pairs of vertices, and their entries
  int iterations = 0;
  double threshold = 0;
  double by_values = 0, by_square = 0;  ///< 1 / values, 1 / the square of g0

  const PixelChunk* chunk = nullptr;   ///< chunks
  const float* weights = nullptr;      ///< pixels x 4: of the three corners, and nothing
  const int* neighbours = nullptr;     ///< pixels x 4
  const float* slope_steps = nullptr;  ///< pixels x 2
  const float* mean = nullptr;         ///< values: g0
  const float* stack = nullptr;        ///< values x row_width: a value of every row side by side
  const double* by_mean = nullptr;     ///< rows: products with g0
  const double* by_one = nullptr;      ///< rows: products with 1
  const double* prior = nullptr;       ///< 4 + shape modes: weights of the parameters, 0 of the pose
  const int* corner_first = nullptr;   ///< landmarks + 1
  const int* corner_list = nullptr;    ///< chunk * 3 + corner
  // the pairs of a vertex with each that shares a chunk with it
  const int* pair_first = nullptr;    ///< landmarks + 1: into pair_other
  const int* pair_other = nullptr;    ///< the other vertex
  const int* entry_first = nullptr;   ///< pairs + 1: into pair_entries
  const int* pair_entries = nullptr;  ///< chunk * 9 + corner of the other vertex * 3 + corner of the vertex

  template <class Visit>
  void visit(Visit&& v) {
    v(chunk), v(weights), v(neighbours), v(slope_steps), v(mean), v(stack), v(by_mean), v(by_one), v(prior);
    v(corner_first), v(corner_list), v(pair_first), v(pair_other), v(entry_first), v(pair_entries);
  }
};

struct ScoreTable {
  bool present = false;
  RingTable rings;
  int values = 0;                           ///< of a landmark
  double residual_variance = 0;             ///< of the last stage's level; 0: it has no residual
  const float* landmark_error = nullptr;    ///< landmarks x (1 + values)
  const float* overall_error = nullptr;     ///< 1 + landmarks * values
  const float* weights = nullptr;           ///< quality_feature_count
  int shape_modes = 0;                      ///< with a weight: all, or none
  const float* shape_weights = nullptr;     ///< shape_modes
  const float* landmark_weights = nullptr;  ///< 3

  template <class Visit>
  void visit(Visit&& v) {
    rings.visit(v);
    v(landmark_error), v(overall_error), v(weights), v(shape_weights), v(landmark_weights);
  }
};

/// A stage: regressions, or a level.
struct StageTable {
  Method method = Method::cascade;
  std::vector<RegressionTable> regressions;
  LevelTable level;
};

/// Tables of the stages of one fit.
struct FitTables {
  ShapeTable shape;
  std::vector<StageTable> stages;
  ScoreTable score;

  template <class Visit>
  void visit(Visit&& v) {
    shape.visit(v), score.visit(v);
    for (StageTable& stage : stages) {
      stage.level.visit(v);
      for (RegressionTable& regression : stage.regressions) regression.visit(v);
    }
  }
};

/// The tables and their memory.
class PackedTables {
public:
  /// Of cascades, project-out and simultaneous stages, or of none; `score`: with what a score needs, if the model has it.
  PackedTables(const Model& model, std::span<const Stage> stages, const FitSettings& settings, bool score);

  /// Whether the kernels can run a stage: not a combined one, nor sizes beyond a block's memory. `block_bytes`: memory that a
  /// block of threads can have.
  static bool fits(const Model& model, const Stage& stage, std::size_t block_bytes);

  /// Whether the model has a score and the kernels can make it.
  static bool fits_score(const Model& model);

  std::span<const std::byte> bytes() const { return memory_; }

  /// With pointers into a copy of bytes() at this place.
  FitTables at(const std::byte* base) const;
  FitTables here() const { return at(memory_.data()); }

private:
  template <class T>
  const T* add(std::span<const T> values);
  template <class T>
  const T* add(const std::vector<T>& values) {
    return add(std::span<const T>(values));
  }
  void add_shape(const Model& model, double limit);
  RingTable add_rings(const Model& model, const Frame& frame, std::span<const float> offsets);
  StageTable add_cascade(const Model& model, const Stage& stage);
  StageTable add_level(const Model& model, const Stage& stage, const FitSettings& settings);
  void add_score(const Model& model);

  std::vector<std::byte> memory_;
  FitTables offsets_;  // pointers are places in memory_
};

}  // namespace kinema::face
