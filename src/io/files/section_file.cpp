#include "io/files/section_file.h"

#include "io/files/checksum.h"
#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace kinema::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the numbers of the file are used as they lie in it");

constexpr std::size_t header_bytes = 32, entry_bytes = 64, name_bytes = 40, alignment = 64, checked_from = 16;
constexpr std::size_t most_sections = 4096;

struct Entry {
  std::array<char, name_bytes> name{};
  std::uint32_t type = 0, reserved = 0;
  std::uint64_t offset = 0, count = 0;
};
static_assert(sizeof(Entry) == entry_bytes);

std::size_t aligned(std::size_t at) { return (at + alignment - 1) / alignment * alignment; }

std::size_t element_bytes(SectionType type) {
  switch (type) {
    case SectionType::bytes:
      return 1;
    case SectionType::uint16:
      return 2;
    case SectionType::uint32:
    case SectionType::float32:
      return 4;
  }
  return 0;
}

template <class T>
T read_at(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

template <class T>
std::span<const std::byte> bytes_of(const T* data, std::size_t count) {
  return {reinterpret_cast<const std::byte*>(data), count * sizeof(T)};
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
std::span<const T> as_numbers(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

constexpr const char* mend = "it is damaged: copy or train it again";

}  // namespace

void SectionWriter::add(const std::string& name, SectionType type, std::span<const std::byte> bytes,
                        std::uint64_t count) {
  if (name.empty() || name.size() >= name_bytes) throw Error(fmt::format("a section cannot be called '{}'", name));
  sections_.push_back({name, type, bytes, count});
}
void SectionWriter::add(const std::string& name, std::string_view bytes) {
  add(name, SectionType::bytes, bytes_of(bytes.data(), bytes.size()), bytes.size());
}
void SectionWriter::add(const std::string& name, std::span<const std::uint16_t> values) {
  add(name, SectionType::uint16, bytes_of(values.data(), values.size()), values.size());
}
void SectionWriter::add(const std::string& name, std::span<const std::uint32_t> values) {
  add(name, SectionType::uint32, bytes_of(values.data(), values.size()), values.size());
}
void SectionWriter::add(const std::string& name, std::span<const float> values) {
  add(name, SectionType::float32, bytes_of(values.data(), values.size()), values.size());
}

void SectionWriter::write(OutputFile& file) const {
  std::vector<Entry> table;
  std::size_t at = aligned(header_bytes + sections_.size() * entry_bytes);
  for (const Section& section : sections_) {
    Entry entry;
    std::copy(section.name.begin(), section.name.end(), entry.name.begin());
    entry.type = static_cast<std::uint32_t>(section.type);
    entry.offset = at;
    entry.count = section.count;
    table.push_back(entry);
    at = aligned(at + section.bytes.size());
  }
  const std::uint64_t length = at;

  std::string start(header_bytes, '\0');
  const auto put = [&](std::size_t place, const auto& value) {
    std::memcpy(start.data() + place, &value, sizeof(value));
  };
  put(0, format_.magic);
  put(8, format_.version);
  put(16, length);
  put(24, static_cast<std::uint32_t>(sections_.size()));
  start.append(reinterpret_cast<const char*>(table.data()), table.size() * entry_bytes);
  start.resize(aligned(start.size()), '\0');

  // the checksum covers the padding too, so that no bit of the file can change undetected
  const std::array<std::byte, alignment> zeros{};
  const auto padding = [&](std::size_t size) { return std::span(zeros).first(aligned(size) - size); };
  std::uint32_t crc = crc32(bytes_of(start.data() + checked_from, start.size() - checked_from));
  for (const Section& section : sections_) crc = crc32(padding(section.bytes.size()), crc32(section.bytes, crc));
  put(12, crc);

  file.write(start);
  for (const Section& section : sections_) {
    file.write(as_text(section.bytes));
    file.write(as_text(padding(section.bytes.size())));
  }
}

SectionReader::SectionReader(const std::filesystem::path& path, const SectionFormat& format)
    : file_(std::make_shared<const MappedFile>(path)) {
  const std::span<const std::byte> bytes = file_->bytes();
  if (bytes.size() < 16 || std::memcmp(bytes.data(), format.magic.data(), format.magic.size()) != 0) {
    throw Error(fmt::format("is not {}", format.what));
  }
  if (const auto version = read_at<std::uint32_t>(bytes, 8); version != format.version) {
    throw Error(fmt::format("is {} of version {}; this kinema reads version {}: train it again", format.what, version,
                            format.version));
  }
  if (bytes.size() < header_bytes) throw Error(fmt::format("ends within its header: {}", mend));
  const auto length = read_at<std::uint64_t>(bytes, 16);
  if (length != bytes.size()) {
    throw Error(fmt::format("has {} bytes and says that they are {}: {}", bytes.size(), length, mend));
  }
  if (crc32(bytes.subspan(checked_from)) != read_at<std::uint32_t>(bytes, 12)) {
    throw Error(fmt::format("does not have the checksum that it states: {}", mend));
  }
  const std::size_t count = read_at<std::uint32_t>(bytes, 24);
  if (count > most_sections || header_bytes + count * entry_bytes > bytes.size()) {
    throw Error(fmt::format("says that it has {} sections: {}", count, mend));
  }
  const std::size_t first = aligned(header_bytes + count * entry_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto entry = read_at<Entry>(bytes, header_bytes + i * entry_bytes);
    const std::string name(entry.name.data(), ::strnlen(entry.name.data(), name_bytes));
    const auto type = static_cast<SectionType>(entry.type);
    const std::size_t element = element_bytes(type);
    if (name.empty() || name.size() == name_bytes || element == 0)
      throw Error(fmt::format("section {} has no name or type: {}", i, mend));
    if (entry.offset < first || entry.offset > bytes.size() || entry.offset % alignment != 0 ||
        entry.count > (bytes.size() - entry.offset) / element) {
      throw Error(fmt::format("section '{}' lies outside the file: {}", printable(name), mend));
    }
    const bool added =
        sections_.emplace(name, Section{type, bytes.subspan(entry.offset, entry.count * element)}).second;
    if (!added) throw Error(fmt::format("section '{}' comes twice: {}", printable(name), mend));
  }
}

std::uint64_t SectionReader::length() const { return file_->bytes().size(); }

std::span<const std::byte> SectionReader::find(const std::string& name, SectionType type) const {
  const auto found = sections_.find(name);
  if (found == sections_.end()) throw Error(fmt::format("has no section '{}': {}", printable(name), mend));
  if (found->second.type != type)
    throw Error(fmt::format("section '{}' is of another type: {}", printable(name), mend));
  return found->second.bytes;
}

std::string_view SectionReader::text(const std::string& name) const { return as_text(find(name, SectionType::bytes)); }
std::span<const std::uint16_t> SectionReader::uint16(const std::string& name) const {
  return as_numbers<std::uint16_t>(find(name, SectionType::uint16));
}
std::span<const std::uint32_t> SectionReader::uint32(const std::string& name) const {
  return as_numbers<std::uint32_t>(find(name, SectionType::uint32));
}
std::span<const float> SectionReader::float32(const std::string& name) const {
  return as_numbers<float>(find(name, SectionType::float32));
}

}  // namespace kinema::io
