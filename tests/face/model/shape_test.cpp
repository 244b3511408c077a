#include "face/model/shape.h"

#include "core/random.h"
#include "face/model/similarity.h"
#include "planted.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::face {
namespace {

std::vector<float> random_shape(std::uint32_t number, std::size_t points) {
  const Random random{3, 0, number};
  std::vector<float> shape;
  for (std::uint32_t i = 0; i < 2 * points; ++i) shape.push_back(static_cast<float>(50 * random.normal(i)));
  return shape;
}

TEST(Similarity, ComposedWithItsInverseIsNothing) {
  const Similarity t{1.2, -0.7, 30, -4};
  const Similarity id = compose(t, inverse(t));
  EXPECT_NEAR(id.a, 1, 1e-14);
  EXPECT_NEAR(id.b, 0, 1e-14);
  EXPECT_NEAR(id.tx, 0, 1e-12);
  EXPECT_NEAR(id.ty, 0, 1e-12);
}

TEST(Similarity, BetweenAShapeAndItsImageIsFoundAgain) {
  const std::vector<float> shape = random_shape(1, 9);
  const Similarity t{-0.3, 0.9, 12, 70};
  const Similarity found = similarity_between<float, float>(shape, transformed<float>(t, shape));
  // coordinates of some hundred pixels in single precision
  EXPECT_NEAR(found.a, t.a, 1e-6);
  EXPECT_NEAR(found.b, t.b, 1e-6);
  EXPECT_NEAR(found.tx, t.tx, 1e-4);
  EXPECT_NEAR(found.ty, t.ty, 1e-4);
}

TEST(Procrustes, OfCopiesOfOneShapeLeavesNothing) {
  const std::vector<float> shape = random_shape(2, 12);
  std::vector<std::vector<float>> copies;
  copies.reserve(6);
  for (int i = 0; i < 6; ++i)
    copies.push_back(transformed<float>(Similarity{1 + 0.3 * i, 0.2 * i - 0.4, 10.0 * i, -3.0 * i}, shape));
  const AlignedShapes aligned = procrustes(copies);
  double square = 0, x = 0, y = 0;
  for (std::size_t i = 0; i < 24; i += 2) {
    x += aligned.mean[i], y += aligned.mean[i + 1];
    square += aligned.mean[i] * aligned.mean[i] + aligned.mean[i + 1] * aligned.mean[i + 1];
  }
  EXPECT_NEAR(x, 0, 1e-12);
  EXPECT_NEAR(y, 0, 1e-12);
  EXPECT_NEAR(square / 12, 1, 1e-12);
  // single precision of the labels is all that is left
  for (const auto& one : aligned.aligned)
    for (std::size_t i = 0; i < 24; ++i) EXPECT_NEAR(one[i], aligned.mean[i], 1e-5);
}

TEST(ShapeModel, HasOrthonormalModesThatNoSimilarityCanMake) {
  std::vector<std::vector<float>> shapes;
  for (std::uint32_t i = 0; i < 15; ++i) {
    shapes.push_back(random_shape(0, 8));
    const std::vector<float> noise = random_shape(i + 1, 8);
    for (std::size_t k = 0; k < noise.size(); ++k) shapes.back()[k] += 0.2f * noise[k];
  }
  const AlignedShapes aligned = procrustes(shapes);
  const Matrix pose = pose_modes(aligned.mean);
  const ShapeModel model = shape_model(aligned, pose, 1, 0);
  EXPECT_EQ(model.modes.rows, 12u);  // 16 coordinates less the four of a similarity
  const auto dot = [](std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
    return sum;
  };
  for (std::size_t i = 0; i < model.modes.rows; ++i) {
    if (i > 0) {
      EXPECT_LE(model.variances[i], model.variances[i - 1]);
    }
    for (std::size_t j = 0; j <= i; ++j)
      EXPECT_NEAR(dot(model.modes.row(i), model.modes.row(j)), i == j ? 1 : 0, 1e-6) << i << ' ' << j;
    for (std::size_t p = 0; p < 4; ++p) EXPECT_NEAR(dot(model.modes.row(i), pose.row(p)), 0, 1e-6);
  }
  // with all modes, every shape is its own reconstruction
  const std::vector<double> b = shape_parameters(model, aligned.aligned[3], 0);
  const std::vector<double> again = shape_of(model, b);
  for (std::size_t i = 0; i < again.size(); ++i) EXPECT_NEAR(again[i], aligned.aligned[3][i], 1e-5);
}

TEST(ShapeModel, FindsThePlantedModesAndTheirVariances) {
  const Planted planted;
  std::vector<std::vector<float>> shapes;
  const std::size_t count = 400;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Random random{5, 0, i};
    std::vector<double> shape = planted.mean();
    for (std::uint32_t k = 0; k < 2; ++k)
      for (std::size_t c = 0; c < shape.size(); ++c)
        shape[c] += random.normal(k) * planted.deviation(k) * planted.mode(k)[c];
    const double turn = 0.3 * random.normal(2), size = 50 * std::exp(0.2 * random.normal(3));
    const std::vector<double> placed =
        transformed<double>({size * std::cos(turn), size * std::sin(turn), 100, 200}, shape);
    shapes.emplace_back(placed.begin(), placed.end());
  }
  const AlignedShapes aligned = procrustes(shapes);
  const ShapeModel model = shape_model(aligned, pose_modes(aligned.mean), 0.995, 0);
  ASSERT_EQ(model.modes.rows, 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    double along = 0;
    for (std::size_t c = 0; c < model.modes.columns; ++c) along += model.modes.row(k)[c] * planted.mode(k)[c];
    EXPECT_GT(std::abs(along), 0.99);
    // 400 draws know a variance to sqrt(2/400) = 7 %: four times that
    EXPECT_NEAR(model.variances[k] / (planted.deviation(k) * planted.deviation(k)), 1, 0.28);
  }
}

TEST(ShapeModel, KeepsParametersWithinTheirLimit) {
  const Planted planted;
  std::vector<std::vector<float>> shapes;
  for (const PlantedFace& face : planted.population(20, 1)) shapes.push_back(face.landmarks);
  const AlignedShapes aligned = procrustes(shapes);
  const ShapeModel model = shape_model(aligned, pose_modes(aligned.mean), 0.98, 0);
  std::vector<double> far = aligned.mean;
  for (std::size_t i = 0; i < far.size(); ++i) far[i] += 10 * model.modes.row(0)[i];
  EXPECT_NEAR(shape_parameters(model, far, 3)[0], 3 * std::sqrt(double{model.variances[0]}), 1e-9);
  EXPECT_NEAR(shape_parameters(model, far, 0)[0], 10, 1e-4);
}

}  // namespace
}  // namespace kinema::face
