#include "body/tracker/people.h"

#include "body/constants.h"
#include "body/tracker/constants_people.h"
#include "core/geometry.h"

#include <algorithm>
#include <cmath>
#include <tuple>
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

}  // namespace

People::People(const TrackerSettings& settings, const Compute& compute)
    : settings_(settings),
      compute_(compute),
      // a GPU is one, and processes that help answer one thread
      threads_(compute.backend == Backend::cuda || settings.share_weighing ? 1 : compute.threads),
      frames_(SmoothingThread::most_unclaimed(settings.lag) + 2 * settings.lag, static_cast<std::size_t>(most())) {}

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
                                    std::span<const FaceObservation> faces, const std::vector<StageTime>& before,
                                    std::optional<Vec3> chosen) {
  StageClock clock;
  clock.add(before);
  std::vector<ExpectedPerson> expected;
  for (Member& member : members_) {
    if (std::exchange(member.awaited, false)) member.last.time = time;
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
  clock.add("foreground");
  const std::optional<Plane> floor = foreground.floor();
  const std::vector<std::vector<FaceObservation>> own_faces = shared(faces);
  threads_.for_each(members_.size(), [&](std::size_t i) { follow(members_[i], measured, floor, time, own_faces[i]); });
  part_doubles();
  leave(time);
  tried_ = false;
  if (--until_search_ <= 0 || members_.empty()) {
    until_search_ = newcomer_interval;
    meet(measured, foreground, frame, time, chosen, clock);
  }
  // Not before: a frame in which a filter failed is none.
  Estimate nobody;
  nobody.frame = frame;
  nobody.time = time;
  nobody.why = chosen && members_.empty() ? nobody_chosen : "nobody in sight";
  nobody.skeleton = std::make_shared<const Skeleton>(settings_.skeleton);
  frames_.begin(nobody);
  ++seen_frames_;
  for (Member& member : members_) {
    frames_.expect(member.key, member.number);
    member.now = member.person->keep(std::move(member.now), frame, time);
  }
  confirm(frames_to_confirm, time);

  std::vector<Estimate> estimates;
  bool searched = tried_, shape_fitted = false;
  for (Member& member : members_) {
    collect(member);
    if (member.number == 0) {
      // whoever may be nobody takes time too
      clock.add(member.now.times);
      searched = searched || member.now.searched;
      shape_fitted = shape_fitted || member.now.shape_fitted;
      continue;
    }
    estimates.push_back(member.now);
    estimates.back().person = member.number;
  }
  std::sort(estimates.begin(), estimates.end(),
            [](const Estimate& a, const Estimate& b) { return a.person < b.person; });
  if (estimates.empty()) estimates.push_back(nobody);
  // what all have in common
  Estimate& first = estimates.front();
  first.searched = first.searched || searched;
  first.shape_fitted = first.shape_fitted || shape_fitted;
  clock.add(first.times);
  first.times = clock.times();
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
  const double needed = sight.outside > 0.5 ? seen_at_border : member.hidden ? seen_again : least_seen;
  const bool seen = sight.seen >= needed && !nobody_in(person.points());
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
    member.now.exchanged_bytes = 0;
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
  if (member.before && moved_share(person.points(), *member.before, camera_of(measured)) >= least_moved)
    member.before.reset();
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
    away_.push_back({member.key, member.number, member.last.pose.position, member.velocity, member.last.time,
                     stature(member.person->filter().skeleton())});
  } else {
    frames_.drop(member.key);
    dismiss(member.found_at, time, std::move(member.before));
  }
  smoothing_ms_ += member.person->smoothing_ms();
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
}

void People::collect(Member& member) { frames_.add(member.key, member.person->settled()); }

std::vector<Estimate> People::skip(std::int64_t frame, double time, const std::string& why) {
  Estimate gap;
  gap.frame = frame;
  gap.time = time;
  gap.why = why;
  gap.skeleton = std::make_shared<const Skeleton>(settings_.skeleton);
  frames_.begin(gap);
  tried_ = false;
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
  // given out as they are if the first frame does not show the person; how well the caller knows the pose is not known
  member.last.joints = joint_positions(*member.last.skeleton, pose);
  member.last.deviation.assign(member.last.joints.size(), most_doubt);
  member.awaited = true;
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
  if (number <= 0) return nullptr;  // whoever may be nobody has no number yet
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
