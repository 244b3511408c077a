#include "bench/body/likelihood_embree.h"

#include "kinema/error.h"

#ifdef KINEMA_HAVE_EMBREE

#include "core/threads.h"

#include <embree3/rtcore.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kinema::bench {
namespace {

constexpr std::size_t widest_packet = 16;

// Packets of 4, 8 and 16 rays differ only in type and name.
template <std::size_t width>
struct Packet;
template <>
struct Packet<4> {
  using RayHit = RTCRayHit4;
  static constexpr auto intersect = rtcIntersect4;
};
template <>
struct Packet<8> {
  using RayHit = RTCRayHit8;
  static constexpr auto intersect = rtcIntersect8;
};
template <>
struct Packet<16> {
  using RayHit = RTCRayHit16;
  static constexpr auto intersect = rtcIntersect16;
};

struct ReleaseDevice {
  void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
};
struct ReleaseScene {
  void operator()(RTCScene scene) const { rtcReleaseScene(scene); }
};
using Device = std::unique_ptr<RTCDeviceTy, ReleaseDevice>;
using Scene = std::unique_ptr<RTCSceneTy, ReleaseScene>;

// The rays of a frame, coordinate by coordinate as packets require, padded to whole packets.
struct Rays {
  std::vector<float> x, y, z;  // directions of length 1
  std::vector<float> length;   // from the camera to the point
  std::size_t size = 0;        // without the padding
};

class EmbreeLikelihood final : public body::Likelihood {
public:
  EmbreeLikelihood(const body::LikelihoodSettings& settings, int threads) : settings_(settings), pool_(threads) {
    if (settings.association != body::Association::first_hit)
      throw Error("Embree is compared with the association 'first-hit' only");
    // No "threads=": with TBB that would limit every other user of TBB in this process, including the cpu backend.
    device_.reset(rtcNewDevice(nullptr));
    if (!device_) throw Error("Embree offers no device on this machine", Error::Cause::running);

    // the widest packet that this CPU runs as one instruction stream; Embree splits wider ones
    const auto native = [&](RTCDeviceProperty width) { return rtcGetDeviceProperty(device_.get(), width) != 0; };
    packet_ = native(RTC_DEVICE_PROPERTY_NATIVE_RAY16_SUPPORTED)  ? 16
              : native(RTC_DEVICE_PROPERTY_NATIVE_RAY8_SUPPORTED) ? 8
                                                                  : 4;
  }

  body::PointCount set_points(PointsView points) override {
    rays_ = {};
    for (std::size_t i = 0; i < points.size; ++i) {
      const float* p = points.xyz + 3 * i;
      const float x = p[0] - static_cast<float>(settings_.camera.x);
      const float y = p[1] - static_cast<float>(settings_.camera.y);
      const float z = p[2] - static_cast<float>(settings_.camera.z);
      const float length = std::sqrt(x * x + y * y + z * z);
      if (!std::isfinite(length) || length <= 0) continue;
      push(x / length, y / length, z / length, length);
    }
    rays_.size = rays_.length.size();
    while (rays_.length.size() % widest_packet != 0) push(0, 0, 1, 0);
    return {rays_.size, points.size - rays_.size};
  }

  void evaluate(body::CapsulesView capsules, std::span<double> out) override {
    if (capsules.depth != body::capsule_floats || out.size() != capsules.rows)
      throw Error("Embree was given arrays whose sizes do not agree");
    pool_.for_each(capsules.rows, [&](std::size_t j) { out[j] = evaluate_sample(capsules.row(j), capsules.columns); });
  }

private:
  void push(float x, float y, float z, float length) {
    rays_.x.push_back(x);
    rays_.y.push_back(y);
    rays_.z.push_back(z);
    rays_.length.push_back(length);
  }

  Scene build_scene(const float* capsules, std::size_t count) const {
    // One geometry of `count` curves, each of two vertices with a radius. Low quality is the fast build; for a few
    // dozen curves a better tree costs as much to build and is not faster to traverse.
    const RTCGeometry curves = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
    auto* vertex = static_cast<float*>(
        rtcSetNewGeometryBuffer(curves, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, 4 * sizeof(float), 2 * count));
    auto* first = static_cast<unsigned*>(
        rtcSetNewGeometryBuffer(curves, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, sizeof(unsigned), count));
    for (std::size_t k = 0; k < count; ++k) {
      const float* c = capsules + body::capsule_floats * k;
      for (const float value : {c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[3]}) *vertex++ = value;
      first[k] = static_cast<unsigned>(2 * k);
    }
    rtcSetGeometryBuildQuality(curves, RTC_BUILD_QUALITY_LOW);
    rtcCommitGeometry(curves);

    Scene scene(rtcNewScene(device_.get()));
    rtcSetSceneBuildQuality(scene.get(), RTC_BUILD_QUALITY_LOW);
    rtcAttachGeometry(scene.get(), curves);
    rtcReleaseGeometry(curves);
    rtcCommitScene(scene.get());
    return scene;
  }

  double evaluate_sample(const float* capsules, std::size_t count) const {
    const Scene scene = build_scene(capsules, count);
    const double sum = packet_ == 16  ? sum_of_squares<16>(scene.get())
                       : packet_ == 8 ? sum_of_squares<8>(scene.get())
                                      : sum_of_squares<4>(scene.get());
    return -sum / (2 * settings_.sigma * settings_.sigma);
  }

  template <std::size_t width>
  double sum_of_squares(RTCScene scene) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;  // neighbours in scan order are neighbours in the image

    const float tau = static_cast<float>(settings_.tau);
    double sum = 0;
    alignas(64) int valid[width];
    alignas(64) typename Packet<width>::RayHit packet{};
    for (std::size_t i = 0; i < rays_.size; i += width) {
      for (std::size_t lane = 0; lane < width; ++lane) {
        valid[lane] = i + lane < rays_.size ? -1 : 0;
        packet.ray.org_x[lane] = static_cast<float>(settings_.camera.x);
        packet.ray.org_y[lane] = static_cast<float>(settings_.camera.y);
        packet.ray.org_z[lane] = static_cast<float>(settings_.camera.z);
        packet.ray.dir_x[lane] = rays_.x[i + lane];
        packet.ray.dir_y[lane] = rays_.y[i + lane];
        packet.ray.dir_z[lane] = rays_.z[i + lane];
        packet.ray.tnear[lane] = 0;
        // a first hit further than tau behind the point costs as much as none, so the ray may end there
        packet.ray.tfar[lane] = rays_.length[i + lane] + tau;
        packet.ray.mask[lane] = ~0u;
        packet.hit.geomID[lane] = RTC_INVALID_GEOMETRY_ID;
      }
      Packet<width>::intersect(valid, scene, &context, &packet);
      const std::size_t lanes = std::min(width, rays_.size - i);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const bool hit = packet.hit.geomID[lane] != RTC_INVALID_GEOMETRY_ID;
        const float d = hit ? std::min(std::fabs(packet.ray.tfar[lane] - rays_.length[i + lane]), tau) : tau;
        sum += d * d;
      }
    }
    return sum;
  }

  body::LikelihoodSettings settings_;
  Threads pool_;
  Device device_;
  int packet_ = 4;
  Rays rays_;
};

}  // namespace

std::string embree_version() { return RTC_VERSION_STRING; }

std::unique_ptr<body::Likelihood> make_embree_likelihood(const body::LikelihoodSettings& settings, int threads) {
  return std::make_unique<EmbreeLikelihood>(settings, threads);
}

}  // namespace kinema::bench

#else

namespace kinema::bench {

std::string embree_version() { return ""; }

std::unique_ptr<body::Likelihood> make_embree_likelihood(const body::LikelihoodSettings&, int) {
  throw Error("Embree 3 is not built in: install libembree-dev and configure again");
}

}  // namespace kinema::bench

#endif
