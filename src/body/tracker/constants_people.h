// Constants of following several people that were chosen by trial: see body/constants.h.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::body::constants {

// Who comes, goes and hides: people.cpp and newcomers.cpp.
namespace people {

/// More people than this are not followed. [time; a room holds no more before one camera]
KINEMA_CONSTANT(int, most_followed, 30);  // people
/// New people are looked for once in so many frames. [time]
KINEMA_CONSTANT(int, newcomer_interval, 3);  // frames
/// So many clusters are tried then; as many as there are while nobody is followed. [time]
KINEMA_CONSTANT(int, newcomers_tried, 1);  // searches
/// A cluster that is tried is like a person by this.
KINEMA_CONSTANT(double, newcomer_likeness, 0.3);  // likeness
/// Of who is cut off by the border so much is seen: of less the pose is wrong, and stays so. [somebody who comes in from the side]
KINEMA_CONSTANT(double, newcomer_area, 0.3);  // square metres
/// Who is chosen by a pixel is not farther from it than this, over the size of what is seen. [half the size is the outline]
KINEMA_CONSTANT(double, farthest_chosen, 1.2);  // share of width and height
/// And a pose explains its points by this.
KINEMA_CONSTANT(double, newcomer_fit, 0.55);  // fit
/// Somebody new counts after so many frames, which are then given out too.
KINEMA_CONSTANT(int, frames_to_confirm, 10);  // frames
/// If poses explained the points of these frames by this.
KINEMA_CONSTANT(double, confirmed_fit, 0.6);  // fit, mean
/// And if at least this share of its points is where something else was before: furniture does not move. [a cupboard at the border]
KINEMA_CONSTANT(double, least_moved, 0.02);  // share
/// The camera sees the same as before within this,
KINEMA_CONSTANT(float, same_depth, 0.05f);  // metres
/// and this at 1 m, which grows with the square of the distance.
KINEMA_CONSTANT(float, same_depth_noise, 0.0075f);  // metres
/// Who did not move for so long is looked at again later.
KINEMA_CONSTANT(int, longest_still, 90);  // frames
/// What was no person is looked at again after this, and later after twice as long each time.
KINEMA_CONSTANT(double, look_again, 0.5);  // seconds
/// It is the same as before if its middle moved by less than this.
KINEMA_CONSTANT(double, same_place, 0.15);  // metres
/// Somebody of whose skin less is seen than this is hidden.
KINEMA_CONSTANT(double, least_seen, 0.12);  // share
/// Somebody hidden comes out where more is seen.
KINEMA_CONSTANT(double, seen_again, 0.25);  // share
/// Of whom more than half is out of the picture, this much: of less the pose is wrong. [people who leave realistic scenes]
KINEMA_CONSTANT(double, seen_at_border, 0.2);  // share
/// Somebody hidden is expected for so long.
KINEMA_CONSTANT(double, longest_hidden, 1.5);  // seconds
/// Skin that is this much nearer or farther than what was measured is hidden, or not there.
KINEMA_CONSTANT(float, skin_depth, 0.2f);  // metres
/// Walking goes on for this long where nobody sees it.
KINEMA_CONSTANT(double, kept_walking, 0.8);  // seconds
/// A joint may move by this in a second where nobody sees it, along each axis.
KINEMA_CONSTANT(double, unseen_speed, 0.35);  // metres per second
/// Where somebody is known from less, the gate grows by this in a second.
KINEMA_CONSTANT(double, doubt_speed, 0.3);  // metres per second
KINEMA_CONSTANT(double, most_doubt, 0.3);   // metres
/// The velocity of a person follows that of the last frames at this rate.
KINEMA_CONSTANT(double, velocity_rate, 0.25);  // share per frame
/// Nobody walks faster.
KINEMA_CONSTANT(double, fastest_walk, 3);  // metres per second
/// Who is away for longer is somebody new.
KINEMA_CONSTANT(double, longest_away, 5);  // seconds
/// Who comes back is this near to where it went,
KINEMA_CONSTANT(double, back_within, 0.6);  // metres
/// or farther by this in a second,
KINEMA_CONSTANT(double, back_speed, 1.5);  // metres per second
/// and as tall but for this.
KINEMA_CONSTANT(double, same_stature, 0.18);  // metres
/// A face is of the head that is nearest to its ray, but not farther than this.
KINEMA_CONSTANT(double, farthest_face, 0.4);  // metres
/// Two poses of which this share of one is within the skin of the other are of one person.
KINEMA_CONSTANT(double, same_space, 0.45);  // share
/// If they are so for this many frames.
KINEMA_CONSTANT(int, same_frames, 4);  // frames

}  // namespace people

}  // namespace kinema::body::constants
