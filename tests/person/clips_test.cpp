// The person tracker on real clips that lie beside the project, started without an oval: skipped where they are absent.
#include "io/pictures/image_file.h"
#include "kinema/error.h"
#include "kinema/files.h"
#include "kinema/person_tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace kinema::person {
namespace {

namespace fs = std::filesystem;

// Pictures of a clip of the Online Object Tracking Benchmark, in order, with the box x, y, w, h of each, pixels from 1.
struct Clip {
  explicit Clip(const std::string& name) : folder(fs::path(KINEMA_SHARED_DATA) / "head" / name) {
    if (!fs::exists(folder / "img")) return;
    for (const auto& entry : fs::directory_iterator(folder / "img")) pictures.push_back(entry.path());
    std::sort(pictures.begin(), pictures.end());
    std::ifstream truth(folder / "groundtruth_rect.txt");
    char comma = 0;
    for (double x = 0, y = 0, w = 0, h = 0; truth >> x >> comma >> y >> comma >> w >> comma >> h;)
      boxes.push_back({x - 1 + (w - 1) / 2, y - 1 + (h - 1) / 2, w / 2, h / 2});
  }

  fs::path folder;
  std::vector<fs::path> pictures;
  std::vector<head::Oval> boxes;
};

struct Score {
  int first = -1;  // frame in which somebody was found
  int frames = 0, within = 0;
  int apart = 0;  // ovals that do not hold the mean of their landmarks
};

Score follow(const Clip& clip, std::size_t begin, std::size_t end, bool grey) {
  TrackerSettings settings;
  settings.model = std::make_shared<const face::Model>(read_face_model(KINEMA_SHIPPED_MODEL));
  settings.detect = read_face_detector({});
  Tracker tracker(settings);
  Score score;
  for (std::size_t i = begin; i < end; ++i) {
    io::Picture picture = io::read_picture(clip.pictures[i]);
    for (std::size_t k = 0; grey && k + 2 < picture.bgr.size(); k += 3) {
      const int sum = 29 * picture.bgr[k] + 150 * picture.bgr[k + 1] + 77 * picture.bgr[k + 2];
      for (std::size_t c = 0; c < 3; ++c) picture.bgr[k + c] = static_cast<std::uint8_t>(sum / 256);
    }
    const auto width = static_cast<std::size_t>(picture.width), height = static_cast<std::size_t>(picture.height);
    const Estimate estimate =
        tracker.track({picture.bgr.data(), width, height, 3 * width}, static_cast<double>(i - begin) / 30);
    ++score.frames;
    if (!estimate.found) continue;
    if (score.first < 0) score.first = static_cast<int>(i - begin);
    const head::Oval& box = clip.boxes[i];
    score.within += std::hypot(estimate.x - box.cx, estimate.y - box.cy) <= 0.25 * 2 * box.rx;
    double x = 0, y = 0;
    const auto points = static_cast<double>(estimate.landmarks.size() / 2);
    for (std::size_t k = 0; k + 1 < estimate.landmarks.size(); k += 2) {
      x += static_cast<double>(estimate.landmarks[k]) / points,
          y += static_cast<double>(estimate.landmarks[k + 1]) / points;
    }
    const head::Oval& oval = estimate.oval;
    score.apart += points > 0 && std::hypot((x - oval.cx) / oval.rx, (y - oval.cy) / oval.ry) > 1;
  }
  return score;
}

class PersonClips : public ::testing::Test {
protected:
  void SetUp() override {
    try {
      read_face_detector({});
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

TEST_F(PersonClips, SomebodyThreeMetresAwayIsFoundInHalfASecond) {
  const Clip clip("otb_boy");
  if (clip.pictures.empty()) GTEST_SKIP() << "no clip in " << clip.folder;
  const Score score = follow(clip, 0, 45, false);
  EXPECT_GE(score.first, 0);
  EXPECT_LE(score.first, 15);
  EXPECT_EQ(score.within, score.frames - score.first) << "from then on";
}

// Where the face is lost for a moment, in the dark, colours of a grey film used to go to the chest and stay there.
TEST_F(PersonClips, AFilmWithoutColoursIsFollowedByItsFace) {
  const Clip clip("otb_david");
  if (clip.pictures.empty()) GTEST_SKIP() << "no clip in " << clip.folder;
  const Score score = follow(clip, 80, 190, true);
  EXPECT_EQ(score.apart, 0);
  // in profile, for the last third, it is off or not found in some; when colours led it was off in all of those
  EXPECT_GE(score.within, 0.65 * score.frames);
}

}  // namespace
}  // namespace kinema::person
