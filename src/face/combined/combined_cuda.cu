// Algorithm 1 on the GPU: work division and launch of its kernel.
#include "face/combined/combined_cuda.cuh"
#include "face/combined/combined_loop_cuda.cuh"
#include "face/combined/combined_pack.h"
#include "kinema/error.h"

#include <algorithm>
#include <limits>

namespace kinema::face {
namespace {

using namespace combined;

constexpr std::size_t most_modes = 350, most_landmarks = 1023;
constexpr std::size_t most_values = std::size_t{1} << 18;

CombinedSource source_of(const Level& level) {
  if (!level.resampled) return CombinedSource::bytes;
  return level.channel_count() == 2 ? CombinedSource::pairs : CombinedSource::floats;
}

// Tiles whose part of the matrix a warp keeps in registers: more would spill other values.
constexpr int held_in_registers = 16;

// All kernel instances, by their parameters.
using Kernel = void (*)(CombinedView, CombinedBatch, CombinedPlan);

template <CombinedSource kind>
Kernel kernel_of(const CombinedPlan& plan) {
  return plan.held_tiles == 0 ? fit_faces<kind, 0> : fit_faces<kind, held_in_registers>;
}

Kernel kernel_of(const CombinedPlan& plan, CombinedSource source) {
  switch (source) {
    case CombinedSource::bytes:
      return kernel_of<CombinedSource::bytes>(plan);
    case CombinedSource::floats:
      return kernel_of<CombinedSource::floats>(plan);
    case CombinedSource::pairs:
      break;
  }
  return kernel_of<CombinedSource::pairs>(plan);
}

int most_shared_bytes() {
  int device = 0, most = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return most;
}

// Attributes of a kernel apply to all its launches, so they are always the same.
bool prepare(Kernel kernel, const CombinedPlan& plan, std::size_t shared_bytes) {
  const auto function = reinterpret_cast<const void*>(kernel);
  const int most = most_shared_bytes();
  bool ready = shared_bytes <= static_cast<std::size_t>(most) &&
               cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, most) == cudaSuccess;
  if (plan.cluster > 8)
    ready &= cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess;
  cudaGetLastError();
  return ready;
}

struct Launch {
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attributes[2]{};

  Launch(const CombinedPlan& plan, int clusters, std::size_t shared_bytes, cudaStream_t stream, bool together) {
    config.gridDim = dim3(static_cast<unsigned>(clusters * plan.cluster));
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    if (plan.cluster > 1) {
      attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
      attributes[config.numAttrs].val.clusterDim.x = static_cast<unsigned>(plan.cluster);
      attributes[config.numAttrs].val.clusterDim.y = attributes[config.numAttrs].val.clusterDim.z = 1;
      ++config.numAttrs;
    }
    if (together) {
      attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
      attributes[config.numAttrs].val.cooperative = 1;
      ++config.numAttrs;
    }
  }
};

// How many clusters of a plan run at once on the current device; 0: it cannot be launched.
int active_clusters(const CombinedPlan& plan, CombinedSource source, std::size_t shared_bytes) {
  const Kernel kernel = kernel_of(plan, source);
  if (!prepare(kernel, plan, shared_bytes)) return 0;
  const auto function = reinterpret_cast<const void*>(kernel);
  // code compiled for GPUs without clusters also runs on newer ones, but without clusters; other code requires them
  cudaFuncAttributes made{};
  cudaFuncGetAttributes(&made, function);
  const bool knows_clusters = made.ptxVersion == 0 || made.ptxVersion >= 90;
  if (knows_clusters != (plan.cluster > 1)) return 0;
  int device = 0, multiprocessors = 0, each = 0, count = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, function, threads, shared_bytes) != cudaSuccess) each = 0;
  count = each * multiprocessors / plan.cluster;
  if (plan.cluster > 1) {
    int clusters = 0;
    const Launch launch(plan, plan.group_clusters, shared_bytes, nullptr, false);
    if (cudaOccupancyMaxActiveClusters(&clusters, function, &launch.config) != cudaSuccess) clusters = 0;
    count = std::min(count, clusters);
  }
  cudaGetLastError();
  return count;
}

}  // namespace

bool CombinedCuda::fits(const Model& model, const Stage& stage, const FitSettings& settings) {
  const Level& level = model.levels[stage.level];
  return settings.damping.size() <= combined_factors && level.texture_combined.rows >= 1 &&
         level.texture_combined.rows <= most_modes && model.shape.landmarks() <= most_landmarks &&
         level.pixels() * level.channel_count() <= most_values &&
         (!level.resampled || (level.frame.width >= 2 && level.frame.height >= 2));
}

CombinedCuda::CombinedCuda(const Model& model, const Stage& stage, const FitSettings& settings)
    : model_(model), level_(model.levels[stage.level]), source_(source_of(level_)) {
  const CombinedPack pack = pack_combined(model, level_, settings.limit);
  view_.modes = static_cast<int>(pack.modes);
  view_.rows = static_cast<int>(pack.rows);
  view_.landmarks = static_cast<int>(model.shape.landmarks());
  view_.values = static_cast<int>(pack.values);
  view_.row_tiles = static_cast<int>(pack.row_tiles);
  view_.value_tiles = static_cast<int>(pack.value_tiles);
  view_.mode_tiles = static_cast<int>(pack.mode_tiles);
  view_.shape_tiles = static_cast<int>(pack.shape_tiles);
  view_.step_tiles = static_cast<int>(pack.step_tiles);
  view_.mean_square = pack.mean_square;
  view_.share = 1.0 / static_cast<double>(pack.values);
  view_.threshold = settings.threshold;
  view_.photometric = level_.photometric;
  view_.iterations = static_cast<int>(stage.iterations);
  view_.factors = static_cast<int>(settings.damping.size());
  std::copy(settings.damping.begin(), settings.damping.end(), view_.factor);

  const auto upload_tiles = [&](cuda::Buffer<uint4>& to, const std::vector<std::uint16_t>& tiles) {
    to.reserve(tiles.size() / 8);
    cuda::upload(to.data(), tiles.data(), tiles.size() * sizeof(std::uint16_t));
    return to.data();
  };
  view_.fragments = upload_tiles(fragments_, pack.fragments);
  view_.small = upload_tiles(small_, pack.small);
  static_assert(sizeof(pack.pixels[0]) == sizeof(float4));
  pixels_.reserve(pack.pixels.size());
  cuda::upload(pixels_.data(), pack.pixels.data(), pack.pixels.size() * sizeof(float4));
  view_.pixels = pixels_.data();

  // each array is aligned to 16 bytes
  const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  std::size_t count = padded(pack.unscale.size());
  visit_arrays([&](const std::vector<float>& values) { count += padded(values.size()); }, pack);
  numbers_.reserve(count);
  cuda::clear(numbers_.data(), numbers_.bytes());
  float* at = numbers_.data();
  const auto add = [&](const std::vector<float>& values, const float*& place) {
    cuda::upload(at, values.data(), values.size() * sizeof(float));
    place = at;
    at += padded(values.size());
  };
  visit_arrays(add, pack, view_);
  add(pack.unscale, view_.unscale);
}

CombinedCuda::Chosen CombinedCuda::try_plan(int cluster, int group_clusters) const {
  Chosen chosen;
  CombinedPlan& plan = chosen.plan;
  plan.cluster = cluster;
  plan.group_clusters = group_clusters;
  const int blocks = cluster * group_clusters;
  plan.share = (view_.rows + cluster) / cluster;
  plan.tiles = (view_.value_tiles + blocks - 1) / blocks;
  // parts of the matrix stay in place: at most one job per warp, and small matrices that leave memory for others
  const bool stays = 2 * view_.row_tiles <= warps && small_size(view_) * sizeof(uint4) <= 100 * 1024;
  if (stays) plan.held_tiles = held_in_registers;
  const int channels = source_ == CombinedSource::pairs ? 2 : 1;
  chosen.bytes = lay_out(view_, channels, plan);
  if (stays) {
    // all shared memory that is left
    const int tile = 2 * view_.row_tiles * 512, left = std::max(0, plan.tiles - plan.held_tiles);
    const int room = (most_shared_bytes() - static_cast<int>(chosen.bytes)) / tile;
    plan.shared_tiles = std::clamp(room, 0, left + left % 2) / 2 * 2;
    chosen.bytes = lay_out(view_, channels, plan);
  }
  const int active = active_clusters(plan, source_, chosen.bytes);
  chosen.active = active >= group_clusters ? active : 0;
  return chosen;
}

// One face: many blocks, so that each iteration is short; many faces: fewer and larger blocks, which duplicate less of
// the work that every block does on its own.
CombinedCuda::Chosen CombinedCuda::choose_plan(std::size_t faces) const {
  const int enough = faces == 1 ? 16 : 128;  // tiles of a block
  for (const int most : {16, 8, 4, 2, 1}) {
    int cluster = most == 1 ? 1 : 2;
    while (cluster < most && cluster * enough < view_.value_tiles) cluster *= 2;
    // more clusters if there is more than one cluster's work, as far as they run concurrently
    const int wanted = (view_.value_tiles + cluster * enough * 3 / 2 - 1) / (cluster * enough * 3 / 2);
    Chosen best = try_plan(cluster, 1);
    for (int clusters = 2; clusters <= wanted && best.active >= clusters; ++clusters) {
      const Chosen next = try_plan(cluster, clusters);
      if (next.active == 0) break;
      best = next;
    }
    if (best.active > 0) return best;
  }
  throw Error("the model is too large for this GPU; take the cpu backend", Error::Cause::running);
}

void CombinedCuda::take_over(const std::vector<Input>& in) {
  const std::size_t modes = static_cast<std::size_t>(view_.modes), shape = model_.shape.mean.size();
  tasks_.reserve(in.size());
  shapes_.reserve(in.size() * shape);
  shape_parts_.reserve(in.size() * modes);
  parameters_.reserve(in.size() * modes);
  results_.reserve(in.size());
  const double weight = double{level_.shape_weight} * level_.shape_weight;
  for (std::size_t f = 0; f < in.size(); ++f) {
    const std::vector<double>& s = in[f].shape;
    tasks_.data()[f] = in[f].task;
    tasks_.data()[f].from_shape = !s.empty();
    if (s.empty()) continue;
    const double* t = in[f].task.pose;
    for (std::size_t i = 0; i < shape; i += 2) {
      shapes_.data()[f * shape + i] = static_cast<float>(t[0] * s[i] - t[1] * s[i + 1] + t[2]);
      shapes_.data()[f * shape + i + 1] = static_cast<float>(t[1] * s[i] + t[0] * s[i + 1] + t[3]);
    }
    for (std::size_t k = 0; k < modes; ++k) {
      double sum = 0;
      const auto mode = level_.shape_combined.row(k);
      for (std::size_t i = 0; i < shape; ++i) sum += mode[i] * (s[i] - model_.shape.mean[i]);
      shape_parts_.data()[f * modes + k] = static_cast<float>(weight * sum);
    }
  }
}

double CombinedCuda::run(const std::vector<Input>& in, std::vector<Output>& out, cudaStream_t stream,
                         const std::function<void()>& meanwhile) {
  const std::size_t faces = in.size(), modes = static_cast<std::size_t>(view_.modes);
  out.resize(faces);
  if (faces == 0) return 0;
  // the plans for one face and for many are queried once
  Chosen& chosen = chosen_[faces == 1 ? 0 : 1];
  if (chosen.active == 0) chosen = choose_plan(faces);
  const CombinedPlan& plan = chosen.plan;
  take_over(in);

  CombinedBatch batch{};
  batch.faces = static_cast<int>(faces);
  batch.groups =
      static_cast<int>(std::min<std::size_t>(faces, static_cast<std::size_t>(chosen.active / plan.group_clusters)));
  batch.only = tasks_.data()[0];
  batch.tasks = tasks_.data();
  batch.shapes = shapes_.data();
  batch.shape_parts = shape_parts_.data();
  batch.results = results_.data();
  batch.parameters = parameters_.data();
  const std::size_t slots = static_cast<std::size_t>(batch.groups * 2 * plan.group_clusters) *
                            static_cast<std::size_t>((view_.rows + 1) * combined_factors * 2);
  const auto tags = static_cast<unsigned>((faces / static_cast<std::size_t>(batch.groups) + 1) *
                                          static_cast<std::size_t>(view_.iterations + 2));
  if (slots > exchange_.capacity() || tag_ > std::numeric_limits<unsigned>::max() - tags) {
    exchange_.reserve(slots);
    cuda::check(cudaMemsetAsync(exchange_.data(), 0, exchange_.bytes(), stream), "clearing");
    tag_ = 1;
  }
  batch.exchange = exchange_.data();
  batch.tag = tag_;
  tag_ += tags;

  cuda::TimedKernel& launcher = launcher_[faces == 1 ? 0 : 1];
  // clusters that wait for each other must all run at once, or none
  const Launch launch(plan, batch.groups * plan.group_clusters, chosen.bytes, stream, plan.group_clusters > 1);
  launcher.launch(launch.config, kernel_of(plan, source_), view_, batch, plan);
  if (meanwhile) meanwhile();
  cuda::check(cudaStreamSynchronize(stream), "fitting faces");
  for (std::size_t f = 0; f < faces; ++f) {
    const CombinedResult& result = results_.data()[f];
    const float* c = parameters_.data() + f * modes;
    out[f].c.assign(c, c + modes);
    out[f].pose = {result.pose[0], result.pose[1], result.pose[2], result.pose[3]};
    out[f].error = result.error;
    out[f].iterations = result.iterations;
    out[f].converged = result.converged != 0;
  }
  return launcher.ms();
}

}  // namespace kinema::face
