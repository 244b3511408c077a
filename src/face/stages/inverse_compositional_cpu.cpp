// The independent model on the CPU: project-out and simultaneous inverse compositional fits.
#include "core/symmetric.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"
#include "face/stages/stages_cpu.h"
#include "face/stages/steepest_descent_cpu.h"
#include "face/stages/texture_stack_cpu.h"

#include <cmath>
#include <optional>
#include <utility>

namespace kinema::face {
namespace {

// The warp composed with the inverse of a displacement of the mean shape's vertices (Matthews and Baker 2004): each
// vertex moves to the mean of the positions to which the triangles around it map the displaced one.
class WarpComposition {
public:
  explicit WarpComposition(const Model& model) : model_(model), inverse_edges_(inverse_edges(model)) {}

  std::vector<double> composed(std::span<const double> shape, const Eigen::VectorXd& dq) const {
    const auto& mean = model_.shape.mean;
    std::vector<double> displaced(mean.begin(), mean.end());
    for (Eigen::Index k = 0; k < dq.size(); ++k) {
      const auto mode = mode_of(model_, static_cast<std::size_t>(k));
      for (std::size_t i = 0; i < mode.size(); ++i) displaced[i] -= dq[k] * mode[i];
    }
    std::vector<double> sum(shape.size(), 0.0), result(shape.size());
    std::vector<int> count(shape.size() / 2, 0);
    for (std::size_t t = 0; t < model_.triangles.size(); ++t) {
      if (inverse_edges_[t] == Matrix2{}) continue;
      const auto& corner = model_.triangles[t];
      const std::size_t a = corner[0], b = corner[1], c = corner[2];
      Eigen::Matrix2d now;
      now << shape[2 * b] - shape[2 * a], shape[2 * c] - shape[2 * a], shape[2 * b + 1] - shape[2 * a + 1],
          shape[2 * c + 1] - shape[2 * a + 1];
      const Eigen::Matrix2d affine = now * Eigen::Matrix<double, 2, 2, Eigen::RowMajor>(inverse_edges_[t].data());
      for (const std::size_t vertex : {a, b, c}) {
        const Eigen::Vector2d from(displaced[2 * vertex] - mean[2 * a], displaced[2 * vertex + 1] - mean[2 * a + 1]);
        const Eigen::Vector2d to = affine * from;
        sum[2 * vertex] += shape[2 * a] + to[0], sum[2 * vertex + 1] += shape[2 * a + 1] + to[1];
        ++count[vertex];
      }
    }
    for (std::size_t i = 0; i < shape.size(); ++i)
      result[i] = count[i / 2] > 0 ? sum[i] / count[i / 2] : shape[i] + displaced[i] - mean[i];
    return result;
  }

private:
  const Model& model_;
  std::vector<Matrix2> inverse_edges_;
};

class InverseCompositionalStage final : public CpuStage {
public:
  InverseCompositionalStage(const Model& model, const Stage& stage, const FitSettings& settings)
      : model_(model),
        level_(model.levels[stage.level]),
        stage_(stage),
        settings_(settings),
        stack_(model, level_, parts()),
        texture_modes_(static_cast<Eigen::Index>(level_.texture_modes.rows)),
        warp_(model) {
    if (!simultaneous()) return;
    descent_.emplace(model, level_, stack_);
    // [Pg; g0; 1] times itself; the modes are orthonormal
    const StackProducts& known = stack_.products();
    const Eigen::Index all = texture_modes_ + 2;
    squares_ = Eigen::MatrixXd::Identity(all, all);
    squares_.col(texture_modes_) = known.by_mean, squares_.row(texture_modes_) = known.by_mean.transpose();
    squares_.col(texture_modes_ + 1) = known.by_one, squares_.row(texture_modes_ + 1) = known.by_one.transpose();
    squares_(texture_modes_ + 1, texture_modes_ + 1) = known.values;
  }

  StageOutcome run(const GreyView& image, FitState& state, const Threads* threads) const override {
    if (!state.mean) straighten(model_, state);
    const auto [from, to_source] = texture_image(level_, image, state, threads);
    std::vector<double> shape = state.mean ? state.shape : within_model(model_, state.shape, settings_.limit);
    std::vector<float> samples, next_samples;
    Difference d = difference(from, placed(to_source, shape), threads, samples);
    Eigen::VectorXd lambda = d.texture;
    SteepestDescent::Workspace space;
    StageOutcome outcome;
    while (outcome.iterations < static_cast<int>(stage_.iterations) && !outcome.converged) {
      const Eigen::VectorXd dq = simultaneous() ? solve(d, shape, samples, threads, lambda, space) : d.step;
      std::vector<double> next = within_model(model_, warp_.composed(shape, dq), settings_.limit);
      Difference d_next = difference(from, placed(to_source, next), threads, next_samples);
      ++outcome.iterations;
      if (settings_.threshold >= 0 && !(d_next.error < d.error)) {
        outcome.converged = true;  // it passed the optimum: keep the best
        break;
      }
      if (settings_.threshold >= 0 && d.error - d_next.error < settings_.threshold * d.error) outcome.converged = true;
      shape = std::move(next), d = std::move(d_next);
      std::swap(samples, next_samples);
    }
    state.shape = std::move(shape);
    state.mean = false;
    outcome.error = d.error / stack_.products().values;
    return outcome;
  }

private:
  // d = g - g0, as far as needed.
  struct Difference {
    Eigen::VectorXd step;     // project_out d
    Eigen::VectorXd texture;  // Pg d
    double error = 0;         // of what Pg leaves of d
    double by_mean = 0;       // g0.d
    double by_one = 0;        // 1.d
    double offset = 0, factor = 1;
  };

  bool simultaneous() const { return stage_.method == Method::simultaneous; }

  std::vector<const Matrix*> parts() const {
    if (simultaneous()) return {&level_.texture_modes};
    return {&level_.texture_modes, &level_.project_out};
  }

  Difference difference(const TextureImage& image, std::vector<float> shape, const Threads* threads,
                        std::vector<float>& samples) const {
    if (simultaneous()) samples.resize(stack_.layout().blocks() * block_values);
    const std::vector<float> shapes[] = {std::move(shape)};
    const NormalisedSums g = stack_.sample(image, shapes, threads, simultaneous() ? samples.data() : nullptr)[0];
    const StackProducts& known = stack_.products();
    const Eigen::VectorXd products = g.products - known.by_mean.head(known.rows);
    Difference d;
    d.texture = products.head(texture_modes_);
    d.step = products.tail(known.rows - texture_modes_);
    // the modes are orthonormal
    d.error = g.square - 2 * g.by_mean + known.by_mean[known.rows] - d.texture.squaredNorm();
    d.by_mean = g.by_mean - known.by_mean[known.rows];
    d.by_one = -known.by_one[known.rows];  // a normalised texture has a mean of 0
    d.offset = g.offset, d.factor = g.factor;
    return d;
  }

  // Normalised textures never differ along 1 and g0, so these are projected out: first the mean, then g0.
  void remove_normalised(const DescentProducts& j, Eigen::MatrixXd& W) const {
    const Eigen::Index mean = texture_modes_, one = texture_modes_ + 1;
    const auto rest = [&](Eigen::Index of) -> Eigen::VectorXd {
      return j.by_rows.col(of) - j.by_rows.leftCols(texture_modes_) * squares_.col(of).head(texture_modes_);
    };
    W.col(1) = rest(one) / squares_(one, one);
    W.col(0) = (rest(mean) - W.col(1) * squares_(one, mean)) / squares_(mean, mean);
  }

  // Solves for shape and texture together at the texture g0 + Pg^T lambda, which is then updated.
  Eigen::VectorXd solve(const Difference& d, std::span<const double> shape, std::span<const float> samples,
                        const Threads* threads, Eigen::VectorXd& lambda, SteepestDescent::Workspace& space) const {
    const DescentProducts& j = descent_->products(lambda, samples, d.offset, d.factor, threads, space);
    // J minus its projection on U = [Pg; g0; 1] is J - W U. The modes are orthonormal, so of their part of
    // J J^T - W (J U^T)^T - (J U^T) W^T + W (U U^T) W^T remains one product
    const auto by_modes = j.by_rows.leftCols(texture_modes_);
    Eigen::MatrixXd H = j.by_self;
    H.selfadjointView<Eigen::Lower>().rankUpdate(by_modes, -1.0);
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(j.by_rows.rows(), 2);  // of g0 and 1
    if (level_.photometric) {
      remove_normalised(j, W);
      const auto known = squares_.rightCols<2>();
      const Eigen::MatrixXd left =
          by_modes * known.topRows(texture_modes_) - j.by_rows.rightCols<2>() + 0.5 * W * known.bottomRows<2>();
      H.triangularView<Eigen::Lower>() += left * W.transpose() + W * left.transpose();
    }
    H.diagonal().array() += 1e-6 * H.trace() / static_cast<double>(H.rows());
    Eigen::VectorXd along(texture_modes_ + 2);
    along << d.texture, d.by_mean, d.by_one;
    Eigen::VectorXd slope = j.by_residual - by_modes * along.head(texture_modes_) - W * along.tail<2>();
    const Similarity pose = similarity_between<float, double>(model_.shape.mean, shape);
    const std::vector<double> b = shape_parameters(model_.shape, transformed<double>(inverse(pose), shape), 0);
    for (std::size_t k = 0; k < b.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(4 + k);
      const double weight = double{stage_.prior} * level_.residual_variance / double{model_.shape.variances[k]};
      H(at, at) += weight;
      slope[at] += weight * b[k];
    }
    const Eigen::VectorXd dq = solve_symmetric(H, slope);
    lambda = d.texture - by_modes.transpose() * dq;
    return dq;
  }

  const Model& model_;
  const Level& level_;
  Stage stage_;
  FitSettings settings_;
  TextureStack stack_;
  Eigen::Index texture_modes_;
  WarpComposition warp_;
  std::optional<SteepestDescent> descent_;
  Eigen::MatrixXd squares_;
};

}  // namespace

std::unique_ptr<CpuStage> make_inverse_compositional_stage(const Model& model, const Stage& stage,
                                                           const FitSettings& settings) {
  return std::make_unique<InverseCompositionalStage>(model, stage, settings);
}

}  // namespace kinema::face
