// Files from somebody else, which claim to be a video or a picture: no other file is opened because of what they say.
#include "io/pictures/image_file.h"
#include "io/pictures/picture_sink.h"
#include "io/pictures/video_capture.h"
#include "kinema/recording.h"
#include "kinema/source.h"

#include "refusal.h"
#include "scratch_folder.h"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <initializer_list>
#include <string_view>

namespace kinema::io {
namespace {

namespace fs = std::filesystem;

// A file that is nobody's business. Files to be tested lie beside it, and name it by name and by path.
class ForeignFile : public ::testing::Test {
protected:
  ~ForeignFile() override { ::close(watch_); }

  void make_secret(const std::string& name) {
    secret_ = folder_ / name;
    const Picture picture{64, 48, std::vector<std::uint8_t>(64 * 48 * 3, 200)};
    if (name.ends_with(".png")) {
      write_picture_png(secret_, picture);
    } else {
      PictureSink film(secret_, 10);
      for (int i = 0; i < 10; ++i) film.add(picture, i);
      film.commit();
    }
    ASSERT_GE(::inotify_add_watch(watch_, secret_.c_str(), IN_OPEN), 0);
  }

  // Whether the secret has been opened since this was last called.
  bool opened() const {
    std::array<char, 4096> events;
    return ::read(watch_, events.data(), events.size()) > 0;
  }

  // Under each name that a video may have, by each way in which files are opened.
  void expect_not_followed(const std::string& bytes) {
    for (const char* name : {"clip.mp4", "clip.avi", "clip.mkv", "clip.webm"}) {
      const fs::path file = folder_.write(name, bytes);
      expect_refusal(file, "is not a video", [&] { VideoFile(file, VideoFile::Content::colour); });
      EXPECT_FALSE(opened()) << name;
      EXPECT_NE(refusal_of([&] { open_colour({file.string()}); }), "");
      EXPECT_NE(refusal_of([&] { open_recording({file.string()}); }), "");
      EXPECT_FALSE(opened()) << name;
    }
  }

  ScratchFolder folder_;
  fs::path secret_;
  int watch_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
};

TEST_F(ForeignFile, TheSecretIsAVideoAndWouldBeSeen) {
  make_secret("secret.mp4");
  VideoFile film(secret_, VideoFile::Content::colour);
  Picture picture;
  EXPECT_TRUE(film.next(picture));
  EXPECT_TRUE(opened());
  EXPECT_FALSE(opened());
}

TEST_F(ForeignFile, APlaylistIsNotFollowed) {
  make_secret("secret.mp4");
  for (const std::string& segment : {secret_.string(), std::string("secret.mp4"), "file://" + secret_.string()}) {
    expect_not_followed("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:1,\n" + segment + "\n#EXT-X-ENDLIST\n");
  }
}

TEST_F(ForeignFile, AConcatScriptIsNotFollowed) {
  make_secret("secret.mp4");
  expect_not_followed("ffconcat version 1.0\nfile secret.mp4\n");
}

TEST_F(ForeignFile, AManifestIsNotFollowed) {
  make_secret("secret.mp4");
  const std::string manifest = fmt::format(
      R"(<MPD profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" type="static" mediaPresentationDuration="PT1S">
<Period><AdaptationSet mimeType="video/mp4"><Representation id="0" bandwidth="1"><BaseURL>{}</BaseURL>
</Representation></AdaptationSet></Period></MPD>)",
      secret_.string());
  expect_not_followed(manifest);
  // as the content of a box that MP4 allows at the beginning, of a size without a zero in it
  expect_not_followed(
      "\x20\x20\x20\x20"
      "free" +
      manifest);
}

TEST_F(ForeignFile, ASessionDescriptionIsNotFollowed) {
  make_secret("secret.mp4");
  expect_not_followed("v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 15004 RTP/AVP 33\n");
}

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

// Puts another box in place of one, and lengthens those around it, which are named from outside.
void replace_box(std::string& film, std::string_view name, const std::string& box,
                 std::initializer_list<std::string_view> around) {
  const std::size_t at = film.rfind(name) - 4;
  const auto size_at = [&](std::size_t from) {
    std::uint32_t size = 0;
    for (std::size_t i = from; i < from + 4; ++i) size = size << 8 | static_cast<unsigned char>(film[i]);
    return size;
  };
  const std::uint32_t old = size_at(at);
  for (const std::string_view outer : around) {
    const std::size_t begin = film.rfind(outer, at) - 4;
    film.replace(begin, 4, big_endian(size_at(begin) + static_cast<std::uint32_t>(box.size()) - old));
  }
  film.replace(at, old, box);
}

// A film of QuickTime whose frames lie in another file: an alias with the volume's name, the file's, how far it is, its path.
TEST_F(ForeignFile, AnAliasInAFilmIsNotFollowed) {
  make_secret("secret.mov");
  std::string film = bytes_of(secret_);
  const std::string path = secret_.string() + std::string(secret_.string().size() % 2, '\0');
  const auto padded = [](std::string text, std::size_t size) {
    text.resize(size);
    return text;
  };
  const auto item = [&](char type) {
    return std::string{'\0', type, static_cast<char>(secret_.string().size() >> 8),
                       static_cast<char>(secret_.string().size())} +
           path;
  };
  std::string alias(10, '\0');
  alias += padded(
               "\x03"
               "vol",
               28) +
           std::string(12, '\0') + padded("\x0asecret.mov", 64) + std::string(16, '\0') + std::string("\0\1\0\1", 4) +
           std::string(16, '\0') + item(18) + item(2) + "\xff\xff";
  alias.resize(std::max<std::size_t>(alias.size() + 2, 200));
  const std::string entry = big_endian(static_cast<std::uint32_t>(12 + alias.size())) + "alis" + big_endian(0) + alias;
  replace_box(
      film, "dref",
      big_endian(static_cast<std::uint32_t>(16 + entry.size())) + "dref" + big_endian(0) + big_endian(1) + entry,
      {"dinf", "minf", "mdia", "trak", "moov"});
  opened();  // to make the film
  for (const char* name : {"clip.mp4", "clip.mov", "clip.mkv"}) {
    const fs::path file = folder_.write(name, film);
    for (const char* asked : {"", "enable_drefs;1|use_absolute_path;1"}) {
      ::setenv("OPENCV_FFMPEG_CAPTURE_OPTIONS", asked, 1);
      try {
        open_colour({file.string()});
      } catch (const Error&) {
        // its own frames may be damaged or not
      }
      EXPECT_FALSE(opened()) << name << " " << asked;
      EXPECT_STREQ(std::getenv("OPENCV_FFMPEG_CAPTURE_OPTIONS"), asked);
    }
  }
  ::unsetenv("OPENCV_FFMPEG_CAPTURE_OPTIONS");
}

// OpenCV gives what begins in this way to GDAL, which takes it for a list of other pictures.
TEST_F(ForeignFile, AListOfPicturesIsNotFollowed) {
  make_secret("secret.png");
  const std::string list = fmt::format(
      R"(NITF00.00<VRTDataset rasterXSize="64" rasterYSize="48"><VRTRasterBand dataType="Byte" band="1">
<ColorInterp>Gray</ColorInterp><SimpleSource><SourceFilename relativeToVRT="0">{}</SourceFilename>
<SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>)",
      secret_.string());
  for (const char* name : {"a.png", "a.jpg", "a.tif"}) {
    const fs::path file = folder_.write(name, list);
    expect_refusal(file, "is not a picture", [&] { read_picture(file); });
    expect_refusal(file, "is not a picture", [&] { read_face_picture(file); });
    expect_refusal(file, "is not a picture", [&] { read_depth_image(file); });
    EXPECT_FALSE(opened()) << name;
  }
  EXPECT_NE(refusal_of([&] { decoded_picture(list); }), "");
  EXPECT_FALSE(opened());
}

}  // namespace
}  // namespace kinema::io
