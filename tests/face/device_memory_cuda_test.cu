// A GPU whose memory runs out while faces are fitted.
#include "core/cuda/buffer.h"
#include "drawn.h"
#include "kinema/face_tracker.h"

#include <gtest/gtest.h>

#include <deque>

namespace kinema::face {
namespace {

// All of the device's memory, down to pieces too small for a picture.
class AllMemory {
public:
  AllMemory() {
    for (std::size_t bytes = std::size_t{1} << 36; bytes >= (std::size_t{1} << 16); bytes /= 2)
      for (void* p = nullptr; cudaMalloc(&p, bytes) == cudaSuccess;) pieces_.push_back(p);
    cudaGetLastError();
  }
  ~AllMemory() {
    for (void* p : pieces_) cudaFree(p);
  }

private:
  std::deque<void*> pieces_;
};

class DeviceMemory_cuda : public testing::Test {
protected:
  void SetUp() override {
    if (!available(Backend::cuda)) GTEST_SKIP() << "no GPU";
  }

  std::vector<Face> faces() {
    for (std::uint32_t i = 0; i < 40; ++i) drawn_.push_back(bench::draw_face(drawn_seed, 900 + i));
    std::vector<Face> all;
    for (std::uint32_t i = 0; i < drawn_.size(); ++i)
      all.push_back({drawn_[i].view(), bench::displaced_start(drawn_[i], drawn_seed, i), false});
    return all;
  }

  std::shared_ptr<const Model> model_ = drawn_model(Features::intensity, false, 8, 400);
  std::deque<bench::DrawnFace> drawn_;
  std::vector<std::string> lines_;
};

TEST_F(DeviceMemory_cuda, RunsOutAndTheCpuGoesOn) {
  const std::vector<Face> all = faces();
  for (const Stage& stage : {Stage{Method::combined, 0, 3, 0}, Stage{Method::project_out, 0, 3, 0}}) {
    FitSettings settings;
    settings.stages = {stage};
    settings.score = false;
    lines_.clear();
    settings.losses = std::make_shared<DeviceLosses>([this](const std::string& line) { lines_.push_back(line); });
    const auto fitter = make_fitter(model_, settings);
    ASSERT_EQ(fitter->backend(), Backend::cuda);
    const Fit before = fitter->fit(all[0]);
    std::vector<Fit> fits(all.size());
    {
      const AllMemory taken;
      fitter->fit(all, fits);
    }
    ASSERT_EQ(lines_.size(), 1u);
    EXPECT_NE(lines_[0].find("memory"), std::string::npos) << lines_[0];
    EXPECT_NE(lines_[0].find("the CPU goes on"), std::string::npos) << lines_[0];
    EXPECT_EQ(fitter->backend(), Backend::cpu);
    for (std::size_t i = 0; i < 2; ++i)  // pixels: what every backend promises
      EXPECT_NEAR(fits[0].landmarks[i], before.landmarks[i], 0.01);
    for (const Fit& fit : fits) EXPECT_FALSE(fit.landmarks.empty());
    EXPECT_NO_THROW(fitter->fit(all[1]));
  }
}

TEST_F(DeviceMemory_cuda, ThatRunsOutIsAnErrorForABackendAskedForByName) {
  const std::vector<Face> all = faces();
  FitSettings settings;
  settings.stages = {{Method::combined, 0, 3, 0}};
  settings.losses = std::make_shared<DeviceLosses>([this](const std::string& line) { lines_.push_back(line); });
  const auto fitter = make_fitter(model_, settings, Backend::cuda);
  std::vector<Fit> fits(all.size());
  {
    const AllMemory taken;
    EXPECT_THROW(fitter->fit(all, fits), Error);
  }
  EXPECT_TRUE(lines_.empty());
  // the device is as good as before
  EXPECT_NO_THROW(fitter->fit(all, fits));
}

TEST_F(DeviceMemory_cuda, RunsOutWhileAFaceIsFollowed) {
  const std::vector<Face> all = faces();
  TrackerSettings settings{.model = model_};
  settings.fit.stages = {{Method::combined, 0, 3, 0}};
  settings.fit.losses = std::make_shared<DeviceLosses>([this](const std::string& line) { lines_.push_back(line); });
  const AllMemory taken;
  Tracker tracker(settings);  // its model finds no room
  EXPECT_EQ(tracker.backend(), Backend::cpu);
  tracker.start(all[0].start);
  EXPECT_TRUE(tracker.track(all[0].image, 0).tried);
  EXPECT_EQ(lines_.size(), 1u);
}

}  // namespace
}  // namespace kinema::face
