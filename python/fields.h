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

auto fields(Is<Vec3> auto& of) {
  auto& [x, y, z] = of;
  return std::tie(x, y, z);
}

auto fields(Is<Quaternion> auto& of) {
  auto& [w, x, y, z] = of;
  return std::tie(w, x, y, z);
}

auto fields(Is<Camera> auto& of) {
  auto& [width, height, fx, fy, cx, cy] = of;
  return std::tie(width, height, fx, fy, cx, cy);
}

auto fields(Is<StageTime> auto& of) {
  auto& [stage, ms] = of;
  return std::tie(stage, ms);
}

// the body

auto fields(Is<body::Freedom> auto& of) {
  auto& [axis, lower, upper, speed] = of;
  return std::tie(axis, lower, upper, speed);
}

auto fields(Is<body::Joint> auto& of) {
  auto& [name, parent, offset, freedoms] = of;
  return std::tie(name, parent, offset, freedoms);
}

auto fields(Is<body::SkinCapsule> auto& of) {
  auto& [name, joint, a, b, radius] = of;
  return std::tie(name, joint, a, b, radius);
}

auto fields(Is<body::Skeleton> auto& of) {
  auto& [name, joints, capsules] = of;
  return std::tie(name, joints, capsules);
}

auto fields(Is<body::Pose> auto& of) {
  auto& [position, rotation, angles] = of;
  return std::tie(position, rotation, angles);
}

auto fields(Is<body::AnatomicalAngle> auto& of) {
  auto& [name, value, deviation] = of;
  return std::tie(name, value, deviation);
}

auto fields(Is<body::FaceObservation> auto& of) {
  auto& [ray, ray_deviation, distance, distance_deviation, direction, direction_deviation, probability] = of;
  return std::tie(ray, ray_deviation, distance, distance_deviation, direction, direction_deviation, probability);
}

auto fields(Is<body::ForegroundSettings> auto& of) {
  auto& [nearest, farthest, planes, floor_margin, wall_margin, gate, points, person_noise, incomplete, background,
         cut_out, background_points] = of;
  return std::tie(nearest, farthest, planes, floor_margin, wall_margin, gate, points, person_noise, incomplete,
                  background, cut_out, background_points);
}

auto fields(Is<body::LikelihoodSettings> auto& of) {
  auto& [tau, sigma, association, free_space, camera, culling, device_memory] = of;
  return std::tie(tau, sigma, association, free_space, camera, culling, device_memory);
}

auto fields(Is<stereo::Settings> auto& of) {
  auto& [nearest, farthest] = of;
  return std::tie(nearest, farthest);
}

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

auto fields(Is<body::Estimate> auto& of) {
  auto& [frame, time, found, why, person, hidden, pose, joints, deviation, shape_deviation, anatomical, head_deviation,
         confidence, log_likelihood, effective_sample_size, skeleton, exchanged_bytes, faces, searched, shape_fitted,
         times] = of;
  return std::tie(frame, time, found, why, person, hidden, pose, joints, deviation, shape_deviation, anatomical,
                  head_deviation, confidence, log_likelihood, effective_sample_size, skeleton, exchanged_bytes, faces,
                  searched, shape_fitted, times);
}

// the head

auto fields(Is<head::SkinPlane> auto& of) {
  auto& [r, g, b, d] = of;
  return std::tie(r, g, b, d);
}

auto fields(Is<head::Ellipse> auto& of) {
  auto& [mean, covariance] = of;
  return std::tie(mean, covariance);
}

auto fields(Is<head::RgGaussian> auto& of) {
  auto& [rg, darkest] = of;
  return std::tie(rg, darkest);
}

auto fields(Is<head::XyzGaussian> auto& of) {
  auto& [xy, darkest] = of;
  return std::tie(xy, darkest);
}

auto fields(Is<head::CbCrGaussian> auto& of) {
  auto& [cbcr, darkest] = of;
  return std::tie(cbcr, darkest);
}

auto fields(Is<head::HsvBox> auto& of) {
  auto& [hue, saturation, value, soft] = of;
  return std::tie(hue, saturation, value, soft);
}

auto fields(Is<head::TslGaussian> auto& of) {
  auto& [ts, darkest] = of;
  return std::tie(ts, darkest);
}

auto fields(Is<head::Histogram> auto& of) {
  auto& [bins, degrees] = of;
  return std::tie(bins, degrees);
}

auto fields(Is<head::Filter> auto& of) {
  auto& [model, score, camera, light] = of;
  return std::tie(model, score, camera, light);
}

auto fields(Is<head::Oval> auto& of) {
  auto& [cx, cy, rx, ry] = of;
  return std::tie(cx, cy, rx, ry);
}

auto fields(Is<head::Anchor> auto& of) {
  auto& [shift_x, shift_y, size] = of;
  return std::tie(shift_x, shift_y, size);
}

auto fields(Is<head::HeadReference> auto& of) {
  auto& [width, height, oval, area, frame_area, anchor, contrast, patch, distance, field_of_view] = of;
  return std::tie(width, height, oval, area, frame_area, anchor, contrast, patch, distance, field_of_view);
}

auto fields(Is<head::Calibration> auto& of) {
  auto& [filter, head] = of;
  return std::tie(filter, head);
}

auto fields(Is<head::Estimate> auto& of) {
  auto& [found, time, why, confidence, x, y, raw_x, raw_y, area, distance, position, raw_position, oval, times] = of;
  return std::tie(found, time, why, confidence, x, y, raw_x, raw_y, area, distance, position, raw_position, oval,
                  times);
}

// the face and the person

auto fields(Is<face::Similarity> auto& of) {
  auto& [a, b, tx, ty] = of;
  return std::tie(a, b, tx, ty);
}

auto fields(Is<face::Fit> auto& of) {
  auto& [landmarks, pose, shape, combined, error, iterations, converged, quality, failure, confidence, ms] = of;
  return std::tie(landmarks, pose, shape, combined, error, iterations, converged, quality, failure, confidence, ms);
}

auto fields(Is<face::HeadPose> auto& of) {
  auto& [rotation, position, yaw, pitch, roll, angle_deviation, position_deviation, residual, expression, scatter,
         rest] = of;
  return std::tie(rotation, position, yaw, pitch, roll, angle_deviation, position_deviation, residual, expression,
                  scatter, rest);
}

auto fields(Is<face::Estimate> auto& of) {
  auto& [found, time, why, confidence, detected, tried, fit, landmarks, head, times] = of;
  return std::tie(found, time, why, confidence, detected, tried, fit, landmarks, head, times);
}

auto fields(Is<person::Estimate> auto& of) {
  auto& [found, time, why, confidence, face, colours, detected, x, y, oval, pose, position, raw_position, landmarks,
         landmark_confidence, times] = of;
  return std::tie(found, time, why, confidence, face, colours, detected, x, y, oval, pose, position, raw_position,
                  landmarks, landmark_confidence, times);
}

// frames of recordings

auto fields(Is<io::Picture> auto& of) {
  auto& [width, height, bgr] = of;
  return std::tie(width, height, bgr);
}

auto fields(Is<io::GreyPair::Seen> auto& of) {
  auto& [left, right] = of;
  return std::tie(left, right);
}

auto fields(Is<io::GreyPair> auto& of) {
  auto& [width, height, left, right, seen] = of;
  return std::tie(width, height, left, right, seen);
}

auto fields(Is<io::Frame> auto& of) {
  auto& [index, time, name, colour, depth, pair, points, dropped, gap, taken, late] = of;
  return std::tie(index, time, name, colour, depth, pair, points, dropped, gap, taken, late);
}

}  // namespace kinema::python
