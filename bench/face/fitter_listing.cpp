#include "bench/face/fitter_listing.h"

#include "core/stopwatch.h"
#include "face/chain/fit_state.h"
#include "kinema/error.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::bench {
namespace {

using face::Similarity;

struct Parameters {
  std::vector<float> c;
  float a, b, tx, ty;
};

// A sum in as many parts as a vector of any CPU has elements: added one after the other, each term would wait for the one
// before it, and the compiler could not use vectors.
template <class Term>
float sum(std::size_t count, const Term& term) {
  constexpr std::size_t lanes = 16;
  float parts[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) parts[k] += term(i + k);
  double all = 0;
  for (const float part : parts) all += double{part};
  for (; i < count; ++i) all += double{term(i)};
  return static_cast<float>(all);
}

class ListingFitter final : public face::Fitter {
public:
  ListingFitter(std::shared_ptr<const face::Model> model, const face::FitSettings& settings)
      : model_(std::move(model)),
        settings_(settings),
        stage_(settings.stages.empty() ? model_->sequence.at(0) : settings.stages[0]),
        level_(model_->levels.at(stage_.level)) {
    if (stage_.method != face::Method::combined || level_.resampled || !level_.photometric)
      throw Error("the sequential listing fits one combined stage of a level of plain intensity");
    g_s_.resize(level_.pixels()), g_m_.resize(level_.pixels());
    s_.resize(model_->shape.mean.size());
  }

  std::vector<face::PlacedStage> stages() const override { return {{stage_, Backend::cpu}}; }

  face::Fit fit(const face::Face& face) override {
    const Stopwatch estimating;
    error_ms_ = step_ms_ = 0;
    image_ = face.image;
    const std::size_t modes = level_.texture_combined.rows;
    Parameters p = estimate(face.start);
    std::vector<float> r(level_.pixels()), r_next(level_.pixels()), dp(modes + 4);
    estimate_ms_ = estimating.ms();
    float E = error_of(p, r);
    face::Fit result;
    while (result.iterations < static_cast<int>(stage_.iterations) && !result.converged) {
      const Stopwatch stepping;
      for (std::size_t k = 0; k < dp.size(); ++k) {
        const float* R = level_.gradient.row(k).data();
        dp[k] = -sum(r.size(), [&](std::size_t i) { return R[i] * r[i]; });
      }
      step_ms_ += stepping.ms();
      float gain = -1;
      for (const float k : settings_.damping) {
        const Parameters next = displaced(p, dp, k);
        const float E_next = error_of(next, r_next);
        if (!(E_next < E)) continue;
        gain = E - E_next;
        p = next, E = E_next;
        std::swap(r, r_next);
        break;
      }
      ++result.iterations;
      const auto threshold = static_cast<float>(settings_.threshold);
      result.converged = threshold >= 0 && (gain < 0 || gain < threshold * (E + gain));
    }
    make_shape(p);
    result.landmarks = s_;
    result.pose = {p.a, p.b, p.tx, p.ty};
    result.combined = p.c;
    result.error = E / static_cast<float>(r.size());
    return result;
  }
  using Fitter::fit;

  // The three parts of algorithm 1 (figure 2).
  std::vector<StageTime> times() const override {
    return {{"estimate p", estimate_ms_}, {"E", error_ms_}, {"delta p", step_ms_}};
  }

private:
  // Algorithm 1, line 3: c = 0 at a mean shape; else c of the shape of the frame before, and of the texture there.
  Parameters estimate(const face::Start& start) {
    face::FitState state = initial_state(*model_, start, settings_.limit);
    if (!state.mean) straighten(*model_, state);
    const std::size_t modes = level_.texture_combined.rows;
    const Similarity& pose = state.pose;
    Parameters p{std::vector<float>(modes, 0.0f), static_cast<float>(pose.a), static_cast<float>(pose.b),
                 static_cast<float>(pose.tx), static_cast<float>(pose.ty)};
    if (state.mean) return p;
    std::vector<float> away(s_.size());
    for (std::size_t i = 0; i < s_.size(); ++i) away[i] = static_cast<float>(state.shape[i]) - model_->shape.mean[i];
    std::copy(state.shape.begin(), state.shape.end(), s_.begin());
    place(p);
    sample_texture();
    for (std::size_t k = 0; k < modes; ++k) {
      const float *Qs = level_.shape_combined.row(k).data(), *Qg = level_.texture_combined.row(k).data();
      const float shape = sum(away.size(), [&](std::size_t i) { return Qs[i] * away[i]; });
      const float texture = sum(g_s_.size(), [&](std::size_t i) { return Qg[i] * (g_s_[i] - level_.mean[i]); });
      p.c[k] = limited(k, level_.shape_weight * level_.shape_weight * shape + texture);
    }
    return p;
  }

  float limited(std::size_t mode, float c) const {
    if (!(settings_.limit > 0)) return c;
    const float most = static_cast<float>(settings_.limit) * std::sqrt(level_.combined_variances[mode]);
    return std::clamp(c, -most, most);
  }

  Parameters displaced(const Parameters& p, const std::vector<float>& dp, float k) const {
    Parameters next = p;
    const std::size_t modes = p.c.size();
    for (std::size_t i = 0; i < modes; ++i) next.c[i] = limited(i, p.c[i] + k * dp[i]);
    const float a = 1 + k * dp[modes], b = k * dp[modes + 1], x = k * dp[modes + 2], y = k * dp[modes + 3];
    next.a = p.a * a - p.b * b, next.b = p.a * b + p.b * a;
    next.tx = p.a * x - p.b * y + p.tx, next.ty = p.b * x + p.a * y + p.ty;
    return next;
  }

  // Algorithm 2, lines 1 and 2.
  void make_shape(const Parameters& p) {
    std::copy(model_->shape.mean.begin(), model_->shape.mean.end(), s_.begin());
    for (std::size_t k = 0; k < p.c.size(); ++k) {
      const auto mode = level_.shape_combined.row(k);
      for (std::size_t i = 0; i < s_.size(); ++i) s_[i] += p.c[k] * mode[i];
    }
    place(p);
  }

  void place(const Parameters& p) {
    for (std::size_t i = 0; i < s_.size(); i += 2) {
      const float x = s_[i], y = s_[i + 1];
      s_[i] = p.a * x - p.b * y + p.tx, s_[i + 1] = p.b * x + p.a * y + p.ty;
    }
  }

  float sample(float x, float y) const {
    const std::size_t w = image_.width, h = image_.height;
    x = std::clamp(x, 0.0f, static_cast<float>(w - 1)), y = std::clamp(y, 0.0f, static_cast<float>(h - 1));
    const auto u = static_cast<std::size_t>(x), v = static_cast<std::size_t>(y);
    const std::size_t right = std::min(u + 1, w - 1), below = std::min(v + 1, h - 1);
    const float fx = x - static_cast<float>(u), fy = y - static_cast<float>(v);
    const auto at = [&](std::size_t column, std::size_t row) { return static_cast<float>(image_.at(column, row)); };
    return (1 - fy) * ((1 - fx) * at(u, v) + fx * at(right, v)) +
           fy * ((1 - fx) * at(u, below) + fx * at(right, below));
  }

  // Algorithm 2, lines 3 to 5.
  void sample_texture() {
    const std::size_t n = level_.pixels();
    for (std::size_t i = 0; i < n; ++i) {
      const auto& corner = model_->triangles[level_.pixel_triangles[i]];
      float x = 0, y = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        x += level_.barycentric[3 * i + k] * s_[2 * std::size_t{corner[k]}];
        y += level_.barycentric[3 * i + k] * s_[2 * std::size_t{corner[k]} + 1];
      }
      g_s_[i] = sample(x, y);
    }
    const auto count = static_cast<float>(n);
    const float mean = sum(n, [&](std::size_t i) { return g_s_[i]; }) / count;
    for (float& g : g_s_) g -= mean;
    const float deviation = std::sqrt(sum(n, [&](std::size_t i) { return g_s_[i] * g_s_[i]; }) / count);
    const float along = sum(n, [&](std::size_t i) { return g_s_[i] * level_.mean[i]; }) / count;
    const float alpha = std::max(along, 0.1f * deviation);
    for (float& g : g_s_) g = deviation > 0 ? g / alpha : 0;
  }

  // Algorithm 2.
  float error_of(const Parameters& p, std::vector<float>& r) {
    const Stopwatch watch;
    make_shape(p);
    sample_texture();
    // line 6, in pieces that stay in the first cache
    const std::size_t n = level_.pixels();
    constexpr std::size_t piece = 2048;
    std::copy(level_.mean.begin(), level_.mean.end(), g_m_.begin());
    for (std::size_t first = 0; first < n; first += piece) {
      const std::size_t end = std::min(n, first + piece);
      for (std::size_t k = 0; k < p.c.size(); ++k) {
        const float* mode = level_.texture_combined.row(k).data();
        for (std::size_t i = first; i < end; ++i) g_m_[i] += p.c[k] * mode[i];
      }
    }
    // lines 7 and 8
    for (std::size_t i = 0; i < n; ++i) r[i] = g_s_[i] - g_m_[i];
    const float E = sum(n, [&](std::size_t i) { return r[i] * r[i]; });
    error_ms_ += watch.ms();
    return E;
  }

  std::shared_ptr<const face::Model> model_;
  face::FitSettings settings_;
  face::Stage stage_;
  const face::Level& level_;
  face::GreyView image_;
  std::vector<float> s_, g_s_, g_m_;
  double estimate_ms_ = 0, error_ms_ = 0, step_ms_ = 0;  // of the last fit
};

}  // namespace

std::unique_ptr<face::Fitter> make_listing_fitter(std::shared_ptr<const face::Model> model,
                                                  const face::FitSettings& settings) {
  return std::make_unique<ListingFitter>(std::move(model), settings);
}

}  // namespace kinema::bench
