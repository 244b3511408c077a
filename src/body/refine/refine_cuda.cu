#include "body/refine/refine_contacts_cuda.cuh"
#include "body/refine/refine_cuda.cuh"
#include "body/refine/refine_solve_cuda.cuh"

#include <algorithm>

namespace kinema::body {
namespace {

using refinement::ContactMemory;
using refinement::Problem;
using refinement::Room;
using refinement::SolveMemory;

constexpr int most_blocks = 20;    // that share the points of a pose; sums depend on it
constexpr int most_points = 4096;  // of the person that are used: a batch of 32 per warp, and enough for a pose
constexpr int most_threads = 256;
constexpr std::size_t shared_limit = std::size_t{60} << 10;  // every device since 2018 offers 64 KiB per block

// The first trial is the pose itself. Every block of a pose starts with the same, and the first writes.
__device__ void begin(const Problem& problem, int pose, const SolveMemory& memory) {
  const Kinematics& kinematics = problem.skeleton.kinematics;
  const int floats = kinematics.state_floats();
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int i = thread; i < floats; i += threads) {
    memory.trial[i] = problem.states[static_cast<std::size_t>(pose) * floats + i];
  }
  double points = 0;  // integers, so in any order
  for (int tile = thread; tile < problem.tiles.foreground_tiles; tile += threads) points += problem.tiles.counts[tile];
  points = block::sum(points, memory.room);  // and all have written the trial
  pose_trial(problem, pose, memory);
  if (thread == 0) {
    const double evidence = problem.settings.evidence / fmax(1.0, points / problem.thinning[0]);
    const double sigma = problem.settings.sigma;
    problem.progress[pose] = {evidence / (sigma * sigma), 0, constants::refinement::first_damping, 0, 0, false, false};
    problem.arrived[pose] = 0;
    problem.turns[pose] = 0;
  }
}

__global__ __launch_bounds__(most_threads) void begin_kernel(Problem problem) {
  extern __shared__ double shared[];
  const Kinematics& kinematics = problem.skeleton.kinematics;
  Room room(reinterpret_cast<unsigned char*>(shared));
  const SolveMemory memory(room, kinematics.joint_count, tangent_size(kinematics), problem.matrix == nullptr);
  begin(problem, static_cast<int>(blockIdx.x), memory);
}

__device__ unsigned turns_made(const unsigned* turns) {
  unsigned made;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(made) : "l"(turns) : "memory");
  return made;
}

// Blocks (x) find the contacts of their share of the points of a pose (y), the last to finish makes the step, and the
// others wait for it: all blocks of a pose must be resident at once.
__global__ __launch_bounds__(most_threads) void refine_kernel(Problem problem) {
  extern __shared__ double shared[];
  const int pose = static_cast<int>(blockIdx.y);
  const Kinematics& kinematics = problem.skeleton.kinematics;
  auto* memory = reinterpret_cast<unsigned char*>(shared);
  Room contact_room(memory), solve_room(memory);  // one after the other
  const ContactMemory contacts(contact_room, kinematics.joint_count, kinematics.capsule_count,
                               static_cast<int>(blockDim.x) / warp_size);
  const SolveMemory solve(solve_room, kinematics.joint_count, tangent_size(kinematics), problem.matrix == nullptr);
  const auto turns = static_cast<unsigned>(1 + problem.settings.steps * constants::refinement::attempts);
  for (unsigned turn = 1; turn <= turns; ++turn) {
    sum_contacts(problem, pose, contacts);
    if (block::last_to_arrive(problem.arrived + pose, gridDim.x)) {
      solve_step(problem, pose, static_cast<int>(gridDim.x), solve);
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) atomicExch(problem.turns + pose, turn);
    } else if (threadIdx.x == 0) {
      while (turns_made(problem.turns + pose) < turn) __nanosleep(100);
    }
    __syncthreads();
    __threadfence();  // makes the step's writes visible to all threads
    if (problem.progress[pose].done) return;
  }
}

std::size_t contact_bytes(const SkeletonCuda& skeleton, int warps) {
  Room room(nullptr);
  ContactMemory(room, skeleton.joints(), skeleton.capsules(), warps);
  return room.used();
}

std::size_t solve_bytes(const SkeletonCuda& skeleton, bool with_matrix) {
  Room room(nullptr);
  SolveMemory(room, skeleton.joints(), skeleton.tangent(), with_matrix);
  return room.used();
}

int thinning_for(int tiles, std::size_t most) {
  const std::size_t places = static_cast<std::size_t>(tiles) * RayTilesCuda::tile_rays;
  most = std::max<std::size_t>(1, most);
  return static_cast<int>(std::max<std::size_t>(1, (places + most - 1) / most));
}

}  // namespace

RefineCuda::RefineCuda(const SkeletonCuda& skeleton) : skeleton_(skeleton), warps_(most_threads / warp_size) {
  while (warps_ > 1 && contact_bytes(skeleton, warps_) > shared_limit) warps_ /= 2;
  matrix_shared_ = solve_bytes(skeleton, true) <= shared_limit;
  shared_bytes_ = std::max(contact_bytes(skeleton, warps_), solve_bytes(skeleton, matrix_shared_));
  for (const auto kernel : {begin_kernel, refine_kernel}) {
    cuda::check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_limit)),
        "setting shared memory");
  }
  int device = 0, multiprocessors = 0, each = 0;
  cuda::check(cudaGetDevice(&device), "asking for the device");
  cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "asking the device");
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, refine_kernel, warps_ * warp_size, shared_bytes_),
              "asking the device");
  at_once_ = std::max(1, multiprocessors * each);
}

void RefineCuda::refine(const RayTilesView& tiles, const RefineSettings& settings, const PosePrior& prior,
                        float* states, int count, cudaStream_t stream) {
  const PosePrior* priors[] = {&prior};
  const PointShare share{most_points, tiles.foreground_tiles == 0
                                          ? most_points
                                          : static_cast<std::size_t>(most_points) *
                                                static_cast<std::size_t>(tiles.background_tiles) /
                                                static_cast<std::size_t>(tiles.foreground_tiles)};
  start(tiles, settings, share, priors, states, count, most_blocks, stream);
}

void RefineCuda::refine_apart(const RayTilesView& tiles, const RefineSettings& settings, PointShare share,
                              std::span<const PosePrior* const> priors, float* states, cudaStream_t stream) {
  start(tiles, settings, share, priors, states, static_cast<int>(priors.size()), 1, stream);
}

void RefineCuda::start(const RayTilesView& tiles, const RefineSettings& settings, PointShare share,
                       std::span<const PosePrior* const> priors, float* states, int count, int blocks,
                       cudaStream_t stream) {
  if (count == 0) return;
  const auto poses = static_cast<std::size_t>(count);
  const auto joints = static_cast<std::size_t>(skeleton_.joints()),
             size = static_cast<std::size_t>(skeleton_.tangent());
  blocks = std::min(blocks, at_once_);
  progress_.reserve(poses);
  trial_.reserve(poses * static_cast<std::size_t>(skeleton_.state()));
  places_.reserve(poses * joints);
  skin_.reserve(poses * static_cast<std::size_t>(skeleton_.capsules()));
  partial_.reserve(poses * static_cast<std::size_t>(blocks) *
                   static_cast<std::size_t>(refinement::sums_size(skeleton_.joints())));
  information_.reserve(poses * size * size);
  gradient_.reserve(poses * size);
  if (!matrix_shared_) {
    matrix_.reserve(poses * (size + 1) * static_cast<std::size_t>(block::matrix_stride(skeleton_.tangent())));
  }
  arrived_.reserve(poses);
  turns_.reserve(poses);

  cuda::check(cudaEventSynchronize(priors_sent_), "waiting for the last prior");
  priors_host_.reserve(priors.size());
  priors_.reserve(priors.size());
  for (std::size_t i = 0; i < priors.size(); ++i) {
    PriorMemory& prior = priors_host_.data()[i];
    std::copy(priors[i]->precision.begin(), priors[i]->precision.end(), prior.precision);
    std::copy(priors[i]->state.begin(), priors[i]->state.end(), prior.state);
  }
  cuda::check(cudaMemcpyAsync(priors_.data(), priors_host_.data(), priors.size() * sizeof(PriorMemory),
                              cudaMemcpyHostToDevice, stream),
              "uploading the prior");
  priors_sent_.record(stream);

  Problem problem{};
  problem.skeleton = skeleton_.view();
  problem.tiles = tiles;
  problem.settings = settings;
  problem.reach = {static_cast<float>(settings.tau), static_cast<float>(settings.reach()),
                   static_cast<float>(settings.noise2()), settings.contacts_projective()};
  problem.thinning[0] = thinning_for(tiles.foreground_tiles, share.person);
  problem.thinning[1] = thinning_for(tiles.background_tiles, share.background);
  problem.priors = priors_.data();
  problem.own_priors = priors.size() > 1;
  problem.states = states;
  problem.progress = progress_.data();
  problem.trial = trial_.data();
  problem.places = places_.data();
  problem.skin = skin_.data();
  problem.partial = partial_.data();
  problem.information = information_.data();
  problem.gradient = gradient_.data();
  problem.matrix = matrix_shared_ ? nullptr : matrix_.data();
  problem.arrived = arrived_.data();
  problem.turns = turns_.data();
  const auto threads = static_cast<unsigned>(warps_ * warp_size);
  begin_kernel<<<static_cast<unsigned>(count), threads, shared_bytes_, stream>>>(problem);
  cuda::check_launch("begin_refinement");
  if (blocks == 1) {
    // no block waits for another
    refine_kernel<<<dim3(1, static_cast<unsigned>(count)), threads, shared_bytes_, stream>>>(problem);
    cuda::check_launch("refine");
    return;
  }
  // as many poses at a time as the device can hold
  const int turn = std::max(1, at_once_ / blocks);
  for (int first = 0; first < count; first += turn) {
    Problem some = problem;
    some.from(first);
    void* arguments[] = {&some};
    const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(std::min(turn, count - first)));
    cuda::check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(refine_kernel), grid, dim3(threads),
                                            arguments, shared_bytes_, stream),
                "refining poses");
  }
}

}  // namespace kinema::body
