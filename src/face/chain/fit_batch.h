// The memory of faces that are fitted together: what goes up, what the kernels of a chain leave for each other, and what comes
// down. Every array has a part for each face.
#pragma once

#include "face/chain/fit_tables.h"
#include "face/model/frame_pixels.h"
#include "kinema/face.h"

#include <cstddef>

namespace kinema::face {

/// A face to fit. The image lies where the kernels run.
struct FaceTask {
  GreyView image;
  Similarity pose;
  int mean = 1;      ///< the shape is that of the model; otherwise it is in FitBatch::starts
  double error = 0;  ///< of the stage before, over its values: for a chain that only scores

  /// A colour frame, of which `image` is made: at this place by the first face that has it, null for the others.
  ColourView colour = {};
  std::uint8_t* grey = nullptr;
};

/// The state of a face between kernels.
struct FaceState {
  Similarity pose;
  int mean = 1;  ///< no stage has changed the shape yet

  // the source of textures of this stage
  Similarity to_source;  ///< from the model's unit under `pose`, to pixels from the origin
  int origin_x = 0, origin_y = 0;
  float centre = 0;

  // the last sampling
  double error = 0;  ///< E of what Pg leaves of d = g - g0
  double by_mean = 0, by_one = 0, offset = 0, factor = 1;

  int running = 0;  ///< this stage has not ended
  int stage_iterations = 0;
  int iterations = 0, converged = 0;
};

struct FaceResult {
  Similarity pose;
  double error = 0, failure = 0;
  int iterations = 0, converged = 0;
};

/// Sizes of the arrays, for one face.
struct BatchSizes {
  int shape = 0, modes = 0, landmarks = 0;
  int frame_pixels = 0, frame_values = 0, frame_tiles = 0;
  int ring_values = 0, partial_products = 0;
  int texture_values = 0, texture_modes = 0, rows = 0;
  int sample_sums = 0, corner_sums = 0, pair_sums = 0, descent = 0, hessian = 0, gradient = 0;

  BatchSizes() = default;
  explicit BatchSizes(const FitTables& tables);
};

struct FitBatch {
  // up: written by the host
  int* count = nullptr;       ///< faces; the grids may be larger
  FaceTask* tasks = nullptr;  ///< faces
  double* starts = nullptr;   ///< faces x 2 n

  // down
  FaceResult* results = nullptr;  ///< faces
  float* landmarks = nullptr;     ///< faces x 2 n
  float* parameters = nullptr;    ///< faces x modes: b
  float* confidences = nullptr;   ///< faces x n

  FaceState* states = nullptr;  ///< faces
  double* shape = nullptr;      ///< faces x 2 n, in the model's unit under the state's pose

  // between kernels
  double* next = nullptr;        ///< faces x 2 n: the shape that is tried
  float* placed = nullptr;       ///< faces x 2 n: where a texture is sampled
  float* grey = nullptr;         ///< faces x frame_pixels
  float* channels = nullptr;     ///< faces x frame_values: bins or features of a frame
  float* energy = nullptr;       ///< faces x frame_pixels
  double* tiles = nullptr;       ///< faces x frame_tiles
  float* rings = nullptr;        ///< faces x ring_values: the texture around the landmarks
  float* products = nullptr;     ///< faces x partial_products
  float* samples = nullptr;      ///< faces x texture_values
  float* texture = nullptr;      ///< faces x texture_values: g0 + Pg^T lambda
  double* lambda = nullptr;      ///< faces x texture_modes
  double* difference = nullptr;  ///< faces x rows: [Pg; A] d
  float* sample_sums = nullptr;  ///< faces x chunks x (rows + 1)
  float* corner_sums = nullptr;  ///< faces x chunks x 6 x (modes + 3)
  float* pair_sums = nullptr;    ///< faces x chunks x 21
  double* descent = nullptr;     ///< faces x (modes + 3) x all: J [Pg; g0; 1; d]^T, transposed
  double* gradient = nullptr;    ///< faces x column_blocks x all, to be added: J d less that of the modes
  double* expected = nullptr;    ///< faces x modes: b of the shape, for its prior
  float* hessian = nullptr;      ///< faces x hessian_parts x hessian_stride, to be added: J J^T - J Pg^T (J Pg^T)^T

  BatchSizes sizes;
};

/// Rows of the sums of a sampling: those of the stack, and the square.
KINEMA_HD inline int sample_width(const LevelTable& level) { return level.rows + 1; }

/// Columns of J's products: [Pg; g0; 1] and d.
KINEMA_HD inline int descent_columns(const LevelTable& level) { return level.modes + 3; }

/// Products of the 6 images of a chunk's corners with each other.
inline constexpr int corner_pairs = 21;

/// Groups of vertices, each with its part of J J^T.
KINEMA_HD inline int vertex_groups(int landmarks) { return (landmarks + vertex_group - 1) / vertex_group; }

/// Columns of J's products that one block makes, and its part of J J^T: the groups' parts less those of the modes.
inline constexpr int descent_columns_at_once = 4;
KINEMA_HD inline int column_blocks(const LevelTable& level) {
  return (descent_columns(level) + descent_columns_at_once - 1) / descent_columns_at_once;
}
KINEMA_HD inline int hessian_parts(const LevelTable& level, int landmarks) {
  return vertex_groups(landmarks) + (level.modes + descent_columns_at_once - 1) / descent_columns_at_once;
}

/// Elements of a part, rounded up to whole pairs.
KINEMA_HD inline int hessian_stride(int all) { return (all * (all + 1) / 2 + 1) / 2 * 2; }

/// Values of a regression's row that one block multiplies, in 32 strands.
inline constexpr int product_segment = 1024;
KINEMA_HD inline int product_segments(int inputs) { return (inputs + product_segment - 1) / product_segment; }

inline BatchSizes::BatchSizes(const FitTables& tables)
    : shape(tables.shape.size), modes(tables.shape.modes), landmarks(tables.shape.landmarks) {
  const auto most = [](int& size, int wanted) { size = size < wanted ? wanted : size; };
  const auto frame = [&](const Frame& of, int channels) {
    const int width = static_cast<int>(of.width), height = static_cast<int>(of.height);
    most(frame_pixels, width * height);
    most(frame_values, width * height * channels);
    most(frame_tiles, kinema::face::frame_tiles(width) * kinema::face::frame_tiles(height));
  };
  const auto rings = [&](const RingTable& of) {
    frame(of.frame, of.bins);
    most(ring_values, landmarks * of.places * of.bins);
  };
  for (const StageTable& stage : tables.stages) {
    for (const RegressionTable& regression : stage.regressions) {
      rings(regression.rings);
      most(partial_products, regression.rows * product_segments(regression.inputs));
    }
    const LevelTable& level = stage.level;
    if (stage.method == Method::cascade) continue;
    if (level.resampled) frame(level.frame, level.channels);
    most(texture_values, level.values), most(texture_modes, level.modes), most(rows, level.rows);
    most(sample_sums, level.chunks * sample_width(level));
    if (!level.simultaneous) continue;
    const int all = tables.shape.all;
    most(corner_sums, level.chunks * 6 * descent_columns(level));
    most(pair_sums, level.chunks * corner_pairs);
    most(descent, descent_columns(level) * all);
    most(hessian, hessian_parts(level, landmarks) * hessian_stride(all));
    most(gradient, column_blocks(level) * all);
  }
  if (tables.score.present) rings(tables.score.rings);
}

/// Divides memory into the arrays of a batch. Null: only counts the bytes.
class BatchMemory {
public:
  explicit BatchMemory(std::byte* memory) : memory_(memory) {}

  std::size_t bytes() const { return bytes_; }

  template <class T>
  T* take(std::size_t count) {
    T* array = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
    bytes_ = (bytes_ + count * sizeof(T) + 255) / 256 * 256;
    return array;
  }

  /// The parts of a batch in the order of a transfer: all that goes up, all that comes down, the rest.
  void take_input(FitBatch& batch, std::size_t faces) {
    batch.count = take<int>(1);
    batch.tasks = take<FaceTask>(faces);
    batch.starts = take<double>(faces * static_cast<std::size_t>(batch.sizes.shape));
  }
  void take_output(FitBatch& batch, std::size_t faces) {
    const BatchSizes& of = batch.sizes;
    batch.results = take<FaceResult>(faces);
    take_each(batch.landmarks, faces, of.shape);
    take_each(batch.parameters, faces, of.modes);
    take_each(batch.confidences, faces, of.landmarks);
    batch.states = take<FaceState>(faces);
    take_each(batch.shape, faces, of.shape);
  }
  void take_rest(FitBatch& batch, std::size_t faces) {
    const BatchSizes& of = batch.sizes;
    take_each(batch.next, faces, of.shape);
    take_each(batch.placed, faces, of.shape);
    take_each(batch.grey, faces, of.frame_pixels);
    take_each(batch.channels, faces, of.frame_values);
    take_each(batch.energy, faces, of.frame_pixels);
    take_each(batch.tiles, faces, of.frame_tiles);
    take_each(batch.rings, faces, of.ring_values);
    take_each(batch.products, faces, of.partial_products);
    take_each(batch.samples, faces, of.texture_values);
    take_each(batch.texture, faces, of.texture_values);
    take_each(batch.lambda, faces, of.texture_modes);
    take_each(batch.difference, faces, of.rows);
    take_each(batch.sample_sums, faces, of.sample_sums);
    take_each(batch.corner_sums, faces, of.corner_sums);
    take_each(batch.pair_sums, faces, of.pair_sums);
    take_each(batch.descent, faces, of.descent);
    take_each(batch.expected, faces, of.modes);
    take_each(batch.hessian, faces, of.hessian);
    take_each(batch.gradient, faces, of.gradient);
  }

private:
  template <class T>
  void take_each(T*& array, std::size_t faces, int size) {
    array = take<T>(faces * static_cast<std::size_t>(size));
  }

  std::byte* memory_;
  std::size_t bytes_ = 0;
};

/// The part of one face of an array.
template <class T>
KINEMA_HD T* of_face(T* array, int face, int size) {
  return array + static_cast<std::size_t>(face) * static_cast<std::size_t>(size);
}

/// Whether the stage of a face of `count` has not ended.
KINEMA_HD inline bool is_running(const FitBatch& batch, int count, int face) {
  return face < count && batch.states[face].running != 0;
}

/// A bit for each of `at_once` faces whose stage has not ended.
KINEMA_HD inline unsigned running_faces(const FitBatch& batch, int count, int first, int at_once) {
  unsigned running = 0;
  for (int f = 0; f < at_once; ++f)
    if (is_running(batch, count, first + f)) running |= 1u << f;
  return running;
}

KINEMA_HD inline float* hessian_part(const FitBatch& batch, int face, int part, int all) {
  return of_face(batch.hessian, face, batch.sizes.hessian) + part * hessian_stride(all);
}

}  // namespace kinema::face
