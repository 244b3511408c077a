// Who is new among the people of people.h: they are looked for in what nobody explains, and count once they were followed for a
// while.
#include "body/foreground/constants_foreground.h"
#include "body/tracker/constants_people.h"
#include "body/tracker/people.h"
#include "core/geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace kinema::body {
namespace {

using namespace constants::people;

// The depth image, without gaps between rows; null of a cloud. Where people were cut out, what was not measured is far away.
std::shared_ptr<const std::vector<float>> picture(const Measured& measured, const Foreground& foreground,
                                                  CutOut cut_out) {
  const auto* depth = std::get_if<ImageView<const float>>(&measured.points);
  if (depth == nullptr) return nullptr;
  std::vector<float> copy;
  copy.reserve(depth->width * depth->height);
  for (std::size_t v = 0; v < depth->height; ++v)
    copy.insert(copy.end(), &depth->at(0, v), &depth->at(0, v) + depth->width);
  const auto unknown = [](float z) { return !(z > 0 && std::isfinite(z)); };
  if (cut_out == CutOut::automatic && foreground.planes().empty()) {
    const auto missing = static_cast<double>(std::count_if(copy.begin(), copy.end(), unknown));
    if (missing > (1 - constants::exterior::most_measured) * static_cast<double>(copy.size())) cut_out = CutOut::yes;
  }
  if (cut_out == CutOut::yes) std::replace_if(copy.begin(), copy.end(), unknown, std::numeric_limits<float>::max());
  return std::make_shared<const std::vector<float>>(std::move(copy));
}

// Cuts a candidate out; false: nobody is there.
bool cut_other(const Measured& measured, Foreground& foreground, std::size_t candidate, PointCloud& cloud) {
  if (measured.pairs != nullptr) {
    const Candidate& found = foreground.candidates()[candidate];
    measured.pairs->look_past(found.centre.z + found.depth / 2);
  }
  std::visit([&](const auto& points) { foreground.cut_other(points, candidate, cloud); }, measured.points);
  if (measured.pairs != nullptr) measured.pairs->set_deviations(cloud);
  return !nobody_in(cloud);
}

}  // namespace

std::optional<std::size_t> nearest(std::span<const Candidate> candidates, const Vec3& ray) {
  std::optional<std::size_t> best;
  double least = farthest_chosen;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Vec3& at = candidates[i].centre;
    const double across = (at.x - at.z * ray.x) / candidates[i].width,
                 down = (at.y - at.z * ray.y) / candidates[i].height;
    const double away = std::hypot(across, down);
    if (!(away < least)) continue;
    best = i;
    least = away;
  }
  return best;
}

int People::most() const { return settings_.people == 0 ? most_followed : std::min(settings_.people, most_followed); }

// How many more people are to be followed than are seen.
int People::wanted() const {
  const auto seen =
      std::count_if(members_.begin(), members_.end(), [](const Member& m) { return m.number > 0 && !m.hidden; });
  return most() - static_cast<int>(seen);
}

// Looks for people in what nobody explains.
void People::meet(const Measured& measured, Foreground& foreground, std::int64_t frame, double time,
                  std::optional<Vec3> chosen, StageClock& clock) {
  if (wanted() <= 0) return;
  DepthPicture now;  // one for all whom it is compared with later
  std::visit([&](const auto& points) { foreground.find_others(points); }, measured.points);
  const std::vector<Candidate> found(foreground.candidates().begin(), foreground.candidates().end());
  int left = members_.empty() ? most_followed : newcomers_tried;
  std::vector<std::size_t> order;
  if (const auto at = chosen ? nearest(found, *chosen) : std::nullopt) order.push_back(*at);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool enough = found[i].likeness >= newcomer_likeness && (!found[i].cut_off || found[i].area >= newcomer_area);
    if (enough && (order.empty() || i != order.front() || !chosen)) order.push_back(i);
  }
  for (const std::size_t i : order) {
    if (left <= 0) break;
    const auto known = std::find_if(nobodies_.begin(), nobodies_.end(),
                                    [&](const Nobody& one) { return norm(one.place - found[i].centre) < same_place; });
    if (known != nobodies_.end() && time < known->until) continue;
    if (known != nobodies_.end() && known->before) {
      // the same as then is nobody still
      PointCloud cloud;
      std::visit([&](const auto& points) { foreground.cut_other(points, i, cloud); }, measured.points);
      if (moved_share(cloud, *known->before, camera_of(measured)) < least_moved) {
        known->until = time + known->pause;
        continue;
      }
    }
    --left;
    tried_ = true;
    if (!now) now = picture(measured, foreground, settings_.foreground.cut_out);
    if (come_out(measured, foreground, i, time)) continue;
    if (try_newcomer(measured, foreground, i, frame, time, now, clock)) continue;
    dismiss(found[i].centre, time, now);
  }
}

// Nobody is here, and each time that this turns out again it is looked at later.
void People::dismiss(const Vec3& place, double time, DepthPicture before) {
  double pause = look_again;
  std::erase_if(nobodies_, [&](const Nobody& one) {
    const bool same = norm(one.place - place) < same_place;
    if (same) pause = std::max(pause, 2 * one.pause);
    return same;
  });
  nobodies_.push_back({place, time + pause, pause, std::move(before)});
}

bool People::try_newcomer(const Measured& measured, Foreground& foreground, std::size_t candidate, std::int64_t frame,
                          double time, const DepthPicture& now, StageClock& clock) {
  Member member;
  member.person = std::make_unique<Person>(settings_, compute_);
  member.person->filter().set_search_rest(search_rest_);
  if (!cut_other(measured, foreground, candidate, member.person->cut_out())) return false;
  member.now = member.person->track(time, foreground.floor(), {});
  if (!member.now.found || member.now.confidence < newcomer_fit) {
    clock.add(member.now.times);
    return false;
  }
  if (!member.now.skeleton) member.now.skeleton = std::make_shared<const Skeleton>(member.person->filter().skeleton());
  member.key = next_key_++;
  member.since = frame;
  member.before = now;
  member.found_at = foreground.candidates()[candidate].centre;
  member.frames = 1;
  member.fit = member.now.confidence;
  member.last = member.now;
  member.last.time = time;
  members_.push_back(std::move(member));
  return true;
}

// Whoever is expected hidden near a candidate may come out in another pose than expected.
bool People::come_out(const Measured& measured, Foreground& foreground, std::size_t candidate, double time) {
  Member* hidden = nullptr;
  double least = back_within;
  for (Member& member : members_) {
    const double away = norm(member.pose.position - foreground.candidates()[candidate].centre);
    if (!member.hidden || member.number == 0 || away >= least) continue;
    hidden = &member;
    least = away;
  }
  if (hidden == nullptr) return false;
  Person& person = *hidden->person;
  if (!cut_other(measured, foreground, candidate, person.cut_out())) return false;
  person.restart();
  Estimate found = person.track(time, foreground.floor(), {});
  if (!found.found || found.confidence < newcomer_fit) {
    person.cut_out() = {};
    return false;
  }
  if (!found.skeleton) found.skeleton = std::make_shared<const Skeleton>(person.filter().skeleton());
  hidden->now = hidden->last = std::move(found);
  hidden->last.time = time;
  hidden->hidden = false;
  return true;
}

// Those who were followed for so many frames count; whoever was away or hidden may be back.
void People::confirm(int frames, double time) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    if (member.number > 0 || (member.frames < frames && wanted() > 0)) continue;
    const bool still = member.before && seen_frames_ >= frames_to_confirm;
    if (wanted() <= 0 || member.fit < confirmed_fit * member.frames || (still && member.frames >= longest_still)) {
      remove(i--, time);
      continue;
    }
    if (still) continue;
    member.number = number_for(member, time);
    frames_.name(member.key, member.number);
    i = make_way(i, time);
  }
}

// Whoever was expected elsewhere with the same number is gone, or, where there would be too many, whoever has been hidden for
// longest. Returns where the newcomer is then.
std::size_t People::make_way(std::size_t newcomer, double time) {
  const int key = members_[newcomer].key, number = members_[newcomer].number;
  const auto same = std::find_if(members_.begin(), members_.end(),
                                 [&](const Member& m) { return m.number == number && m.key != key; });
  if (same != members_.end()) {
    frames_.add(same->key, same->person->finish());
    frames_.drop(same->key, members_[newcomer].since);
    smoothing_ms_ += same->person->smoothing_ms();
    members_.erase(same);
  } else if (std::count_if(members_.begin(), members_.end(), [](const Member& m) { return m.number > 0; }) > most()) {
    const auto longer = [](const Member& a, const Member& b) {
      return std::tuple(!a.hidden, a.last.time) < std::tuple(!b.hidden, b.last.time);
    };
    const auto hidden = std::min_element(members_.begin(), members_.end(), longer);
    if (hidden->hidden) remove(static_cast<std::size_t>(hidden - members_.begin()), time);
  }
  const auto own = std::find_if(members_.begin(), members_.end(), [&](const Member& m) { return m.key == key; });
  return static_cast<std::size_t>(own - members_.begin());
}

int People::number_for(const Member& member, double time) {
  const double tall = stature(member.person->filter().skeleton());
  double best = 1;
  int number = 0;
  const auto weigh = [&](int of, const Vec3& place, const Vec3& velocity, double since, double height) {
    const double seconds = std::max(0.0, time - since);
    const Vec3 walked = kept_walking * (1 - std::exp(-seconds / kept_walking)) * velocity;
    const double away = norm(member.last.pose.position - (place + walked)) / (back_within + back_speed * seconds);
    if (std::abs(height - tall) > same_stature || away >= best) return;
    best = away;
    number = of;
  };
  for (const Away& gone : away_) weigh(gone.number, gone.place, gone.velocity, gone.time, gone.stature);
  for (const Member& other : members_) {
    if (other.number > 0 && other.hidden && &other != &member)
      weigh(other.number, other.last.pose.position, other.velocity, other.last.time,
            stature(other.person->filter().skeleton()));
  }
  for (const Away& gone : away_)
    if (gone.number == number) frames_.drop(gone.key, member.since);  // whoever was expected then was this one
  std::erase_if(away_, [&](const Away& gone) { return gone.number == number; });
  return number > 0 ? number : next_number_++;
}

}  // namespace kinema::body
