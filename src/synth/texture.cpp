#include "synth/texture.h"

#include <cmath>

namespace kinema::synth {
namespace {

// Hashes a lattice point, so that neighbours are uncorrelated.
std::uint32_t mixed(std::uint32_t bits) {
  bits ^= bits >> 16;
  bits *= 0x7feb352du;
  bits ^= bits >> 15;
  bits *= 0x846ca68bu;
  return bits ^ (bits >> 16);
}

float smooth(float t) { return t * t * (3 - 2 * t); }

}  // namespace

float value_noise(Vec3 place, std::uint32_t seed) {
  const double fx = std::floor(place.x), fy = std::floor(place.y), fz = std::floor(place.z);
  const auto ix = static_cast<std::uint32_t>(static_cast<std::int64_t>(fx));
  const auto iy = static_cast<std::uint32_t>(static_cast<std::int64_t>(fy));
  const auto iz = static_cast<std::uint32_t>(static_cast<std::int64_t>(fz));
  const float tx = smooth(static_cast<float>(place.x - fx)), ty = smooth(static_cast<float>(place.y - fy));
  const float tz = smooth(static_cast<float>(place.z - fz));
  const auto corner = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    const std::uint32_t bits = mixed(seed + (ix + x) * 0x9E3779B1u + (iy + y) * 0x85EBCA77u + (iz + z) * 0xC2B2AE3Du);
    return static_cast<float>(bits >> 8) * (1.0f / 16777216.0f);
  };
  const auto mix = [](float a, float b, float t) { return a + t * (b - a); };
  const auto edge = [&](std::uint32_t y, std::uint32_t z) { return mix(corner(0, y, z), corner(1, y, z), tx); };
  return mix(mix(edge(0, 0), edge(1, 0), ty), mix(edge(0, 1), edge(1, 1), ty), tz);
}

float weave(Vec3 place, double coarse, double fine, float depth, std::uint32_t seed) {
  const float a = value_noise((1 / coarse) * place, seed), b = value_noise((1 / fine) * place, seed ^ 0x5bd1e995u);
  return 1 + depth * (2 * (0.45f * a + 0.55f * b) - 1);
}

}  // namespace kinema::synth
