// Contacts of measured points and rays with the skin, for the refinement of a pose. Host and device.
//
// Distances are Euclidean, unlike those of the likelihood, which are measured along the ray: their derivative stays
// finite where a ray grazes a limb.
#pragma once

#include "core/geometry.h"
#include "core/host_device.h"

#include <cmath>

namespace kinema::body {

/// A capsule with the values that distances to it use repeatedly.
struct Segment {
  Vec3f a, along;  // b - a
  float inverse;   // 1 / |b - a|^2, 0 for a sphere
  float radius;
};

KINEMA_HD inline Segment make_segment(const float* capsule) {
  const Vec3f a{capsule[0], capsule[1], capsule[2]};
  const Vec3f along = Vec3f{capsule[4], capsule[5], capsule[6]} - a;
  const float length2 = dot(along, along);
  return {a, along, length2 > 0 ? 1 / length2 : 0, capsule[3]};
}

/// A contact with a capsule: `distance` is signed (below 0: inside), `normal` points from the axis to the contact, and
/// moving the capsule's axis at `foot` by u changes the distance by -normal . u.
struct Contact {
  float distance;
  Vec3f normal, foot;
};

/// Square of the sine between a ray and the axis of a capsule, at least, where the length of the ray in the capsule is estimated.
inline constexpr float least_sine2 = 0.1f;
inline constexpr int projective_steps = 3;

KINEMA_HD inline float clamp01(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/// Signed distance of a point to a capsule's surface.
KINEMA_HD inline float signed_distance(const Segment& s, Vec3f x) {
  const Vec3f q = x - s.a;
  const float t = clamp01(dot(q, s.along) * s.inverse);
  return norm(q - t * s.along) - s.radius;
}

/// The contact of a point seen from the origin, so on the half of the skin that faces the camera: a point behind the
/// axis is compared with the near wall, not with the far one, which would pull the limb forward.
KINEMA_HD inline Contact touch_point(const Segment& s, Vec3f x) {
  const Vec3f q = x - s.a;
  const float t = clamp01(dot(q, s.along) * s.inverse);
  const Vec3f foot = s.a + t * s.along;
  const Vec3f out = x - foot;
  // towards the camera, perpendicular to the axis
  Vec3f near = Vec3f{0, 0, 0} - x;
  near = near - (dot(near, s.along) * s.inverse) * s.along;
  const float length = norm(out), near_length = norm(near);
  if (near_length > 1e-6f && dot(out, near) < 0) {
    const Vec3f m = (1 / near_length) * near;
    return {dot(out, m) - s.radius, m, foot};
  }
  if (length < 1e-6f) return {-s.radius, near_length > 1e-6f ? (1 / near_length) * near : Vec3f{0, 0, -1}, foot};
  return {length - s.radius, (1 / length) * out, foot};
}

/// The share of its weight that the distance of a point keeps where the sensor errs along the ray: little for a
/// distance along the ray, all for one across it. `noise2`: the sensor's variance over that of a point about the skin.
KINEMA_HD inline float share_across(Vec3f normal, Vec3f x, float noise2) {
  const float along = dot(normal, x);
  return 1 / (1 + noise2 * along * along / dot(x, x));
}

/// Where the ray from the origin through a point passes a capsule, in distances along it.
struct RayPassage {
  Vec3f ray;     // unit vector
  float range;   // of the point
  float middle;  // where the axis is nearest
  float gap2;    // square of the distance there
  float half;    // half of the stretch within the capsule, whose ends are spheres; 0: the ray misses it
  float along;   // the axis along the ray
};

KINEMA_HD inline RayPassage pass_capsule(const Segment& s, Vec3f x) {
  const float range = norm(x);
  const Vec3f v = (1 / range) * x;
  const float va = dot(v, s.a), vd = dot(v, s.along);
  const Vec3f a = s.a - va * v, d = s.along - vd * v;
  const float d2 = dot(d, d), t = clamp01(-dot(a, d) / (d2 + 1e-12f));
  const Vec3f gap = a + t * d;
  const float gap2 = dot(gap, gap), sine2 = t <= 0 || t >= 1 ? 1 : fmaxf(d2 * s.inverse, least_sine2);
  return {v, range, va + t * vd, gap2, sqrtf(fmaxf(s.radius * s.radius - gap2, 0) / sine2), vd};
}

/// How far a point that errs along its ray is from a capsule, signed as above: along the ray a distance counts as so much less as
/// the point errs more. Once the noise is as large as a limb is thick, a point belongs to the limb that its ray meets rather than to
/// the nearest surface.
KINEMA_HD inline float projective_distance(const Segment& s, Vec3f x, float noise2) {
  const RayPassage p = pass_capsule(s, x);
  const float aside = fmaxf(sqrtf(p.gap2) - s.radius, 0), beyond = fabsf(p.range - p.middle) - p.half;
  const float less = 1 / (1 + noise2);
  const float away = aside > 0 ? sqrtf(aside * aside + less * beyond * beyond) : sqrtf(less) * beyond;
  return fminf(signed_distance(s, x), away);
}

/// The contact of such a point: with the place on the near side of the skin from which its errors most likely moved it, found by
/// Gauss-Newton steps along the ray. `distance` is that of the point to the plane which touches the skin there, so that
/// share_across() applies to it.
KINEMA_HD inline Contact touch_projective(const Segment& s, Vec3f x, float noise2) {
  const RayPassage p = pass_capsule(s, x);
  const Vec3f v = p.ray;
  const bool passes = p.gap2 >= s.radius * s.radius;
  const float middle = p.middle - p.range, surface = middle - p.half;  // from the point
  // from before the skin the way to it is convex; from under it, the steps begin near where the ray enters
  float shift = middle > 0 && signed_distance(s, x) > 0 ? 0 : surface * (noise2 / (1 + noise2));
  if (passes) shift = fminf(shift, middle);
  // towards the camera, perpendicular to the axis
  Vec3f near = (p.along * s.inverse) * s.along - v;
  near = (1 / fmaxf(norm(near), 1e-6f)) * near;
  Contact contact{};
  float slope = 0;
  for (int step = 0;; ++step) {
    const Vec3f moved = x + shift * v;
    contact.foot = s.a + clamp01(dot(moved - s.a, s.along) * s.inverse) * s.along;
    const Vec3f out = moved - contact.foot;
    const float length = norm(out);
    const bool behind = !passes && (dot(out, near) < 0 || length < 1e-6f);
    contact.normal = behind ? near : (1 / fmaxf(length, 1e-6f)) * out;
    contact.distance = (behind ? dot(out, near) : length) - s.radius;
    slope = dot(contact.normal, v);
    if (step == projective_steps) break;
    shift = (shift * slope * slope - contact.distance * slope) / (slope * slope + 1 / noise2);
    if (passes) shift = fminf(shift, middle);
  }
  contact.distance -= shift * slope;
  return contact;
}

/// The contact of a ray from the camera at the origin through `x`, which saw past the skin: the distance between the
/// ray and the capsule, below 0 where the capsule blocks it. Nothing is known beyond x, so only the part of the axis
/// before it counts; distance is then positive.
KINEMA_HD inline Contact touch_ray(const Segment& s, Vec3f x) {
  const float range = norm(x);
  const Vec3f v = (1 / range) * x;
  // closest points of the line along v and the segment
  const float va = dot(v, s.a), vd = dot(v, s.along);
  const Vec3f a = s.a - va * v, d = s.along - vd * v;  // both perpendicular to the ray
  const float d2 = dot(d, d);
  const float t = d2 > 1e-12f ? clamp01(-dot(a, d) / d2) : 0.5f;
  const float along_ray = va + t * vd;
  const Vec3f gap = Vec3f{0, 0, 0} - (a + t * d);  // from the axis to the ray
  const float length = norm(gap);
  const Vec3f foot = s.a + t * s.along;
  if (along_ray <= 0 || along_ray > range) return {s.radius, {0, 0, 0}, foot};
  if (length < 1e-6f) return {-s.radius, {0, 0, 0}, foot};
  return {length - s.radius, (1 / length) * gap, foot};
}

}  // namespace kinema::body
