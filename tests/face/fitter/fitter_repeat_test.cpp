// Every backend: the same bits again, for a batch and for any number of threads, and clear words for what cannot be.
#include "bench/face/face_device.h"
#include "drawn.h"

namespace kinema::face {
namespace {

class FitterRepeats : public FitterOn {
protected:
  FitSettings settings_ = [] {
    FitSettings settings;
    settings.score = false;
    return settings;
  }();
};

TEST_P(FitterRepeats, GivesTheSameBitsAgainAndForAnyNumberOfThreads) {
  const auto model = drawn_model(Features::intensity, false);
  const bench::DrawnFace drawn = unseen_face(0);
  const Fit first = fitter(model, settings_)->fit(face_of(drawn, 0));
  for (const int threads : {1, 2, 3}) {
    const auto again = fitter(model, settings_, {Backend::automatic, threads});
    EXPECT_EQ(again->fit(face_of(drawn, 0)).landmarks, first.landmarks) << threads << " threads";
    EXPECT_EQ(again->fit(face_of(drawn, 0)).landmarks, first.landmarks) << threads << " threads, again";
  }
}

TEST_P(FitterRepeats, BatchesGiveWhatEachFaceGivesAlone) {
  const auto model = drawn_model(Features::edges, true);
  const auto tested = fitter(model, settings_);
  std::vector<bench::DrawnFace> drawn;
  for (std::uint32_t i = 0; i < 9; ++i) drawn.push_back(unseen_face(i));
  std::vector<Face> faces;
  for (std::uint32_t i = 0; i < 9; ++i) faces.push_back(face_of(drawn[i], i));
  faces.push_back(faces[0]);  // two starts in one picture
  faces.back().start = bench::displaced_start(drawn[0], drawn_seed, 99);
  std::vector<Fit> batch(faces.size()), again(faces.size());
  tested->fit(faces, batch);
  tested->fit(faces, again);
  for (std::size_t i = 0; i < faces.size(); ++i) {
    EXPECT_EQ(batch[i].landmarks, again[i].landmarks) << i;
    // a batch may be divided otherwise, which changes the order of sums
    EXPECT_LT(farthest(batch[i].landmarks, tested->fit(faces[i]).landmarks), 0.005) << i;
  }
  EXPECT_NO_THROW(tested->fit(std::span<const Face>{}, std::span<Fit>{}));
  EXPECT_THROW(tested->fit(faces, std::span<Fit>(batch).first(3)), Error);
}

TEST_P(FitterRepeats, ABatchDividedAmongDevicesGivesTheSameBits) {
  const auto model = drawn_model(Features::edges, true);
  std::vector<bench::DrawnFace> drawn;
  for (std::uint32_t i = 0; i < 9; ++i) drawn.push_back(unseen_face(i));
  for (const std::size_t count : {1, 2, 3, 9}) {
    std::vector<Face> faces;
    for (std::uint32_t i = 0; i < count; ++i) faces.push_back(face_of(drawn[i], i));
    std::vector<Fit> whole(count), divided(count);
    fitter(model, settings_)->fit(faces, whole);
    for (const std::size_t parts : {1, 2, 3, 4, 7}) {
      const auto tested = fitter(model, settings_, {Backend::automatic, 0, std::vector<int>(parts, 0)});
      tested->fit(faces, divided);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(divided[i].landmarks, whole[i].landmarks) << i << " of " << count << ", " << parts << " parts";
        EXPECT_EQ(divided[i].error, whole[i].error);
      }
      if (count == 1) {
        EXPECT_EQ(tested->fit(faces[0]).landmarks, whole[0].landmarks);
      }
    }
  }
}

TEST_P(FitterRepeats, CornerPicturesGiveFiniteLandmarks) {
  const auto model = drawn_model(Features::intensity, false, 12, 1025);
  const auto tested = fitter(model, settings_);
  for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{1, 1}, {1, 300}, {300, 1}, {2, 2}, {64, 64}})
    for (const std::uint8_t grey : {std::uint8_t{0}, std::uint8_t{255}}) {
      const std::vector<std::uint8_t> pixels(width * height, grey);
      Face face{{pixels.data(), width, height, width}, {}, false};
      face.start.box = Start::Box{10, 10, 50, 60};
      const Fit fit = tested->fit(face);
      EXPECT_LT(farthest(fit.landmarks, fit.landmarks), HUGE_VAL) << width << " x " << height;
      EXPECT_TRUE(std::isfinite(fit.error));
    }
}

TEST_P(FitterRepeats, RefusesWhatCannotBeFitted) {
  const auto model = drawn_model(Features::intensity, false, 12, 1025);
  const auto tested = fitter(model, settings_);
  const bench::DrawnFace drawn = unseen_face(0);
  Face face = face_of(drawn, 0);
  face.image.width = 0;
  EXPECT_THROW(tested->fit(face), Error);
  face = face_of(drawn, 0);
  face.start = {};
  EXPECT_THROW(tested->fit(face), Error);
  face.start.landmarks = {1, 2, 3};
  EXPECT_THROW(tested->fit(face), Error);
  if (GetParam() == "cpu") {
    face = face_of(drawn, 0);
    face.on_device = true;
    EXPECT_THROW(tested->fit(face), Error);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, FitterRepeats, testing::Values("cpu", "cuda"), backend_of);

TEST(FitterOnDevice, PicturesThereGiveWhatThoseOfTheHostGive_cuda) {
  if (!available(Backend::cuda)) GTEST_SKIP() << "no GPU";
  const bench::DrawnFace drawn = unseen_face(2);
  const bench::DevicePicture there = bench::on_device(drawn);
  for (const bool resampled : {false, true}) {
    FitSettings settings;
    const auto tested = make_fitter(drawn_model(Features::intensity, resampled), settings, Backend::cuda);
    Face face = face_of(drawn, 2);
    const Fit host = tested->fit(face);
    face.image = there.view;
    face.on_device = true;
    EXPECT_EQ(tested->fit(face).landmarks, host.landmarks);
  }
}

}  // namespace
}  // namespace kinema::face
