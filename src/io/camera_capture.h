// A camera at this machine (V4L2 through OpenCV). Without OpenCV opening one throws.
#pragma once

#include "kinema/picture.h"

#include <memory>
#include <string>

namespace kinema::io {

class CameraCapture {
public:
  /// /dev/video<number>; `fps`: what to ask it for, 0: as it likes. Throws Error where there is no such camera.
  CameraCapture(int number, double fps);
  ~CameraCapture();
  CameraCapture(CameraCapture&&) noexcept;
  CameraCapture& operator=(CameraCapture&&) noexcept;

  std::string name() const;
  double fps() const;  ///< as it says; 0: it does not

  /// Waits for the next picture; false where the camera gives none.
  bool next(Picture& picture);

  /// Seconds since the last picture was taken, as the driver says; 0 where it does not.
  double age() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::io
