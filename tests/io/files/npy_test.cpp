#include "io/files/npy.h"

#include "io/files/output_file.h"
#include "npy_bytes.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>

namespace kinema::io {
namespace {

using Shape = std::vector<std::size_t>;

template <class T>
void save(const std::filesystem::path& path, const std::vector<T>& data, const Shape& shape) {
  OutputFile file(path);
  write_npy<T>(file, data, shape);
  file.commit();
}

TEST(Npy, WhatIsWrittenIsReadBackBitForBit) {
  const ScratchFolder folder;
  std::vector<float> data(5 * 4 * 7);
  std::iota(data.begin(), data.end(), -3.25f);
  data[3] = std::numeric_limits<float>::quiet_NaN();
  data[4] = -std::numeric_limits<float>::infinity();
  save(folder / "a.npy", data, {5, 4, 7});
  const auto array = read_npy<float>(folder / "a.npy", {any_size, any_size, 7});
  EXPECT_EQ(array.shape, (Shape{5, 4, 7}));
  ASSERT_EQ(array.data.size(), data.size());
  EXPECT_EQ(std::memcmp(array.data.data(), data.data(), data.size() * sizeof(float)), 0);
}

TEST(Npy, ArraysWithoutElementsAreValid) {
  const ScratchFolder folder;
  for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}, Shape{0, 0}}) {
    save<float>(folder / "a.npy", {}, shape);
    const auto array = read_npy<float>(folder / "a.npy", {any_size, any_size});
    EXPECT_EQ(array.shape, shape);
    EXPECT_TRUE(array.data.empty());
  }
}

TEST(Npy, WrittenFileIsTheOneThatNumpyWrites) {
  const ScratchFolder folder;
  save<double>(folder / "a.npy", {1.0, -2.0}, {2});
  std::string dict = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
  dict.resize(128 - 10 - 1, ' ');  // NumPy: the data start at a multiple of 64
  std::string expected = npy_bytes(dict + "\n", "");
  for (double value : {1.0, -2.0}) expected.append(reinterpret_cast<const char*>(&value), sizeof value);
  EXPECT_EQ(bytes_of(folder / "a.npy"), expected);
}

TEST(Npy, DataStartAtAMultipleOf64ForAnyShape) {
  const ScratchFolder folder;
  Shape shape;
  for (int rank = 0; rank <= 32; ++rank) {
    save<float>(folder / "a.npy", {1.0f}, shape);
    EXPECT_EQ((bytes_of(folder / "a.npy").size() - sizeof(float)) % 64, 0u) << rank;
    EXPECT_EQ(read_npy<float>(folder / "a.npy", Shape(shape.size(), any_size)).shape, shape);
    shape.push_back(1);
  }
}

TEST(Npy, AllThreeVersionsAreRead) {
  const ScratchFolder folder;
  for (int version : {1, 2, 3}) {
    const auto path = folder.write("a.npy", npy_bytes(dict_of("<f4", "(2, 3)"), zeros(24), version));
    EXPECT_EQ(read_npy<float>(path, {any_size, 3}).shape, (Shape{2, 3})) << version;
  }
}

TEST(Npy, WhiteSpaceQuotesAndOrderOfKeysAreFree) {
  const ScratchFolder folder;
  for (const char* dict : {"{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
                           "{\"shape\": (2, 3,), \"fortran_order\": False, \"descr\": \"<f4\"}   \n",
                           " {\n 'fortran_order' :\tFalse ,\r\n 'shape' : ( 2 ,3 , ) , 'descr' : '<f4' , } \n\n"}) {
    const auto path = folder.write("a.npy", npy_bytes(dict, zeros(24)));
    EXPECT_EQ(read_npy<float>(path, {any_size, 3}).shape, (Shape{2, 3})) << dict;
  }
}

TEST(Npy, MarksAreReadFromBoolAndUint8) {
  const ScratchFolder folder;
  for (const char* descr : {"|b1", "|u1"}) {
    const auto path = folder.write("a.npy", npy_bytes(dict_of(descr, "(3,)"), std::string("\0\1\1", 3)));
    EXPECT_EQ(read_npy<std::uint8_t>(path, {any_size}).data, (std::vector<std::uint8_t>{0, 1, 1})) << descr;
  }
}

TEST(Npy, ShapesReadAsNumpyPrintsThem) {
  EXPECT_EQ(shape_text({}), "()");
  EXPECT_EQ(shape_text({3}), "(3,)");
  EXPECT_EQ(shape_text({any_size, 3}), "(any, 3)");
}

}  // namespace
}  // namespace kinema::io
