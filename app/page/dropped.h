// Files dropped on the live page: recognised, tracked, shown on the page meanwhile, and written as CSV, JSON lines and
// BVH for download.
#pragma once

#include "serve/messages/channel.h"
#include "serve/requests/face_handler.h"
#include "serve/requests/head_handler.h"
#include "serve/requests/job_handler.h"

namespace kinema::app {

/// Filters and models are also kept in the shared state, for later cameras and files; they may be dropped alone. Throws
/// Error if the files cannot be tracked, and serve::Job::Cancelled.
void track_dropped(serve::Job& job, serve::Hub& hub, serve::HeadSharedState& heads, serve::FaceSharedState& faces);

}  // namespace kinema::app
