#include "core/cuda/buffer.h"
#include "core/cuda/device.h"
#include "core/random.h"

#include <gtest/gtest.h>

#include <vector>

namespace kinema {
namespace {

__global__ void draw(std::uint64_t seed, int count, double* uniform, double* normal) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const Random random{seed, 5, static_cast<std::uint32_t>(i)};
  uniform[i] = random.uniform(i % 50);
  normal[i] = random.normal(i % 50);
}

TEST(RandomOnDevice, IsTheHostsToTheBit) {
  if (cuda::devices().empty()) GTEST_SKIP() << cuda::why_no_device();
  constexpr int count = 100000;
  cuda::Buffer<double> uniform(count), normal(count);
  draw<<<(count + 255) / 256, 256>>>(42, count, uniform.data(), normal.data());
  cuda::check_launch("draw");
  std::vector<double> u(count), n(count);
  cuda::check(cudaMemcpy(u.data(), uniform.data(), count * sizeof(double), cudaMemcpyDeviceToHost), "copying");
  cuda::check(cudaMemcpy(n.data(), normal.data(), count * sizeof(double), cudaMemcpyDeviceToHost), "copying");
  int different = 0;
  for (int i = 0; i < count; ++i) {
    const Random random{42, 5, static_cast<std::uint32_t>(i)};
    different += u[i] != random.uniform(i % 50) || n[i] != random.normal(i % 50);
  }
  EXPECT_EQ(different, 0);
}

}  // namespace
}  // namespace kinema
