#include "body/refine_contacts_cuda.cuh"
#include "body/refine_cuda.cuh"
#include "body/refine_solve_cuda.cuh"

#include <algorithm>

namespace kinema::body {
namespace {

using refinement::ContactMemory;
using refinement::Problem;
using refinement::Room;
using refinement::SolveMemory;

constexpr int blocks = 20;         // that share the points of a pose; sums depend on it
constexpr int most_points = 4096;  // of the person that are looked at: a batch of 32 a warp, and enough for a pose
constexpr int attempts = 4;        // of a step, as in refine.cpp
constexpr int most_threads = 256;
constexpr std::size_t shared_limit = std::size_t{60} << 10;  // every device since 2018 can give a block 64

// One block a pose: the first trial is the pose itself.
__global__ __launch_bounds__(most_threads) void begin_kernel(Problem problem) {
  extern __shared__ double shared[];
  const Kinematics& kinematics = problem.skeleton.kinematics;
  Room room(reinterpret_cast<unsigned char*>(shared));
  const SolveMemory memory(room, kinematics.joint_count, tangent_size(kinematics), problem.matrix == nullptr);
  const int particle = static_cast<int>(blockIdx.x), floats = kinematics.state_floats();
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int i = thread; i < floats; i += threads) {
    memory.trial[i] = problem.states[static_cast<std::size_t>(particle) * floats + i];
  }
  double points = 0;  // whole numbers, so in any order
  for (int tile = thread; tile < problem.tiles.foreground_tiles; tile += threads) points += problem.tiles.counts[tile];
  points = block::sum(points, memory.room);  // and all have written the trial
  pose_trial(problem, particle, memory);
  if (thread == 0) {
    const double evidence = problem.settings.evidence / fmax(1.0, points / problem.thinning);
    const double sigma = problem.settings.sigma;
    problem.progress[particle] = {evidence / (sigma * sigma), 0, 1e-3, 0, 0, false, false};
    problem.arrived[particle] = 0;
  }
}

__global__ __launch_bounds__(most_threads) void step_kernel(Problem problem) {
  extern __shared__ double shared[];
  const int particle = static_cast<int>(blockIdx.y);
  if (problem.progress[particle].done) return;
  const Kinematics& kinematics = problem.skeleton.kinematics;
  auto* memory = reinterpret_cast<unsigned char*>(shared);
  Room contact_room(memory), solve_room(memory);  // one after the other
  sum_contacts(problem, particle,
               ContactMemory(contact_room, kinematics.joint_count, kinematics.capsule_count,
                             static_cast<int>(blockDim.x) / warp_size));
  if (!block::last_to_arrive(problem.arrived + particle, gridDim.x)) return;
  const SolveMemory solve(solve_room, kinematics.joint_count, tangent_size(kinematics), problem.matrix == nullptr);
  solve_step(problem, particle, static_cast<int>(gridDim.x), solve);
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

}  // namespace

RefineCuda::RefineCuda(const SkeletonCuda& skeleton)
    : skeleton_(skeleton), warps_(most_threads / warp_size), prior_host_(1), prior_(1) {
  while (warps_ > 1 && contact_bytes(skeleton, warps_) > shared_limit) warps_ /= 2;
  matrix_shared_ = solve_bytes(skeleton, true) <= shared_limit;
  shared_bytes_ = std::max(contact_bytes(skeleton, warps_), solve_bytes(skeleton, matrix_shared_));
  for (const auto kernel : {begin_kernel, step_kernel}) {
    cuda::check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_limit)),
        "setting shared memory");
  }
}

void RefineCuda::refine(const RayTilesView& tiles, const RefineSettings& settings, const PosePrior& prior,
                        float* states, int count, cudaStream_t stream) {
  if (count == 0) return;
  const auto poses = static_cast<std::size_t>(count);
  const auto joints = static_cast<std::size_t>(skeleton_.joints()),
             size = static_cast<std::size_t>(skeleton_.tangent());
  progress_.reserve(poses);
  trial_.reserve(poses * static_cast<std::size_t>(skeleton_.state()));
  places_.reserve(poses * joints);
  skin_.reserve(poses * static_cast<std::size_t>(skeleton_.capsules()));
  partial_.reserve(poses * blocks * static_cast<std::size_t>(refinement::sums_size(skeleton_.joints())));
  information_.reserve(poses * size * size);
  gradient_.reserve(poses * size);
  if (!matrix_shared_) {
    matrix_.reserve(poses * (size + 1) * static_cast<std::size_t>(block::matrix_stride(skeleton_.tangent())));
  }
  arrived_.reserve(poses);

  const int thinning = std::max(1, (tiles.foreground_tiles * RayTilesCuda::tile_rays + most_points - 1) / most_points);
  cuda::check(cudaEventSynchronize(prior_sent_), "waiting for the last prior");
  std::copy(prior.precision.begin(), prior.precision.end(), prior_host_.data()->precision);
  std::copy(prior.state.begin(), prior.state.end(), prior_host_.data()->state);
  cuda::check(cudaMemcpyAsync(prior_.data(), prior_host_.data(), sizeof(PriorMemory), cudaMemcpyHostToDevice, stream),
              "uploading the prior");
  prior_sent_.record(stream);

  Problem problem{};
  problem.skeleton = skeleton_.view();
  problem.tiles = tiles;
  problem.settings = settings;
  problem.thinning = thinning;
  problem.prior = prior_.data();
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
  const auto threads = static_cast<unsigned>(warps_ * warp_size);
  begin_kernel<<<static_cast<unsigned>(count), threads, shared_bytes_, stream>>>(problem);
  cuda::check_launch("begin_refinement");
  const dim3 grid(blocks, static_cast<unsigned>(count));
  for (int launch = 0; launch < 1 + settings.steps * attempts; ++launch) {
    step_kernel<<<grid, threads, shared_bytes_, stream>>>(problem);
    cuda::check_launch("refine_step");
  }
}

}  // namespace kinema::body
