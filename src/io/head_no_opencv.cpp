// Stands in for the files of the head that need OpenCV in a build without it.
#include "io/camera_capture.h"
#include "io/head_overlay.h"
#include "io/other_head_trackers.h"
#include "kinema/error.h"

namespace kinema::io {
namespace {

[[noreturn]] void refuse() {
  throw Error(
      "this kinema was built without OpenCV, which cameras, pictures and the face detector need: build it with "
      "-DKINEMA_OPENCV=ON");
}

}  // namespace

struct CameraCapture::State {};
CameraCapture::CameraCapture(int, double) { refuse(); }
CameraCapture::~CameraCapture() = default;
CameraCapture::CameraCapture(CameraCapture&&) noexcept = default;
CameraCapture& CameraCapture::operator=(CameraCapture&&) noexcept = default;
std::string CameraCapture::name() const { refuse(); }
double CameraCapture::fps() const { refuse(); }
bool CameraCapture::next(Picture&) { refuse(); }
double CameraCapture::age() const { refuse(); }

struct CamShiftTracker::State {};
CamShiftTracker::CamShiftTracker(const Picture&, const head::Oval&) { refuse(); }
CamShiftTracker::~CamShiftTracker() = default;
CamShiftTracker::CamShiftTracker(CamShiftTracker&&) noexcept = default;
CamShiftTracker& CamShiftTracker::operator=(CamShiftTracker&&) noexcept = default;
HeadCentre CamShiftTracker::track(const Picture&) { refuse(); }

Picture HeadPainter::draw(const Picture&, std::int64_t, double, const head::Estimate&, const Degree&) { refuse(); }

}  // namespace kinema::io
