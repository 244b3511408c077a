// Algorithm 1 on the GPU, one launch per frame: the kernel's input and output, and the class that launches it.
#pragma once

#include "core/cuda/buffer.h"
#include "core/cuda/timed_kernel.h"
#include "face/combined/combined_pack.h"
#include "kinema/face.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace kinema::face {

/// Damping factors that are tried at once: columns of the products.
inline constexpr int combined_factors = 4;

/// A level's combined model on the device. m modes, n landmarks, rows = 2 m + 6: [R; Qg; g0; 1].
struct CombinedView : CombinedArrays<const float*> {
  int modes, rows, landmarks, values, row_tiles, value_tiles;
  int mode_tiles, shape_tiles, step_tiles;
  const uint4* fragments;  ///< value tiles x 2 x row tiles x 32: see CombinedPack for this and what follows
  const float4* pixels;    ///< three weights and three corners of 10 bits per pixel; the highest bit: none
  const uint4* small;      ///< (shape tiles + step tiles) x mode tiles x 2 x 32
  const float* unscale;    ///< rows
  double mean_square;      ///< g0.g0
  double share;            ///< 1/values
  double threshold;
  int photometric, iterations, factors;
  float factor[combined_factors];
};

/// A face to fit.
struct CombinedTask {
  /// Bytes of an image or floats of a frame, on the device, at least 2 x 2. Points to the origin of coordinates, a
  /// pixel near the face, where floats are most precise; it need not lie in the image. The offsets from it to the first
  /// pixels of the image, and to just before the last ones:
  const void* origin = nullptr;
  float left = 0, top = 0, right = 0, bottom = 0;
  int stride = 0;
  double pose[4] = {};  ///< a, b, tx, ty: the model's unit to the source
  int centred = 0;      ///< the mean at the start's landmarks is subtracted from samples, to preserve precision in sums
  int from_shape = 0;   ///< c follows from `shapes` and `shape_parts`
};

struct CombinedResult {
  double pose[4];
  double error;
  int iterations, converged;
};

struct CombinedBatch {
  int faces;
  int groups;         ///< each fits one face at a time
  CombinedTask only;  ///< if there is only one
  const CombinedTask* tasks;
  const float* shapes;       ///< faces x 2 n, in the source
  const float* shape_parts;  ///< faces x m: shape_weight^2 Qs (s - s0)
  CombinedResult* results;
  float* parameters;             ///< faces x m: c
  unsigned long long* exchange;  ///< groups x 2 x clusters of a group x sums x 2: a float and its tag
  unsigned tag;                  ///< of the first exchange, never used before
};

/// Offsets of the parts of a block's shared memory, in bytes and in the order of visit_parts(). Computed on the host,
/// so that threads need not.
struct CombinedOffsets {
  static constexpr int count = 25;
  unsigned part[count];
  unsigned array_bytes;  ///< of all CombinedArrays, which are contiguous
};

/// Work division of a launch: a face is fitted by a group of clusters of blocks of 512 threads.
struct CombinedPlan {
  int cluster = 1, group_clusters = 1;
  int share = 1;  ///< rows, including that of squares, added by each block of a cluster
  int tiles = 1;  ///< of 16 values, of a block
  /// Per block: the tiles whose part of the matrix stays in registers, and those whose part stays in shared memory,
  /// both even; the rest is read again each time.
  int held_tiles = 0, shared_tiles = 0;
  CombinedOffsets at{};
};

enum class CombinedSource { bytes, floats, pairs };

/// One stage: a level and its settings.
class CombinedCuda {
public:
  CombinedCuda(const Model& model, const Stage& stage, const FitSettings& settings);

  /// False if the kernel cannot run the stage: too many modes, values or damping factors. It then runs on the CPU.
  static bool fits(const Model& model, const Stage& stage, const FitSettings& settings);

  struct Input {
    CombinedTask task;
    std::vector<double> shape;  ///< in the model's unit under the task's pose; empty: the mean
  };
  struct Output {
    std::vector<float> c;
    Similarity pose;   ///< maps s0 + Qs c to the source
    double error = 0;  ///< E over the number of values
    int iterations = 0;
    bool converged = false;
  };

  /// Runs everything on the stream, then waits; `meanwhile` is the host's work until then. Returns the kernel's own time in ms.
  double run(const std::vector<Input>& in, std::vector<Output>& out, cudaStream_t stream,
             const std::function<void()>& meanwhile = {});

private:
  struct Chosen {
    CombinedPlan plan;
    std::size_t bytes = 0;
    int active = 0;  // clusters at once
  };
  Chosen try_plan(int cluster, int group_clusters) const;
  Chosen choose_plan(std::size_t faces) const;
  void take_over(const std::vector<Input>& in);

  const Model& model_;
  const Level& level_;
  CombinedSource source_;
  CombinedView view_{};
  Chosen chosen_[2];  // for one face, for many
  cuda::Buffer<uint4> fragments_, small_;
  cuda::Buffer<float4> pixels_;
  cuda::Buffer<float> numbers_;
  cuda::Buffer<unsigned long long> exchange_;
  unsigned tag_ = 1;
  cuda::PinnedBuffer<CombinedTask> tasks_;
  cuda::PinnedBuffer<float> shapes_, shape_parts_, parameters_;
  cuda::PinnedBuffer<CombinedResult> results_;
  cuda::TimedKernel launcher_[2];  // for one face, for many
};

}  // namespace kinema::face
