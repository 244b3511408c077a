// A filter that follows one explanation of what is seen, and tells how well it explains it.
#pragma once

#include "kinema/body_filter.h"

#include <memory>

namespace kinema::body {

class PoseFilter : public Filter {
public:
  /// Where the person may face the other way after all, a filter of it that starts at the best such pose; it has not
  /// seen the frame yet. Once.
  virtual std::unique_ptr<PoseFilter> take_other_facing() = 0;

  /// Of the last estimate, given the points of its frame and what is usual among postures.
  virtual double log_posterior() = 0;

  /// The logarithm by which the facing of the last estimate is less likely, before anything is seen.
  virtual double facing_cost() const = 0;

  /// While set, rivals of the other facing are left to another filter.
  virtual void keep_facing(bool keep) = 0;
};

std::unique_ptr<PoseFilter> make_pose_filter(const TrackerSettings& settings, const Compute& compute);

/// A filter that follows the other facing too where `own` found somebody, until one of the two is clearly likelier.
std::unique_ptr<Filter> follow_both_facings(std::unique_ptr<PoseFilter> own);

}  // namespace kinema::body
