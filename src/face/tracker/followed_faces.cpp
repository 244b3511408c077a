#include "face/tracker/followed_faces.h"

#include "face/constants.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

namespace kinema::face {
namespace {

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    ab += x * y, aa += x * x, bb += y * y;
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
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

FollowedFaces::Place FollowedFaces::middle_of(const Fit& fit) {
  Place sum;
  for (std::size_t i = 0; i + 1 < fit.landmarks.size(); i += 2)
    sum.x += static_cast<double>(fit.landmarks[i]), sum.y += static_cast<double>(fit.landmarks[i + 1]);
  const auto count = static_cast<double>(fit.landmarks.size() / 2);
  return {sum.x / count, sum.y / count};
}

std::vector<float> FollowedFaces::texture_of(FramePicture& image, const Fit& fit) const {
  const Model& model = *settings_.model;
  const auto coarsest = static_cast<std::uint32_t>(model.levels.size() - 1);
  std::vector<float> texture = sample_texture(model, coarsest, image.grey(), fit.landmarks);
  const auto& mean = model.levels.back().mean;
  for (std::size_t i = 0; i < std::min(texture.size(), mean.size()); ++i) texture[i] -= mean[i];
  return texture;
}

// How little a fit is like that of a person: by looks, by size, and by how far it is from where the person went.
double FollowedFaces::strangeness(const Person& person, const Fit& fit, const std::vector<float>& texture,
                                  double time) const {
  const double since = time - person.sure, going = std::min(since, longest_going);
  const Place at = middle_of(fit);
  const double away =
      std::hypot(at.x - person.at.x - going * person.velocity.x, at.y - person.at.y - going * person.velocity.y) /
      (person.size * (missing_reach + missing_speed * since));
  const double grown =
      std::abs(std::log(size_of(*settings_.model, fit) / person.size)) / (size_change + size_change * since);
  return 1 - cosine(texture, person.texture) + std::min(away, 3.0) + std::min(grown, 3.0);
}

void FollowedFaces::learn(Person& person, const Fit& fit, FramePicture& image, double time) const {
  const bool first = person.texture.empty();
  if (!first && fit.failure > settings_.doubt) return;
  const Place at = middle_of(fit);
  if (const double seconds = time - person.sure; !first && seconds > 0) {
    const double share = std::min(1.0, velocity_rate * seconds);
    person.velocity.x += share * ((at.x - person.at.x) / seconds - person.velocity.x);
    person.velocity.y += share * ((at.y - person.at.y) / seconds - person.velocity.y);
  }
  person.sure = time;
  person.at = at;
  person.size = size_of(*settings_.model, fit);
  if (!first && frame_ % texture_interval != 0) return;
  const std::vector<float> now = texture_of(image, fit);
  const float share = first ? 1 : texture_share;
  person.texture.resize(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) person.texture[i] += share * (now[i] - person.texture[i]);
}

std::vector<Estimate> FollowedFaces::track(FramePicture& image, double time) {
  ++frame_;
  detect_ms_ = 0;
  const Stopwatch watch;
  std::erase_if(people_, [&](const Person& person) { return time - person.seen > longest_missing; });
  std::vector<Fit> again;
  std::vector<Found> found = follow(image, again);
  part(image, time, found);
  recognise(image, time, search(image, found, std::move(again)), found);
  const double fit_ms = watch.ms() - detect_ms_;
  std::vector<Estimate> estimates = conclude(image, time, found);
  auto& times = estimates.front().times;
  times.insert(times.begin(), {{"detect", detect_ms_}, {"fit", fit_ms}});
  return estimates;
}

// Everybody from where they were in the last frame, or not long ago.
std::vector<FollowedFaces::Found> FollowedFaces::follow(FramePicture& image, std::vector<Fit>& again) {
  std::vector<Face> faces;
  std::vector<Person*> persons;
  for (Person& person : people_) {
    if (person.face.missed() > search_frames) continue;
    Start start;
    start.landmarks = person.face.last_seen();
    faces.push_back(image.face(fitter_, start));
    persons.push_back(&person);
  }
  std::vector<Fit> fits(faces.size());
  if (!faces.empty()) fitter_.fit(faces, fits);
  std::vector<Found> found;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    if (!trusted(fits[i])) continue;
    if (persons[i]->face.missed() > 0)
      again.push_back(std::move(fits[i]));  // it may be somebody else who came there
    else
      found.push_back({persons[i], std::move(fits[i])});
  }
  return found;
}

// The fit of somebody who is hidden slides to whoever hides them: of two fits to one face the one counts that it is like.
void FollowedFaces::part(FramePicture& image, double time, std::vector<Found>& found) const {
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t j = i + 1; j < found.size();) {
      const Place a = middle_of(found[i].fit), b = middle_of(found[j].fit);
      const double size = std::min(size_of(*settings_.model, found[i].fit), size_of(*settings_.model, found[j].fit));
      if (std::hypot(a.x - b.x, a.y - b.y) > one_face * size) {
        ++j;
        continue;
      }
      const auto strange = [&](const Found& one) {
        return strangeness(*one.person, one.fit, texture_of(image, one.fit), time);
      };
      if (strange(found[j]) < strange(found[i])) std::swap(found[i], found[j]);
      found.erase(found.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

bool FollowedFaces::detector_is_due(const std::vector<Found>& found) const {
  if (!settings_.detect) return false;
  const bool all_sure =
      found.size() == people_.size() &&
      std::all_of(found.begin(), found.end(), [&](const Found& one) { return one.fit.failure <= settings_.doubt; });
  const long since = frame_ - looked_;
  if (people_.empty() || since >= newcomer_interval) return people_.size() < most() || !all_sure;
  return !all_sure && since >= missing_interval;
}

// Faces of which none is found yet: where the caller says, and where the detector sees one.
std::vector<Fit> FollowedFaces::search(FramePicture& image, const std::vector<Found>& found, std::vector<Fit> again) {
  std::vector<Start> starts = std::exchange(given_, {});
  if (detector_is_due(found)) {
    const GreyView& grey = image.grey();
    const Stopwatch watch;
    for (const Start::Box& box : settings_.detect(grey)) {
      const auto inside = [](double at, float begin, float length) {
        return at >= static_cast<double>(begin) && at <= static_cast<double>(begin + length);
      };
      const bool known = std::any_of(found.begin(), found.end(), [&](const Found& one) {
        const Place at = middle_of(one.fit);
        return inside(at.x, box.x, box.width) && inside(at.y, box.y, box.height);
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
  if (!faces.empty()) {
    fitter_.fit(faces, fits);
    fit_doubtful_again(fitter_, *settings_.model, faces, fits);
  }
  std::move(again.begin(), again.end(), std::back_inserter(fits));
  std::erase_if(fits, [&](const Fit& fit) { return !trusted(fit); });
  // the surest first; others at the same place are the same face
  std::sort(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.failure < b.failure; });
  std::vector<Fit> kept;
  for (Fit& fit : fits) {
    const Place at = middle_of(fit);
    const double reach = one_face * size_of(*settings_.model, fit);
    const auto here = [&](const Fit& other) {
      const Place place = middle_of(other);
      return std::hypot(at.x - place.x, at.y - place.y) <= reach;
    };
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
    for (Person* person : missing)
      if (const double cost = strangeness(*person, seen[i], texture, time); cost <= most_strange)
        pairs.emplace_back(cost, person, i);
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
  std::vector<Person> newcomers;
  newcomers.reserve(found.size());
  for (Found& one : found)
    if (one.person == nullptr && people_.size() + newcomers.size() < most()) {
      newcomers.push_back({++numbers_, FollowedFace(settings_), time, time, {}, {}, 0, {}});
      one.person = &newcomers.back();
    }
  std::erase_if(found, [](const Found& one) { return one.person == nullptr; });
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return a.person->number < b.person->number; });
  for (const Found& one : found) {
    learn(*one.person, one.fit, image, time);
    one.person->seen = time;
  }
  std::vector<Estimate> estimates(found.size());
  threads_.for_each(found.size(), [&](std::size_t i) {
    Estimate& estimate = estimates[i];
    estimate.found = estimate.tried = true;
    estimate.person = found[i].person->number;
    estimate.time = time;
    estimate.detected = found[i].detected;
    estimate.confidence = found[i].fit.quality;
    estimate.fit = std::move(found[i].fit);
    found[i].person->face.see(image, estimate);
  });
  people_.insert(people_.end(), std::make_move_iterator(newcomers.begin()), std::make_move_iterator(newcomers.end()));
  if (estimates.empty()) {
    fitter_.expect({});  // what was copied is of this frame, whose pixels may change now
    estimates.emplace_back();
    estimates.back().time = time;
    estimates.back().why = people_.empty() ? nobody_words : lost_words;
  }
  return estimates;
}

}  // namespace kinema::face
