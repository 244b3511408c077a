#include "bench/face/product/matrix_vector_cuda.h"

#include "bench/face/product/matrix_vector_kernel_cuda.cuh"
#include "kinema/error.h"

#include <cstdint>
#include <string>
#include <utility>

namespace kinema::cuda {
namespace {

using Layout = MatrixVectorLayout;
using matrix_vector::Task;
using Kernel = void (*)(Task);

template <int Rows, int Width, Layout::Owner owner>
Kernel with_join(Layout::Join join) {
  switch (join) {
    case Layout::Join::none:
      return matrix_vector::multiply<Rows, Width, owner, Layout::Join::none>;
    case Layout::Join::last:
      return matrix_vector::multiply<Rows, Width, owner, Layout::Join::last>;
    case Layout::Join::cluster:
      break;
  }
  return matrix_vector::multiply<Rows, Width, owner, Layout::Join::cluster>;
}

template <int Rows, int Width>
Kernel with_rows(const Layout& layout) {
  return layout.owner == Layout::Owner::warp ? with_join<Rows, Width, Layout::Owner::warp>(layout.join)
                                             : with_join<Rows, Width, Layout::Owner::block>(layout.join);
}

template <int Width>
Kernel kernel_of(const Layout& layout) {
  switch (layout.rows_at_once) {
    case 1:
      return with_rows<1, Width>(layout);
    case 2:
      return with_rows<2, Width>(layout);
    case 4:
      return with_rows<4, Width>(layout);
    default:
      return with_rows<8, Width>(layout);
  }
}

unsigned groups_of(const Layout& layout, int rows) {
  const auto each = static_cast<unsigned>(layout.block_rows());
  return (static_cast<unsigned>(rows) + each - 1) / each;
}

bool aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) == 0; }

int attribute(cudaDeviceAttr wanted) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&value, wanted, device), "asking for the device");
  return value;
}

// Kernels for clusters are compiled for Hopper and what can run its code.
bool has_clusters() {
  cudaFuncAttributes kernel{};
  check(cudaFuncGetAttributes(&kernel, matrix_vector::multiply<1, 1, Layout::Owner::warp, Layout::Join::cluster>),
        "asking for a kernel");
  return attribute(cudaDevAttrComputeCapabilityMajor) >= 9 && kernel.ptxVersion >= 90;
}

}  // namespace

MatrixVectorDevice matrix_vector_device() {
  int device = 0;
  cudaDeviceProp of{};
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaGetDeviceProperties(&of, device), "asking for the device");
  return {std::string(of.name) + ", " + std::to_string(of.multiProcessorCount) + " x sm_" + std::to_string(of.major) +
              std::to_string(of.minor),
          of.multiProcessorCount, has_clusters()};
}

MatrixVector::MatrixVector(int rows, int columns, const Layout& layout)
    : rows_(rows), columns_(columns), layout_(layout) {
  // cheap questions only: a measurement makes many of these
  if (!possible(layout, {"", 1, has_clusters()}, rows, columns))
    throw Error("this device cannot multiply a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
                " by " + describe(layout));
  if (layout.join != Layout::Join::last) return;
  partial_.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(layout.parts));
  arrived_.reserve(groups_of(layout, rows));
  clear(arrived_.data(), arrived_.bytes());
}

void MatrixVector::launch(const MatrixVectorOperands& operands, cudaStream_t stream) const {
  const bool wide = columns_ % 4 == 0 && aligned(operands.matrix) && aligned(operands.vector);
  const Kernel kernel = wide ? kernel_of<4>(layout_) : kernel_of<1>(layout_);
  const Task task{operands.matrix, operands.vector, operands.result, operands.chosen, partial_.data(),
                  arrived_.data(), rows_,           columns_,        layout_.parts};
  const auto parts = static_cast<unsigned>(layout_.parts);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {parts, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(groups_of(layout_, rows_) * parts);
  config.blockDim = dim3(static_cast<unsigned>(layout_.threads));
  config.stream = stream;
  if (layout_.join == Layout::Join::cluster) {
    config.attrs = &cluster;
    config.numAttrs = 1;
    config.dynamicSmemBytes = static_cast<std::size_t>(layout_.parts * layout_.block_rows()) * sizeof(float);
    constexpr int most_portable = 8;
    if (layout_.parts > most_portable)
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "asking for a cluster");
  }
  check(cudaLaunchKernelEx(&config, kernel, task), "multiplying a matrix by a vector");
}

}  // namespace kinema::cuda
