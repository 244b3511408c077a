// Constants of following several faces that were chosen by trial: see core/constant.h.
#pragma once

#include "core/constant.h"

namespace kinema::face {

/// More faces than this are not followed. [time]
KINEMA_CONSTANT(int, most_faces, 30);  // faces
/// The detector looks for newcomers once in so many frames, [time]
KINEMA_CONSTANT(int, newcomer_interval, 30);  // frames
/// and so often while somebody is missing. [time]
KINEMA_CONSTANT(int, missing_interval, 3);  // frames
/// Who is missing for longer has left: who comes later is somebody new. [drawn films of five who cross]
KINEMA_CONSTANT(double, longest_missing, 5);  // seconds
/// Two fits are of one face where they are nearer to each other than this. [drawn films of five who cross]
KINEMA_CONSTANT(double, one_face, 0.7);  // outer-eye distances
/// Who is missing is looked for around the last place, within this, [drawn films of five who cross]
KINEMA_CONSTANT(double, missing_reach, 1.5);  // outer-eye distances
/// which grows by this. [drawn films of five who cross]
KINEMA_CONSTANT(double, missing_speed, 6);  // outer-eye distances per second
/// A face that is like the one that is missing by less is not the same person: cosine between what textures have that the mean face
/// has not. [drawn films of five who cross]
KINEMA_CONSTANT(double, least_likeness, 0.3);  // cosine
/// The texture of a face is learnt once in so many frames, [time]
KINEMA_CONSTANT(int, texture_interval, 10);  // frames
/// each time by this share. [drawn films of five who cross]
KINEMA_CONSTANT(float, texture_share, 0.2f);  // share

}  // namespace kinema::face
