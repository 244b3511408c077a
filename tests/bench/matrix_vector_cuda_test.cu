// Every layout of a matrix–vector product against sums in double precision, and the choice of a layout.
#include "bench/face/product/matrix_vector_cuda.h"
#include "core/cuda/device.h"
#include "core/random.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <vector>

namespace kinema::cuda {
namespace {

using Layout = MatrixVectorLayout;

struct Problem {
  int rows, columns, vectors;
  std::vector<float> matrix, vector;
  std::vector<double> product, magnitude;  // of each vector: the exact product, and that of absolute values
  Buffer<float> on_device, vector_on_device, result;
  Buffer<int> chosen;

  Problem(int rows_, int columns_, int vectors_ = 1) : rows(rows_), columns(columns_), vectors(vectors_) {
    const auto numbers = [](std::size_t count, std::uint32_t purpose) {
      std::vector<float> all(count);
      for (std::size_t i = 0; i < count; ++i)
        all[i] = static_cast<float>(2 * Random{9, purpose, static_cast<std::uint32_t>(i)}.uniform(0) - 1);
      return all;
    };
    const auto n = static_cast<std::size_t>(columns);
    matrix = numbers(static_cast<std::size_t>(rows) * n, 1);
    vector = numbers(static_cast<std::size_t>(vectors) * n, 2);
    for (std::size_t v = 0; v < static_cast<std::size_t>(vectors); ++v)
      for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
        double sum = 0, of_magnitudes = 0;
        for (std::size_t c = 0; c < n; ++c) {
          const double term = double{matrix[r * n + c]} * vector[v * n + c];
          sum += term, of_magnitudes += std::abs(term);
        }
        product.push_back(sum), magnitude.push_back(of_magnitudes);
      }
    upload(on_device, matrix);
    upload(vector_on_device, vector);
    result.reserve(static_cast<std::size_t>(rows));
    chosen.reserve(1);
  }

  template <class T>
  static void upload(Buffer<T>& to, const std::vector<T>& from) {
    to.reserve(from.size());
    check(cudaMemcpy(to.data(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "uploading");
  }

  MatrixVectorOperands operands() const { return {on_device.data(), vector_on_device.data(), result.data()}; }

  std::vector<float> multiply(const MatrixVector& by, const MatrixVectorOperands& with) const {
    const Stream stream;
    check(cudaMemsetAsync(result.data(), 0xff, static_cast<std::size_t>(rows) * sizeof(float), stream), "clearing");
    by.launch(with, stream);
    stream.wait();
    std::vector<float> found(static_cast<std::size_t>(rows));
    check(cudaMemcpy(found.data(), result.data(), found.size() * sizeof(float), cudaMemcpyDeviceToHost), "copying");
    return found;
  }

  // Each of the additions one after the other rounds once; a row is shared by 32 threads at least.
  void expect_product(const std::vector<float>& found, std::size_t of = 0) const {
    const double additions = columns / 32 + 4 + 64;
    for (std::size_t r = 0; r < found.size(); ++r) {
      const std::size_t at = of * found.size() + r;
      ASSERT_NEAR(found[r], product[at], additions * std::numeric_limits<float>::epsilon() * magnitude[at] + 1e-30)
          << "row " << r;
    }
  }
};

// The candidates of a shape, and some that nobody would choose.
std::vector<Layout> layouts_of(int rows, int columns) {
  const MatrixVectorDevice device = matrix_vector_device();
  std::vector<Layout> all = candidate_layouts(device, rows, columns);
  for (const Layout::Owner owner : {Layout::Owner::warp, Layout::Owner::block})
    for (const Layout::Join join : {Layout::Join::none, Layout::Join::last, Layout::Join::cluster})
      for (const int at_once : {1, 2, 4, 8})
        for (const int threads : {32, 96, 1024})
          for (const int parts : {1, 3, 16}) all.push_back({owner, at_once, threads, parts, join});
  std::erase_if(all, [&](const Layout& layout) { return !possible(layout, device, rows, columns); });
  return all;
}

class MatrixVectorOnDevice : public testing::TestWithParam<std::pair<int, int>> {
protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << why_no_device();
  }
};

TEST_P(MatrixVectorOnDevice, GivesTheProductAndTheSameBitsByEveryLayout) {
  const auto [rows, columns] = GetParam();
  const Problem problem(rows, columns);
  for (const Layout& layout : layouts_of(rows, columns)) {
    SCOPED_TRACE(describe(layout));
    const MatrixVector product(rows, columns, layout);
    const std::vector<float> found = problem.multiply(product, problem.operands());
    problem.expect_product(found);
    for (int again = 0; again < 3; ++again) ASSERT_EQ(problem.multiply(product, problem.operands()), found);
  }
}

// one of everything, neither length a multiple of anything, longer than a block or the warps of a block; what aligned loads
// can read and what they cannot
INSTANTIATE_TEST_SUITE_P(SmallShapes, MatrixVectorOnDevice,
                         testing::Values(std::pair{1, 1}, std::pair{1, 7}, std::pair{5, 1}, std::pair{3, 129},
                                         std::pair{37, 132}));
INSTANTIATE_TEST_SUITE_P(Shapes, MatrixVectorOnDevice,
                         testing::Values(std::pair{1, 100003}, std::pair{5003, 1}, std::pair{2, 40000},
                                         std::pair{54, 4096}, std::pair{54, 4099}, std::pair{35, 10336},
                                         std::pair{1031, 257}, std::pair{300, 2048}));

class MatrixVectorChoiceOnDevice : public testing::Test {
protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << why_no_device();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("kinema_product_" + std::to_string(::getpid()));
};

TEST_F(MatrixVectorChoiceOnDevice, TakesTheVectorThatAKernelHasChosen) {
  const Problem problem(5, 132, 3);
  for (const int which : {0, 2, 1}) {
    Buffer<int> chosen;
    Problem::upload(chosen, std::vector<int>{which});
    MatrixVectorOperands operands = problem.operands();
    operands.chosen = chosen.data();
    const MatrixVector product(5, 132, {Layout::Owner::warp, 2, 64, 1, Layout::Join::none});
    problem.expect_product(problem.multiply(product, operands), static_cast<std::size_t>(which));
  }
}

TEST_F(MatrixVectorChoiceOnDevice, AnswersForMemoryThatIsNotAligned) {
  const Problem problem(6, 128);
  MatrixVectorOperands operands = problem.operands();
  ++operands.matrix;  // 4 bytes on: five rows of 128 are still inside
  const MatrixVector product(5, 128, {Layout::Owner::block, 4, 64, 1, Layout::Join::none});
  std::vector<float> found = problem.multiply(product, operands);
  for (std::size_t r = 0; r < 5; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < 128; ++c) sum += double{problem.matrix[r * 128 + c + 1]} * problem.vector[c];
    EXPECT_NEAR(found[r], sum, 128 * 1e-6);  // 128 terms of at most 1
  }
}

TEST_F(MatrixVectorChoiceOnDevice, KeepsWhatItMeasuredAndReadsItBack) {
  const Problem problem(3, 256);
  const LayoutFile file(folder_ / "layouts.txt");
  const std::string device = matrix_vector_device().name;
  const Layout first = tuned_layout(3, 256, problem.operands(), file);
  EXPECT_EQ(file.find(device, 3, 256), first);
  // what the file says is taken, whether or not it is fast
  const Layout slow{Layout::Owner::block, 1, 32, 3, Layout::Join::last};
  EXPECT_TRUE(file.keep({device, 3, 256, slow}));
  EXPECT_EQ(tuned_layout(3, 256, problem.operands(), file), slow);
  problem.expect_product(problem.multiply(MatrixVector(3, 256, slow), problem.operands()));
}

TEST_F(MatrixVectorChoiceOnDevice, MeasuresAgainWhereTheFileIsDamagedImpossibleOrUnwritable) {
  const Problem problem(3, 256);
  const MatrixVectorDevice device = matrix_vector_device();
  const std::filesystem::path path = folder_ / "layouts.txt";
  std::filesystem::create_directories(folder_);
  std::ofstream(path) << "nothing of use";
  EXPECT_TRUE(possible(tuned_layout(3, 256, problem.operands(), LayoutFile(path)), device, 3, 256));
  EXPECT_TRUE(LayoutFile(path).find(device.name, 3, 256));
  LayoutFile(path).keep({device.name, 3, 256, {Layout::Owner::warp, 1, 4096, 1, Layout::Join::none}});
  EXPECT_TRUE(possible(tuned_layout(3, 256, problem.operands(), LayoutFile(path)), device, 3, 256));
  EXPECT_TRUE(possible(tuned_layout(3, 256, problem.operands(), LayoutFile(path / "below")), device, 3, 256));
}

TEST_F(MatrixVectorChoiceOnDevice, RefusesALayoutThatNoDeviceHas) {
  EXPECT_THROW(MatrixVector(5, 5, {Layout::Owner::warp, 3, 64, 1, Layout::Join::none}), Error);
}

}  // namespace
}  // namespace kinema::cuda
