// Shared by the kernels of the refinement: the problem, and the layout of a block's memory.
#pragma once

#include "body/likelihood/block_cuda.cuh"
#include "body/refine/refine_cuda.cuh"

namespace kinema::body::refinement {

// The sums of a joint's contacts: the lower half of a 6x6 matrix by rows, then the right side, for its twist (v, w).
inline constexpr int matrix_sums = 21, body_sums = 27;
inline constexpr int body_stride = 28;

__host__ __device__ inline int sums_size(int joints) { return joints * body_stride + 1; }  // the last: the points' cost

/// RefineSettings as contacts need them.
struct Reach {
  float tau, furthest, noise2;
  bool projective;
};

struct Problem {
  SkeletonView skeleton;
  RayTilesView tiles;
  RefineSettings settings;
  Reach reach;
  int thinning[2];  // every n-th point is used: of the person, and of those past it
  const PriorMemory* priors;
  bool own_priors;  // one per pose, or the first for all
  float* states;
  RefineProgress* progress;
  float* trial;
  Place* places;
  Segment* skin;
  double* partial;
  double* information;
  double* gradient;
  float* matrix;  // null: in shared memory
  unsigned* arrived;
  unsigned* turns;  // steps done so far, for the blocks that wait for them

  // Skips the poses before this one.
  void from(int pose) {
    const Kinematics& kinematics = skeleton.kinematics;
    const auto first = static_cast<std::size_t>(pose);
    const auto joints = static_cast<std::size_t>(kinematics.joint_count);
    const auto size = static_cast<std::size_t>(tangent_size(kinematics));
    const auto floats = static_cast<std::size_t>(kinematics.state_floats());
    if (own_priors) priors += first;
    states += first * floats;
    progress += first;
    trial += first * floats;
    places += first * joints;
    skin += first * static_cast<std::size_t>(kinematics.capsule_count);
    information += first * size * size;
    gradient += first * size;
    if (matrix != nullptr)
      matrix += first * (size + 1) * static_cast<std::size_t>(block::matrix_stride(tangent_size(kinematics)));
    arrived += first;
    turns += first;
  }

  __device__ const PriorMemory& prior(int pose) const { return priors[own_priors ? pose : 0]; }
};

// Allocates pieces of a block's memory; on the host, without memory, it counts the bytes.
class Room {
public:
  __host__ __device__ explicit Room(unsigned char* begin) : begin_(begin) {}

  template <class T>
  __host__ __device__ T* take(int count) {
    used_ = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
    T* piece = reinterpret_cast<T*>(begin_ + used_);
    used_ += static_cast<std::size_t>(count) * sizeof(T);
    return piece;
  }
  __host__ __device__ std::size_t used() const { return used_; }

private:
  unsigned char* begin_;
  std::size_t used_ = 0;
};

// A contact as the lanes of a warp sum it: f of the twist, weight, -weight distance, 1, cost.
enum Part { twist_part = 0, weight_part = 6, pull_part = 7, one_part = 8, cost_part = 9, parts = 11 };

struct ContactMemory {
  float4* skin;    // (capsules, 2): a and radius, b - a and 1 / length^2
  int* joint;      // (capsules)
  double* sums;    // (warps, joints, body_stride)
  double* costs;   // (warps)
  float* contact;  // (warps, 32, parts)

  __host__ __device__ ContactMemory(Room& room, int joints, int capsules, int warps)
      : skin(room.take<float4>(2 * capsules)),
        joint(room.take<int>(capsules)),
        sums(room.take<double>(warps * joints * body_stride)),
        costs(room.take<double>(warps)),
        contact(room.take<float>(warps * warp_size * parts)) {}
};

struct SolveMemory {
  double* sums;
  double* force;  // (tangent, 6): the force of the composite body below it on a number's twist
  double* room;   // (block::most_warps)
  float* matrix;  // (tangent + 1, stride), or null
  Twist* twists;  // (tangent)
  Place* places;  // (joints)
  float* trial;   // (state)
  float* change;  // (tangent)
  float* away;    // (tangent)
  int* held;      // (tangent)

  __host__ __device__ SolveMemory(Room& free, int joints, int tangent, bool with_matrix)
      : sums(free.take<double>(sums_size(joints))),
        force(free.take<double>(6 * tangent)),
        room(free.take<double>(block::most_warps)),
        matrix(with_matrix ? free.take<float>((tangent + 1) * block::matrix_stride(tangent)) : nullptr),
        twists(free.take<Twist>(tangent)),
        places(free.take<Place>(joints)),
        trial(free.take<float>(tangent + 1)),
        change(free.take<float>(tangent)),
        away(free.take<float>(tangent)),
        held(free.take<int>(tangent)) {}
};

}  // namespace kinema::body::refinement
