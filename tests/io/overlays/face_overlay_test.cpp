// Faces as pictures: the shape-free patch shows the picture at the model's pixels, and a texture is drawn where it lies.
#include "io/overlays/face_overlay.h"
#include "io/overlays/picture_words.h"

#include "kinema/error.h"
#include "small_face_model.h"

#include <gtest/gtest.h>

namespace kinema::io {
namespace {

TEST(FaceOverlay, PatchOfAnEvenPictureIsEvenWhereverTheFaceIs) {
  const face::Model& model = small_face_model();
  const Picture even{50, 40, std::vector<std::uint8_t>(6000, 90)};
  std::vector<float> landmarks;
  for (float value : model.shape.mean) landmarks.push_back(30 * value);  // hangs over the border
  const Picture patch = shape_free_patch(model, 0, even, landmarks);
  EXPECT_EQ(patch.width, static_cast<int>(model.levels[0].width));
  for (std::uint32_t place : model.levels[0].places) ASSERT_EQ(patch.bgr[3 * place], 90);
  EXPECT_THROW(shape_free_patch(model, 9, even, landmarks), Error);
  landmarks.pop_back();
  EXPECT_THROW(shape_free_patch(model, 0, even, landmarks), Error);
}

TEST(FaceOverlay, FittedTextureOfTheMeanIsTheMean) {
  const face::Level& level = small_face_model().levels[0];
  const std::vector<float> mean(level.mean.begin(), level.mean.end());
  EXPECT_EQ(fitted_texture(level, mean), mean);
  EXPECT_EQ(texture_picture(level, mean).height, static_cast<int>(level.height));
}

TEST(FaceOverlay, CutsAboutLandmarksWithinThePicture) {
  const Picture picture{20, 10, std::vector<std::uint8_t>(600, 1)};
  std::array<int, 2> corner{};
  const std::vector<float> landmarks{5, 2, 9, 6, 30, 40};
  const Picture part = cut_about(picture, landmarks, 0.1, corner);
  EXPECT_EQ(corner[0] + part.width, 20);
  EXPECT_EQ(corner[1] + part.height, 10);
}

TEST(FaceOverlay, DrawsWithinAndBeyondThePicture) {
  if (!build().opencv) GTEST_SKIP() << "this build has no OpenCV";
  const face::Model& model = small_face_model();
  for (float scale : {1.0f, 30.0f, 1e8f}) {
    Picture picture{60, 50, std::vector<std::uint8_t>(9000, 40)};
    std::vector<float> landmarks;
    for (float value : model.shape.mean) landmarks.push_back(30 + scale * value);
    FaceDrawing drawing;
    drawing.caption = "a caption";
    drawing.alarm = "lost";
    draw_landmarks(picture, landmarks, model.layout, model.triangles, drawing);
    EXPECT_NE(picture.bgr, std::vector<std::uint8_t>(9000, 40));
  }
  Picture pixel{1, 1, {1, 2, 3}};
  draw_words(pixel, "caption", "alarm");
}

}  // namespace
}  // namespace kinema::io
