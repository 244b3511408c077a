#include "face/tracker/followed_faces.h"

#include "face/constants.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

namespace kinema::face {
namespace {

struct Place {
  double x = 0, y = 0;
};

Place middle_of(const std::vector<float>& landmarks) {
  Place sum;
  for (std::size_t i = 0; i + 1 < landmarks.size(); i += 2)
    sum.x += static_cast<double>(landmarks[i]), sum.y += static_cast<double>(landmarks[i + 1]);
  const double count = std::max<double>(1, static_cast<double>(landmarks.size() / 2));
  return {sum.x / count, sum.y / count};
}

double distance(const Place& a, const Place& b) { return std::hypot(a.x - b.x, a.y - b.y); }

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    ab += x * y, aa += x * x, bb += y * y;
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

bool in_box(const std::vector<float>& landmarks, const Start::Box& box) {
  const Place at = middle_of(landmarks);
  return at.x >= static_cast<double>(box.x) && at.x <= static_cast<double>(box.x + box.width) &&
         at.y >= static_cast<double>(box.y) && at.y <= static_cast<double>(box.y + box.height);
}

}  // namespace

std::size_t FollowedFaces::most() const {
  const auto limit = static_cast<std::size_t>(most_faces);
  return settings_.people == 0 ? limit : std::min(limit, static_cast<std::size_t>(settings_.people));
}

void FollowedFaces::restart() {
  given_.clear();
  people_.clear();
}

void FollowedFaces::set_neutral() {
  for (Person& person : people_) person.face.set_neutral();
}

std::vector<float> FollowedFaces::texture_of(FramePicture& image, const Fit& fit) const {
  const Model& model = *settings_.model;
  const auto coarsest = static_cast<std::uint32_t>(model.levels.size() - 1);
  std::vector<float> texture = sample_texture(model, coarsest, image.grey(), fit.landmarks);
  const auto& mean = model.levels.back().mean;
  for (std::size_t i = 0; i < std::min(texture.size(), mean.size()); ++i) texture[i] -= mean[i];
  return texture;
}

std::vector<Estimate> FollowedFaces::track(FramePicture& image, double time) {
  ++frame_;
  detect_ms_ = 0;
  const Stopwatch watch;
  std::erase_if(people_, [&](const Person& person) { return time - person.seen > longest_missing; });
  std::vector<Found> found = follow(image);
  part(image, found);
  recognise(image, time, search(image, found), found);
  const double fit_ms = watch.ms() - detect_ms_;
  std::vector<Estimate> estimates = conclude(image, time, found);
  auto& times = estimates.front().times;
  times.insert(times.begin(), {{"detect", detect_ms_}, {"fit", fit_ms}});
  return estimates;
}

// Everybody from where they were in the last frame, or not long ago.
std::vector<FollowedFaces::Found> FollowedFaces::follow(FramePicture& image) {
  std::vector<Face> faces;
  std::vector<Found> found;
  for (Person& person : people_) {
    if (person.face.missed() > search_frames) continue;
    Start start;
    start.landmarks = person.face.last_seen();
    faces.push_back(image.face(fitter_, start));
    found.push_back({&person, {}, person.face.missed() > 0});
  }
  std::vector<Fit> fits(faces.size());
  if (!faces.empty()) fitter_.fit(faces, fits);
  for (std::size_t i = 0; i < fits.size(); ++i) found[i].fit = std::move(fits[i]);
  std::erase_if(found, [&](const Found& one) { return !trusted(one.fit); });
  return found;
}

// The fit of somebody who is hidden slides to whoever hides them: of two fits to one face the one counts that it is like.
void FollowedFaces::part(FramePicture& image, std::vector<Found>& found) const {
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t j = i + 1; j < found.size();) {
      const double size = std::min(size_of(*settings_.model, found[i].fit), size_of(*settings_.model, found[j].fit));
      if (distance(middle_of(found[i].fit.landmarks), middle_of(found[j].fit.landmarks)) > one_face * size) {
        ++j;
        continue;
      }
      const auto likeness = [&](const Found& one) { return cosine(texture_of(image, one.fit), one.person->texture); };
      if (likeness(found[j]) > likeness(found[i])) std::swap(found[i], found[j]);
      found.erase(found.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

bool FollowedFaces::detector_is_due(const std::vector<Found>& found) const {
  if (!settings_.detect) return false;
  const bool all_sure = found.size() == people_.size() && std::all_of(found.begin(), found.end(), [&](const Found& one) {
                          return one.fit.failure <= settings_.doubt;
                        });
  const long since = frame_ - looked_;
  if (people_.empty() || since >= newcomer_interval) return people_.size() < most() || !all_sure;
  return !all_sure && since >= missing_interval;
}

// Faces of which none is found yet: where the caller says, and where the detector sees one.
std::vector<Fit> FollowedFaces::search(FramePicture& image, const std::vector<Found>& found) {
  std::vector<Start> starts = std::exchange(given_, {});
  if (detector_is_due(found)) {
    const GreyView& grey = image.grey();
    const Stopwatch watch;
    for (const Start::Box& box : settings_.detect(grey)) {
      const bool known = std::any_of(found.begin(), found.end(), [&](const Found& one) {
        return in_box(one.fit.landmarks, box);
      });
      if (known || starts.size() >= most()) continue;
      starts.emplace_back();
      starts.back().box = box;
    }
    detect_ms_ += watch.ms();
    looked_ = frame_;
  }
  std::vector<Face> faces;
  for (Start& start : starts) faces.push_back(image.face(fitter_, std::move(start)));
  std::vector<Fit> fits(faces.size());
  if (faces.empty()) return fits;
  fitter_.fit(faces, fits);
  fit_doubtful_again(fitter_, *settings_.model, faces, fits);
  std::erase_if(fits, [&](const Fit& fit) { return !trusted(fit); });
  // the surest first; others at the same place are the same face
  std::sort(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.failure < b.failure; });
  std::vector<Fit> kept;
  for (Fit& fit : fits) {
    const Place at = middle_of(fit.landmarks);
    const double reach = one_face * size_of(*settings_.model, fit);
    const auto here = [&](const Fit& other) { return distance(at, middle_of(other.landmarks)) <= reach; };
    if (std::any_of(kept.begin(), kept.end(), here) ||
        std::any_of(found.begin(), found.end(), [&](const Found& one) { return here(one.fit); }))
      continue;
    kept.push_back(std::move(fit));
  }
  return kept;
}

// Who is missing takes the face that is most like it; whoever is left is new.
void FollowedFaces::recognise(FramePicture& image, double time, std::vector<Fit> seen, std::vector<Found>& found) {
  if (seen.empty()) return;
  std::vector<Person*> missing;
  for (Person& person : people_)
    if (std::none_of(found.begin(), found.end(), [&](const Found& one) { return one.person == &person; }))
      missing.push_back(&person);
  std::vector<std::tuple<double, Person*, std::size_t>> pairs;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::vector<float> texture = texture_of(image, seen[i]);
    for (Person* person : missing) {
      const double away = distance(middle_of(person->face.last_seen()), middle_of(seen[i].landmarks));
      const double like = cosine(texture, person->texture);
      if (like >= least_likeness && away <= person->size * (missing_reach + missing_speed * (time - person->seen)))
        pairs.emplace_back(-like, person, i);
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  std::vector<bool> taken(seen.size(), false);
  for (const auto& [cost, person, i] : pairs) {
    const bool back = std::any_of(found.begin(), found.end(), [&](const Found& one) { return one.person == person; });
    if (back || taken[i]) continue;
    taken[i] = true;
    found.push_back({person, std::move(seen[i]), true});
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!taken[i] && seen[i].failure <= settings_.doubt) found.push_back({nullptr, std::move(seen[i]), true});
}

std::vector<Estimate> FollowedFaces::conclude(FramePicture& image, double time, std::vector<Found>& found) {
  for (Person& person : people_)
    if (std::none_of(found.begin(), found.end(), [&](const Found& one) { return one.person == &person; }))
      person.face.miss();
  std::vector<Estimate> estimates;
  std::vector<Person> newcomers;
  for (Found& one : found) {
    if (one.person == nullptr) {
      if (people_.size() + newcomers.size() >= most()) continue;
      newcomers.push_back({++numbers_, FollowedFace(settings_), {}});
    }
    Person& person = one.person != nullptr ? *one.person : newcomers.back();
    Estimate estimate;
    estimate.found = estimate.tried = true;
    estimate.person = person.number;
    estimate.time = time;
    estimate.detected = one.detected;
    estimate.confidence = one.fit.quality;
    person.seen = time;
    person.size = size_of(*settings_.model, one.fit);
    const bool sure = one.fit.failure <= settings_.doubt && (frame_ + person.number) % texture_interval == 0;
    if (person.texture.empty() || sure) {
      const std::vector<float> now = texture_of(image, one.fit);
      const float share = person.texture.empty() ? 1 : texture_share;
      person.texture.resize(now.size());
      for (std::size_t i = 0; i < now.size(); ++i) person.texture[i] += share * (now[i] - person.texture[i]);
    }
    estimate.fit = std::move(one.fit);
    person.face.see(image, estimate);
    estimates.push_back(std::move(estimate));
  }
  people_.insert(people_.end(), std::make_move_iterator(newcomers.begin()), std::make_move_iterator(newcomers.end()));
  std::sort(estimates.begin(), estimates.end(), [](const Estimate& a, const Estimate& b) { return a.person < b.person; });
  if (estimates.empty()) {
    fitter_.expect({});  // what was copied is of this frame, whose pixels may change now
    estimates.emplace_back();
    estimates.back().time = time;
    estimates.back().why = people_.empty() ? nobody_words : lost_words;
  }
  return estimates;
}

}  // namespace kinema::face
