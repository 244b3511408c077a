// A layout comes back as it was, and one that makes no sense is refused with its place.
#include "io/faces/layout_json.h"

#include "io/files/output_file.h"
#include "refusal.h"
#include "scratch_folder.h"

#include <nlohmann/json.hpp>

namespace kinema::io {
namespace {

void write_layout(const std::filesystem::path& path, const face::Layout& layout, std::size_t landmarks) {
  nlohmann::ordered_json json;
  json["landmarks"] = landmarks;
  if (layout.outer_eyes[0] >= 0) json["outer_eyes"] = layout.outer_eyes;
  json["groups"] = nlohmann::ordered_json::object();
  for (const face::Layout::Group& group : layout.groups) {
    json["groups"][group.name] = {{"points", group.points}, {"closed", group.closed}};
  }
  if (!layout.mirror.empty()) {
    json["mirror"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < layout.mirror.size(); ++i) {
      if (static_cast<std::size_t>(layout.mirror[i]) > i) json["mirror"].push_back({i, layout.mirror[i]});
    }
  }
  if (!layout.triangles.empty()) json["triangles"] = layout.triangles;
  write_file(path, json.dump(1) + "\n");
}

TEST(LayoutJson, ComesBackAsItWas) {
  const ScratchFolder folder;
  for (std::size_t landmarks : {68u, 73u}) {
    const face::Layout layout = face::default_layout(landmarks);
    ASSERT_FALSE(layout.mirror.empty());
    write_layout(folder / "l.json", layout, landmarks);
    const face::Layout read = read_layout(folder / "l.json", landmarks);
    EXPECT_EQ(read.mirror, layout.mirror);
    EXPECT_EQ(read.outer_eyes, layout.outer_eyes);
    EXPECT_EQ(read.triangles, layout.triangles);
    ASSERT_EQ(read.groups.size(), layout.groups.size());
    for (const face::Layout::Group& group : layout.groups) {
      const auto same =
          std::find_if(read.groups.begin(), read.groups.end(), [&](const auto& g) { return g.name == group.name; });
      ASSERT_NE(same, read.groups.end()) << group.name;
      EXPECT_EQ(same->points, group.points);
      EXPECT_EQ(same->closed, group.closed);
    }
  }
}

TEST(LayoutJson, TakesShortForms) {
  const ScratchFolder folder;
  const auto path = folder.write("l.json", R"({"groups":{"nose":[0,1]},"mirror":[[0,2]],"triangles":[[0,1,2]]})");
  const face::Layout layout = read_layout(path, 3);
  EXPECT_EQ(layout.mirror, (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(layout.outer_eyes[0], -1);
  EXPECT_FALSE(layout.groups.at(0).closed);
}

TEST(LayoutJson, RefusesWhatMakesNoSense) {
  const ScratchFolder folder;
  for (const auto& [text, says] :
       {std::pair<const char*, const char*>{R"({"landmarks":4})", "/landmarks: is 4, and the faces have 3"},
        {R"({"groups":{"nose":[0,3]}})", "/groups/nose/1: is 3: landmarks count from 0 to 2"},
        {R"({"groups":{"nose":{"point":[0]}}})", "/groups/nose/point: is not a name known here"},
        {R"({"mirror":[[0,1],[1,2]]})", "/mirror/1: names landmark 1 a second time"},
        {R"({"mirror":[[0]]})", "is not a pair"},
        {R"({"triangles":[[0,0,1]]})", "names a landmark twice"},
        {R"({"outer_eyes":[1,1]})", "names one landmark twice"},
        {R"({"triangle":[]})", "/triangle: is not a name known here"},
        {"[", "is not JSON"}}) {
    const auto path = folder.write("l.json", text);
    expect_refusal(path, says, [&] { read_layout(path, 3); });
  }
}

}  // namespace
}  // namespace kinema::io
