// Switches of parts of the body tracker, to measure what they are worth; see core/constant.h. What each does stands in
// scripts/mechanism_list.py, beside those that a constant or an option of the command switches off.
#pragma once

#include "core/constant.h"

namespace kinema::body::mechanisms {

// foreground.cpp
KINEMA_MECHANISM(even_thinning);
KINEMA_MECHANISM(furniture);
KINEMA_MECHANISM(hidden_rays);

// tracker.cpp
KINEMA_MECHANISM(whole_frame_again);

// filter.cpp
KINEMA_MECHANISM(searched_sizes);
KINEMA_MECHANISM(restored_size);
KINEMA_MECHANISM(turned_results);
KINEMA_MECHANISM(tempering);
KINEMA_MECHANISM(kept_weights);
KINEMA_MECHANISM(shape_deviation);
KINEMA_MECHANISM(held_to_motion);

// filter.cpp, facing_filter.cpp
KINEMA_MECHANISM(both_facings);
KINEMA_MECHANISM(facing_doubt);

// search.cpp
KINEMA_MECHANISM(rest_pose_starts);
KINEMA_MECHANISM(crown_starts);
KINEMA_MECHANISM(stature_prior);

// rival_poses.cpp, rival_monitor.h
KINEMA_MECHANISM(rival_turns);
KINEMA_MECHANISM(rival_swaps);
KINEMA_MECHANISM(rival_limbs);
KINEMA_MECHANISM(compared_posture);

// shape_space.cpp, proportions.cpp
KINEMA_MECHANISM(common_proportions);
KINEMA_MECHANISM(body_widths);
KINEMA_MECHANISM(child_proportions);

// particles_cpu.cpp
KINEMA_MECHANISM(unperturbed_particle);
KINEMA_MECHANISM(peak_width);

// contacts_cpu.cpp, refine_settings.h
KINEMA_MECHANISM(near_side);
KINEMA_MECHANISM(noise_along_rays);

// denoised_points.cpp
KINEMA_MECHANISM(projective_contacts);

// person.cpp, smoothing_thread.cpp
KINEMA_MECHANISM(held_head);

// deviation.cpp, trajectory.cpp, smoother.cpp
KINEMA_MECHANISM(followed_back);
KINEMA_MECHANISM(residual_noise);
KINEMA_MECHANISM(smoothed_comfort);
KINEMA_MECHANISM(refitted_frames);

// pair_depth.cpp
KINEMA_MECHANISM(pair_deviations);
KINEMA_MECHANISM(plain_areas);

}  // namespace kinema::body::mechanisms
