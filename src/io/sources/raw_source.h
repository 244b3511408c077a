// The seam below all sources that a scheme names (io/sources/source_schemes.h): devices, programs that send frames, containers.
// A source delivers frames as it has them; rectification, matching and the conversion to metres come later, and only
// for frames that are used (io/recordings/raw_recording.h).
#pragma once

#include "io/cameras/source_camera.h"
#include "io/pictures/image_file.h"
#include "kinema/picture.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinema::io {

/// What a source is opened for: depth or pairs (body), colour (head, face), whatever it has (record), or pairs whose
/// camera is not known yet (stereo calibrate).
enum class SourceUse { body, colour, any, raw_pairs };

struct RawFrame {
  double time = 0;            ///< seconds by the source's own clock
  double taken = 0;           ///< seconds since 1970; 0: unknown
  std::optional<long> index;  ///< nothing: counted from 0

  DepthImage depth;           ///< in units of the camera's depth_scale; or
  std::vector<float> metres;  ///< the same in metres; or
  Picture left, right;        ///< a pair
  Picture colour;             ///< empty if there is none
};

struct RawFormat {
  enum class Content { depth, pairs, colour };

  Content content = Content::depth;
  bool pictures = false;                           ///< a colour picture comes with depth
  SourceCamera camera;                             ///< of depth and pairs; of colour only its fps
  bool live = false;                               ///< frames arrive as a camera takes them
  bool reopens = false;                            ///< a live source that disappears may come back
  std::optional<std::size_t> size = std::nullopt;  ///< frames, if known
  std::string name;                                ///< as the user named it
};

class RawSource {
public:
  enum class Got { frame, nothing, end };

  virtual ~RawSource() = default;

  /// The next frame; `nothing` if none arrived within about `wait`. Throws Error of cause running if the source broke
  /// off or disappeared, of cause input if what it delivers is invalid.
  virtual Got read(RawFrame& frame, std::chrono::milliseconds wait) = 0;

  const RawFormat& format() const { return format_; }

protected:
  RawSource() = default;
  explicit RawSource(RawFormat format) : format_(std::move(format)) {}

  RawFormat format_;
};

/// Opens a source, and opens it again after it disappeared. Throws Error if it is not there; returns nothing if it may
/// still come, as a program that has not connected yet.
using RawOpener = std::function<std::unique_ptr<RawSource>()>;

}  // namespace kinema::io
