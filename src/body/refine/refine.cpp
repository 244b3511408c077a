#include "body/refine/refine.h"

#include "body/refine/contact_sums.h"
#include "body/refine/contacts_cpu.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kinema::body {
namespace {

using namespace constants::refinement;

// The sums of the contacts of one rigid body: 6x6 normal matrix and right side, for its twist (v, w).
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

struct BodySums {
  Matrix6 matrix = Matrix6::Zero();
  Vector6 gradient = Vector6::Zero();
};

struct Posed {
  std::vector<Place> places;
  Skin skin;

  Posed(const Kinematics& kinematics, std::span<const float> state)
      : places(placed_joints(kinematics, state)), skin(placed_capsules(kinematics, places)) {}

private:
  static std::vector<Place> placed_joints(const Kinematics& kinematics, std::span<const float> state) {
    std::vector<Place> places(static_cast<std::size_t>(kinematics.joint_count));
    place_joints(kinematics, state.data(), places.data());
    return places;
  }

  static std::vector<float> placed_capsules(const Kinematics& kinematics, const std::vector<Place>& places) {
    std::vector<float> capsules(static_cast<std::size_t>(kinematics.capsule_count) * capsule_floats);
    for (int k = 0; k < kinematics.capsule_count; ++k)
      place_capsule(kinematics, places.data(), k, capsules.data() + static_cast<std::size_t>(k) * capsule_floats);
    return capsules;
  }
};

// As below, for capsule ends under the floor.
template <class Take>
void touch_floor(const Skin& skin, const Plane& floor, double weight, Take&& take) {
  const Vec3f up{static_cast<float>(floor.normal.x), static_cast<float>(floor.normal.y),
                 static_cast<float>(floor.normal.z)};
  const auto lowest = static_cast<float>(-into_floor - floor.offset);
  for (std::size_t k = 0; k < skin.size(); ++k) {
    for (const Vec3f end : {skin[k].a, skin[k].a + skin[k].along}) {
      const float height = dot(up, end) - skin[k].radius - lowest;
      if (height >= 0) continue;
      take(static_cast<int>(k), Contact{height, Vec3f{0, 0, 0} - up, end}, weight,
           0.5 * weight * static_cast<double>(height * height));
    }
  }
}

// One of several parts of about equal size.
struct Part {
  std::size_t index = 0, count = 1;

  std::size_t begin(std::size_t size) const { return size * index / count; }
  std::size_t end(std::size_t size) const { return size * (index + 1) / count; }
};

// Calls take(capsule, contact, weight, cost) for every contact that counts; weights are those of the squares.
template <class Take>
void for_each_contact(const Posed& posed, const RefinePoints& points, const RefineSettings& settings, Part part,
                      Take&& take) {
  ContactBlock touches;
  const double most = settings.tau * settings.tau / 6;  // an ignored residual costs as much as at tau
  const ContactWeights weights{static_cast<float>(settings.reach()), static_cast<float>(settings.tau),
                               static_cast<float>(settings.noise2()), settings.contacts_projective()};
  const std::vector<PointBlock>& blocks = points.person.blocks();
  for (std::size_t b = part.begin(blocks.size()); b < part.end(blocks.size()); ++b) {
    touch_points(posed.skin, blocks[b], weights, touches);
    for (std::size_t i = 0; i < std::min(contact_block, points.person.size() - b * contact_block); ++i) {
      const Contact contact{touches.distance[i],
                            {touches.nx[i], touches.ny[i], touches.nz[i]},
                            {touches.footx[i], touches.footy[i], touches.footz[i]}};
      take(static_cast<int>(touches.capsule[i]), contact, static_cast<double>(touches.weight[i]),
           most * static_cast<double>(touches.cost[i]));
    }
  }
  if (points.floor && part.index == 0) touch_floor(posed.skin, *points.floor, 1 / settings.evidence, take);
  if (settings.free_space <= 0) return;
  const std::vector<PointBlock>& past = points.background.blocks();
  for (std::size_t b = part.begin(past.size()); b < part.end(past.size()); ++b) {
    deepest_obstacles(posed.skin, past[b], touches);
    const std::size_t begin = b * contact_block;
    for (std::size_t i = 0; i < std::min(contact_block, points.background.size() - begin); ++i) {
      if (touches.capsule[i] < 0) continue;
      const int capsule = static_cast<int>(touches.capsule[i]);
      const Contact contact = touch_ray(posed.skin[static_cast<std::size_t>(capsule)], points.background[begin + i]);
      const double depth = std::max(-settings.tau, static_cast<double>(contact.distance));
      take(capsule, contact, settings.free_space, 0.5 * settings.free_space * depth * depth);
    }
  }
}

struct Linearised {
  double data = 0;
  std::vector<BodySums> bodies;  // one per joint
};

Linearised linearise(const Kinematics& kinematics, const Posed& posed, const RefinePoints& points,
                     const RefineSettings& settings, Part part = {}) {
  Linearised result;
  result.bodies.resize(posed.places.size());
  const Vec3f centre = posed.places[0].origin;
  std::vector<TwistSums> sums(posed.places.size());
  std::array<TwistContact, contact_block> some;
  std::size_t count = 0;
  for_each_contact(posed, points, settings, part, [&](int capsule, const Contact& contact, double weight, double cost) {
    result.data += cost;
    if (capsule < 0 || weight == 0) return;
    const Vec3f n = contact.normal, moment = cross(contact.foot - centre, n);
    some[count++] = {{n.x, n.y, n.z, moment.x, moment.y, moment.z},
                     kinematics.capsules[capsule].joint,
                     weight,
                     -weight * static_cast<double>(contact.distance)};
    if (count < some.size()) return;
    add_contacts(some, sums);
    count = 0;
  });
  add_contacts(std::span(some).first(count), sums);
  for (std::size_t j = 0; j < sums.size(); ++j) {
    using Rows = Eigen::Map<const Eigen::Matrix<double, 6, 8, Eigen::RowMajor>>;
    result.bodies[j].matrix = Rows(sums[j].rows[0]).leftCols<6>();
    result.bodies[j].gradient = Eigen::Map<const Vector6>(sums[j].rows[TwistSums::size]);
  }
  return result;
}

// Likewise, in parts whose number depends on that of the points alone.
Linearised linearise(const Kinematics& kinematics, const Posed& posed, const RefinePoints& points,
                     const RefineSettings& settings, const Threads& threads) {
  constexpr std::size_t part_blocks = 8;
  const std::size_t blocks = points.person.blocks().size() + points.background.blocks().size();
  std::vector<Linearised> parts(std::max<std::size_t>(1, blocks / part_blocks));
  threads.for_each(parts.size(), [&](std::size_t i) {
    parts[i] = linearise(kinematics, posed, points, settings, {i, parts.size()});
  });
  for (std::size_t i = 1; i < parts.size(); ++i) {
    parts[0].data += parts[i].data;
    for (std::size_t j = 0; j < parts[0].bodies.size(); ++j) {
      parts[0].bodies[j].matrix += parts[i].bodies[j].matrix;
      parts[0].bodies[j].gradient += parts[i].bodies[j].gradient;
    }
  }
  return std::move(parts[0]);
}

// Transfers the sums of the bodies to the numbers of the pose: each number moves all bodies below its joint.
void assemble(const Kinematics& kinematics, std::span<const Twist> twists, Linearised& linearised,
              Eigen::MatrixXd& matrix, Eigen::VectorXd& gradient) {
  const int size = tangent_size(kinematics);
  matrix.setZero(size, size);
  gradient.setZero(size);
  const auto column = [&](int i) {
    const Twist& t = twists[static_cast<std::size_t>(i)];
    Vector6 s;
    s << t.v.x, t.v.y, t.v.z, t.w.x, t.w.y, t.w.z;
    return s;
  };
  for (int j = kinematics.joint_count - 1; j >= 0; --j) {
    const FlatJoint& joint = kinematics.joints[j];
    const BodySums& body = linearised.bodies[static_cast<std::size_t>(j)];
    const int first = j == 0 ? 0 : root_tangent + joint.first_angle;
    const int count = j == 0 ? root_tangent : joint.angles;
    for (int i = first; i < first + count; ++i) {
      const Vector6 s = column(i);
      const Vector6 force = body.matrix * s;
      gradient[i] = s.dot(body.gradient);
      for (int l = first; l <= i; ++l) matrix(i, l) = matrix(l, i) = column(l).dot(force);
      for (int above = joint.parent; above >= 0; above = kinematics.joints[above].parent) {
        const int begin = above == 0 ? 0 : root_tangent + kinematics.joints[above].first_angle;
        const int end = begin + (above == 0 ? root_tangent : kinematics.joints[above].angles);
        for (int l = begin; l < end; ++l) matrix(i, l) = matrix(l, i) = column(l).dot(force);
      }
    }
    if (joint.parent >= 0) {
      BodySums& parent = linearised.bodies[static_cast<std::size_t>(joint.parent)];
      parent.matrix += body.matrix;
      parent.gradient += body.gradient;
    }
  }
}

}  // namespace

void RefinePoints::set(PointsView points, std::size_t most_person, std::size_t most_background) {
  std::vector<Vec3f> seen, past;
  seen.reserve(points.size);
  for (std::size_t i = 0; i < points.size; ++i) {
    const Vec3f point{points.xyz[3 * i], points.xyz[3 * i + 1], points.xyz[3 * i + 2]};
    const float square = dot(point, point);
    if (!std::isfinite(square) || square == 0) continue;
    (!points.background.empty() && points.background[i] != 0 ? past : seen).push_back(point);
  }
  given = seen.size();
  // before they are arranged, which takes a millisecond for tens of thousands
  person = PointList(thinned(std::move(seen), most_person), PointList::Neighbours::in_space);
  background = PointList(thinned(std::move(past), most_background), PointList::Neighbours::in_direction);
}

Refined refine(const Kinematics& kinematics, const RefinePoints& points, const PosePrior& prior,
               const RefineSettings& settings, std::span<float> state, const Threads* threads) {
  const int size = tangent_size(kinematics);
  const auto length = static_cast<std::size_t>(size);
  const double scale = settings.evidence / (settings.sigma * settings.sigma);
  const auto from_prior = [&](std::span<const float> at) {
    std::vector<float> away(length);
    state_difference(kinematics, prior.state.data(), at.data(), away.data());
    return away;
  };
  const auto prior_cost = [&](std::span<const float> away) {
    double sum = 0;
    for (std::size_t i = 0; i < length; ++i) sum += 0.5 * prior.precision[i] * away[i] * away[i];
    return sum;
  };

  const auto about = [&](const Posed& pose) {
    return threads != nullptr ? linearise(kinematics, pose, points, settings, *threads)
                              : linearise(kinematics, pose, points, settings);
  };

  Posed posed(kinematics, state);
  Linearised current = about(posed);
  std::vector<float> away = from_prior(state);
  double cost = scale * current.data + prior_cost(away);
  double damping = first_damping;
  Refined result;
  Eigen::VectorXd gradient;
  std::vector<Twist> twists(length);
  std::vector<float> trial(state.begin(), state.end()), tangent(length);

  for (int step = 0;; ++step) {
    joint_twists(kinematics, state.data(), posed.places.data(), twists.data());
    assemble(kinematics, twists, current, result.information, gradient);
    result.information *= scale;
    gradient *= scale;
    for (int i = 0; i < size; ++i) {
      const auto at = static_cast<std::size_t>(i);
      result.information(i, i) += prior.precision[at];
      gradient[i] += prior.precision[at] * away[at];
    }
    if (step >= settings.steps) break;

    // a step that does not help is retried shorter; after a few retries, this is the minimum
    bool moved = false;
    for (int attempt = 0; attempt < attempts && !moved; ++attempt) {
      Eigen::MatrixXd damped = result.information;
      damped.diagonal() += (damping * result.information.diagonal().array() + 1e-9).matrix();
      // an angle that is pushed beyond its limit stays there, and the others move without it
      for (int i = root_tangent; i < size; ++i) {
        const float angle = state[static_cast<std::size_t>(root_floats + i - root_tangent)];
        const bool low = angle <= kinematics.lower[i - root_tangent] && gradient[i] > 0;
        const bool high = angle >= kinematics.upper[i - root_tangent] && gradient[i] < 0;
        if (!low && !high) continue;
        const double keep = damped(i, i);
        damped.row(i).setZero();
        damped.col(i).setZero();
        damped(i, i) = keep * 1e9;
      }
      const Eigen::VectorXd delta = damped.ldlt().solve(-gradient);
      for (int i = 0; i < size; ++i) tangent[static_cast<std::size_t>(i)] = static_cast<float>(delta[i]);
      std::copy(state.begin(), state.end(), trial.begin());
      move_state(kinematics, tangent.data(), trial.data());
      Posed next(kinematics, trial);
      Linearised linearised = about(next);
      const std::vector<float> trial_away = from_prior(trial);
      const double trial_cost = scale * linearised.data + prior_cost(trial_away);
      if (trial_cost < cost) {
        moved = true;
        cost = trial_cost;
        away = trial_away;
        posed = std::move(next);
        current = std::move(linearised);
        std::copy(trial.begin(), trial.end(), state.begin());
        damping = std::max(least_damping, damping * damping_decrease);
      } else {
        damping = std::max(least_raised_damping, damping * damping_increase);
      }
    }
    if (!moved) break;
  }
  result.cost = cost;
  result.data = scale * current.data;
  return result;
}

PointEvidence point_evidence(const Kinematics& kinematics, const RefinePoints& points, const RefineSettings& settings,
                             std::span<const float> state, const Threads& threads) {
  const double scale = settings.evidence / (settings.sigma * settings.sigma);
  const Posed posed(kinematics, state);
  Linearised linearised = linearise(kinematics, posed, points, settings, threads);
  std::vector<Twist> twists(static_cast<std::size_t>(tangent_size(kinematics)));
  joint_twists(kinematics, state.data(), posed.places.data(), twists.data());
  PointEvidence evidence;
  evidence.cost = scale * linearised.data;
  assemble(kinematics, twists, linearised, evidence.information, evidence.gradient);
  evidence.information *= scale;
  evidence.gradient *= scale;
  return evidence;
}

void refine_candidates(const Kinematics& kinematics, const RefinePoints& points, RefineSettings settings,
                       PointShare share, const Threads& threads, std::span<PoseCandidate> poses) {
  const RefinePoints some{points.person.thinned(share.person), points.background.thinned(share.background)};
  settings.evidence /= static_cast<double>(std::max<std::size_t>(1, some.person.size()));
  threads.for_each(poses.size(), [&](std::size_t i) {
    poses[i].cost = refine(kinematics, some, poses[i].prior, settings, poses[i].state).cost;
  });
}

std::vector<PointContact> find_contacts(const Kinematics& kinematics, const RefinePoints& points,
                                        const RefineSettings& settings, std::span<const float> state) {
  const Posed posed(kinematics, state);
  const double scale = settings.evidence / (settings.sigma * settings.sigma);
  std::vector<PointContact> contacts;
  for_each_contact(posed, points, settings, {}, [&](int capsule, const Contact& contact, double weight, double) {
    if (capsule < 0 || weight == 0) return;
    const Segment& s = posed.skin[static_cast<std::size_t>(capsule)];
    const float share = dot(contact.foot - s.a, s.along) * s.inverse;
    contacts.push_back({capsule, share, static_cast<float>(scale * weight), contact.normal, contact.distance});
  });
  return contacts;
}

std::vector<float> skin_distances(const Kinematics& kinematics, const PointList& points, std::span<const float> state,
                                  const Threads& threads) {
  const Posed posed(kinematics, state);
  std::vector<float> distances(points.size());
  threads.for_each(points.blocks().size(), [&](std::size_t block) {
    ContactBlock touches;
    nearest_capsules(posed.skin, points.blocks()[block], touches);
    const std::size_t begin = block * contact_block;
    std::copy_n(touches.distance, std::min(contact_block, points.size() - begin), distances.data() + begin);
  });
  return distances;
}

Eigen::MatrixXd joint_derivatives(const Kinematics& kinematics, std::span<const float> state) {
  const int size = tangent_size(kinematics);
  std::vector<Place> places(static_cast<std::size_t>(kinematics.joint_count));
  std::vector<Twist> twists(static_cast<std::size_t>(size));
  place_joints(kinematics, state.data(), places.data());
  joint_twists(kinematics, state.data(), places.data(), twists.data());
  Eigen::MatrixXd moves = Eigen::MatrixXd::Zero(3 * kinematics.joint_count, size);
  for (int j = 0; j < kinematics.joint_count; ++j) {
    const Vec3f arm = places[static_cast<std::size_t>(j)].origin - places[0].origin;
    const auto add = [&](int i) {
      const Twist& twist = twists[static_cast<std::size_t>(i)];
      const Vec3f u = twist.v + cross(twist.w, arm);
      moves.block<3, 1>(3 * j, i) << u.x, u.y, u.z;
    };
    for (int i = 0; i < root_tangent; ++i) add(i);
    // a joint is moved by its ancestors, not by its own angles
    for (int above = kinematics.joints[j].parent; above > 0; above = kinematics.joints[above].parent) {
      const FlatJoint& joint = kinematics.joints[above];
      for (int i = 0; i < joint.angles; ++i) add(root_tangent + joint.first_angle + i);
    }
  }
  return moves;
}

std::vector<double> joint_deviations(const Kinematics& kinematics, std::span<const float> state,
                                     const Eigen::MatrixXd& information) {
  const Eigen::MatrixXd moves = joint_derivatives(kinematics, state);
  const Eigen::MatrixXd spread = information.ldlt().solve(moves.transpose());  // covariance J^T
  std::vector<double> deviations;
  deviations.reserve(static_cast<std::size_t>(kinematics.joint_count));
  for (int j = 0; j < kinematics.joint_count; ++j) {
    const double trace = (moves.middleRows<3>(3 * j) * spread.middleCols<3>(3 * j)).trace();
    deviations.push_back(std::sqrt(std::max(0.0, trace / 3)));
  }
  return deviations;
}

}  // namespace kinema::body
