#include "core/cuda/block_launch.cuh"
#include "core/grey_pixel.h"
#include "face/chain/fit_chain.h"
#include "face/chain/fit_chain_cuda.cuh"
#include "kinema/error.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <tuple>
#include <utility>

namespace kinema::face {
namespace {

// From this many faces on a block reads a matrix for several of them.
constexpr int many_faces = 16;
constexpr int faces_of_block = 4;

// Grids have 1, 2, 4, ... rows, so that a few graphs serve any number of faces.
int rounded(std::size_t faces) {
  int rows = 1;
  while (static_cast<std::size_t>(rows) < faces) rows *= 2;
  return rows;
}

// A picture is uploaded in pieces of at least this, each while the host copies the next.
constexpr std::size_t upload_bytes = std::size_t{96} << 10;

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

// Memory of the host that is uploaded to the same place of the device's.
struct Staging {
  std::byte *host, *device;
  cudaStream_t stream;

  void upload(std::size_t from, std::size_t to) const {
    cuda::check(cudaMemcpyAsync(device + from, host + from, to - from, cudaMemcpyHostToDevice, stream),
                "uploading faces");
  }
};

// Pictures of a batch: where each goes, once however many faces it shows. The grey images that are made of colour frames follow
// what is uploaded.
class Pictures {
public:
  explicit Pictures(std::span<const Face> faces) {
    for (const Face& face : faces) {
      if (face.on_device) continue;
      const auto [known, fresh] = places_.try_emplace(key(face));
      if (!fresh) continue;
      known->second.at = bytes_;
      bytes_ += aligned(row_bytes(face) * height(face));
      if (face.colour.data == nullptr) continue;
      known->second.grey = grey_bytes_;
      grey_bytes_ += aligned(face.colour.width * face.colour.height);
    }
  }

  static bool same(const Face& a, const Face& b) { return a.on_device == b.on_device && key(a) == key(b); }

  std::size_t bytes() const { return bytes_; }  // to upload
  std::size_t all_bytes() const { return bytes_ + grey_bytes_; }

  bool any_colour() const { return grey_bytes_ > 0; }

  // Copies the pictures to `at` and uploads all from `begin` on, in pieces.
  void upload(std::span<const Face> faces, const Staging& input, std::size_t begin, std::size_t at) const {
    std::set<Key> done;
    const auto upload_until = [&](std::size_t end) { input.upload(std::exchange(begin, end), end); };
    for (const Face& face : faces) {
      if (face.on_device || !done.insert(key(face)).second) continue;
      std::size_t to = at + places_.at(key(face)).at;
      const std::uint8_t* from = face.colour.data != nullptr ? face.colour.data : face.image.data;
      const std::size_t stride = face.colour.data != nullptr ? face.colour.stride : face.image.stride;
      const std::size_t row = row_bytes(face),
                        together = stride == row ? std::max<std::size_t>(1, upload_bytes / row) : 1;
      for (std::size_t v = 0; v < height(face); v += together) {
        const std::size_t bytes = std::min(together, height(face) - v) * row;
        std::memcpy(input.host + to, from + v * stride, bytes);
        to += bytes;
        if (to - begin >= upload_bytes) upload_until(to);
      }
    }
    if (begin < at + bytes_) upload_until(at + bytes_);
  }

  // A face's picture on the device; of a colour frame, the first face to ask for it makes the grey image.
  void place(const Face& face, std::byte* pictures, FaceTask& task) {
    if (face.on_device) {
      task.image = face.image;
      return;
    }
    Place& place = places_.at(key(face));
    auto* bytes = reinterpret_cast<std::uint8_t*>(pictures + place.at);
    if (face.colour.data == nullptr) {
      task.image = {bytes, face.image.width, face.image.height, face.image.width};
      return;
    }
    auto* grey = reinterpret_cast<std::uint8_t*>(pictures + bytes_ + place.grey);
    task.image = {grey, face.colour.width, face.colour.height, face.colour.width};
    task.colour = face.colour;
    task.colour.data = bytes, task.colour.stride = row_bytes(face);
    task.grey = std::exchange(place.made, true) ? nullptr : grey;
  }

private:
  using Key = std::tuple<const std::uint8_t*, std::size_t, std::size_t, std::size_t, int>;
  struct Place {
    std::size_t at = 0, grey = 0;
    bool made = false;
  };

  static Key key(const Face& face) {
    const ColourView& colour = face.colour;
    if (colour.data != nullptr)
      return {colour.data, colour.width, colour.height, colour.stride, 1 + static_cast<int>(colour.format)};
    return {face.image.data, face.image.width, face.image.height, face.image.stride, 0};
  }
  static std::size_t height(const Face& face) {
    return face.colour.data != nullptr ? face.colour.height : face.image.height;
  }
  static std::size_t row_bytes(const Face& face) {
    return face.colour.data != nullptr ? face.colour.width * bytes_per_pixel(face.colour.format) : face.image.width;
  }

  std::map<Key, Place> places_;
  std::size_t bytes_ = 0, grey_bytes_ = 0;
};

}  // namespace

FitChainCuda::Slot::~Slot() { forget_layouts(); }

void FitChainCuda::Slot::forget_layouts() {
  for (const auto& [kind, layout] : layouts)
    if (layout.graph != nullptr) cudaGraphExecDestroy(layout.graph);
  layouts.clear();
}

FitChainCuda::FitChainCuda(const Model& model, std::span<const Stage> stages, const FitSettings& settings, bool score)
    : packed_(model, stages, settings, score) {
  model_memory_.reserve(packed_.bytes().size());
  cuda::upload(model_memory_.data(), packed_.bytes().data(), packed_.bytes().size());
  tables_ = packed_.at(model_memory_.data());
  sizes_ = BatchSizes(tables_);
}

FitChainCuda::~FitChainCuda() = default;

FitChainCuda::Layout FitChainCuda::divided(const Slot& slot, int faces) const {
  const auto count = static_cast<std::size_t>(faces);
  Layout layout;
  layout.batch.sizes = layout.host.sizes = sizes_;
  BatchMemory input(slot.input.data()), output(slot.output.data()), memory(slot.memory.data());
  input.take_input(layout.batch, count);
  output.take_output(layout.batch, count);
  memory.take_rest(layout.batch, count);
  BatchMemory(slot.input_host.data()).take_input(layout.host, count);
  BatchMemory(slot.output_host.data()).take_output(layout.host, count);
  layout.input_bytes = input.bytes(), layout.output_bytes = output.bytes(), layout.memory_bytes = memory.bytes();
  return layout;
}

const FitChainCuda::Layout& FitChainCuda::layout_for(Slot& slot, Kind kind, std::size_t picture_bytes) {
  const Layout needed = divided(slot, kind.faces);
  const std::size_t input_bytes = needed.input_bytes + picture_bytes;
  if (input_bytes > slot.input.capacity() || needed.output_bytes > slot.output.capacity() ||
      needed.memory_bytes > slot.memory.capacity()) {
    slot.forget_layouts();
    slot.input.reserve(input_bytes + picture_bytes / 2);  // so that a few larger pictures change nothing
    slot.input_host.reserve(slot.input.capacity());
    slot.output.reserve(needed.output_bytes);
    slot.output_host.reserve(needed.output_bytes);
    slot.memory.reserve(needed.memory_bytes);
    // all of it is downloaded, also what belongs to no face
    cuda::check(cudaMemsetAsync(slot.output.data(), 0, slot.output.bytes(), slot.stream), "clearing");
  }
  const auto [known, fresh] = slot.layouts.try_emplace(kind);
  if (fresh || known->second.graph == nullptr) {
    known->second = divided(slot, kind.faces);
    record(slot, kind, known->second);
  }
  return known->second;
}

void FitChainCuda::launch(const Slot& slot, Kind kind, const Layout& layout) const {
  const cuda::BlockLauncher launcher(slot.stream);
  const auto [faces, colour] = kind;
  if (faces < many_faces)
    FitChain<1, cuda::BlockLauncher>(tables_, layout.batch, faces, colour, launcher).run();
  else
    FitChain<faces_of_block, cuda::BlockLauncher>(tables_, layout.batch, faces, colour, launcher).run();
}

void FitChainCuda::record(Slot& slot, Kind kind, Layout& layout) const {
  // once with no faces, so that all kernels are loaded before they are recorded
  cuda::check(cudaMemsetAsync(layout.batch.count, 0, sizeof(int), slot.stream), "clearing");
  launch(slot, kind, layout);
  slot.stream.wait();
  cuda::check(cudaStreamBeginCapture(slot.stream, cudaStreamCaptureModeThreadLocal), "recording a graph");
  cudaGraph_t graph = nullptr;
  try {
    launch(slot, kind, layout);
  } catch (...) {
    cudaStreamEndCapture(slot.stream, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    throw;
  }
  cuda::check(cudaStreamEndCapture(slot.stream, &graph), "recording a graph");
  const cudaError_t status = cudaGraphInstantiate(&layout.graph, graph, 0);
  cudaGraphDestroy(graph);
  cuda::check(status, "making a graph");
}

void FitChainCuda::expect(const Face& next) {
  expected_.reset();
  if (next.image.data != nullptr || next.colour.data != nullptr)
    expected_ = next;
  else
    ahead_.reset();
}

void FitChainCuda::copy_ahead(std::size_t which) {
  if (!expected_) return;
  const Face next = *std::exchange(expected_, std::nullopt);
  if (next.on_device) return;
  Slot& slot = slots_[which];
  try {
    const Pictures pictures({&next, 1});
    const Layout& layout = layout_for(slot, {1, pictures.any_colour()}, pictures.all_bytes());
    const Staging input{slot.input_host.data(), slot.input.data(), slot.stream};
    pictures.upload({&next, 1}, input, layout.input_bytes, layout.input_bytes);
    ahead_ = {which, next};
  } catch (const Error&) {
    // the run that needs the picture copies it, or says why it cannot
  }
}

void FitChainCuda::submit(Slot& slot, bool copied, std::span<const Face> faces, std::span<FitState> states,
                          std::span<Fit> out) {
  Pictures pictures(faces);
  const Layout& layout = layout_for(slot, {rounded(faces.size()), pictures.any_colour()}, pictures.all_bytes());
  *layout.host.count = static_cast<int>(faces.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    FaceTask task;
    pictures.place(faces[f], slot.input.data() + layout.input_bytes, task);
    task.pose = states[f].pose, task.mean = states[f].mean ? 1 : 0, task.error = out[f].error;
    layout.host.tasks[f] = task;
    if (!states[f].mean)
      std::copy(states[f].shape.begin(), states[f].shape.end(),
                layout.host.starts + f * static_cast<std::size_t>(sizes_.shape));
  }
  const Staging input{slot.input_host.data(), slot.input.data(), slot.stream};
  if (copied || pictures.bytes() == 0)
    input.upload(0, layout.input_bytes);
  else
    pictures.upload(faces, input, 0, layout.input_bytes);
  slot.begin.record(slot.stream);
  cuda::check(cudaGraphLaunch(layout.graph, slot.stream), "launching a graph");
  slot.end.record(slot.stream);
  cuda::check(cudaMemcpyAsync(slot.output_host.data(), slot.output.data(), layout.output_bytes, cudaMemcpyDeviceToHost,
                              slot.stream),
              "downloading fits");
  slot.layout = &layout, slot.faces = faces, slot.states = states, slot.out = out;
}

void FitChainCuda::collect(Slot& slot) {
  const std::size_t count = slot.faces.size();
  if (count == 0) return;
  slot.faces = {};
  cuda::check(cudaStreamSynchronize(slot.stream), "fitting faces");
  device_ms_ += cuda::elapsed_ms(slot.begin, slot.end);
  const FitBatch& host = slot.layout->host;
  const auto part = [](const auto* array, std::size_t face, int size) {
    return std::span(array + face * static_cast<std::size_t>(size), static_cast<std::size_t>(size));
  };
  for (std::size_t f = 0; f < count; ++f) {
    const FaceResult& result = host.results[f];
    Fit& fit = slot.out[f];
    const auto landmarks = part(host.landmarks, f, sizes_.shape);
    const auto parameters = part(host.parameters, f, sizes_.modes);
    const auto shape = part(host.shape, f, sizes_.shape);
    fit.landmarks.assign(landmarks.begin(), landmarks.end());
    fit.shape.assign(parameters.begin(), parameters.end());
    fit.pose = result.pose;
    fit.error = result.error;
    fit.iterations += result.iterations;
    if (!tables_.stages.empty()) fit.converged = result.converged != 0;
    slot.states[f].pose = host.states[f].pose;
    slot.states[f].shape.assign(shape.begin(), shape.end());
    slot.states[f].mean = false;
    if (!scores()) continue;
    const auto confidences = part(host.confidences, f, sizes_.landmarks);
    fit.confidence.assign(confidences.begin(), confidences.end());
    fit.failure = result.failure;
    fit.quality = 1 - result.failure;
  }
}

void FitChainCuda::run(std::span<const Face> faces, std::span<FitState> states, std::span<Fit> out) {
  device_ms_ = 0;
  std::size_t which = 0;
  const std::optional<Ahead> ahead = std::exchange(ahead_, std::nullopt);
  bool copied = ahead && faces.size() == 1 && Pictures::same(ahead->face, faces.front());
  if (copied) which = ahead->slot;
  try {
    for (std::size_t first = 0; first < faces.size(); which = 1 - which) {
      Slot& slot = slots_[which];
      collect(slot);
      const std::size_t count = std::min(batch_faces_, faces.size() - first);
      try {
        submit(slot, copied, faces.subspan(first, count), states.subspan(first, count), out.subspan(first, count));
      } catch (const Error&) {
        // most often memory: what fits half as many faces may be there
        if (batch_faces_ == 1) throw;
        collect(slots_[1 - which]);
        copied = false;
        batch_faces_ = std::max<std::size_t>(1, std::min(batch_faces_, count) / 2);
        continue;
      }
      first += count;
    }
    collect(slots_[which]);
    copy_ahead(which);
    collect(slots_[1 - which]);
  } catch (...) {
    expected_.reset();
    for (Slot& slot : slots_) {
      cudaStreamSynchronize(slot.stream);  // its buffers may still be in use
      slot.faces = {};
    }
    throw;
  }
}

}  // namespace kinema::face
