// A container of named arrays: a header with version, length and checksum, a table of sections, and their bytes,
// aligned to 64, little-endian. Arrays are used in place in the mapped file. Everything is checked before use.
//
//   0  8 bytes  magic             8  u32  version        12  u32  CRC-32 of everything from byte 16 on
//  16  u64      length of all    24  u32  sections       28  u32  0
//  32  sections x 64 bytes: name (40 bytes, zeros after it), u32 type, u32 0, u64 offset, u64 count of elements
#pragma once

#include "io/files/output_file.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

enum class SectionType : std::uint32_t { bytes = 1, uint16 = 2, uint32 = 3, float32 = 4 };

struct SectionFormat {
  std::array<char, 8> magic;
  std::uint32_t version = 1;
  const char* what = "";  ///< "an appearance model of kinema (.kface)", for messages
};

/// The content to write: views that must live until write().
class SectionWriter {
public:
  explicit SectionWriter(const SectionFormat& format) : format_(format) {}

  void add(const std::string& name, std::string_view bytes);
  void add(const std::string& name, std::span<const std::uint16_t> values);
  void add(const std::string& name, std::span<const std::uint32_t> values);
  void add(const std::string& name, std::span<const float> values);

  /// The caller commits the file.
  void write(OutputFile& file) const;

private:
  struct Section {
    std::string name;
    SectionType type;
    std::span<const std::byte> bytes;
    std::uint64_t count;
  };
  void add(const std::string& name, SectionType type, std::span<const std::byte> bytes, std::uint64_t count);

  SectionFormat format_;
  std::vector<Section> sections_;
};

class SectionReader {
public:
  /// Maps the file and checks header, table and checksum. Throws Error without the file's name.
  SectionReader(const std::filesystem::path& path, const SectionFormat& format);

  bool has(const std::string& name) const { return sections_.contains(name); }
  bool is_uint16(const std::string& name) const { return has(name) && sections_.at(name).type == SectionType::uint16; }
  std::size_t size() const { return sections_.size(); }
  std::uint64_t length() const;

  /// The elements of a section. Throws Error if it is missing or of another type.
  std::string_view text(const std::string& name) const;
  std::span<const std::uint16_t> uint16(const std::string& name) const;
  std::span<const std::uint32_t> uint32(const std::string& name) const;
  std::span<const float> float32(const std::string& name) const;

  /// Keeps the file mapped for holders of views.
  std::shared_ptr<const void> owner() const { return file_; }

  struct Section {
    SectionType type = SectionType::bytes;
    std::span<const std::byte> bytes;
  };
  const std::map<std::string, Section>& sections() const { return sections_; }

private:
  std::span<const std::byte> find(const std::string& name, SectionType type) const;

  std::shared_ptr<const class MappedFile> file_;
  std::map<std::string, Section> sections_;
};

}  // namespace kinema::io
