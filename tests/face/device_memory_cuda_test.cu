// A GPU whose memory runs out while faces are fitted: by a picture larger than its memory, so that other programs on the
// device are left alone.
#include "core/cuda/buffer.h"
#include "drawn.h"
#include "kinema/face_tracker.h"

#include <gtest/gtest.h>

#include <sys/mman.h>

#include <cmath>

namespace kinema::face {
namespace {

// Address space alone: a page that nobody reads takes no memory.
class VastPicture {
public:
  explicit VastPicture(std::size_t bytes)
      : side_(static_cast<std::size_t>(std::sqrt(static_cast<double>(bytes))) + 1),
        data_(
            mmap(nullptr, side_ * side_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~VastPicture() {
    if (there()) munmap(data_, side_ * side_);
  }
  bool there() const { return data_ != MAP_FAILED; }
  GreyView view() const { return {static_cast<const std::uint8_t*>(data_), side_, side_, side_}; }

private:
  std::size_t side_;
  void* data_;
};

std::size_t device_bytes() {
  std::size_t free = 0, all = 0;
  cuda::check(cudaMemGetInfo(&free, &all), "asking for memory");
  return all;
}

class DeviceMemory_cuda : public testing::Test {
protected:
  void SetUp() override {
    if (!available(Backend::cuda)) GTEST_SKIP() << "no GPU";
    vast_ = std::make_unique<VastPicture>(device_bytes());
    if (!vast_->there()) GTEST_SKIP() << "this system grants no address space for a picture of that size";
    settings_.stages = {{Method::combined, 0, 3, 0}};
    settings_.score = false;
  }

  Face small() const { return {drawn_.view(), bench::displaced_start(drawn_, drawn_seed, 0), false}; }
  Face vast() const { return {vast_->view(), small().start, false}; }

  std::shared_ptr<const Model> model_ = drawn_model(Features::intensity, false, 8, 400);
  bench::DrawnFace drawn_ = bench::draw_face(drawn_seed, 900);
  std::unique_ptr<VastPicture> vast_;
  FitSettings settings_;
  Compute compute_{Backend::automatic, 0, {}, std::make_shared<DeviceLosses>([this](const std::string& line) {
                     lines_.push_back(line);
                   })};
  std::vector<std::string> lines_;
};

TEST_F(DeviceMemory_cuda, RunsOutAndTheCpuGoesOn) {
  const auto fitter = make_fitter(model_, settings_, compute_);
  ASSERT_EQ(fitter->backend(), Backend::cuda);
  const Fit before = fitter->fit(small());
  std::vector<Face> faces(40, small());
  faces[20] = vast();
  std::vector<Fit> fits(faces.size());
  fitter->fit(faces, fits);
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_NE(lines_[0].find("memory"), std::string::npos) << lines_[0];
  EXPECT_NE(lines_[0].find("the CPU goes on"), std::string::npos) << lines_[0];
  EXPECT_EQ(fitter->backend(), Backend::cpu);
  for (std::size_t i = 0; i < before.landmarks.size(); ++i)  // pixels: what every backend promises
    ASSERT_NEAR(fits[0].landmarks[i], before.landmarks[i], 0.01);
  for (const Fit& fit : fits) EXPECT_FALSE(fit.landmarks.empty());
}

TEST_F(DeviceMemory_cuda, ThatRunsOutIsAnErrorForABackendAskedForByName) {
  compute_.backend = Backend::cuda;
  const auto fitter = make_fitter(model_, settings_, compute_);
  EXPECT_THROW(fitter->fit(vast()), Error);
  EXPECT_TRUE(lines_.empty());
  // the device is as good as before
  EXPECT_FALSE(fitter->fit(small()).landmarks.empty());
}

TEST_F(DeviceMemory_cuda, RunsOutWhileAFaceIsFollowed) {
  TrackerSettings settings{.model = model_};
  settings.fit = settings_;
  Tracker tracker(settings, compute_);
  ASSERT_EQ(tracker.backend(), Backend::cuda);
  tracker.start(small().start);
  EXPECT_TRUE(tracker.track(drawn_.view(), 0).tried);
  tracker.start(small().start);
  EXPECT_TRUE(tracker.track(vast_->view(), 0.04).tried);
  EXPECT_EQ(tracker.backend(), Backend::cpu);
  EXPECT_EQ(lines_.size(), 1u);
}

}  // namespace
}  // namespace kinema::face
