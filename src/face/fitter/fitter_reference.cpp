// Fitting, transcribed in double precision, one thread: algorithms 1 and 2 of the paper with their errors corrected,
// the inverse compositional fits of the independent model, and the cascade. It is the oracle of every test, so it is
// kept literal; where the paper is wrong or silent, a comment says what is done.
#include "core/stopwatch.h"
#include "core/symmetric.h"
#include "face/chain/fit_state.h"
#include "face/fitter/fitter_backends.h"
#include "face/model/linear.h"
#include "face/model/reference_image.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"

#include <Eigen/Dense>

#include <utility>

namespace kinema::face {
namespace {

using Eigen::VectorXd;
using reference::Picture;

Eigen::MatrixXd doubles(const Matrix& matrix) { return rows_of(matrix).cast<double>(); }

VectorXd doubles(std::span<const float> values) {
  return Eigen::Map<const Eigen::VectorXf>(values.data(), static_cast<Eigen::Index>(values.size())).cast<double>();
}

std::span<const double> span_of(const VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

VectorXd moved(const Similarity& t, const VectorXd& shape) {
  const std::vector<double> out = transformed<double>(t, span_of(shape));
  return Eigen::Map<const VectorXd>(out.data(), shape.size());
}

Similarity between(const VectorXd& from, const VectorXd& to) {
  return similarity_between<double, double>(span_of(from), span_of(to));
}

// A level in double precision.
struct Wide {
  VectorXd g0;
  Eigen::MatrixXd Pg, Qs, Qg, R, project_out;  // one mode per row
};

// The current shape: s in the model's unit, under a pose that maps it to the image.
struct PosedShape {
  Similarity pose;
  VectorXd shape;
  bool mean = true;  // no stage has changed the shape yet
};

struct Outcome {
  double error = 0;  // E over the number of values
  int iterations = 0;
  bool converged = false;
  VectorXd c;
};

class ReferenceFitter final : public Fitter {
public:
  ReferenceFitter(std::shared_ptr<const Model> model, const FitSettings& settings)
      : model_(std::move(model)),
        settings_(settings),
        stages_(stages_of(*model_, settings)),
        s0_(doubles(model_->shape.mean)),
        Ps_(doubles(model_->shape.modes)),
        pose_modes_(doubles(model_->pose_modes)) {
    for (const Level& level : model_->levels)
      levels_.push_back({doubles(level.mean), doubles(level.texture_modes), doubles(level.shape_combined),
                         doubles(level.texture_combined), doubles(level.gradient), doubles(level.project_out)});
  }

  std::vector<PlacedStage> stages() const override { return placed_on(Backend::reference, stages_); }

  Fit fit(const Face& face) override {
    const Stopwatch watch;
    check_face(face, false);
    const Picture image = reference::picture_of(face.image);
    const FitState start = initial_state(*model_, face.start, settings_.limit);
    PosedShape state{start.pose, Eigen::Map<const VectorXd>(start.shape.data(), s0_.size()), start.mean};

    Fit result;
    for (const Stage& stage : stages_) {
      Outcome outcome;
      switch (stage.method) {
        case Method::cascade:
          outcome = cascade_from_starts(image, stage, state);
          break;
        case Method::combined:
          outcome = combined(image, stage, state);
          break;
        case Method::project_out:
        case Method::simultaneous:
          outcome = inverse_compositional(image, stage, state);
          break;
      }
      result.iterations += outcome.iterations;
      result.error = outcome.error;
      result.converged = outcome.converged;
      if (outcome.c.size() > 0) result.combined.assign(outcome.c.data(), outcome.c.data() + outcome.c.size());
    }

    const VectorXd landmarks = moved(state.pose, state.shape);
    result.landmarks.assign(landmarks.data(), landmarks.data() + landmarks.size());
    result.pose = between(s0_, landmarks);
    const std::vector<double> b = shape_parameters(model_->shape, span_of(moved(inverse(result.pose), landmarks)), 0);
    result.shape.assign(b.begin(), b.end());
    if (settings_.score) score(*model_, face.image, result);
    result.ms = watch.ms();
    return result;
  }
  using Fitter::fit;

private:
  // Sets the pose to that of the shape, so that a frame for it is upright and of the model's size.
  void straighten(PosedShape& state) const {
    const VectorXd landmarks = moved(state.pose, state.shape);
    state.pose = between(s0_, landmarks);
    state.shape = moved(inverse(state.pose), landmarks);
  }

  // The shape projected on the model: a pose, and s0 + Ps b with b kept within its limits.
  VectorXd within_model(const VectorXd& shape) const {
    const Similarity pose = between(s0_, shape);
    const std::vector<double> b =
        shape_parameters(model_->shape, span_of(moved(inverse(pose), shape)), settings_.limit);
    return moved(pose, s0_ + Ps_.transpose() * Eigen::Map<const VectorXd>(b.data(), Ps_.rows()));
  }

  // The source that a level samples from, for shapes under a pose, and their positions in it.
  struct Source {
    Picture picture;
    Similarity pose;
  };
  Source source(const Picture& image, const Level& level, const Similarity& pose) const {
    if (!level.resampled) return {image, pose};
    const Similarity to_frame{level.frame.scale, 0, level.frame.x, level.frame.y};
    return {reference::features_of(level.features, reference::frame_of(image, pose, level.frame)), to_frame};
  }

  // Algorithm 2, lines 3-5, and algorithms 4 and 5: the normalised texture at a shape, in pixels of the source.
  VectorXd texture(const Picture& from, const Level& level, const VectorXd& g0, const VectorXd& shape) const {
    VectorXd g(g0.size());
    Eigen::Index value = 0;
    for (std::size_t i = 0; i < level.pixels(); ++i) {
      const auto& corner = model_->triangles[level.pixel_triangles[i]];
      double x = 0, y = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        x += level.barycentric[3 * i + k] * shape[2 * corner[k]];
        y += level.barycentric[3 * i + k] * shape[2 * corner[k] + 1];
      }
      for (std::ptrdiff_t c = 0; c < from.channels; ++c) g[value++] = from.sample(x, y, c);
    }
    if (!level.photometric) return g;
    g.array() -= g.mean();
    const double deviation = std::sqrt(g.squaredNorm() / static_cast<double>(g.size()));
    if (!(deviation > 0)) return VectorXd::Zero(g.size());
    // the norm of line 4 cancels in line 5; a texture unlike the mean must not be amplified
    const double alpha = std::max(g.dot(g0) / static_cast<double>(g.size()), 0.1 * deviation);
    return g / alpha;
  }

  // Algorithm 1.
  Outcome combined(const Picture& image, const Stage& stage, PosedShape& state) const {
    const Level& level = model_->levels[stage.level];
    const Wide& wide = levels_[stage.level];
    const Eigen::Index modes = wide.Qs.rows();
    if (!state.mean) straighten(state);
    const Source seen = source(image, level, state.pose);
    const Picture& from = seen.picture;
    const Similarity& to_source = seen.pose;

    struct Parameters {
      VectorXd c;
      Similarity t;
    };
    const auto limited = [&](VectorXd c) {
      for (Eigen::Index k = 0; k < modes && settings_.limit > 0; ++k) {
        const double most = settings_.limit * std::sqrt(double{level.combined_variances[static_cast<std::size_t>(k)]});
        c[k] = std::clamp(c[k], -most, most);
      }
      return c;
    };
    // algorithm 2: the residual
    const auto residual = [&](const Parameters& p) -> VectorXd {
      const VectorXd s = s0_ + wide.Qs.transpose() * p.c;
      const VectorXd S = moved(compose(to_source, p.t), s);
      const VectorXd g_s = texture(from, level, wide.g0, S);
      const VectorXd g_m = wide.g0 + wide.Qg.transpose() * p.c;
      return g_s - g_m;
    };

    // line 3: c = 0 at a mean shape; otherwise c of the current shape, and of the texture there
    Parameters p{VectorXd::Zero(modes), {}};
    if (!state.mean) {
      const VectorXd g_s = texture(from, level, wide.g0, moved(to_source, state.shape));
      p.c = limited(level.shape_weight * level.shape_weight * (wide.Qs * (state.shape - s0_)) +
                    wide.Qg * (g_s - wide.g0));
    }
    VectorXd r = residual(p);
    double E = r.squaredNorm();
    Outcome outcome;
    while (outcome.iterations < static_cast<int>(stage.iterations) && !outcome.converged) {
      const VectorXd dp = -(wide.R * r);
      bool improved = false;
      double gain = 0;
      for (const float k : settings_.damping) {
        // each factor is tried from the same p; the pose is displaced in the model's frame
        const Eigen::Vector4d dt = k * dp.tail(4);
        const Parameters next{limited(p.c + k * dp.head(modes)), compose(p.t, {1 + dt[0], dt[1], dt[2], dt[3]})};
        VectorXd r_next = residual(next);
        const double E_next = r_next.squaredNorm();
        if (!(E_next < E)) continue;
        gain = E - E_next;
        p = next, r = std::move(r_next), E = E_next;
        improved = true;
        break;
      }
      ++outcome.iterations;
      // the loop ends if the improvement is small, or there is none
      if (settings_.threshold >= 0 && (!improved || gain < settings_.threshold * (E + gain))) outcome.converged = true;
    }
    state.shape = moved(p.t, s0_ + wide.Qs.transpose() * p.c);
    state.mean = false;
    outcome.error = E / static_cast<double>(r.size());
    outcome.c = p.c;
    return outcome;
  }

  // The change of the model's texture with the parameters of [pose_modes; modes], one row each: the gradient of the
  // texture in the raster, times the displacement of a pixel by each mode.
  Eigen::MatrixXd steepest_descent(const Level& level, const VectorXd& g) const {
    const auto channels = static_cast<Eigen::Index>(level.channel_count());
    Eigen::MatrixXd images(4 + Ps_.rows(), g.size());
    for (std::size_t i = 0; i < level.pixels(); ++i) {
      const auto& corner = model_->triangles[level.pixel_triangles[i]];
      VectorXd x = VectorXd::Zero(images.rows()), y = x;
      for (std::size_t k = 0; k < 3; ++k) {
        const double weight = level.barycentric[3 * i + k];
        x.head(4) += weight * pose_modes_.col(2 * corner[k]), y.head(4) += weight * pose_modes_.col(2 * corner[k] + 1);
        x.tail(Ps_.rows()) += weight * Ps_.col(2 * corner[k]);
        y.tail(Ps_.rows()) += weight * Ps_.col(2 * corner[k] + 1);
      }
      const auto slope = [&](std::size_t before, std::size_t after, Eigen::Index c) {
        const std::size_t a = level.neighbours[4 * i + before], b = level.neighbours[4 * i + after];
        const double steps = (a != i) + (b != i);
        if (steps == 0) return 0.0;
        return (g[static_cast<Eigen::Index>(b) * channels + c] - g[static_cast<Eigen::Index>(a) * channels + c]) *
               level.scale / steps;
      };
      for (Eigen::Index c = 0; c < channels; ++c)
        images.col(static_cast<Eigen::Index>(i) * channels + c) = slope(0, 1, c) * x + slope(2, 3, c) * y;
    }
    return images;
  }

  // The warp composed with the inverse of a displacement of the mean shape's vertices (Matthews and Baker 2004): each
  // vertex moves to the mean of the positions to which the triangles around it map the displaced one.
  VectorXd composed(const VectorXd& shape, const VectorXd& dq) const {
    const VectorXd displaced = s0_ - pose_modes_.transpose() * dq.head(4) - Ps_.transpose() * dq.tail(Ps_.rows());
    VectorXd sum = VectorXd::Zero(shape.size()), count = VectorXd::Zero(shape.size() / 2);
    for (const auto& t : model_->triangles) {
      const Eigen::Vector2d a = s0_.segment<2>(2 * t[0]), b = s0_.segment<2>(2 * t[1]), c = s0_.segment<2>(2 * t[2]);
      Eigen::Matrix2d edges;
      edges << b - a, c - a;
      if (!(std::abs(edges.determinant()) > 1e-9)) continue;
      Eigen::Matrix2d now;
      const Eigen::Vector2d origin = shape.segment<2>(2 * t[0]);
      now << shape.segment<2>(2 * t[1]) - origin, shape.segment<2>(2 * t[2]) - origin;
      const Eigen::Matrix2d affine = now * edges.inverse();
      for (const std::uint16_t vertex : t) {
        sum.segment<2>(2 * vertex) += origin + affine * (displaced.segment<2>(2 * vertex) - a);
        count[vertex] += 1;
      }
    }
    VectorXd result = shape + displaced - s0_;
    for (Eigen::Index i = 0; i < count.size(); ++i)
      if (count[i] > 0) result.segment<2>(2 * i) = sum.segment<2>(2 * i) / count[i];
    return result;
  }

  // Project-out (fixed matrix) and simultaneous (all recomputed in each iteration, as in Wiberg's method), without and
  // with a prior on the shape.
  Outcome inverse_compositional(const Picture& image, const Stage& stage, PosedShape& state) const {
    const Level& level = model_->levels[stage.level];
    const Wide& wide = levels_[stage.level];
    if (!state.mean) straighten(state);
    const Source seen = source(image, level, state.pose);
    const Picture& from = seen.picture;
    const Similarity& to_source = seen.pose;
    VectorXd shape = state.mean ? state.shape : within_model(state.shape);

    const auto difference = [&](const VectorXd& s) -> VectorXd {
      return texture(from, level, wide.g0, moved(to_source, s)) - wide.g0;
    };
    const auto projected_out = [&](const VectorXd& d) -> VectorXd { return d - wide.Pg.transpose() * (wide.Pg * d); };
    VectorXd d = difference(shape);
    double E = projected_out(d).squaredNorm();
    VectorXd lambda = wide.Pg * d;
    Outcome outcome;
    while (outcome.iterations < static_cast<int>(stage.iterations) && !outcome.converged) {
      VectorXd dq;
      if (stage.method == Method::project_out) {
        dq = wide.project_out * d;
      } else {
        const Eigen::MatrixXd J = steepest_descent(level, wide.g0 + wide.Pg.transpose() * lambda);
        Eigen::MatrixXd Jp = J - (J * wide.Pg.transpose()) * wide.Pg;
        if (level.photometric) {
          // normalised textures never differ along 1 and g0, so these directions are projected out
          Jp.colwise() -= Jp.rowwise().mean();
          Jp -= (Jp * wide.g0) * wide.g0.transpose() / wide.g0.squaredNorm();
        }
        Eigen::MatrixXd H = Jp * Jp.transpose();
        H.diagonal().array() += 1e-6 * H.trace() / static_cast<double>(H.rows());
        VectorXd slope = Jp * d;
        const VectorXd b = Ps_ * (moved(inverse(between(s0_, shape)), shape) - s0_);
        for (Eigen::Index k = 0; k < Ps_.rows(); ++k) {
          const double weight = double{stage.prior} * level.residual_variance /
                                double{model_->shape.variances[static_cast<std::size_t>(k)]};
          H(4 + k, 4 + k) += weight;
          slope[4 + k] += weight * b[k];
        }
        dq = solve_symmetric(H, slope);
        lambda = wide.Pg * (d - J.transpose() * dq);
      }
      const VectorXd next = within_model(composed(shape, dq));
      VectorXd d_next = difference(next);
      const double E_next = projected_out(d_next).squaredNorm();
      ++outcome.iterations;
      if (settings_.threshold >= 0 && !(E_next < E)) {
        outcome.converged = true;  // it passed the optimum: keep the best
        break;
      }
      if (settings_.threshold >= 0 && E - E_next < settings_.threshold * E) outcome.converged = true;
      shape = next, d = std::move(d_next), E = E_next;
    }
    state.shape = shape;
    state.mean = false;
    outcome.error = E / static_cast<double>(d.size());
    return outcome;
  }

  // The regressions, one after the other.
  Outcome cascade(const Picture& image, const Stage& stage, PosedShape& state) const {
    const Cascade& cascade = model_->cascade;
    const std::size_t most = stage.iterations == 0 ? cascade.stages.size() : stage.iterations;
    Outcome outcome;
    Picture bins;
    for (std::size_t k = 0; k < cascade.stages.size() && k < most; ++k) {
      const CascadeStage& step = cascade.stages[k];
      const Frame& frame = cascade.frames[step.frame];
      if (k == 0 || step.frame != cascade.stages[k - 1].frame) {
        straighten(state);
        bins = reference::bins_of(reference::frame_of(image, state.pose, frame), cascade.bins);
      }
      VectorXd about(static_cast<Eigen::Index>(step.gradient.columns));
      Eigen::Index value = 0;
      for (Eigen::Index i = 0; i < s0_.size(); i += 2)
        for (std::size_t o = 0; o < step.offsets.size(); o += 2)
          for (std::ptrdiff_t c = 0; c < bins.channels; ++c)
            about[value++] = bins.sample(frame.scale * state.shape[i] + frame.x + step.offsets[o],
                                         frame.scale * state.shape[i + 1] + frame.y + step.offsets[o + 1], c);
      const VectorXd dq = doubles(step.constant) + doubles(step.gradient) * about;
      state.shape += pose_modes_.transpose() * dq.head(4) + Ps_.transpose() * dq.tail(Ps_.rows());
      ++outcome.iterations;
    }
    state.mean = false;
    outcome.converged = true;
    return outcome;
  }

  // With several starts: the median of each coordinate.
  Outcome cascade_from_starts(const Picture& image, const Stage& stage, PosedShape& state) const {
    if (settings_.starts == 1) return cascade(image, stage, state);
    std::vector<VectorXd> ends;
    Outcome outcome;
    for (int number = 0; number < settings_.starts; ++number) {
      PosedShape one = state;
      one.pose = spread_start(*model_, state.pose, number);
      outcome = cascade(image, stage, one);
      ends.push_back(moved(one.pose, one.shape));
    }
    VectorXd landmarks(s0_.size());
    for (Eigen::Index i = 0; i < landmarks.size(); ++i) {
      std::vector<double> values;
      values.reserve(ends.size());
      for (const VectorXd& end : ends) values.push_back(end[i]);
      std::sort(values.begin(), values.end());
      landmarks[i] = (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
    }
    state.pose = between(s0_, landmarks);
    state.shape = moved(inverse(state.pose), landmarks);
    state.mean = false;
    return outcome;
  }

  std::shared_ptr<const Model> model_;
  FitSettings settings_;
  std::vector<Stage> stages_;
  VectorXd s0_;
  Eigen::MatrixXd Ps_, pose_modes_;
  std::vector<Wide> levels_;
};

}  // namespace

std::unique_ptr<Fitter> make_reference_fitter(std::shared_ptr<const Model> model, const FitSettings& settings) {
  return std::make_unique<ReferenceFitter>(std::move(model), settings);
}

}  // namespace kinema::face
