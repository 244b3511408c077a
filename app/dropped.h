// Files that were dropped on the live page: recognised, tracked, shown on the page meanwhile, and written as CSV, JSON lines
// and BVH for download.
#pragma once

#include "serve/channel.h"
#include "serve/face_handler.h"
#include "serve/head_handler.h"
#include "serve/job_handler.h"

namespace kinema::app {

/// Filters and models are also kept in the shared states, for later cameras and files; they may come alone. Throws Error
/// where the files cannot be tracked, and serve::Job::Cancelled.
void track_dropped(serve::Job& job, serve::Hub& hub, serve::HeadSharedState& heads, serve::FaceSharedState& faces);

}  // namespace kinema::app
