#include "person/face_search.h"

#include "person/constants.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace kinema::person {
namespace {

// By how many parts along a side, and how long each is: neighbours share what a face may lie across.
std::pair<int, double> parts(std::size_t side, double longest) {
  const auto whole = static_cast<double>(side);
  if (whole <= longest) return {1, whole};
  const double shared = part_overlap * longest;
  const int count = static_cast<int>(std::ceil((whole - shared) / (longest - shared)));
  return {count, (whole + (count - 1) * shared) / count};
}

// Whether a box shows a face that was seen a moment ago.
bool is_same(const head::Oval& one, const head::Oval& other) {
  return std::hypot(one.cx - other.cx, one.cy - other.cy) < same_place * other.rx &&
         std::abs(std::log(one.rx / other.rx)) < same_size;
}

}  // namespace

head::Oval oval_of(const face::Start::Box& box) {
  const double width = static_cast<double>(box.width), height = static_cast<double>(box.height);
  return {static_cast<double>(box.x) + (width - 1) / 2,
          static_cast<double>(box.y) + (height - 1) / 2 + box_low * height, box_width * width,
          box_width * width * outline_height / outline_width};
}

std::vector<face::Start::Box> detect_about(const face::Detect& detect, const face::GreyView& image, double x, double y,
                                           double reach_x, double reach_y) {
  const auto range = [](double middle, double reach, std::size_t end) {
    const double last = static_cast<double>(end);
    const auto first = static_cast<std::size_t>(std::clamp(std::round(middle - reach), 0.0, last));
    return std::pair{first, static_cast<std::size_t>(std::clamp(std::round(middle + reach), 0.0, last)) - first};
  };
  const auto [left, width] = range(x, reach_x, image.width);
  const auto [top, height] = range(y, reach_y, image.height);
  if (width == 0 || height == 0) return {};
  std::vector<face::Start::Box> found = detect({image.data + top * image.stride + left, width, height, image.stride});
  for (face::Start::Box& one : found) {
    one.x += static_cast<float>(left);
    one.y += static_cast<float>(top);
  }
  return found;
}

std::vector<face::Start::Box> FaceSearch::look(const face::GreyView& image, double time) {
  if (!detect_) return {};
  if (curious()) {
    std::vector<face::Start::Box> boxes = look_about(image, *last_, time);
    if (!boxes.empty()) return boxes;
  }
  std::vector<face::Start::Box> boxes;
  const auto [columns, width] = parts(image.width, part_width);
  const auto [rows, height] = parts(image.height, part_height);
  const int count = rows * columns > 1 ? rows * columns : 0;
  if (turn_ == 0 && time - whole_ < detector_pause) {
    if (count == 0) return {};
    turn_ = 1;
  }
  if (turn_ == 0) {
    whole_ = time;
    boxes = detect_(image);
  } else {
    const auto middle = [](int index, int of, double length, std::size_t side) {
      return length / 2 + (of > 1 ? (static_cast<double>(side) - length) * index / (of - 1) : 0);
    };
    const int part = turn_ - 1;
    boxes = detect_about(detect_, image, middle(part % columns, columns, width, image.width),
                         middle(part / columns, rows, height, image.height), width / 2, height / 2);
  }
  turn_ = (turn_ + 1) % (count + 1);
  remember(boxes, time);
  return boxes;
}

std::vector<face::Start::Box> FaceSearch::look_about(const face::GreyView& image, const head::Oval& head, double time) {
  if (!detect_) return {};
  const double reach = searched_about * std::max(head.rx, head.ry);
  std::vector<face::Start::Box> boxes = detect_about(detect_, image, head.cx, head.cy, reach, reach);
  remember(boxes, time);
  return boxes;
}

// The box of the face that was seen before comes first.
void FaceSearch::remember(std::vector<face::Start::Box>& boxes, double time) {
  if (boxes.empty()) {
    if (time - seen_ > sighting_pause) settle();
    return;
  }
  if (last_) {
    const auto same = std::find_if(boxes.begin(), boxes.end(),
                                   [&](const face::Start::Box& box) { return is_same(oval_of(box), *last_); });
    times_ = same != boxes.end() ? times_ + 1 : 0;
    if (same != boxes.end()) std::rotate(boxes.begin(), same, same + 1);
  }
  times_ = std::max(times_, 1);
  last_ = oval_of(boxes.front());
  seen_ = time;
}

std::optional<head::Oval> FaceSearch::steady(double time) const {
  return seen_ == time && times_ >= steady_boxes ? last_ : std::nullopt;
}

void FaceSearch::restart() {
  settle();
  whole_ = seen_ = -1e9;
  turn_ = 0;
}

}  // namespace kinema::person
