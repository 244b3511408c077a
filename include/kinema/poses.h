// Writes the body tracker's estimates to poses.jsonl, one line per frame, or as a CSV table. See docs/poses.md.
#pragma once

#include "kinema/body_tracker.h"

#include <filesystem>
#include <memory>

namespace kinema::io {

/// Writes one frame at a time. The file appears at commit(); until then, and also after a run that ended early, the
/// frames written so far are in TARGET.partial, whole lines in the same format.
class PosesWriter {
public:
  /// CSV if the name ends in .csv, else JSON lines; "-" is standard output. Throws Error if the target cannot be written,
  /// or another run is writing to it. With `people` lines have the number of their person.
  PosesWriter(const std::filesystem::path& target, const body::Skeleton& skeleton, bool people = false);
  ~PosesWriter();
  PosesWriter(PosesWriter&&) noexcept;
  PosesWriter& operator=(PosesWriter&&) noexcept;

  /// A frame in which nobody was found is written too, without joints and with the reason. Of several people each is a line.
  void add(const body::Estimate& estimate);

  void commit();

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::io
