// A pose of the default person as JSON.
#include "fuzz.h"
#include "io/motion/skeleton_json.h"
#include "kinema/skeleton.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  static const body::Skeleton skeleton = body::default_human();
  const fuzz::MemoryFile file(bytes);
  fuzz::expect_result_or_error([&] {
    const body::Pose pose = io::read_pose(file.path(), skeleton);
    fuzz::require(pose.angles.size() == skeleton.angle_count());
  });
  return 0;
}
