#include "bench/face/product/sgemv_cuda.h"

#include "core/cuda/buffer.h"
#include "kinema/error.h"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#include <dlfcn.h>

namespace kinema::bench {
namespace {

// What is called of it.
struct Library {
  decltype(&cublasCreate) create = nullptr;
  decltype(&cublasDestroy) destroy = nullptr;
  decltype(&cublasSetStream) set_stream = nullptr;
  decltype(&cublasSetWorkspace) set_workspace = nullptr;
  decltype(&cublasGetVersion) get_version = nullptr;
  decltype(&cublasSgemv) sgemv = nullptr;

  bool load() {
    const std::string file = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) library = dlopen((KINEMA_CUDA_LIBRARIES "/" + file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;  // otherwise it stays: its threads may outlive us
    const auto find = [library](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
      return function != nullptr;
    };
    return find(create, "cublasCreate_v2") && find(destroy, "cublasDestroy_v2") &&
           find(set_stream, "cublasSetStream_v2") && find(set_workspace, "cublasSetWorkspace_v2") &&
           find(get_version, "cublasGetVersion_v2") && find(sgemv, "cublasSgemv_v2");
  }
};

void check_cublas(cublasStatus_t status, const char* doing) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error(std::string("cuBLAS failed while ") + doing + ": status " + std::to_string(status));
}

class CublasSgemv final : public Sgemv {
public:
  explicit CublasSgemv(const Library& library) : library_(library) {
    check_cublas(library_.create(&handle_), "starting");
    workspace_.reserve(workspace_bytes);
  }
  ~CublasSgemv() override { library_.destroy(handle_); }

  void launch(int rows, int columns, const float* matrix, const float* vector, float* result,
              cudaStream_t stream) override {
    const float one = 1, zero = 0;
    check_cublas(library_.set_stream(handle_, stream), "taking a stream");
    // its own memory could not be taken while a stream is recorded
    check_cublas(library_.set_workspace(handle_, workspace_.data(), workspace_bytes), "taking memory");
    // to cuBLAS, which counts by columns, a matrix by rows is its transpose
    check_cublas(
        library_.sgemv(handle_, CUBLAS_OP_T, columns, rows, &one, matrix, columns, vector, 1, &zero, result, 1),
        "multiplying");
  }

  std::string version() const override {
    int version = 0;
    library_.get_version(handle_, &version);
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
  }

private:
  static constexpr std::size_t workspace_bytes = 32u << 20;  // what NVIDIA recommends for Hopper
  Library library_;
  cublasHandle_t handle_ = nullptr;
  cuda::Buffer<unsigned char> workspace_;
};

}  // namespace

std::unique_ptr<Sgemv> make_sgemv() {
  Library library;
  if (!library.load()) return nullptr;
  return std::make_unique<CublasSgemv>(library);
}

}  // namespace kinema::bench
#else
namespace kinema::bench {

std::unique_ptr<Sgemv> make_sgemv() { return nullptr; }

}  // namespace kinema::bench
#endif
