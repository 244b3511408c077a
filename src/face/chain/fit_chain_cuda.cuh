// Cascades, project-out and simultaneous stages and the score on the device: a batch of faces is one upload, one graph and one
// download. Two batches are under way at a time.
#pragma once

#include "core/cuda/buffer.h"
#include "face/chain/fit_batch.h"
#include "face/chain/fit_state.h"
#include "face/chain/fit_tables.h"
#include "kinema/face.h"

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace kinema::face {

class FitChainCuda {
public:
  FitChainCuda(const Model& model, std::span<const Stage> stages, const FitSettings& settings, bool score);
  ~FitChainCuda();
  FitChainCuda(const FitChainCuda&) = delete;
  FitChainCuda& operator=(const FitChainCuda&) = delete;

  /// Runs the stages on every face from its state, which is updated. Of `out`, iterations are added, and all else is set; without
  /// stages its error is taken as that of the last, and kept.
  void run(std::span<const Face> faces, std::span<FitState> states, std::span<Fit> out);

  /// The next run copies the picture of this face while the device is at work, for the run after it, if that is of a face of
  /// this picture alone.
  void expect(const Face& next);

  bool scores() const { return tables_.score.present; }

  /// The device's own time in the last run.
  double device_ms() const { return device_ms_; }

private:
  static constexpr std::size_t most_faces = 256;  // of a batch: enough to fill any device

  // Faces for which a graph is recorded: the rows of its grids, and whether some have a colour frame.
  struct Kind {
    int faces = 1;
    bool colour = false;
    auto operator<=>(const Kind&) const = default;
  };

  // How the memory of a slot is divided for a number of faces, and the graph that works on it.
  struct Layout {
    FitBatch batch, host;  // `host`: what goes up and comes down
    std::size_t input_bytes = 0, output_bytes = 0, memory_bytes = 0;
    cudaGraphExec_t graph = nullptr;
  };

  // A batch under way.
  struct Slot {
    cuda::Stream stream;
    cuda::Event begin, end;
    cuda::Buffer<std::byte> input, output, memory;  // input: pictures follow the tasks
    cuda::PinnedBuffer<std::byte> input_host, output_host;
    std::map<Kind, Layout> layouts;
    const Layout* layout = nullptr;  // of the batch under way
    std::span<const Face> faces;     // of it, empty if there is none
    std::span<FitState> states;
    std::span<Fit> out;

    ~Slot();
    void forget_layouts();
  };

  // A picture that was copied ahead, to where a slot has that of a face alone.
  struct Ahead {
    std::size_t slot = 0;
    Face face;
  };

  void copy_ahead(std::size_t slot);

  Layout divided(const Slot& slot, int faces) const;
  const Layout& layout_for(Slot& slot, Kind kind, std::size_t picture_bytes);
  /// `copied`: the picture is there.
  void submit(Slot& slot, bool copied, std::span<const Face> faces, std::span<FitState> states, std::span<Fit> out);
  void collect(Slot& slot);
  void record(Slot& slot, Kind kind, Layout& layout) const;
  void launch(const Slot& slot, Kind kind, const Layout& layout) const;

  PackedTables packed_;
  cuda::Buffer<std::byte> model_memory_;
  FitTables tables_;
  BatchSizes sizes_;
  Slot slots_[2];
  std::optional<Face> expected_;
  std::optional<Ahead> ahead_;
  std::size_t batch_faces_ = most_faces;  // less on a device that has no room for more
  double device_ms_ = 0;
};

}  // namespace kinema::face
