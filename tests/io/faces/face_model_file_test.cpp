// A model comes back from its file as it was; a file that was cut, changed or made up is refused with one line.
#include "io/faces/face_model_file.h"

#include "io/files/checksum.h"
#include "refusal.h"
#include "scratch_folder.h"
#include "small_face_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

namespace kinema::io {
namespace {

std::vector<float> floats(const face::Array<float>& array) { return {array.begin(), array.end()}; }

void expect_same(const face::Matrix& a, const face::Matrix& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(floats(a.values), floats(b.values));
}

// Puts the right checksum over bytes that were changed on purpose.
void seal(std::string& bytes) {
  const std::uint32_t crc = crc32(std::as_bytes(std::span(bytes)).subspan(16));
  std::memcpy(bytes.data() + 12, &crc, 4);
}

TEST(FaceModelFile, ChecksumIsThatOfEverybodyElse) {
  const std::string text = "123456789";
  EXPECT_EQ(crc32(std::as_bytes(std::span(text))), 0xCBF43926u);
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(crc32(bytes.subspan(4), crc32(bytes.first(4))), 0xCBF43926u);
}

TEST(FaceModelFile, ComesBackAsItWas) {
  const ScratchFolder folder;
  const face::Model& model = small_face_model();
  write_face_model(folder / "m.kface", model);
  const face::Model read = read_face_model(folder / "m.kface");
  EXPECT_EQ(floats(read.shape.mean), floats(model.shape.mean));
  expect_same(read.shape.modes, model.shape.modes);
  expect_same(read.pose_modes, model.pose_modes);
  EXPECT_EQ(read.triangles, model.triangles);
  EXPECT_EQ(read.layout.mirror, model.layout.mirror);
  EXPECT_EQ(read.layout.groups.size(), model.layout.groups.size());
  EXPECT_EQ(read.layout.outer_eyes, model.layout.outer_eyes);
  ASSERT_EQ(read.levels.size(), model.levels.size());
  for (std::size_t i = 0; i < read.levels.size(); ++i) {
    const face::Level &a = read.levels[i], &b = model.levels[i];
    EXPECT_EQ(a.features, b.features);
    EXPECT_EQ(a.scale, b.scale);
    EXPECT_EQ(a.frame.x, b.frame.x);
    EXPECT_EQ(a.residual_variance, b.residual_variance);
    EXPECT_EQ(a.shape_weight, b.shape_weight);
    EXPECT_TRUE(std::equal(a.places.begin(), a.places.end(), b.places.begin(), b.places.end()));
    EXPECT_TRUE(std::equal(a.pixel_triangles.begin(), a.pixel_triangles.end(), b.pixel_triangles.begin(),
                           b.pixel_triangles.end()));
    EXPECT_TRUE(std::equal(a.neighbours.begin(), a.neighbours.end(), b.neighbours.begin(), b.neighbours.end()));
    expect_same(a.texture_modes, b.texture_modes);
    expect_same(a.gradient, b.gradient);
    expect_same(a.project_out, b.project_out);
  }
  ASSERT_EQ(read.cascade.stages.size(), model.cascade.stages.size());
  expect_same(read.cascade.stages.back().gradient, model.cascade.stages.back().gradient);
  EXPECT_EQ(floats(read.quality.weights), floats(model.quality.weights));
  EXPECT_TRUE(read.quality.shape_weights.empty());
  EXPECT_EQ(read.sequence.size(), model.sequence.size());
  EXPECT_EQ(read.detector_box.scale, model.detector_box.scale);
  EXPECT_EQ(read.examples, model.examples);
  EXPECT_EQ(read.note, "for tests");

  // and once more: nothing was lost that the first comparison does not look at
  write_face_model(folder / "again.kface", read);
  EXPECT_TRUE(bytes_of(folder / "again.kface") == bytes_of(folder / "m.kface"));
}

TEST(FaceModelFile, KeepsTheWeightsOfShapes) {
  const ScratchFolder folder;
  face::Model model = small_face_model();
  const std::vector<float> weights(model.shape.modes.rows, 0.25f);
  model.quality.shape_weights = weights;
  write_face_model(folder / "m.kface", model);
  EXPECT_EQ(floats(read_face_model(folder / "m.kface").quality.shape_weights), weights);
}

TEST(FaceModelFile, InSixteenBitsIsSmallerAndNearlyTheSame) {
  const ScratchFolder folder;
  const face::Model& model = small_face_model();
  write_face_model(folder / "m.kface", model);
  write_face_model(folder / "s.kface", model, FaceModelPrecision::small);
  EXPECT_LT(std::filesystem::file_size(folder / "s.kface"), 0.65 * std::filesystem::file_size(folder / "m.kface"));
  const face::Model read = read_face_model(folder / "s.kface");
  for (std::size_t k = 0; k < model.cascade.stages.size(); ++k) {
    const face::Matrix &a = read.cascade.stages[k].gradient, &b = model.cascade.stages[k].gradient;
    ASSERT_EQ(a.rows, b.rows);
    ASSERT_EQ(a.columns, b.columns);
    for (std::size_t i = 0; i < a.rows; ++i) {
      float most = 0;
      for (const float value : b.row(i)) most = std::max(most, std::abs(value));
      for (std::size_t j = 0; j < a.columns; ++j) ASSERT_NEAR(a.row(i)[j], b.row(i)[j], most / 65000);  // half a step
    }
  }
  // small matrices are kept as they are
  expect_same(read.shape.modes, model.shape.modes);
  // once in 16 bits, it does not change any more
  write_face_model(folder / "again.kface", read, FaceModelPrecision::small);
  expect_same(read_face_model(folder / "again.kface").cascade.stages[0].gradient, read.cascade.stages[0].gradient);
}

TEST(FaceModelFile, OutlivesTheReaderThatMappedIt) {
  const ScratchFolder folder;
  write_face_model(folder / "m.kface", small_face_model());
  face::Model copy;
  {
    const face::Model read = read_face_model(folder / "m.kface");
    copy.shape = read.shape;
  }
  std::filesystem::remove(folder / "m.kface");
  EXPECT_EQ(floats(copy.shape.mean), floats(small_face_model().shape.mean));
}

TEST(FaceModelFile, RefusesWhatIsNoModel) {
  const ScratchFolder folder;
  const auto refuses = [&](const std::string& bytes, const std::string& says) {
    const auto path = folder.write("x.kface", bytes);
    expect_refusal(path, says, [&] { read_face_model(path); });
  };
  refuses("", "is empty");
  refuses("KFACE", "is not an appearance model");
  refuses("a text that is long enough to be read as a header, but is none", "is not an appearance model");
  write_face_model(folder / "m.kface", small_face_model());
  const std::string right = bytes_of(folder / "m.kface");
  std::string other = right;
  other[8] = 9;
  refuses(other, "of version 9; this kinema reads version 1");
  refuses(right.substr(0, 20), "ends within its header");
  refuses(right.substr(0, right.size() - 64), "says that they are");
  refuses(right + "more", "says that they are");
  other = right;
  other[right.size() / 2] = static_cast<char>(other[right.size() / 2] ^ 1);
  refuses(other, "checksum");
  expect_refusal(folder / "none.kface", "there is no such file", [&] { read_face_model(folder / "none.kface"); });
  expect_refusal(folder.path(), "is a folder", [&] { read_face_model(folder.path()); });
}

// Any bit may change: the checksum sees it.
TEST(FaceModelFile, RefusesEveryFlippedBit) {
  const ScratchFolder folder;
  write_face_model(folder / "m.kface", small_face_model());
  const std::string right = bytes_of(folder / "m.kface");
  std::mt19937 random(11);
  for (int round = 0; round < 150; ++round) {
    std::string bytes = right;
    // the header and the table bit by bit, the rest by chance
    const std::size_t at = round < 100 ? static_cast<std::size_t>(round) : random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
    const auto path = folder.write("x.kface", bytes);
    EXPECT_NE(refusal_of([&] { read_face_model(path); }), "") << at;
  }
}

// A file that somebody made with care, its checksum right: what it says is checked all the same.
class SealedFaceModelFile : public testing::TestWithParam<FaceModelPrecision> {};

TEST_P(SealedFaceModelFile, MutationsAreReadConsistentlyOrRefused) {
  const ScratchFolder folder;
  write_face_model(folder / "m.kface", small_face_model(), GetParam());
  const std::string right = bytes_of(folder / "m.kface");
  const std::size_t json = right.find("{\n");
  ASSERT_NE(json, std::string::npos);
  std::mt19937 random(12);
  const auto any = [&](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random); };
  std::size_t table = 0;
  std::memcpy(&table, right.data() + 24, 4);
  table = 32 + 64 * table;
  std::size_t read = 0, refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::string bytes = right;
    for (std::size_t mutation = 0, count = 1 + any(3); mutation < count; ++mutation) {
      // the table, the JSON, and the numbers
      const std::size_t part = any(3);
      const std::size_t at = part == 0   ? 24 + any(table - 24)
                             : part == 1 ? json + any(right.size() - json)
                                         : any(right.size());
      if (part == 1) {
        bytes[at] = "0123456789-.e,[]{}\"tfn"[any(22)];
      } else if (any(2) == 0) {
        bytes[at] = static_cast<char>(any(256));
      } else {
        const std::uint32_t odd[] = {0xffffffffu, 0x7fc00000u, 0x7f800000u, 0x80000000u};
        std::memcpy(bytes.data() + std::min(at, bytes.size() - 4) / 4 * 4, &odd[any(4)], 4);
      }
    }
    seal(bytes);
    const auto path = folder.write("x.kface", bytes);
    try {
      const face::Model model = read_face_model(path);
      face::check(model);
      ++read;
    } catch (const Error& error) {
      expect_line_about(path, error.what());
      ++refused;
    }
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(read, 10u);
}

INSTANTIATE_TEST_SUITE_P(Precisions, SealedFaceModelFile,
                         testing::Values(FaceModelPrecision::full, FaceModelPrecision::small));

TEST(FaceModelFile, WritesNothingWhereTheModelIsWrong) {
  const ScratchFolder folder;
  face::Model model = small_face_model();
  model.triangles[0][0] = 999;
  EXPECT_NE(refusal_of([&] { write_face_model(folder / "m.kface", model); }), "");
  EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace kinema::io
