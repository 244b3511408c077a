// kinema devices: the backends of this build, the GPUs and the SIMD level of this machine; kinema cameras: the sources
// that --input takes beside files, what is connected, and what this build lacks.
#include "app/options/options.h"
#include "core/threads.h"
#include "io/sources/source_schemes.h"
#include "kinema/error.h"
#include "kinema/files.h"

#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace kinema::app {
namespace {

constexpr std::array<Backend, 3> backends = {Backend::reference, Backend::cpu, Backend::cuda};

struct Choice {
  std::string backend;  // empty if there is none
  std::string problem;
  std::vector<int> devices;  // of --devices
};

// What a run with this --backend would use. KINEMA_BACKEND may name a backend that is not available, and this command
// should show why: the reason is printed, not thrown. An unknown name is an error here as everywhere.
Choice choice(Backend wanted) {
  try {
    return {std::string(name(choose(wanted))), "", {}};
  } catch (const Error& error) {
    const char* word = std::getenv("KINEMA_BACKEND");
    if (wanted != Backend::automatic || word == nullptr) throw;
    try {
      parse_backend(word);
    } catch (const Error&) {
      throw error;
    }
    return {"", error.what(), {}};
  }
}

std::string why_not(Backend backend) {
  try {
    choose(backend);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void print_devices(const Choice& chosen) {
  const Build built = build();
  fmt::print("kinema {}, {}\n\n", built.version, built.compiler);

  fmt::print("backends\n");
  for (Backend backend : backends) {
    const bool here = available(backend);
    const std::string note = here ? "" : why_not(backend);
    fmt::print("  {:<10} {:<4}{}{}\n", name(backend), here ? "yes" : "no", note,
               name(backend) == chosen.backend ? "chosen" : "");
  }
  if (!chosen.problem.empty()) fmt::print("  none is chosen: {}\n", chosen.problem);

  fmt::print("\nGPUs\n");
  const std::vector<Gpu> found = gpus();
  for (const Gpu& gpu : found) {
    fmt::print("  {}: {}, compute capability {}.{}, {} multiprocessors, {:.1f} GiB{}\n", gpu.index, gpu.name,
               gpu.compute_capability / 10, gpu.compute_capability % 10, gpu.multiprocessors,
               static_cast<double>(gpu.memory_bytes) / (1 << 30),
               gpu.peers.empty() ? "" : fmt::format(", reads the memory of {} directly", fmt::join(gpu.peers, ", ")));
  }
  if (found.empty()) fmt::print("  none\n");
  if (!chosen.devices.empty()) fmt::print("  divided among {}\n", fmt::join(chosen.devices, ", "));

  fmt::print("\nCPU\n  cores      {}\n  threads    {}\n  SIMD       {}\n", usable_cores(), built.threads, built.simd);
  fmt::print("\nbuilt in\n  CUDA       {}\n  OpenCV     {}\n  MPI        {}\n", built.cuda.empty() ? "no" : built.cuda,
             built.opencv ? "yes" : "no", built.mpi ? "yes" : "no");
  const std::filesystem::path model = default_face_model();
  fmt::print("\ninstalled\n  face model {}\n", model.empty() ? "none" : model.string());
}

nlohmann::ordered_json devices_json(const Choice& chosen) {
  const Build built = build();
  nlohmann::ordered_json json;
  json["backend"] = chosen.backend.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(chosen.backend);
  if (!chosen.problem.empty()) json["problem"] = chosen.problem;
  json["version"] = built.version;
  json["compiler"] = built.compiler;
  for (Backend backend : backends) json["backends"][std::string(name(backend))] = available(backend);
  json["gpus"] = nlohmann::ordered_json::array();
  for (const Gpu& gpu : gpus()) {
    json["gpus"].push_back({{"index", gpu.index},
                            {"name", gpu.name},
                            {"compute_capability", gpu.compute_capability},
                            {"multiprocessors", gpu.multiprocessors},
                            {"memory_bytes", gpu.memory_bytes},
                            {"peers", gpu.peers}});
  }
  json["devices"] = chosen.devices;
  json["cpu"] = {{"cores", usable_cores()}, {"threads", built.threads}, {"simd", built.simd}};
  const std::filesystem::path model = default_face_model();
  json["face_model"] = model.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(model.string());
  json["built_in"] = {{"cuda", built.cuda}, {"opencv", built.opencv}, {"mpi", built.mpi}};
  return json;
}

}  // namespace

void add_devices(Verb parent, Task& task) {
  Verb verb = parent.add("devices", "List backends, GPUs, the SIMD level and the optional parts of this build");
  const auto options = std::make_shared<CommonOptions>();
  add_common_options(verb, *options);
  verb.chosen([options, &task] {
    task.run = [options](const Ranks&) {
      check_devices(*options);
      Choice chosen = choice(options->compute.backend);
      chosen.devices = options->compute.devices;
      if (options->json)
        print_json(devices_json(chosen));
      else
        print_devices(chosen);
    };
  });
}

namespace {

std::string users(const io::Scheme& scheme) {
  return fmt::format("{}{}{}", scheme.body ? "body" : "", scheme.body && scheme.colour ? ", " : "",
                     scheme.colour ? "head, face" : "");
}

void print_cameras() {
  const std::vector<io::Scheme> all = io::schemes();
  fmt::print("sources for --input, besides files\n");
  for (const io::Scheme& scheme : all) {
    fmt::print("  {:<22} {} ({})\n", scheme.forms, scheme.description, users(scheme));
    if (!scheme.package.empty()) {
      fmt::print("  {:<22} not in this build: install {} and build again\n", "", scheme.package);
    }
  }
  fmt::print("\nconnected\n");
  bool any = false;
  for (const io::Scheme& scheme : all) {
    for (const io::Connected& device : scheme.connected) {
      fmt::print("  {:<22} {}\n", device.input, device.name);
      any = true;
    }
  }
  if (!any) fmt::print("  none\n");
}

nlohmann::ordered_json cameras_json() {
  nlohmann::ordered_json json;
  json["sources"] = nlohmann::ordered_json::array();
  json["connected"] = nlohmann::ordered_json::array();
  for (const io::Scheme& scheme : io::schemes()) {
    json["sources"].push_back({{"forms", scheme.forms},
                               {"description", scheme.description},
                               {"body", scheme.body},
                               {"colour", scheme.colour},
                               {"available", scheme.package.empty()},
                               {"package", scheme.package}});
    for (const io::Connected& device : scheme.connected) {
      json["connected"].push_back({{"input", device.input}, {"name", device.name}});
    }
  }
  return json;
}

}  // namespace

void add_cameras(Verb parent, Task& task) {
  Verb verb = parent.add("cameras", "List the cameras and other live sources that --input takes");
  const auto json = std::make_shared<bool>(false);
  verb.under("Everywhere").flag("--json", *json, "Print the list as one JSON object on standard output");
  verb.chosen([json, &task] {
    task.run = [json](const Ranks&) {
      if (*json)
        print_json(cameras_json());
      else
        print_cameras();
    };
  });
}

}  // namespace kinema::app
