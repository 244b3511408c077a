// Files that were dropped on the live page: found out what they are, tracked, shown on the page while that goes on, and
// written as CSV, JSON lines and BVH for it to take away.
#pragma once

#include "serve/channel.h"
#include "serve/face_partner.h"
#include "serve/head_partner.h"
#include "serve/job_partner.h"

namespace kinema::app {

/// Filters and models go to their desks too, for cameras and files to come; they may come alone. Throws Error where the
/// files cannot be tracked, and serve::Job::Cancelled.
void track_dropped(serve::Job& job, serve::Hub& hub, serve::HeadDesk& heads, serve::FaceDesk& faces);

}  // namespace kinema::app
