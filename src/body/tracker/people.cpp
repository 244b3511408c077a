#include "body/tracker/people.h"

#include "body/constants.h"
#include "body/tracker/constants_people.h"
#include "core/geometry.h"
#include "core/stopwatch.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace kinema::body {
namespace {

using namespace constants::people;

// The share of a pose's skin, by the middles of its capsules, that is within that of another.
double share_within(std::span<const float> capsules, std::span<const float> other) {
  double within = 0, all = 0;
  for (std::size_t k = 0; k + capsule_floats <= capsules.size(); k += capsule_floats) {
    const float* c = capsules.data() + k;
    const Vec3f middle = 0.5f * (Vec3f{c[0], c[1], c[2]} + Vec3f{c[4], c[5], c[6]});
    const double weight = static_cast<double>(c[3]);
    all += weight;
    for (std::size_t o = 0; o + capsule_floats <= other.size(); o += capsule_floats) {
      const float* d = other.data() + o;
      const Vec3f a{d[0], d[1], d[2]}, axis = Vec3f{d[4], d[5], d[6]} - a, from = middle - a;
      const float length = dot(axis, axis), share = length > 0 ? std::clamp(dot(from, axis) / length, 0.0f, 1.0f) : 0;
      if (norm(from - share * axis) >= d[3]) continue;
      within += weight;
      break;
    }
  }
  return all > 0 ? within / all : 0;
}

void add(std::vector<StageTime>& times, const StageTime& time) {
  const auto same = std::find_if(times.begin(), times.end(), [&](const auto& own) { return own.stage == time.stage; });
  if (same == times.end())
    times.push_back(time);
  else
    same->ms += time.ms;
}

// The depth image, without gaps between rows; empty of a cloud.
std::vector<float> picture(const Measured& measured) {
  std::vector<float> copy;
  if (const auto* depth = std::get_if<ImageView<const float>>(&measured.points))
    for (std::size_t v = 0; v < depth->height; ++v)
      copy.insert(copy.end(), &depth->at(0, v), &depth->at(0, v) + depth->width);
  return copy;
}

}  // namespace

std::optional<std::size_t> nearest(std::span<const Candidate> candidates, const Vec3& ray) {
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Vec3& at = candidates[i].centre;
    const double across = (at.x - at.z * ray.x) / candidates[i].width,
                 down = (at.y - at.z * ray.y) / candidates[i].height;
    const double away = std::hypot(across, down);
    if (best && away >= least) continue;
    best = i;
    least = away;
  }
  return best;
}

People::People(const TrackerSettings& settings, const Compute& compute)
    : settings_(settings),
      compute_(compute),
      threads_(compute.backend == Backend::cuda ? 1 : compute.threads),
      frames_(SmoothingThread::most_unclaimed(settings.lag) + 2 * settings.lag) {}

// Walking goes on for a while.
void People::predict(Member& member, double time) const {
  const double unseen = std::max(0.0, time - member.last.time);
  member.pose = member.last.pose;
  member.pose.position = member.pose.position + kept_walking * (1 - std::exp(-unseen / kept_walking)) * member.velocity;
  member.expected.capsules = pose_capsules(*member.last.skeleton, member.pose);
  member.expected.who = member.key;
  member.expected.doubt = member.hidden ? std::min(most_doubt, doubt_speed * unseen) : 0;
}

std::vector<float> People::expected(double time) {
  std::vector<float> all;
  for (Member& member : members_) {
    predict(member, time);
    all.insert(all.end(), member.expected.capsules.begin(), member.expected.capsules.end());
  }
  return all;
}

std::vector<Estimate> People::track(const Measured& measured, Foreground& foreground, std::int64_t frame, double time,
                                    std::span<const FaceObservation> faces, std::vector<StageTime> before,
                                    std::optional<Vec3> chosen) {
  Stopwatch watch;
  std::vector<ExpectedPerson> expected;
  for (Member& member : members_) {
    predict(member, time);
    expected.push_back(member.expected);
  }
  std::vector<PointCloud> clouds;
  for (Member& member : members_) clouds.push_back(std::move(member.person->cut_out()));
  std::visit([&](const auto& points) { foreground.cut(points, expected, clouds); }, measured.points);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (measured.pairs != nullptr) measured.pairs->set_deviations(clouds[i]);
    members_[i].person->cut_out() = std::move(clouds[i]);
  }
  add(before, {"foreground", watch.lap()});

  Estimate nobody;
  nobody.frame = frame;
  nobody.time = time;
  nobody.why = "nobody in sight";
  nobody.skeleton = std::make_shared<const Skeleton>(settings_.skeleton);
  frames_.begin(nobody);
  ++seen_frames_;
  const std::optional<Plane> floor = foreground.floor();
  const std::vector<std::vector<FaceObservation>> own_faces = shared(faces);
  threads_.for_each(members_.size(), [&](std::size_t i) { follow(members_[i], measured, floor, time, own_faces[i]); });
  part_doubles();
  leave(time);
  if (--until_search_ <= 0 || members_.empty()) {
    until_search_ = newcomer_interval;
    meet(measured, foreground, frame, time, chosen);
  }
  for (Member& member : members_) {
    frames_.expect(member.key);
    member.now = member.person->keep(std::move(member.now), frame, time);
  }
  confirm(frames_to_confirm, time);

  std::vector<Estimate> estimates;
  for (Member& member : members_) {
    collect(member);
    if (member.number == 0) continue;
    estimates.push_back(member.now);
    estimates.back().person = member.number;
  }
  std::sort(estimates.begin(), estimates.end(),
            [](const Estimate& a, const Estimate& b) { return a.person < b.person; });
  if (estimates.empty()) estimates.push_back(nobody);
  // what all have in common
  std::vector<StageTime>& times = estimates.front().times;
  for (const StageTime& stage : times) add(before, stage);
  times = std::move(before);
  return estimates;
}

const Camera& People::camera_of(const Measured& measured) const {
  return measured.pairs != nullptr ? measured.pairs->camera() : settings_.camera;
}

void People::follow(Member& member, const Measured& measured, const std::optional<Plane>& floor, double time,
                    std::span<const FaceObservation> faces) {
  Person& person = *member.person;
  Sight sight;
  if (const auto* depth = std::get_if<ImageView<const float>>(&measured.points))
    sight = sight_of(member.expected.capsules, *depth, camera_of(measured));
  const bool seen = sight.seen >= (member.hidden ? seen_again : least_seen) && !nobody_in(person.points());
  const double unseen = time - member.last.time;
  if (!seen) {
    member.now = {};
    const bool away =
        sight.outside > 0.5 || unseen > longest_hidden || member.number == 0 || sight.absent > sight.hidden;
    member.hidden = true;
    if (away) return;
    member.now = member.last;
    member.now.found = member.now.hidden = true;
    member.now.confidence = 0;
    member.now.times.clear();
    member.now.faces.clear();
    member.now.searched = member.now.shape_fitted = false;
    member.now.pose = member.pose;
    member.now.joints = joint_positions(*member.last.skeleton, member.pose);
    for (double& deviation : member.now.deviation) deviation = std::hypot(deviation, unseen_speed * unseen);
    person.cut_out() = {};
    return;
  }
  if (member.hidden) person.start(member.pose);
  member.hidden = false;
  member.now = person.track(time, floor, faces);
  if (!member.now.found) return;
  if (!member.now.skeleton) member.now.skeleton = std::make_shared<const Skeleton>(person.filter().skeleton());
  const double seconds =
      std::clamp(unseen, constants::pipeline::shortest_interval, constants::pipeline::longest_interval);
  if (member.frames > 0 && unseen < constants::pipeline::longest_interval) {
    const Vec3 walked = (1 / seconds) * (member.now.pose.position - member.last.pose.position);
    member.velocity = member.velocity + velocity_rate * (walked - member.velocity);
    const double speed = norm(member.velocity);
    if (speed > fastest_walk) member.velocity = (fastest_walk / speed) * member.velocity;
  }
  member.last = member.now;
  member.last.time = time;
  ++member.frames;
  member.fit += member.now.confidence;
  if (!member.before.empty() && moved_share(person.points(), member.before, camera_of(measured)) >= least_moved)
    member.before.clear();
}

// Two who are one: the one with the better claim stays.
void People::part_doubles() {
  std::vector<std::vector<float>> skins;
  for (const Member& member : members_)
    skins.push_back(member.now.found ? pose_capsules(*member.now.skeleton, member.now.pose) : std::vector<float>());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    bool doubled = false;
    for (std::size_t j = 0; j < members_.size(); ++j) {
      if (i == j || skins[i].empty() || skins[j].empty()) continue;
      const auto claim = [](const Member& m) {
        return std::tuple(m.number > 0, !m.hidden, m.number > 0 ? -m.number : -m.key);
      };
      if (claim(members_[i]) > claim(members_[j])) continue;
      doubled = doubled || share_within(skins[i], skins[j]) > same_space;
    }
    members_[i].doubled = doubled ? members_[i].doubled + 1 : 0;
    if (members_[i].doubled >= same_frames) members_[i].now.found = false;
  }
}

// Those who are no longer found are away.
void People::leave(double time) {
  for (std::size_t i = members_.size(); i-- > 0;)
    if (!members_[i].now.found) remove(i, time);
  std::erase_if(away_, [&](const Away& gone) { return time - gone.time > longest_away || time < gone.time; });
  std::erase_if(nobodies_, [&](const Nobody& one) { return time - one.until > 10 * one.pause; });
}

void People::remove(std::size_t i, double time) {
  Member& member = members_[i];
  if (member.number > 0) {
    frames_.add(member.key, member.person->finish());
    away_.push_back({member.number, member.last.pose.position, member.velocity, member.last.time,
                     stature(member.person->filter().skeleton())});
  } else {
    frames_.drop(member.key);
    dismiss(member.found_at, time, std::move(member.before));
  }
  smoothing_ms_ += member.person->smoothing_ms();
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
}

// How many more people are to be followed than are seen.
int People::wanted() const {
  const int most = settings_.people == 0 ? most_followed : std::min(settings_.people, most_followed);
  const auto seen =
      std::count_if(members_.begin(), members_.end(), [](const Member& m) { return m.number > 0 && !m.hidden; });
  return most - static_cast<int>(seen);
}

// Looks for people in what nobody explains.
void People::meet(const Measured& measured, Foreground& foreground, std::int64_t frame, double time,
                  std::optional<Vec3> chosen) {
  if (wanted() <= 0) return;
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
    if (known != nobodies_.end() && !known->before.empty()) {
      // the same as then is nobody still
      PointCloud cloud;
      std::visit([&](const auto& points) { foreground.cut_other(points, i, cloud); }, measured.points);
      if (moved_share(cloud, known->before, camera_of(measured)) < least_moved) {
        known->until = time + known->pause;
        continue;
      }
    }
    --left;
    if (try_newcomer(measured, foreground, i, frame, time)) continue;
    dismiss(found[i].centre, time, picture(measured));
  }
}

// Nobody is here, and each time that this turns out again it is looked at later.
void People::dismiss(const Vec3& place, double time, std::vector<float> before) {
  double pause = look_again;
  std::erase_if(nobodies_, [&](const Nobody& one) {
    const bool same = norm(one.place - place) < same_place;
    if (same) pause = std::max(pause, 2 * one.pause);
    return same;
  });
  nobodies_.push_back({place, time + pause, pause, std::move(before)});
}

bool People::try_newcomer(const Measured& measured, Foreground& foreground, std::size_t candidate, std::int64_t frame,
                          double time) {
  Member member;
  member.person = std::make_unique<Person>(settings_, compute_);
  member.person->filter().set_search_rest(search_rest_);
  PointCloud& cloud = member.person->cut_out();
  if (measured.pairs != nullptr) {
    const Candidate& found = foreground.candidates()[candidate];
    measured.pairs->look_past(found.centre.z + found.depth / 2);
  }
  std::visit([&](const auto& points) { foreground.cut_other(points, candidate, cloud); }, measured.points);
  if (measured.pairs != nullptr) measured.pairs->set_deviations(cloud);
  if (nobody_in(cloud)) return false;
  member.now = member.person->track(time, foreground.floor(), {});
  if (!member.now.found || member.now.confidence < newcomer_fit) return false;
  if (!member.now.skeleton) member.now.skeleton = std::make_shared<const Skeleton>(member.person->filter().skeleton());
  member.key = next_key_++;
  member.since = frame;
  member.before = picture(measured);
  member.found_at = foreground.candidates()[candidate].centre;
  member.frames = 1;
  member.fit = member.now.confidence;
  member.last = member.now;
  member.last.time = time;
  members_.push_back(std::move(member));
  return true;
}

// Those who were followed for so many frames count; whoever was away or hidden may be back.
void People::confirm(int frames, double time) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    if (member.number > 0 || (member.frames < frames && wanted() > 0)) continue;
    if (wanted() <= 0) {
      remove(i--, time);
      continue;
    }
    const bool still = !member.before.empty() && seen_frames_ >= frames_to_confirm;
    if (member.fit < confirmed_fit * member.frames || (still && member.frames >= longest_still)) {
      remove(i--, time);
      continue;
    }
    if (still) continue;
    const int number = number_for(member, time);
    const auto hidden =
        std::find_if(members_.begin(), members_.end(), [&](const Member& m) { return m.number == number; });
    member.number = number;
    frames_.name(member.key, number);
    if (hidden == members_.end()) continue;
    // it was not where it was expected
    frames_.add(hidden->key, hidden->person->finish());
    frames_.drop(hidden->key, member.since);
    smoothing_ms_ += hidden->person->smoothing_ms();
    if (hidden - members_.begin() < static_cast<std::ptrdiff_t>(i)) --i;
    members_.erase(hidden);
  }
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
  std::erase_if(away_, [&](const Away& gone) { return gone.number == number; });
  return number > 0 ? number : next_number_++;
}

void People::collect(Member& member) { frames_.add(member.key, member.person->settled()); }

std::vector<Estimate> People::skip(std::int64_t frame, double time, const std::string& why) {
  Estimate gap;
  gap.frame = frame;
  gap.time = time;
  gap.why = why;
  gap.skeleton = std::make_shared<const Skeleton>(settings_.skeleton);
  frames_.begin(gap);
  return {gap};
}

std::vector<Estimate> People::settled() {
  for (Member& member : members_) collect(member);
  return frames_.take();
}

std::vector<Estimate> People::finish() {
  confirm(1, members_.empty() ? 0 : members_.front().last.time);
  for (Member& member : members_) frames_.add(member.key, member.person->finish());
  return frames_.take(true);
}

void People::start(const Pose& pose) {
  Member member;
  member.person = std::make_unique<Person>(settings_, compute_);
  member.person->start(pose);
  member.key = next_key_++;
  member.number = next_number_++;
  member.last.pose = pose;
  member.last.skeleton = std::make_shared<const Skeleton>(member.person->filter().skeleton());
  frames_.name(member.key, member.number);
  members_.push_back(std::move(member));
}

void People::restart() {
  while (!members_.empty()) remove(members_.size() - 1, members_.back().last.time);
  nobodies_.clear();
}

void People::use(const TrackerSettings& settings, const PaceCounts& counts, bool particles_changed) {
  settings_ = settings;
  search_rest_ = counts.search_rest;
  for (Member& member : members_) {
    if (particles_changed) member.person->filter().set_particles(settings.particles);
    member.person->filter().set_search_rest(search_rest_);
  }
}

// Each face to whose head is nearest to its ray.
std::vector<std::vector<FaceObservation>> People::shared(std::span<const FaceObservation> faces) const {
  std::vector<std::vector<FaceObservation>> own(members_.size());
  for (const FaceObservation& face : faces) {
    std::size_t nearest = members_.size();
    double least = farthest_face;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const int head = members_[i].last.skeleton->find("head");
      if (head < 0) continue;
      const Vec3 at = joint_positions(*members_[i].last.skeleton, members_[i].pose)[static_cast<std::size_t>(head)];
      const double away = norm(at - dot(at, face.ray) * face.ray);
      if (away >= least) continue;
      least = away;
      nearest = i;
    }
    if (nearest < own.size()) own[nearest].push_back(face);
  }
  return own;
}

Person* People::find(int number) {
  const auto found =
      std::find_if(members_.begin(), members_.end(), [&](const Member& m) { return m.number == number; });
  return found != members_.end() ? found->person.get() : nullptr;
}

double People::smoothing_ms() const {
  double all = smoothing_ms_;
  for (const Member& member : members_) all += member.person->smoothing_ms();
  return all;
}

}  // namespace kinema::body
