// Stands in for overlay_opencv.cpp, picture_sink_opencv.cpp and picture_words_opencv.cpp in a build without OpenCV.
#include "io/overlay.h"
#include "io/picture_sink.h"
#include "io/picture_words.h"
#include "kinema/error.h"

namespace kinema::io {
namespace {

[[noreturn]] void refuse() {
  throw Error(
      "this kinema was built without OpenCV, which draws and writes pictures: build it with -DKINEMA_OPENCV=ON");
}

}  // namespace

struct PictureSink::Target {};

PictureSink::PictureSink(const std::filesystem::path&, double) { refuse(); }
PictureSink::~PictureSink() = default;
PictureSink::PictureSink(PictureSink&&) noexcept = default;
PictureSink& PictureSink::operator=(PictureSink&&) noexcept = default;
void PictureSink::add(const Picture&, std::int64_t) { refuse(); }
void PictureSink::commit() { refuse(); }

void draw_words(Picture&, std::string_view, std::string_view) { refuse(); }

OverlayPainter::OverlayPainter(const Camera& camera) : camera_(camera) { refuse(); }
Picture OverlayPainter::draw(const OverlayFrame&, const body::Skeleton&, const body::Estimate&, std::string_view) {
  refuse();
}

}  // namespace kinema::io
