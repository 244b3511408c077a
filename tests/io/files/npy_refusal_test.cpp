// What is no array that kinema could read is refused with one line that names the file, and never read.
#include "io/files/npy.h"

#include "kinema/error.h"
#include "mutation.h"
#include "npy_bytes.h"
#include "refusal.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>

#include <limits>

namespace kinema::io {
namespace {

struct Refusal {
  const char* name;
  std::string bytes;
  std::string says;  // what the line must hold
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

std::string message_of(const std::filesystem::path& path, const std::vector<std::size_t>& expected = {any_size, 3}) {
  try {
    read_npy<float>(path, expected);
  } catch (const Error& error) {
    EXPECT_EQ(error.cause(), Error::Cause::input);
    const std::string message = error.what();
    EXPECT_EQ(message.rfind(path.string() + ": ", 0), 0u) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), path.string().size() + 300) << message;
    return message;
  }
  return "";
}

class NpyRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(NpyRefuses, WithOneLine) {
  const ScratchFolder folder;
  const std::string message = message_of(folder.write("p.npy", GetParam().bytes));
  EXPECT_NE(message.find(GetParam().says), std::string::npos) << "says: " << message;
}

std::string array(const std::string& descr, const std::string& shape, std::size_t bytes = 24) {
  return npy_bytes(dict_of(descr, shape), zeros(bytes));
}
std::string dict(const std::string& text) { return npy_bytes(text, zeros(24)); }

const Refusal refusals[] = {
    {"Empty", "", "is empty"},
    {"Text", "x y z\n1 2 3\n", "is not a .npy file"},
    {"Short", "\x93NUM", "is not a .npy file"},
    {"Zip", "PK\x03\x04 and more of an .npz", "is not a .npy file"},
    {"Version0", npy_bytes(dict_of("<f4", "(2, 3)"), zeros(24), 0), "version 0.0"},
    {"Version4", npy_bytes(dict_of("<f4", "(2, 3)"), zeros(24), 4), "version 4.0"},
    {"NoLength", std::string("\x93NUMPY\x02\x00\x10\x00", 10), "ends within its header"},
    {"HeaderPastEnd", std::string("\x93NUMPY\x01\x00\xff\xff{'descr'", 18), "ends within its header"},
    {"HugeHeaderLength", std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13), "ends within its header"},
    {"HugeHeader", npy_bytes(std::string(70000, ' '), "", 2), "has a header of 70000 bytes"},
    {"EmptyHeader", dict(""), "is not a dict"},
    {"NoDict", dict("[1, 2, 3]\n"), "is not a dict"},
    {"OpenDict", dict("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)"), "no ','"},
    {"AfterDict", dict("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} and more"), "goes on after its dict"},
    {"NoDescr", dict("{'fortran_order': False, 'shape': (2, 3)}"), "has no 'descr'"},
    {"NoOrder", dict("{'descr': '<f4', 'shape': (2, 3)}"), "has no 'fortran_order'"},
    {"NoShape", dict("{'descr': '<f4', 'fortran_order': False}"), "has no 'shape'"},
    {"RepeatedKey", dict("{'descr': '<f4', 'descr': '<f4'}"), "repeated key 'descr'"},
    {"UnknownKey", dict("{'colour': 'red'}"), "unknown or repeated key 'colour'"},
    {"OpenQuote", dict("{'descr"), "without its end"},
    {"OddWord", dict("{'de\nscr': 1}"), "odd character"},
    {"NoColon", dict("{'descr' '<f4'}"), "no ':'"},
    {"OddOrder", dict("{'fortran_order': 0}"), "neither True nor False"},
    {"Float64", array("<f8", "(1, 3)"),
     "holds float64 ('<f8'); kinema reads float32: save it with arr.astype(np.float32)"},
    {"BigEndian", array(">f4", "(2, 3)"), "holds big-endian float32 ('>f4')"},
    {"Int32", array("<i4", "(2, 3)"), "holds int32 ('<i4')"},
    {"Float16", array("<f2", "(4, 3)"), "holds float16 ('<f2')"},
    {"Objects", array("|O", "(1, 3)"), "holds Python objects ('|O')"},
    {"Text4", array("<U1", "(2, 3)"), "holds text ('<U1')"},
    {"NoType", array("", "(2, 3)"), "holds another type ('')"},
    {"OddType", array("<f44", "(2, 3)"), "holds another type ('<f44')"},
    {"Records", dict("{'descr': [('x', '<f4'), ('y', '<f4')], 'fortran_order': False, 'shape': (3,), }"),
     "holds records"},
    {"FortranOrder", npy_bytes(dict_of("<f4", "(2, 3)", "True"), zeros(24)), "np.ascontiguousarray"},
    {"Rank0", array("<f4", "()", 4), "has the shape (), where (any, 3) is needed"},
    {"Rank1", array("<f4", "(6,)"), "has the shape (6,), where (any, 3) is needed"},
    {"Rank3", array("<f4", "(1, 2, 3)"), "has the shape (1, 2, 3), where (any, 3) is needed"},
    {"LastDimension", array("<f4", "(3, 2)"), "has the shape (3, 2), where (any, 3) is needed"},
    {"ShapeIsNumber", array("<f4", "6"), "'shape' that is not a tuple"},
    {"ShapeInBrackets", array("<f4", "(6)"), "'shape' that is not a tuple"},
    {"ShapeIsList", array("<f4", "[2, 3]"), "'shape' that is not a tuple"},
    {"NegativeShape", array("<f4", "(-2, 3)"), "negative number"},
    {"FractionShape", array("<f4", "(2.0, 3)"), "no ','"},
    {"WordShape", array("<f4", "(two, 3)"), "is not a whole number"},
    {"OpenShape", array("<f4", "(2, 3"), "is not a whole number"},
    {"ShapePast64Bits", array("<f4", "(99999999999999999999999, 3)"), "too large"},
    {"ProductOverflows", array("<f4", "(6148914691236517206, 3)"), "which no memory can hold"},
    {"ShapeOf64Bits", npy_bytes(dict_of("<f4", "(18446744073709551615, 3)"), ""), "too large"},
    {"LargerThanFile", array("<f4", "(1000000000000, 3)"), "needs 12000000000000 bytes of data and 24 are there"},
    {"Truncated", array("<f4", "(2, 3)", 23), "is cut short: its shape (2, 3) needs 24 bytes of data and 23 are there"},
    {"NoData", array("<f4", "(2, 3)", 0), "is cut short"},
    {"Garbage", array("<f4", "(2, 3)", 25), "goes on after its data"},
    {"DataBesideNoShape", array("<f4", "(0, 3)", 4), "goes on after its data"},
};

INSTANTIATE_TEST_SUITE_P(Npy, NpyRefuses, testing::ValuesIn(refusals),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(NpyRefusal, OfAProductThatOverflowsBesideA0) {
  const ScratchFolder folder;
  const auto path = folder.write("c.npy", array("<f4", "(4611686018427387904, 0, 7)", 0));
  EXPECT_NE(message_of(path, {any_size, any_size, 7}).find("which no memory can hold"), std::string::npos);
}

TEST(NpyRefusal, OfAMissingFile) {
  const ScratchFolder folder;
  EXPECT_NE(message_of(folder / "none.npy").find("there is no such file"), std::string::npos);
  EXPECT_NE(message_of(folder / "none/none.npy").find("there is no such file"), std::string::npos);
}

TEST(NpyRefusal, OfAFolderAndADevice) {
  const ScratchFolder folder;
  EXPECT_NE(message_of(folder.path()).find("is a folder"), std::string::npos);
  EXPECT_NE(message_of("/dev/null").find("is not an ordinary file"), std::string::npos);
}

TEST(NpyRefusal, OfFloatsAsMarks) {
  const ScratchFolder folder;
  const auto path = folder.write("b.npy", array("<f4", "(6,)"));
  try {
    read_npy<std::uint8_t>(path, {any_size});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("reads bool or uint8 here"), std::string::npos) << error.what();
  }
}

// Whatever stands in the first bytes: an array that fills its shape and the file exactly, or an Error of one line.
TEST(NpyRefusal, MutatedFilesAreReadConsistentlyOrRefused) {
  const ScratchFolder folder;
  Mutation mutation(12345);
  const std::string pieces[] = {"(",
                                ")",
                                ",",
                                "{",
                                "}",
                                "'",
                                "\"",
                                ":",
                                "-",
                                "9",
                                "0",
                                "L",
                                "True",
                                "False",
                                "\\",
                                std::string(1, '\0'),
                                "18446744073709551615",
                                "4294967296",
                                "'descr'",
                                "'shape'",
                                "[",
                                "\n",
                                "\xff"};
  std::size_t read = 0, refused = 0;
  for (int round = 0; round < 6000; ++round) {
    const int version = 1 + static_cast<int>(mutation.any(3));
    const std::string right =
        npy_bytes(dict_of("<f4", round % 2 ? "(2, 3)" : "(0, 3)"), zeros(round % 2 ? 24 : 0), version);
    const std::string bytes = mutation.of(right, pieces);
    const auto path = folder.write("m.npy", bytes);
    try {
      const auto array = read_npy<float>(path, {any_size, 3});
      ASSERT_EQ(array.shape.size(), 2u);
      ASSERT_EQ(array.shape[1], 3u);
      ASSERT_EQ(array.data.size(), array.shape[0] * 3);
      ASSERT_LE(array.data.size() * sizeof(float), bytes.size());
      ++read;
    } catch (const Error& error) {
      expect_line_about(path, error.what());
      ++refused;
    }
  }
  // both ends of it were reached
  EXPECT_GT(read, 100u);
  EXPECT_GT(refused, 3000u);
}

}  // namespace
}  // namespace kinema::io
