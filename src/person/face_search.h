// Where a detector looks for the face of somebody who is lost: in the whole picture and in turn in its parts, where it sees smaller
// faces; and at once where it has just seen one, since whoever runs is elsewhere a moment later.
#pragma once

#include "kinema/face_tracker.h"
#include "kinema/head_calibration.h"
#include "person/constants.h"

#include <optional>
#include <utility>
#include <vector>

namespace kinema::person {

/// The face in a box of the detector.
head::Oval oval_of(const face::Start::Box& box);

/// Boxes in the part of a picture about a point, in pixels of the picture.
std::vector<face::Start::Box> detect_about(const face::Detect& detect, const face::GreyView& image, double x, double y,
                                           double reach_x, double reach_y);

class FaceSearch {
public:
  explicit FaceSearch(face::Detect detect) : detect_(std::move(detect)) {}

  /// Boxes in this frame, the likeliest first; none either if it is not the time to look.
  std::vector<face::Start::Box> look(const face::GreyView& image, double time);

  /// The same about a head alone.
  std::vector<face::Start::Box> look_about(const face::GreyView& image, const head::Oval& head, double time);

  /// A face that the detector saw in this frame and some before it: a false one seldom stays.
  std::optional<head::Oval> steady(double time) const;

  /// A face was seen that is not steady yet: it is worth looking in the next frame.
  bool curious() const { return last_ && times_ < steady_boxes; }

  /// When the whole picture was last looked at.
  double time() const { return whole_; }

  /// The face is followed: what was seen of it is of no more use.
  void settle() {
    last_.reset();
    times_ = 0;
  }

  void restart();

private:
  void remember(std::vector<face::Start::Box>& boxes, double time);

  face::Detect detect_;
  double whole_ = -1e9, seen_ = -1e9;  // seconds
  int turn_ = 0;                       // 0: the whole picture is next, else this part
  std::optional<head::Oval> last_;     // seen a moment ago
  int times_ = 0;                      // in a row
};

}  // namespace kinema::person
