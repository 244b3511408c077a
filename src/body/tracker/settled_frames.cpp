#include "body/tracker/settled_frames.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kinema::body {

void SettledFrames::begin(const Estimate& nobody) {
  frames_.push_back({nobody, {}});
  if (frames_.size() > most_) frames_.pop_front();
}

void SettledFrames::name(int key, int number) {
  for (Slot& frame : frames_)
    for (Entry& entry : frame.people)
      if (entry.key == key) entry.number = number;
}

void SettledFrames::add(int key, std::vector<Estimate> settled) {
  auto first = frames_.begin();
  for (Estimate& estimate : settled) {
    const auto waits = [&](Slot& frame) {
      return frame.nobody.frame == estimate.frame &&
             std::any_of(frame.people.begin(), frame.people.end(),
                         [&](const Entry& entry) { return entry.key == key && !entry.estimate; });
    };
    const auto frame = std::find_if(first, frames_.end(), waits);
    if (frame == frames_.end()) continue;  // nobody took it in time
    for (Entry& entry : frame->people)
      if (entry.key == key) entry.estimate = std::move(estimate);
    first = frame + 1;
  }
}

void SettledFrames::drop(int key, std::int64_t from) {
  for (Slot& frame : frames_)
    if (frame.nobody.frame >= from) std::erase_if(frame.people, [&](const Entry& entry) { return entry.key == key; });
}

std::vector<Estimate> SettledFrames::people_of(Slot& slot) const {
  std::vector<Estimate> people;
  for (Entry& entry : slot.people) {
    if (!settled(entry)) continue;
    entry.estimate->person = entry.number;
    people.push_back(std::move(*entry.estimate));
  }
  std::stable_sort(people.begin(), people.end(),
                   [](const Estimate& a, const Estimate& b) { return a.person < b.person; });
  // somebody new was there already while another was expected somewhere
  for (std::size_t i = people.size(); i-- > 0 && people.size() > most_people_;)
    if (people[i].hidden) people.erase(people.begin() + static_cast<std::ptrdiff_t>(i));
  if (people.empty()) people.push_back(std::move(slot.nobody));
  return people;
}

std::vector<Estimate> SettledFrames::take(bool end) {
  const auto complete = [](const Slot& slot) { return std::all_of(slot.people.begin(), slot.people.end(), settled); };
  std::vector<Estimate> all;
  while (!frames_.empty() && (end || complete(frames_.front()))) {
    std::vector<Estimate> people = people_of(frames_.front());
    frames_.pop_front();
    std::move(people.begin(), people.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace kinema::body
