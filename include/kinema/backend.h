// Where a hot operation runs. Chosen at run time; every backend agrees with the reference within the tolerance stated
// in its tests.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kinema {

enum class Backend {
  automatic,  ///< KINEMA_BACKEND if it is set, else the GPU if there is one, else the CPU
  reference,  ///< a literal transcription in double precision, one thread: the oracle, slow
  cpu,        ///< SIMD and threads
  cuda,       ///< an NVIDIA GPU
};

/// "auto", "reference", "cpu" or "cuda".
std::string_view name(Backend backend);

/// The inverse of name(). Throws Error for any other word.
Backend parse_backend(std::string_view word);

/// Resolves `automatic`, and checks that the backend is built in and has a device. Throws Error otherwise.
Backend choose(Backend wanted = Backend::automatic);

/// True if choose(backend) would not throw.
bool available(Backend backend);

struct Gpu {
  int index = 0;
  std::string name;
  int multiprocessors = 0;
  int compute_capability = 0;  ///< 90 for 9.0
  std::size_t memory_bytes = 0;
  std::vector<int> peers = {};  ///< other GPUs whose memory it reads without the host: by NVLink or on one bus
};

/// The GPUs that the cuda backend can use; empty if there is none or CUDA is not built in.
std::vector<Gpu> gpus();

/// The parts of this build and the capabilities of this machine, for `kinema devices`.
struct Build {
  std::string version;
  std::string compiler;
  std::string simd;     ///< the SIMD level used on this CPU, "scalar" if Highway is not built in
  std::string threads;  ///< "TBB" or "std::thread"
  std::string cuda;     ///< the toolkit's version, "" if CUDA is not built in
  bool opencv = false;
  bool mpi = false;
};
Build build();

}  // namespace kinema
