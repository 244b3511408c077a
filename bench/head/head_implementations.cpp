#include "bench/head/head_implementations.h"

#include "bench/head/head_device.h"
#include "bench/head/head_frames.h"
#include "bench/head/steps/steps.h"
#include "bench/machine.h"
#include "core/threads.h"
#include "io/faces/head_baselines.h"
#include "kinema/error.h"
#include "kinema/head_classifier.h"

#ifdef KINEMA_HAVE_CUDA
#include "bench/head/steps/moments_joint.h"
#include "head/moments/moments_backends.h"
#endif

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>

namespace kinema::bench {
namespace {

using head::Classifier;
using head::Moments;
using head::Sums;

constexpr head::SkinPlane plane{0.0125, -0.006, -0.007, 0.15};
constexpr std::size_t batch = 64, distinct_frames = 8;
constexpr const char* all_tables[] = {"paper", "kernels", "cpu", "gpu", "other"};

// Reads a number of bytes by a number of threads, 64 kB per task: the minimum for any program that reads every pixel.
class ReadFloor {
public:
  explicit ReadFloor(int threads) : threads_(threads) {}

  void read(const std::uint8_t* data, std::size_t bytes) {
    constexpr std::size_t piece = 1 << 16;
    const std::size_t pieces = (bytes + piece - 1) / piece;
    sums_.resize(pieces);
    threads_.for_each(pieces, [&](std::size_t i) {
      sums_[i] = sum(data + i * piece, std::min(piece, bytes - i * piece) / sizeof(std::uint64_t));
    });
  }

private:
  static std::uint64_t sum(const std::uint8_t* data, std::size_t words) {
    constexpr std::size_t lanes = 16;
    std::uint64_t sums[lanes] = {};
    for (std::size_t i = 0; i + lanes <= words; i += lanes) {
      std::uint64_t values[lanes];
      std::memcpy(values, data + i * sizeof(std::uint64_t), sizeof values);
      for (std::size_t k = 0; k < lanes; ++k) sums[k] ^= values[k];
    }
    std::uint64_t all = 0;
    for (const std::uint64_t s : sums) all ^= s;
    return all;
  }

  Threads threads_;
  std::vector<std::uint64_t> sums_;
};

// The obvious loop: float weights, double sums.
Sums plain_loop(const ColourView& bgr) {
  const auto r = static_cast<float>(plane.r), g = static_cast<float>(plane.g), b = static_cast<float>(plane.b),
             d = static_cast<float>(plane.d);
  Sums sums;
  for (std::size_t y = 0; y < bgr.height; ++y)
    for (std::size_t x = 0; x < bgr.width; ++x) {
      const std::uint8_t* p = bgr.data + y * bgr.stride + 3 * x;
      const float w = std::clamp(p[2] * r + p[1] * g + p[0] * b + d, 0.0f, 1.0f);
      sums.w += w;
      sums.wx += w * static_cast<float>(x);
      sums.wy += w * static_cast<float>(y);
    }
  return sums;
}

class Field {
public:
  explicit Field(const HeadProblem& problem)
      : problem_(problem), reference_(head::make_moments({}, Backend::reference)) {}

  std::vector<HeadImplementation> implementations;

  void add_paper() {
    const auto frame = std::make_shared<PlacedFrame>(placed_for_paper());
    for (const std::string_view name : moments_names()) {
      if (name == "reference") continue;
      const auto moments = backend(name, "plane", problem_.threads);
      HeadRow row =
          describe("paper", std::string(name), std::string(name), PixelFormat::rgba, "plane", Picture::camera);
      row.place = !no_gpu_reason().empty() ? "host" : "pinned";
      row.threads = name == "cpu1" || name == "cpu2" ? 1 : Threads(problem_.threads).count();
      add_moments(std::move(row), moments, frame->view, frame);
      if (name != "cuda" && name != "joint") continue;
      // separate timing of the transfer costs time, so another call measures it
      const auto timed = backend(name, "plane", problem_.threads, true);
      implementations.back().stages = [timed, frame] {
        timed->measure(frame->view);
        return timed->times();
      };
    }
  }

  void add_cpu() {
    std::vector<int> counts = {1};
    if (Threads(problem_.threads).count() > 1) counts.push_back(2);
    if (Threads(problem_.threads).count() > 2) counts.push_back(Threads(problem_.threads).count());
    for (const int threads : counts) {
      for (const PixelFormat format : pixel_formats) {
        add_cpu_row(format, "plane", Picture::camera, threads);
        add_cpu_row(format, "table", Picture::camera, threads);
        add_cpu_row(format, "table", Picture::noise, threads);
      }
    }
  }

  void add_other() {
    const auto& bgr = frame(Picture::camera, PixelFormat::bgr);
    const auto row = [&](const char* what) {
      HeadRow made = describe("other", what, what, PixelFormat::bgr, "plane", Picture::camera);
      made.place = "host";
      made.threads = 1;
      return made;
    };
    HeadRow loop = row("plain loop");
    set_errors(loop, plain_loop(bgr.view), Picture::camera, PixelFormat::bgr, "plane");
    implementations.push_back({loop, [this, &bgr] { keep_ = plain_loop(bgr.view).w; }});
    if (!io::head_baselines_built_in()) return;
    for (const bool camshift : {false, true}) {
      HeadRow rival = row(camshift ? "OpenCV HSV + CamShift" : "OpenCV HSV + inRange + moments");
      rival.classifier = "hsv";
      rival.threads = Threads(0).count();
      implementations.push_back({rival, [this, &bgr, camshift] {
                                   keep_ = camshift ? io::camshift_centre(bgr.view).x : io::hsv_centre(bgr.view).x;
                                 }});
    }
  }

  void add_kernels();
  void add_gpu();

private:
  const HeadFrame& frame(Picture picture, PixelFormat format) {
    auto& made = frames_[{picture, format}];
    if (made.bytes.empty()) made = make_head_frame(picture, format, problem_.width, problem_.height, problem_.seed);
    return made;
  }

  const Classifier& classifier(const std::string& kind) {
    if (kind == "plane") return plane_;
    if (!table_) table_ = head::make_classifier(head::CbCrGaussian{}, problem_.threads);
    return *table_;
  }

  std::shared_ptr<Moments> backend(std::string_view name, const std::string& kind, int threads, bool stages = false) {
    head::MomentsSettings settings;
    settings.stages = stages;
    std::shared_ptr<Moments> moments = make_moments(name, settings, Compute(Backend::automatic, threads));
    moments->set_classifier(classifier(kind));
    return moments;
  }

  PlacedFrame placed_for_paper() {
    const HeadFrame& made = frame(Picture::camera, PixelFormat::rgba);
    return !no_gpu_reason().empty() ? PlacedFrame{nullptr, made.view} : pinned(made);
  }

  static HeadRow describe(const char* table, std::string name, std::string backend, PixelFormat format,
                          std::string classifier, Picture picture) {
    HeadRow row;
    row.table = table;
    row.name = std::move(name);
    row.backend = std::move(backend);
    row.format = bench::name(format);
    row.classifier = std::move(classifier);
    row.picture = bench::name(picture);
    return row;
  }

  void set_errors(HeadRow& row, const Sums& sums, Picture picture, PixelFormat format, const std::string& kind) {
    const auto key = std::make_tuple(picture, format, kind);
    if (!truth_.contains(key)) {
      reference_->set_classifier(classifier(kind));
      truth_[key] = reference_->measure(frame(picture, format).view);
    }
    set_errors(row, sums, truth_[key], static_cast<double>(problem_.width * problem_.height));
  }

  static void set_errors(HeadRow& row, const Sums& sums, const Sums& truth, double pixels) {
    row.centroid_error = std::hypot(sums.wx / sums.w - truth.wx / truth.w, sums.wy / sums.w - truth.wy / truth.w);
    row.area_error = std::fabs(sums.w - truth.w) / pixels;
  }

  // One frame repeatedly.
  void add_moments(HeadRow row, const std::shared_ptr<Moments>& moments, const ColourView& view,
                   std::shared_ptr<PlacedFrame> keep = {}) {
    const Picture picture = row.picture == "noise" ? Picture::noise : Picture::camera;
    set_errors(row, moments->measure(view), picture, view.format, row.classifier);
    implementations.push_back({std::move(row), [moments, view, keep = std::move(keep)] { moments->measure(view); },
                               [moments] { return moments->times(); }});
#ifdef KINEMA_HAVE_CUDA
    if (const auto joint = std::dynamic_pointer_cast<head::JointMoments>(moments))
      implementations.back().cpu_share = [joint] { return joint->division().host_share(); };
#endif
  }

  // The row of reading the bytes of a frame of this format, created if missing.
  std::string read_floor(PixelFormat format, int threads) {
    const HeadFrame& data = frame(Picture::camera, format);
    const std::string name = fmt::format("read {:.1f} MB, {} thread{}", 1e-6 * static_cast<double>(data.bytes.size()),
                                         threads, threads == 1 ? "" : "s");
    if (std::any_of(implementations.begin(), implementations.end(), [&](const auto& c) { return c.row.name == name; }))
      return name;
    HeadRow row;
    row.table = "floor";
    row.name = name;
    row.backend = "read";
    row.place = "host";
    row.threads = threads;
    const auto floor = std::make_shared<ReadFloor>(threads);
    implementations.push_back({row, [floor, &data] { floor->read(data.bytes.data(), data.bytes.size()); }});
    return name;
  }

  void add_cpu_row(PixelFormat format, const char* kind, Picture picture, int threads) {
    HeadRow row = describe("cpu",
                           fmt::format("cpu {} {} {}, {} thread{}", kind, bench::name(format), bench::name(picture),
                                       threads, threads == 1 ? "" : "s"),
                           "cpu", format, kind, picture);
    row.place = "host";
    row.threads = threads;
    row.floor = read_floor(format, threads);
    add_moments(std::move(row), backend("cpu", kind, threads), frame(picture, format).view);
  }

  HeadProblem problem_;
  std::unique_ptr<Moments> reference_;
  Classifier plane_ = plane;
  std::optional<Classifier> table_;
  std::map<std::pair<Picture, PixelFormat>, HeadFrame> frames_;
  std::map<std::tuple<Picture, PixelFormat, std::string>, Sums> truth_;
  volatile double keep_ = 0;  // receives results, so that no call is optimised away
};

#ifdef KINEMA_HAVE_CUDA

// Successive frames on the device, so that none is still in its cache.
struct Ring {
  std::vector<PlacedFrame> frames;
  std::vector<ColourView> views;
  std::size_t next = 0;

  const ColourView& take() { return views[next++ % views.size()]; }
};

// The kernels of the steps and of the cuda backend without transfer, clearing and download, on frames of the report's size and
// of 8K. There are as many frames as the device's cache does not hold.
void Field::add_kernels() {
  if (gpus().empty()) return;
  for (const bool large : {false, true}) {
    const std::size_t width = large ? 7680 : problem_.width, height = large ? 4320 : problem_.height;
    const HeadFrame made = large ? make_head_frame(Picture::camera, PixelFormat::rgba, width, height, problem_.seed)
                                 : frame(Picture::camera, PixelFormat::rgba);
    const auto ring = std::make_shared<Ring>();
    for (std::size_t held = 0; held < 2 || held * made.bytes.size() < (std::size_t{128} << 20); ++held) {
      ring->frames.push_back(on_device(made));
      ring->views.push_back(ring->frames.back().view);
    }
    reference_->set_classifier(plane_);
    const Sums truth = reference_->measure(made.view);
    const auto row = [&](std::string name, std::string backend, const Sums& sums) {
      HeadRow one = describe("kernels", fmt::format("{} kernel, {} x {}", name, width, height), std::move(backend),
                             PixelFormat::rgba, "plane", Picture::camera);
      one.place = "device";
      one.width = width, one.height = height;
      set_errors(one, sums, truth, static_cast<double>(width * height));
      return one;
    };
    for (int step = 1; step <= 8; ++step) {
      std::shared_ptr<head::GpuStepMoments> moments = head::make_gpu_step(step);
      moments->set_classifier(plane_);
      const std::string name = fmt::format("gpu{}", step);
      HeadRow one = row(name, name, moments->measure(ring->views[0]));
      one.frames = ring->views.size();
      const auto ms = std::make_shared<double>(0);
      implementations.push_back({one, [=] { *ms = moments->kernels_ms(ring->views); },
                                 [=] {
                                   return std::vector<StageTime>{{"kernel", *ms}};
                                 }});
    }
    std::shared_ptr<head::DeviceMoments> ours = head::make_cuda_device_moments({}, problem_.threads);
    ours->set_classifier(plane_);
    ours->keep_time(true);
    implementations.push_back({row("cuda", "cuda", ours->measure(ring->views[0])), [=] { ours->measure(ring->take()); },
                               [=] {
                                 return std::vector<StageTime>{{"kernel", ours->device_ms()}};
                               }});
  }
}

void Field::add_gpu() {
  if (!no_gpu_reason().empty()) return;
  const auto floor = std::make_shared<DeviceFloor>();
  const auto device_backend = [&](const std::string& kind, bool keep_time) {
    std::shared_ptr<head::DeviceMoments> moments = head::make_cuda_device_moments({}, problem_.threads);
    moments->set_classifier(classifier(kind));
    moments->keep_time(keep_time);
    return moments;
  };
  const auto ring = [&](Picture picture, PixelFormat format, std::size_t count) {
    const auto made = std::make_shared<Ring>();
    for (std::size_t i = 0; i < count; ++i) {
      // the first is the one evaluated by the reference
      const HeadFrame other =
          make_head_frame(picture, format, problem_.width, problem_.height, problem_.seed + i % distinct_frames);
      made->frames.push_back(on_device(other));
      made->views.push_back(made->frames.back().view);
    }
    return made;
  };
  const auto floor_row = [&](std::string name, std::size_t frames, const char* place) {
    HeadRow row;
    row.table = "floor";
    row.name = std::move(name);
    row.backend = place[0] == 'p' ? "transfer" : "read";
    row.place = place;
    row.frames = frames;
    return row;
  };
  const auto device_ms = std::make_shared<double>(0);
  const auto stages = [device_ms] { return std::vector<StageTime>{{"device", *device_ms}}; };

  // frames on the device: each format alone, and in batches
  for (const PixelFormat format : pixel_formats) {
    for (const Picture picture : {Picture::camera, Picture::noise}) {
      const std::size_t bytes = frame(picture, format).bytes.size();
      const bool chosen = format == PixelFormat::rgba && picture == Picture::camera;
      const auto frames =
          ring(picture, format, chosen ? batch : std::max<std::size_t>(2, (std::size_t{128} << 20) / bytes));
      if (chosen) {
        implementations.push_back({floor_row("read on the device, alone", 1, "device"),
                                   [=] {
                                     *device_ms = floor->read({&frames->take(), 1}, bytes);
                                   },
                                   stages});
        implementations.push_back({floor_row(fmt::format("read on the device, {} frames", batch), batch, "device"),
                                   [=] { *device_ms = floor->read(frames->views, bytes); }, stages});
      }
      for (const char* kind : {"plane", "table"}) {
        if (picture == Picture::noise && std::string_view(kind) == "plane") continue;
        const std::string what = fmt::format("{} {} {}", kind, bench::name(format), bench::name(picture));
        const auto add = [&](const std::string& how, bool keep_time, auto call, std::size_t count) {
          HeadRow row = describe("gpu", fmt::format("cuda {}, {}", what, how), "cuda", format, kind, picture);
          row.place = "device";
          row.frames = count;
          if (chosen)
            row.floor = count == 1 ? "read on the device, alone" : fmt::format("read on the device, {} frames", batch);
          const auto moments = device_backend(kind, keep_time);
          set_errors(row, moments->measure(frames->views[0]), picture, format, kind);
          implementations.push_back({row, [=] { call(*moments); }, [=] { return moments->times(); }});
        };
        const auto alone = [frames](Moments& moments) { moments.measure(frames->take()); };
        add("alone", false, alone, 1);
        add("alone, with events", true, alone, 1);
        if (!chosen) continue;
        const auto same = [frames](Moments& moments) { moments.measure(frames->views[0]); };
        add("alone, the same frame", false, same, 1);
        add("alone, the same frame, with events", true, same, 1);
        const auto sums = std::make_shared<std::vector<Sums>>(batch);
        const auto many = [frames, sums](Moments& moments) { moments.measure(frames->views, *sums); };
        add(fmt::format("{} frames", batch), false, many, batch);
        add(fmt::format("{} frames, with events", batch), true, many, batch);
      }
    }
  }

  // frames on the host
  for (const PixelFormat format : {PixelFormat::rgba, PixelFormat::bgr, PixelFormat::nv12}) {
    const HeadFrame& made = frame(Picture::camera, format);
    const auto placed = std::make_shared<PlacedFrame>(pinned(made));
    const std::string name = fmt::format("transfer {}", bench::name(format));
    const std::size_t bytes = made.bytes.size();
    implementations.push_back(
        {floor_row(name, 1, "pinned"), [=] { *device_ms = floor->transfer(placed->view.data, bytes); }, stages});
    for (const char* which : {"cuda", "joint"}) {
      for (const bool page_locked : {true, false}) {
        HeadRow row = describe(
            "gpu", fmt::format("{} plane {} camera, {}", which, bench::name(format), page_locked ? "pinned" : "host"),
            which, format, "plane", Picture::camera);
        row.place = page_locked ? "pinned" : "host";
        row.floor = name;
        if (row.backend == "joint" || !page_locked) row.threads = Threads(problem_.threads).count();
        add_moments(std::move(row), backend(which, "plane", problem_.threads), page_locked ? placed->view : made.view,
                    placed);
      }
    }
  }
}

#else

void Field::add_kernels() {}
void Field::add_gpu() {}

#endif

}  // namespace

std::vector<std::string> head_tables() { return {std::begin(all_tables), std::end(all_tables)}; }

std::vector<HeadImplementation> head_implementations(const std::vector<std::string>& tables,
                                                     const HeadProblem& problem) {
  check_names("table", tables, all_tables);
  if (const std::string reason = no_gpu_reason(); tables == std::vector<std::string>{"gpu"} && !reason.empty())
    throw Error("no GPU can be measured here: " + reason);
  const auto field = std::make_shared<Field>(problem);
  if (wanted(tables, "paper")) field->add_paper();
  if (wanted(tables, "kernels")) field->add_kernels();
  if (wanted(tables, "cpu")) field->add_cpu();
  if (wanted(tables, "gpu")) field->add_gpu();
  if (wanted(tables, "other")) field->add_other();
  // the frames live as long as their readers
  for (HeadImplementation& implementation : field->implementations)
    implementation.once = [field, once = std::move(implementation.once)] { once(); };
  return std::move(field->implementations);
}

}  // namespace kinema::bench
