// Inverse compositional stages by blocks of threads: what a stage begins with, sampling of a texture, and the decision
// whether its shape is better than the one before. Sums over a texture are those of chunks of one triangle, in single
// precision, added in double one chunk after the other.
#pragma once

#include "face/chain/frame_kernels.h"
#include "face/chain/shape_kernels.h"
#include "face/chain/texture_place.h"
#include "face/model/frame_pixels.h"

#include <cmath>

namespace kinema::face {

/// The pose and the source of a stage; its frame is made next.
template <bool near>
struct BeginStageKernel : ShapeKernel<near> {
  using ShapeKernel<near>::shape;
  LevelTable level;
  FitBatch batch;

  KINEMA_HD static int nearest(double x) {
    const double whole = std::round(x);
    return whole > -1e6 ? (whole < 1e6 ? static_cast<int>(whole) : 1000000) : -1000000;
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= block.rows()) return;
    const auto [model, scratch] = ShapeMemory<near>::in(SharedArrays(block), shape);
    FaceState& state = batch.states[face];
    double* points = of_face(batch.shape, face, shape.size);
    Similarity pose = state.pose;
    const bool is_mean = state.mean != 0;
    block.fetch(points, scratch.points, shape.size);
    block.wait_fetched();
    if (!is_mean) {
      pose = straighten_points(block, model, pose, scratch);
      copy(block, scratch.points, points, shape.size);
    }
    Similarity to_source = level.resampled ? unit_to_frame(level.frame) : pose;
    const int x = nearest(to_source.tx), y = nearest(to_source.ty);
    to_source.tx -= static_cast<double>(x), to_source.ty -= static_cast<double>(y);
    transform(block, to_source, scratch.points, of_face(batch.placed, face, shape.size), shape.landmarks);
    block.wait();  // all threads have read the state
    if (block.thread() != 0) return;
    state.pose = pose, state.to_source = to_source;
    state.origin_x = x, state.origin_y = y, state.centre = 0;
    state.running = 1, state.stage_iterations = 0, state.converged = 0, state.error = 0;
  }
};

/// The centre of the samples, and the shape from which the stage starts.
template <bool near>
struct BeginShapeKernel : ShapeKernel<near> {
  using ShapeKernel<near>::shape;
  LevelTable level;
  FitBatch batch;

  // As TextureImage::centre_at().
  KINEMA_HD static float centre_of(const TexturePixels& image, const float* places, int landmarks) {
    const int wide = image.width > 1 ? image.width : 2, high = image.height > 1 ? image.height : 2;
    double sum = 0;
    for (int i = 0; i < landmarks; ++i) {
      const float x = within(places[2 * i] + static_cast<float>(image.origin_x), 0.0f, static_cast<float>(wide - 1));
      const float y =
          within(places[2 * i + 1] + static_cast<float>(image.origin_y), 0.0f, static_cast<float>(high - 1));
      const int u = static_cast<int>(x) < image.width ? static_cast<int>(x) : image.width - 1;
      const int v = static_cast<int>(y) < image.height ? static_cast<int>(y) : image.height - 1;
      const std::size_t at = static_cast<std::size_t>(v) * image.stride + static_cast<std::size_t>(u);
      sum += image.bytes != nullptr ? static_cast<double>(image.bytes[at]) : static_cast<double>(image.floats[at]);
    }
    return static_cast<float>(sum / static_cast<double>(landmarks));
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= block.rows()) return;
    FaceState& state = batch.states[face];
    float* placed = of_face(batch.placed, face, shape.size);
    if (block.thread() == 0 && level.photometric && level.channels == 1)
      state.centre = centre_of(texture_pixels(level, batch, face), placed, shape.landmarks);
    if (state.mean != 0) return;
    const auto [model, scratch] = ShapeMemory<near>::in(SharedArrays(block), shape);
    const Similarity to_source = state.to_source;
    double* points = of_face(batch.shape, face, shape.size);
    block.fetch(points, scratch.points, shape.size);
    block.wait_fetched();  // and the centre has read the places
    project_on_model(block, model, scratch);
    copy(block, scratch.points, points, shape.size);
    transform(block, to_source, scratch.points, placed, shape.landmarks);
  }
};

/// Sums over a chunk, and products with the modes, are those of 4 strands of every fourth value.
inline constexpr int chunk_strands = 4;
KINEMA_HD inline float sum_of_chunk_strands(const float* s, int stride) {
  return (s[0] + s[stride]) + (s[2 * stride] + s[3 * stride]);
}

/// What a model says of a chunk. `near`: it is fetched to the memory of a block before the face is known. That is for one face,
/// which waits for memory most of the time; many are better off with more blocks at a time.
template <bool near>
struct ChunkTables {
  const float *stack, *weights, *mean;

  KINEMA_HD static ChunkTables far(const LevelTable& level, const PixelChunk& chunk) {
    const auto pixel = static_cast<std::size_t>(chunk.first), value = pixel * level.channels;
    return {level.stack + value * level.row_width, level.weights + 4 * pixel, level.mean + value};
  }
  template <class Arrays>
  KINEMA_HD static ChunkTables in(Arrays& arrays, const LevelTable& level, const PixelChunk& chunk) {
    if constexpr (!near) return far(level, chunk);
    ChunkTables tables{};
    tables.stack = arrays.template take<float>(2 * most_chunk_pixels * level.row_width);
    tables.weights = arrays.template take<float>(4 * most_chunk_pixels);
    tables.mean = arrays.template take<float>(2 * most_chunk_pixels);
    return tables;
  }
  template <class Block>
  KINEMA_HD void fetch(Block& block, const LevelTable& level, const PixelChunk& chunk) const {
    const ChunkTables from = far(level, chunk);
    const int values = chunk.pixels * level.channels;
    fetch_table(block, from.stack, stack, values * level.row_width);
    fetch_table(block, from.weights, weights, 4 * chunk.pixels);
    fetch_table(block, from.mean, mean, values);
  }
};

/// A chunk of the textures of several faces: samples at the places, and their products with the rows of the stack; the texture
/// of the model at lambda. Either may be left out.
template <int faces_at_once, bool near>
struct SampleKernel {
  static constexpr int threads = faces_at_once == 1 ? 512 : 256;
  static constexpr int most_values = 2 * most_chunk_pixels;
  LevelTable level;
  bool samples, texture;
  FitBatch batch;

  int blocks() const { return level.chunks; }

  struct Memory {
    float* samples;    // faces x most_values
    float* factors;    // faces x modes
    float* of_rows;    // faces x strands x width
    float* of_values;  // faces x values x strands
    ChunkTables<near> chunk;
  };
  template <class Arrays>
  KINEMA_HD Memory memory(Arrays&& arrays, const PixelChunk& chunk) const {
    const int width = sample_width(level), strands = width > most_values ? width : most_values;
    Memory of{};
    of.samples = arrays.template take<float>(faces_at_once * most_values);
    of.factors = arrays.template take<float>(faces_at_once * level.modes);
    of.of_rows = arrays.template take<float>(faces_at_once * chunk_strands * strands);
    of.of_values = arrays.template take<float>(faces_at_once * chunk_strands * strands);
    of.chunk = ChunkTables<near>::in(arrays, level, chunk);
    return of;
  }
  std::size_t shared_bytes() const {
    return bytes_taken([this](auto& arrays) { memory(arrays, {}); });
  }

  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    if (!near) return;
    const PixelChunk chunk = level.chunk[block.x()];
    memory(SharedArrays(block), chunk).chunk.fetch(block, level, chunk);
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int first_face = block.y() * faces_at_once;
    const PixelChunk chunk = level.chunk[block.x()];
    // of a single face, asked for together with whether it has ended
    const Triangle single = faces_at_once == 1 ? triangle_of(chunk, first_face) : Triangle{};
    const unsigned running = running_faces(batch, block.rows(), first_face, faces_at_once);
    if (running == 0) return;
    const int values = chunk.pixels * level.channels, first = chunk.first * level.channels, width = sample_width(level);
    const Memory of = memory(SharedArrays(block), chunk);
#pragma unroll 1
    for (int t = block.thread(); texture && t < faces_at_once * level.modes; t += block.threads()) {
      const int f = faces_at_once == 1 ? 0 : t / level.modes, k = t - f * level.modes;
      of.factors[t] = (running >> f & 1) != 0
                          ? static_cast<float>(of_face(batch.lambda, first_face + f, batch.sizes.texture_modes)[k])
                          : 0;
    }
    if (near) block.wait_fetched();
    if (samples) sample(block, chunk, first_face, running, single, of);
    block.wait();
    if (samples) multiply(block, of.chunk.stack, values, of.samples, of.of_rows);
    if (texture) combine(block, of.chunk.stack, values, of.factors, of.of_values);
    block.wait();
#pragma unroll 1
    for (int t = block.thread(); samples && t < faces_at_once * width; t += block.threads()) {
      const int f = faces_at_once == 1 ? 0 : t / width, row = t - f * width;
      if ((running >> f & 1) != 0)
        of_face(batch.sample_sums, first_face + f, batch.sizes.sample_sums)[block.x() * width + row] =
            sum_of_chunk_strands(of.of_rows + f * chunk_strands * width + row, width);
    }
#pragma unroll 1
    for (int t = block.thread(); texture && t < faces_at_once * values; t += block.threads()) {
      const int f = faces_at_once == 1 ? 0 : t / values, value = t - f * values;
      if ((running >> f & 1) != 0)
        of_face(batch.texture, first_face + f, batch.sizes.texture_values)[first + value] =
            sum_of_chunk_strands(of.of_values + chunk_strands * (f * most_values + value), 1) + of.chunk.mean[value];
    }
  }

private:
  // Where the triangle of a chunk lies in a face's image.
  struct Triangle {
    TexturePixels image;
    float x[3], y[3];
  };
  KINEMA_HD Triangle triangle_of(const PixelChunk& chunk, int face) const {
    Triangle triangle{texture_pixels(level, batch, face), {}, {}};
    const float* places = of_face(batch.placed, face, batch.sizes.shape);
    for (int k = 0; k < 3; ++k)
      triangle.x[k] = places[2 * chunk.corner[k]], triangle.y[k] = places[2 * chunk.corner[k] + 1];
    return triangle;
  }

  // 0 for faces that have ended.
  template <class Block>
  KINEMA_HD void sample(Block& block, const PixelChunk& chunk, int first_face, unsigned running, const Triangle& single,
                        const Memory& of) const {
#pragma unroll 1
    for (int t = block.thread(); t < faces_at_once * chunk.pixels; t += block.threads()) {
      const int f = faces_at_once == 1 ? 0 : t / chunk.pixels, i = t - f * chunk.pixels, face = first_face + f;
      float* out = of.samples + f * most_values + i * level.channels;
      if ((running >> f & 1) == 0) {
        for (int k = 0; k < level.channels; ++k) out[k] = 0;
        continue;
      }
      const Triangle in = faces_at_once == 1 ? single : triangle_of(chunk, face);
      const float* w = of.chunk.weights + 4 * i;
      sample_at(in.image, w[0] * in.x[0] + w[1] * in.x[1] + w[2] * in.x[2],
                w[0] * in.y[0] + w[1] * in.y[1] + w[2] * in.y[2], out);
      float* kept = of_face(batch.samples, face, batch.sizes.texture_values) + (chunk.first + i) * level.channels;
      for (int k = 0; k < level.channels; ++k) kept[k] = out[k];
    }
  }

  // With several faces, a thread has several rows or values, so that it reads a sample or a factor once for them.
  static constexpr int at_once = faces_at_once == 1 ? 1 : 2;
  struct Together {
    float at[at_once];
  };

  // A strand of rows by one thread for all faces, so that a value of the stack is read once; the last row is the squares.
  template <class Block>
  KINEMA_HD void multiply(Block& block, const float* stack, int values, const float* samples, float* strands) const {
    const int width = sample_width(level), groups = (width + at_once - 1) / at_once;
#pragma unroll 1
    for (int t = block.thread(); t < chunk_strands * groups; t += block.threads()) {
      const int strand = t / groups, first = t - strand * groups;
      float sums[faces_at_once][at_once];
      for (int f = 0; f < faces_at_once; ++f)
        for (int r = 0; r < at_once; ++r) sums[f][r] = 0;
      const auto load = [&](int i) {
        Together value;
        for (int r = 0; r < at_once; ++r) {
          const int row = first + r * groups;
          value.at[r] = row < level.rows ? stack[i * level.row_width + row] : 0;
        }
        return value;
      };
      const auto use = [&](const Together& value, int i) {
        for (int f = 0; f < faces_at_once; ++f) {
          const float x = samples[f * most_values + i];
          for (int r = 0; r < at_once; ++r)
            sums[f][r] = std::fma(first + r * groups == level.rows ? x : value.at[r], x, sums[f][r]);
        }
      };
      if constexpr (faces_at_once == 1)
        in_order<8>(strand, values, chunk_strands, load, use);
      else
        in_batches<8>(strand, values, chunk_strands, load, use);
      for (int f = 0; f < faces_at_once; ++f)
        for (int r = 0; r < at_once && first + r * groups < width; ++r)
          strands[(f * chunk_strands + strand) * width + first + r * groups] = sums[f][r];
    }
  }

  // The modes times lambda: a strand of values by one thread, beside those of the other strands.
  template <class Block>
  KINEMA_HD void combine(Block& block, const float* stack, int values, const float* factors, float* strands) const {
    const int groups = (values + at_once - 1) / at_once;
#pragma unroll 1
    for (int t = block.thread(); t < chunk_strands * groups; t += block.threads()) {
      const int first = t / chunk_strands, strand = t % chunk_strands;
      float sums[faces_at_once][at_once];
      for (int f = 0; f < faces_at_once; ++f)
        for (int v = 0; v < at_once; ++v) sums[f][v] = 0;
      const auto load = [&](int k) {
        Together mode;
        for (int v = 0; v < at_once; ++v) {
          const int value = first + v * groups < values ? first + v * groups : first;
          mode.at[v] = stack[value * level.row_width + k];
        }
        return mode;
      };
      const auto use = [&](const Together& mode, int k) {
        for (int f = 0; f < faces_at_once; ++f) {
          const float factor = factors[f * level.modes + k];
          for (int v = 0; v < at_once; ++v) sums[f][v] = std::fma(factor, mode.at[v], sums[f][v]);
        }
      };
      if constexpr (faces_at_once == 1)
        in_order<5>(strand, level.modes, chunk_strands, load, use);
      else
        in_batches<5>(strand, level.modes, chunk_strands, load, use);
      for (int f = 0; f < faces_at_once; ++f)
        for (int v = 0; v < at_once && first + v * groups < values; ++v)
          strands[chunk_strands * (f * most_values + first + v * groups) + strand] = sums[f][v];
    }
  }
};

/// d = g - g0 of the last sampling, and whether its shape is kept. The first sampling of a stage has nothing to be held against.
struct DecideKernel {
  static constexpr int threads = 672;
  static constexpr int strands = shape_strands;  ///< of a sum over chunks or modes
  ShapeTable shape;
  LevelTable level;
  bool first;
  FitBatch batch;

  struct Memory {
    double *by_mean, *by_one;  // rows: of the level
    double *sums, *products;   // rows + 1
    double* in_strands;        // strands x (rows + 1)
    double* tried;             // the shape
  };
  template <class Arrays>
  KINEMA_HD Memory memory(Arrays&& arrays) const {
    Memory of{};
    of.by_mean = arrays.template take<double>(level.rows), of.by_one = arrays.template take<double>(level.rows);
    of.sums = arrays.template take<double>(level.rows + 1), of.products = arrays.template take<double>(level.rows + 1);
    of.in_strands = arrays.template take<double>(strands * (level.rows + 1));
    of.tried = arrays.template take<double>(shape.size);
    return of;
  }
  std::size_t shared_bytes() const {
    return bytes_taken([this](auto& arrays) { memory(arrays); });
  }

  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    const Memory of = memory(SharedArrays(block));
    block.fetch(level.by_mean, of.by_mean, level.rows);
    block.fetch(level.by_one, of.by_one, level.rows);
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (!is_running(batch, block.rows(), face)) return;
    FaceState& state = batch.states[face];
    const double before = state.error;
    const int iterations = state.stage_iterations + (first ? 0 : 1);
    const Memory of = memory(SharedArrays(block));
    const double *level_by_mean = of.by_mean, *level_by_one = of.by_one;
    double *sums = of.sums, *products = of.products, *in_strands = of.in_strands, *tried = of.tried;
    if (!first) block.fetch(of_face(batch.next, face, shape.size), tried, shape.size);
    const int width = sample_width(level), rows = level.rows - 2;
    const float* parts = of_face(batch.sample_sums, face, batch.sizes.sample_sums);
#pragma unroll 1
    for (int t = block.thread(); t < strands * width; t += block.threads()) {
      const int strand = t / width, row = t - strand * width;
      in_strands[t] = sum_in_batches<18>(strand, level.chunks, strands,
                                         [&](int c) { return static_cast<double>(parts[c * width + row]); });
    }
    block.wait_fetched();
#pragma unroll 1
    for (int row = block.thread(); row < width; row += block.threads())
      sums[row] = sum_of_shape_strands(in_strands + row, width);
    block.wait();

    // normalised() of texture_sums.cpp; every thread for itself
    const double values = level.values;
    double offset = 0, factor = 1, by_mean = sums[rows], square = sums[rows + 2];
    if (level.photometric) {
      offset = sums[rows + 1] * level.by_values;
      const double left = std::fmax(0.0, square - values * offset * offset),
                   deviation = std::sqrt(left * level.by_values);
      if (!(deviation > flat_share * std::fabs(offset) + flat_least)) {
        factor = by_mean = square = 0;
      } else {
        const double along = (sums[rows] - offset * level_by_one[rows]) * level.by_values;
        factor = 1 / std::fmax(along, 0.1 * deviation);
        by_mean = along * values * factor;
        square = left * factor * factor;
      }
    }
#pragma unroll 1
    for (int row = block.thread(); row < rows; row += block.threads())
      products[row] =
          (level.photometric ? (sums[row] - offset * level_by_one[row]) * factor : sums[row]) - level_by_mean[row];
    block.wait();
#pragma unroll 1
    for (int s = block.thread(); s < strands; s += block.threads()) {
      double sum = 0;
      in_order<5>(
          s, level.modes, strands, [&](int k) { return products[k]; },
          [&](double product, int) { sum += product * product; });
      in_strands[s] = sum;
    }
    block.wait();
    const double along_modes = sum_of_shape_strands(in_strands);
    const double error = square - 2 * by_mean + level_by_mean[rows] - along_modes;

    bool keep = true, converged = false;
    if (!first && level.threshold >= 0) {
      if (!(error < before))
        keep = false, converged = true;  // it passed the optimum
      else if (before - error < level.threshold * before)
        converged = true;
    }
    if (keep) {
      if (!first) copy(block, tried, of_face(batch.shape, face, shape.size), shape.size);
      copy(block, products, of_face(batch.difference, face, batch.sizes.rows), rows);
      if (first) copy(block, products, of_face(batch.lambda, face, batch.sizes.texture_modes), level.modes);
    }
    if (block.thread() != 0) return;
    if (keep) {
      state.error = error;
      state.by_mean = by_mean - level_by_mean[rows];
      state.by_one = -level_by_one[rows];  // a normalised texture has a mean of 0
      state.offset = offset, state.factor = factor;
    }
    state.stage_iterations = iterations;
    state.converged = converged ? 1 : 0;
    if (converged || iterations >= level.iterations) {
      state.running = 0, state.mean = 0;
      state.iterations += iterations;
    }
  }
};

}  // namespace kinema::face
