#include "face/chain/fit_tables.h"

#include "face/chain/fit_state.h"
#include "face/chain/solve_kernels.h"
#include "face/model/orientation_bins.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"
#include "face/model/texture_layout.h"
#include "face/model/texture_sums.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <type_traits>

namespace kinema::face {
namespace {

constexpr std::size_t alignment = 16;
constexpr std::size_t most_modes = 100, most_texture_modes = 400, most_landmarks = 600, most_bins = 32,
                      most_places = 64;

// The triangulation as WarpComposition of inverse_compositional_cpu.cpp has it.
struct Triangulation {
  std::vector<double> inverse_edges;
  std::vector<int> corners, vertex_first, vertex_triangles, vertex_of_triangle;

  explicit Triangulation(const Model& model) {
    std::vector<std::vector<int>> around(model.shape.landmarks());
    const std::vector<Matrix2> inverses = face::inverse_edges(model);
    for (std::size_t t = 0; t < model.triangles.size(); ++t) {
      const auto& corner = model.triangles[t];
      corners.insert(corners.end(), corner.begin(), corner.end());
      inverse_edges.insert(inverse_edges.end(), inverses[t].begin(), inverses[t].end());
      if (inverses[t] == Matrix2{}) continue;
      for (const std::uint16_t vertex : corner) around[vertex].push_back(static_cast<int>(t));
    }
    vertex_first.push_back(0);
    for (const auto& list : around) {
      vertex_triangles.insert(vertex_triangles.end(), list.begin(), list.end());
      vertex_of_triangle.resize(vertex_triangles.size(), static_cast<int>(vertex_first.size()) - 1);
      vertex_first.push_back(static_cast<int>(vertex_triangles.size()));
    }
  }
};

// Which chunks touch a vertex, and which touch a pair of them.
struct Incidence {
  std::vector<int> corner_first, corner_list, pair_first, pair_other, entry_first, pair_entries;

  Incidence(const std::vector<PixelChunk>& chunks, std::size_t landmarks) {
    std::vector<std::vector<int>> corners(landmarks);
    std::vector<std::map<int, std::vector<int>>> others(landmarks);
    for (int c = 0; c < static_cast<int>(chunks.size()); ++c)
      for (int l = 0; l < 3; ++l) {
        const std::size_t vertex = chunks[static_cast<std::size_t>(c)].corner[l];
        corners[vertex].push_back(3 * c + l);
        for (int k = 0; k < 3; ++k)
          others[vertex][chunks[static_cast<std::size_t>(c)].corner[k]].push_back(9 * c + 3 * k + l);
      }
    corner_first.push_back(0), pair_first.push_back(0), entry_first.push_back(0);
    for (std::size_t vertex = 0; vertex < landmarks; ++vertex) {
      corner_list.insert(corner_list.end(), corners[vertex].begin(), corners[vertex].end());
      corner_first.push_back(static_cast<int>(corner_list.size()));
      for (const auto& [other, entries] : others[vertex]) {
        pair_other.push_back(other);
        pair_entries.insert(pair_entries.end(), entries.begin(), entries.end());
        entry_first.push_back(static_cast<int>(pair_entries.size()));
      }
      pair_first.push_back(static_cast<int>(pair_other.size()));
    }
  }
};

std::vector<PixelChunk> chunks_of(const Model& model, const Level& level, const std::vector<std::uint32_t>& order) {
  std::vector<PixelChunk> chunks;
  std::uint32_t triangle = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t here = level.pixel_triangles[order[i]];
    if (chunks.empty() || here != triangle || chunks.back().pixels == most_chunk_pixels) {
      const auto& corner = model.triangles[here];
      chunks.push_back({{corner[0], corner[1], corner[2]}, 0, static_cast<int>(i)});
      triangle = here;
    }
    ++chunks.back().pixels;
  }
  return chunks;
}

bool shape_fits(const Model& model) {
  return model.shape.modes.rows <= most_modes && model.shape.landmarks() <= most_landmarks;
}

bool frame_fits(const Frame& frame) { return frame.width >= 2 && frame.height >= 2; }

}  // namespace

bool PackedTables::fits(const Model& model, const Stage& stage, std::size_t block_bytes) {
  if (!shape_fits(model)) return false;
  if (stage.method == Method::cascade) {
    return model.cascade.bins <= most_bins &&
           std::all_of(model.cascade.frames.begin(), model.cascade.frames.end(), frame_fits) &&
           std::all_of(model.cascade.stages.begin(), model.cascade.stages.end(),
                       [](const CascadeStage& step) { return step.offsets.size() / 2 <= most_places; });
  }
  if (stage.method == Method::combined) return false;
  const Level& level = model.levels[stage.level];
  if (level.texture_modes.rows > most_texture_modes) return false;
  // the step keeps most in the memory of a block
  ShapeTable shape;
  shape.landmarks = static_cast<int>(model.shape.landmarks()), shape.size = 2 * shape.landmarks;
  shape.modes = static_cast<int>(model.shape.modes.rows), shape.all = 4 + shape.modes;
  shape.triangles = static_cast<int>(model.triangles.size()), shape.around = 3 * shape.triangles;
  LevelTable table;
  table.modes = static_cast<int>(level.texture_modes.rows);
  table.simultaneous = stage.method == Method::simultaneous;
  if (StepKernel<false>{shape, table, {}}.shared_bytes() > block_bytes) return false;
  return level.pixels() > 0 && (!level.resampled || frame_fits(level.frame));
}

bool PackedTables::fits_score(const Model& model) {
  return !model.quality.weights.empty() && shape_fits(model) && model.cascade.bins <= most_bins &&
         frame_fits(model.quality.frame) && model.quality.offsets.size() / 2 <= most_places;
}

PackedTables::PackedTables(const Model& model, std::span<const Stage> stages, const FitSettings& settings, bool score) {
  memory_.resize(alignment);  // no array is at 0, which is not a place
  add_shape(model, settings.limit);
  for (const Stage& stage : stages)
    offsets_.stages.push_back(stage.method == Method::cascade ? add_cascade(model, stage)
                                                              : add_level(model, stage, settings));
  if (score && !model.quality.weights.empty()) add_score(model);
}

template <class T>
const T* PackedTables::add(std::span<const T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t place = memory_.size();
  memory_.resize((place + values.size_bytes() + alignment - 1) / alignment * alignment + alignment);
  if (!values.empty()) std::memcpy(memory_.data() + place, values.data(), values.size_bytes());
  return reinterpret_cast<const T*>(place);  // NOLINT(performance-no-int-to-ptr): at() makes a pointer of it
}

FitTables PackedTables::at(const std::byte* base) const {
  FitTables tables = offsets_;
  tables.visit([&](auto& pointer) {
    using Pointer = std::remove_reference_t<decltype(pointer)>;
    if (pointer != nullptr) pointer = reinterpret_cast<Pointer>(base + reinterpret_cast<std::uintptr_t>(pointer));
  });
  return tables;
}

void PackedTables::add_shape(const Model& model, double limit) {
  ShapeTable& table = offsets_.shape;
  const auto& mean = model.shape.mean;
  const std::size_t size = mean.size(), all = 4 + model.shape.modes.rows;
  table.landmarks = static_cast<int>(model.shape.landmarks()), table.size = static_cast<int>(size);
  table.modes = static_cast<int>(model.shape.modes.rows), table.all = static_cast<int>(all);
  // as similarity_between() has them
  const std::size_t count = size / 2;
  table.share = 1.0 / static_cast<double>(count);
  const auto sum_of = [&](std::size_t axis, double centre) {
    return sum_over_shape(count, [&](std::size_t k) { return mean[2 * k + axis] - centre; });
  };
  table.centre_x = sum_of(0, 0) * table.share, table.centre_y = sum_of(1, 0) * table.share;
  table.sum_x = sum_of(0, table.centre_x), table.sum_y = sum_of(1, table.centre_y);
  const double square = sum_over_shape(count, [&](std::size_t k) {
    const double x = mean[2 * k] - table.centre_x, y = mean[2 * k + 1] - table.centre_y;
    return x * x + y * y;
  });
  table.by_square = square > 0 ? 1 / square : 0;
  std::vector<double> basis(all * size), by_coordinate(all * size), most, variances;
  for (std::size_t k = 0; k < all; ++k) {
    const auto mode = mode_of(model, k);
    for (std::size_t i = 0; i < size; ++i) basis[k * size + i] = by_coordinate[i * all + k] = double{mode[i]};
  }
  for (const float variance : model.shape.variances) {
    most.push_back(limit > 0 ? limit * std::sqrt(static_cast<double>(variance)) : HUGE_VAL);
    variances.push_back(double{variance});
  }
  std::vector<double> centred;
  for (std::size_t i = 0; i < size; ++i) centred.push_back(mean[i] - (i % 2 == 0 ? table.centre_x : table.centre_y));
  table.mean = add(std::span<const float>(mean)), table.centred = add(centred);
  table.basis = add(basis), table.by_coordinate = add(by_coordinate);
  table.most = add(most), table.variances = add(variances);
  const Triangulation triangulation(model);
  table.triangles = static_cast<int>(model.triangles.size());
  table.corners = add(triangulation.corners);
  table.inverse_edges = add(triangulation.inverse_edges);
  table.vertex_first = add(triangulation.vertex_first);
  std::vector<double> vertex_share;
  for (std::size_t v = 0; v < count; ++v) {
    const int around = triangulation.vertex_first[v + 1] - triangulation.vertex_first[v];
    vertex_share.push_back(around > 0 ? 1.0 / around : 0);
  }
  table.vertex_share = add(vertex_share);
  table.around = static_cast<int>(triangulation.vertex_triangles.size());
  table.vertex_triangles = add(triangulation.vertex_triangles);
  table.vertex_of_triangle = add(triangulation.vertex_of_triangle);
}

RingTable PackedTables::add_rings(const Model& model, const Frame& frame, std::span<const float> offsets) {
  const auto [cosines, sines] = bin_directions(model.cascade.bins);
  RingTable rings;
  rings.frame = frame;
  rings.bins = static_cast<int>(model.cascade.bins), rings.places = static_cast<int>(offsets.size() / 2);
  rings.offsets = add(offsets), rings.cosines = add(cosines), rings.sines = add(sines);
  return rings;
}

StageTable PackedTables::add_cascade(const Model& model, const Stage& stage) {
  StageTable table;
  const Cascade& cascade = model.cascade;
  const std::size_t count =
      stage.iterations == 0 ? cascade.stages.size() : std::min<std::size_t>(stage.iterations, cascade.stages.size());
  for (std::size_t k = 0; k < count; ++k) {
    const CascadeStage& step = cascade.stages[k];
    RegressionTable regression;
    regression.rings = add_rings(model, cascade.frames[step.frame], step.offsets);
    regression.enters = k == 0 || step.frame != cascade.stages[k - 1].frame;
    regression.rows = static_cast<int>(step.gradient.rows), regression.inputs = static_cast<int>(step.gradient.columns);
    regression.gradient = add(std::span<const float>(step.gradient.values));
    regression.constant = add(std::span<const float>(step.constant));
    table.regressions.push_back(regression);
  }
  return table;
}

StageTable PackedTables::add_level(const Model& model, const Stage& stage, const FitSettings& settings) {
  const Level& level = model.levels[stage.level];
  const TextureLayout layout(level);
  StageTable result;
  result.method = stage.method;
  LevelTable& table = result.level;
  table.features = level.features, table.resampled = level.resampled, table.photometric = level.photometric;
  table.simultaneous = stage.method == Method::simultaneous;
  table.frame = level.frame;
  table.channels = static_cast<int>(layout.channels), table.pixels = static_cast<int>(layout.pixels);
  table.values = static_cast<int>(layout.values);
  table.iterations = static_cast<int>(stage.iterations);
  table.threshold = settings.threshold;

  std::vector<std::span<const float>> rows;
  for (std::size_t k = 0; k < level.texture_modes.rows; ++k) rows.push_back(level.texture_modes.row(k));
  for (std::size_t k = 0; !table.simultaneous && k < level.project_out.rows; ++k)
    rows.push_back(level.project_out.row(k));
  table.modes = static_cast<int>(level.texture_modes.rows);
  table.steps = static_cast<int>(rows.size()) - table.modes;
  const std::vector<float> ones(layout.values, 1.0f);
  rows.emplace_back(level.mean), rows.emplace_back(ones);
  table.rows = static_cast<int>(rows.size());
  table.row_width = (table.rows + 3) / 4 * 4;

  std::vector<float> weights(4 * layout.pixels);
  for (std::size_t i = 0; i < layout.pixels; ++i)
    for (std::size_t k = 0; k < 3; ++k) weights[4 * i + k] = layout.barycentric[k][i];
  const auto width = static_cast<std::size_t>(table.row_width);
  std::vector<float> stack(layout.values * width, 0.0f);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::vector<float> row = layout.ordered(rows[r]);
    for (std::size_t value = 0; value < row.size(); ++value) stack[value * width + r] = row[value];
  }
  const PixelSlopes slopes(level, layout);
  const std::vector<PixelChunk> chunks = chunks_of(model, level, layout.order);
  const Incidence incidence(chunks, model.shape.landmarks());
  const StackProducts products = stack_products(rows, level.photometric);
  table.chunks = static_cast<int>(chunks.size());
  table.chunk = add(chunks), table.weights = add(weights);
  table.neighbours = add(std::vector<int>(slopes.neighbours.begin(), slopes.neighbours.end()));
  table.slope_steps = add(slopes.steps), table.mean = add(layout.ordered(level.mean)), table.stack = add(stack);
  const auto doubles = [](const Eigen::VectorXd& v) { return std::span<const double>(v.data(), v.data() + v.size()); };
  table.by_mean = add(doubles(products.by_mean)), table.by_one = add(doubles(products.by_one));
  table.by_values = 1.0 / static_cast<double>(table.values);
  const double square = products.by_mean[table.rows - 2];  // of g0 with itself
  table.by_square = square != 0 ? 1 / square : 0;
  std::vector<double> prior(4, 0.0);
  for (const float variance : model.shape.variances)
    prior.push_back(double{stage.prior} * level.residual_variance / double{variance});
  table.prior = add(prior);
  table.corner_first = add(incidence.corner_first), table.corner_list = add(incidence.corner_list);
  table.pair_first = add(incidence.pair_first), table.pair_other = add(incidence.pair_other);
  table.entry_first = add(incidence.entry_first), table.pair_entries = add(incidence.pair_entries);
  const std::size_t landmarks = model.shape.landmarks();
  for (std::size_t first = 0; first < landmarks; first += vertex_group) {
    const int from = incidence.pair_first[first], to = incidence.pair_first[std::min(landmarks, first + vertex_group)];
    const auto entry = [&](int pair) { return incidence.entry_first[static_cast<std::size_t>(pair)]; };
    table.most_pairs = std::max(table.most_pairs, to - from);
    table.most_entries = std::max(table.most_entries, entry(to) - entry(from));
  }
  return result;
}

void PackedTables::add_score(const Model& model) {
  ScoreTable& table = offsets_.score;
  table.present = true;
  table.rings = add_rings(model, model.quality.frame, model.quality.offsets);
  table.values = table.rings.places * table.rings.bins;
  const Stage& last = model.sequence.back();
  table.residual_variance =
      last.method == Method::cascade ? 0 : std::max(1e-12f, model.levels[last.level].residual_variance);
  table.landmark_error = add(std::span<const float>(model.quality.landmark_error.values));
  table.overall_error = add(std::span<const float>(model.quality.overall_error));
  table.weights = add(std::span<const float>(model.quality.weights));
  table.shape_modes = static_cast<int>(model.quality.shape_weights.size());
  table.shape_weights = add(std::span<const float>(model.quality.shape_weights));
  table.landmark_weights = add(std::span<const float>(model.quality.landmark_weights));
}

}  // namespace kinema::face
