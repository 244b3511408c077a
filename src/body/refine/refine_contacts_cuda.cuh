// Contacts of the points with the skin of a pose, and their sums by joint; see linearise() in refine.cpp for the same.
#pragma once

#include "body/refine/refine_problem_cuda.cuh"

namespace kinema::body::refinement {

__device__ inline Segment segment_at(const float4* skin, int k) {
  const float4 a = skin[2 * k], along = skin[2 * k + 1];
  return {{a.x, a.y, a.z}, {along.x, along.y, along.z}, along.w, a.w};
}

/// The capsule whose surface is nearest to a point. Only a choice, so fused and rounded as is fastest.
__device__ inline int nearest_capsule(const float4* skin, int count, Vec3f x, float& distance) {
  int nearest = -1;
  distance = 1e30f;
  for (int k = 0; k < count; ++k) {
    const float4 a = skin[2 * k], c = skin[2 * k + 1];
    const float qx = x.x - a.x, qy = x.y - a.y, qz = x.z - a.z;
    const float t = __saturatef(fmaf(qx, c.x, fmaf(qy, c.y, qz * c.z)) * c.w);
    const float ox = fmaf(-t, c.x, qx), oy = fmaf(-t, c.y, qy), oz = fmaf(-t, c.z, qz);
    const float square = fmaxf(fmaf(ox, ox, fmaf(oy, oy, oz * oz)), 1e-30f);
    const float d = fmaf(square, rsqrtf(square), -a.w);
    if (d < distance) {
      distance = d;
      nearest = k;
    }
  }
  return nearest;
}

/// Likewise by projective_distance().
__device__ inline int nearest_along_ray(const float4* skin, int count, Vec3f x, float noise2, float& distance) {
  int nearest = -1;
  distance = 1e30f;
  for (int k = 0; k < count; ++k) {
    const float d = projective_distance(segment_at(skin, k), x, noise2);
    if (d < distance) {
      distance = d;
      nearest = k;
    }
  }
  return nearest;
}

/// The capsule that blocks the ray from the origin to x most deeply; -1: none.
__device__ inline int deepest_obstacle(const float4* skin, int count, Vec3f x) {
  int deepest = -1;
  float depth = 0;
  const float inverse = 1 / dot(x, x);
  for (int k = 0; k < count; ++k) {
    const Segment s = segment_at(skin, k);
    // as in touch_ray(), along the ray in units of its length
    const float va = dot(x, s.a) * inverse, vd = dot(x, s.along) * inverse;
    const Vec3f p = s.a - va * x, d = s.along - vd * x;
    const float t = __saturatef(__fdividef(-dot(p, d), dot(d, d) + 1e-12f));
    const Vec3f gap = p + t * d;
    const float at = va + t * vd, square = fmaxf(dot(gap, gap), 1e-30f);
    const float distance = fmaf(square, rsqrtf(square), -s.radius);
    if (distance < depth && at > 0 && at < 1) {
      depth = distance;
      deepest = k;
    }
  }
  return deepest;
}

/// The contact of one point: its parts, and the joint that it moves, -1 for none.
__device__ inline int touch(const ContactMemory& memory, int capsules, Vec3f x, bool background, Vec3f centre,
                            const Reach& reach, float free_space, float* out) {
  const float tau = reach.tau;
  const float most = tau * tau / 6;  // an ignored residual costs as much as at tau
  int capsule = -1;
  Contact contact{};
  float weight = 0, cost = 0;
  if (!background) {
    float distance;
    capsule = reach.projective ? nearest_along_ray(memory.skin, capsules, x, reach.noise2, distance)
                               : nearest_capsule(memory.skin, capsules, x, distance);
    cost = most;
    if (fabsf(distance) >= reach.furthest) {
      capsule = -1;
    } else {
      const Segment own = segment_at(memory.skin, capsule);
      contact = reach.projective ? touch_projective(own, x, reach.noise2) : touch_point(own, x);
      const float across = share_across(contact.normal, x, reach.noise2), ratio = contact.distance / tau;
      const float share = fmaxf(0.0f, 1 - across * ratio * ratio);
      weight = across * share * share;
      cost = most * (1 - share * share * share);
    }
  } else {
    capsule = deepest_obstacle(memory.skin, capsules, x);
    if (capsule >= 0) {
      contact = touch_ray(segment_at(memory.skin, capsule), x);
      const float depth = fmaxf(-tau, contact.distance);
      weight = free_space;
      cost = 0.5f * free_space * depth * depth;
    }
  }
  const Vec3f n = contact.normal, moment = cross(contact.foot - centre, n);
  out[0] = n.x, out[1] = n.y, out[2] = n.z;
  out[3] = moment.x, out[4] = moment.y, out[5] = moment.z;
  out[weight_part] = weight;
  out[pull_part] = -weight * contact.distance;
  out[one_part] = 1;
  out[cost_part] = cost;
  return capsule < 0 || weight == 0 ? -1 : memory.joint[capsule];
}

/// The sums of this block's share of the points, written to its slot of problem.partial. The order of every sum is
/// fixed by the tiles: a lane adds one number of all contacts of its warp, one after the other.
__device__ inline void sum_contacts(const Problem& problem, int particle, const ContactMemory& memory) {
  const Kinematics& kinematics = problem.skeleton.kinematics;
  const int joints = kinematics.joint_count, capsules = kinematics.capsule_count;
  const int threads = static_cast<int>(blockDim.x), warps = threads / warp_size;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
  const Segment* skin = problem.skin + static_cast<std::size_t>(particle) * capsules;
  for (int k = thread; k < capsules; k += threads) {
    const Segment s = skin[k];
    memory.skin[2 * k] = {s.a.x, s.a.y, s.a.z, s.radius};
    memory.skin[2 * k + 1] = {s.along.x, s.along.y, s.along.z, s.inverse};
    memory.joint[k] = kinematics.capsules[k].joint;
  }
  for (int i = thread; i < warps * joints * body_stride; i += threads) memory.sums[i] = 0;
  __syncthreads();

  // the factors of this lane: a row and a column of the matrix, or the right side
  int row = 0, column = lane;
  while (column > row) column -= ++row;
  int factors[3] = {row, column, weight_part};
  if (lane >= matrix_sums) factors[0] = (lane - matrix_sums) % 6, factors[1] = one_part, factors[2] = pull_part;

  const Vec3f centre = problem.places[static_cast<std::size_t>(particle) * joints].origin;
  const auto free_space = static_cast<float>(problem.settings.free_space);
  double* own = memory.sums + warp * joints * body_stride;
  float* contacts = memory.contact + warp * warp_size * parts;
  double cost = 0;
  const RayTilesView& tiles = problem.tiles;
  // the points of tiles follow a space-filling curve, so every n-th is an even choice
  const auto batches = [](int tile_count, int thinning) {
    const int reach = warp_size * thinning;
    return (tile_count * RayTilesCuda::tile_rays + reach - 1) / reach;
  };
  const int person = batches(tiles.foreground_tiles, problem.thinning[0]);
  const int past = free_space > 0 ? batches(tiles.background_tiles, problem.thinning[1]) : 0;
  const int stride = static_cast<int>(gridDim.x) * warps;
  for (int batch = static_cast<int>(blockIdx.x) * warps + warp; batch < person + past; batch += stride) {
    const bool background = batch >= person;
    const int at = ((background ? batch - person : batch) * warp_size + lane) * problem.thinning[background];
    const int tile = at / RayTilesCuda::tile_rays + (background ? tiles.foreground_tiles : 0);
    const int tiles_end = tiles.foreground_tiles + (background ? tiles.background_tiles : 0);
    const bool used = tile < tiles_end && at % RayTilesCuda::tile_rays < tiles.counts[tile];
    int joint = -1;
    contacts[lane * parts + cost_part] = 0;
    if (used) {
      const float3 x =
          tiles.points[static_cast<std::size_t>(tile) * RayTilesCuda::tile_rays + at % RayTilesCuda::tile_rays];
      joint = touch(memory, capsules, {x.x, x.y, x.z}, background, centre, problem.reach, free_space,
                    contacts + lane * parts);
    }
    __syncwarp();
    // neighbours mostly touch the same joint: sums go to memory where it changes
    int held = -1;
    float sum = 0, batch_cost = 0;
    for (int i = 0; i < warp_size; ++i) {
      const float* contact = contacts + i * parts;
      batch_cost += contact[cost_part];
      const int next = __shfl_sync(whole_warp, joint, i);
      if (next < 0) continue;
      if (next != held) {
        if (held >= 0 && lane < body_sums) own[held * body_stride + lane] += sum;
        held = next;
        sum = 0;
      }
      sum += contact[factors[0]] * contact[factors[1]] * contact[factors[2]];
    }
    if (held >= 0 && lane < body_sums) own[held * body_stride + lane] += sum;
    cost += batch_cost;
    __syncwarp();
  }
  if (lane == 0) memory.costs[warp] = cost;
  __syncthreads();

  double* out = problem.partial + (static_cast<std::size_t>(particle) * gridDim.x + blockIdx.x) * sums_size(joints);
  for (int i = thread; i < joints * body_stride; i += threads) {
    double sum = 0;
    for (int w = 0; w < warps; ++w) sum += memory.sums[w * joints * body_stride + i];
    out[i] = sum;
  }
  if (thread == 0) {
    double sum = 0;
    for (int w = 0; w < warps; ++w) sum += memory.costs[w];
    out[joints * body_stride] = sum;
  }
}

}  // namespace kinema::body::refinement
