// The members of the library's plain structs, in order, for pickles. A structured binding names all of them, so that a
// member that is added to a struct and forgotten here does not compile.
#pragma once

#include "kinema/body_tracker.h"
#include "kinema/face_tracker.h"
#include "kinema/head_tracker.h"
#include "kinema/person_tracker.h"
#include "kinema/recording.h"

#include <concepts>
#include <tuple>
#include <type_traits>

namespace kinema::python {

/// A struct or its const: fields() gives references either way.
template <class T, class Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

#define KINEMA_FIELDS(Struct, ...)   \
  auto fields(Is<Struct> auto& of) { \
    auto& [__VA_ARGS__] = of;        \
    return std::tie(__VA_ARGS__);    \
  }

KINEMA_FIELDS(Vec3, x, y, z)
KINEMA_FIELDS(Quaternion, w, x, y, z)
KINEMA_FIELDS(Camera, width, height, fx, fy, cx, cy)
KINEMA_FIELDS(StageTime, stage, ms)

// the body
KINEMA_FIELDS(body::Freedom, axis, lower, upper, speed)
KINEMA_FIELDS(body::Joint, name, parent, offset, freedoms)
KINEMA_FIELDS(body::SkinCapsule, name, joint, a, b, radius)
KINEMA_FIELDS(body::Skeleton, name, joints, capsules)
KINEMA_FIELDS(body::Pose, position, rotation, angles)
KINEMA_FIELDS(body::AnatomicalAngle, name, value, deviation)
KINEMA_FIELDS(body::FaceObservation, ray, ray_deviation, distance, distance_deviation, direction, direction_deviation,
              probability)
KINEMA_FIELDS(body::ForegroundSettings, nearest, farthest, planes, floor_margin, wall_margin, gate, points,
              person_noise, incomplete, background, cut_out, background_points)
KINEMA_FIELDS(body::LikelihoodSettings, tau, sigma, association, free_space, camera, culling, device_memory)
KINEMA_FIELDS(stereo::Settings, nearest, farthest)

// without who helps to weigh, which is a matter of processes and cannot be set from Python
auto fields(Is<body::TrackerSettings> auto& of) {
  auto& [people, camera, baseline, skeleton, fit_shape, height_known, lag, foreground, stereo, likelihood, particles,
         layers, survival, limbs, refined, refine_steps, rivals, independent_points, sensor_noise, shared_noise,
         tempered, unperturbed_particle, steady, rest_cutoff, motion, resampling, resample_below, points,
         background_points, seed, share_weighing] = of;
  return std::tie(people, camera, baseline, skeleton, fit_shape, height_known, lag, foreground, stereo, likelihood,
                  particles, layers, survival, limbs, refined, refine_steps, rivals, independent_points, sensor_noise,
                  shared_noise, tempered, unperturbed_particle, steady, rest_cutoff, motion, resampling, resample_below,
                  points, background_points, seed);
}

KINEMA_FIELDS(body::Estimate, frame, time, found, why, person, hidden, pose, joints, deviation, shape_deviation,
              anatomical, head_deviation, confidence, log_likelihood, effective_sample_size, skeleton, exchanged_bytes,
              faces, searched, shape_fitted, times)

// the head
KINEMA_FIELDS(head::SkinPlane, r, g, b, d)
KINEMA_FIELDS(head::Ellipse, mean, covariance)
KINEMA_FIELDS(head::RgGaussian, rg, darkest)
KINEMA_FIELDS(head::XyzGaussian, xy, darkest)
KINEMA_FIELDS(head::CbCrGaussian, cbcr, darkest)
KINEMA_FIELDS(head::HsvBox, hue, saturation, value, soft)
KINEMA_FIELDS(head::TslGaussian, ts, darkest)
KINEMA_FIELDS(head::Histogram, bins, degrees)
KINEMA_FIELDS(head::Filter, model, score, camera, light)
KINEMA_FIELDS(head::Oval, cx, cy, rx, ry)
KINEMA_FIELDS(head::Anchor, shift_x, shift_y, size)
KINEMA_FIELDS(head::HeadReference, width, height, oval, area, frame_area, anchor, contrast, patch, distance,
              field_of_view)
KINEMA_FIELDS(head::Calibration, filter, head)
KINEMA_FIELDS(head::Estimate, found, time, why, confidence, x, y, raw_x, raw_y, area, distance, position, raw_position,
              oval, times)

// the face and the person
KINEMA_FIELDS(face::Similarity, a, b, tx, ty)
KINEMA_FIELDS(face::Fit, landmarks, pose, shape, combined, error, iterations, converged, quality, failure, confidence,
              ms)
KINEMA_FIELDS(face::HeadPose, rotation, position, yaw, pitch, roll, angle_deviation, position_deviation, residual,
              expression, expression_deviation, rest_angles)
KINEMA_FIELDS(face::Estimate, found, person, time, why, confidence, detected, tried, fit, landmarks, head, times)
KINEMA_FIELDS(person::Estimate, found, time, why, confidence, face, colours, detected, x, y, oval, pose, position,
              raw_position, landmarks, landmark_confidence, times)

// frames of recordings
KINEMA_FIELDS(io::Picture, width, height, bgr)
KINEMA_FIELDS(io::GreyPair::Seen, left, right)
KINEMA_FIELDS(io::GreyPair, width, height, left, right, seen)
KINEMA_FIELDS(io::Frame, index, time, name, colour, depth, pair, points, dropped, gap, taken, late)

#undef KINEMA_FIELDS

}  // namespace kinema::python
