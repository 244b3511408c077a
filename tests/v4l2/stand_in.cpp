// A stand-in for a camera of Video4Linux 2, loaded with LD_PRELOAD: calls on the device of KINEMA_V4L2_DEVICE are
// answered as the kernel's documentation says (streaming I/O with mapped buffers), all others by the C library. It gives
// the images of KINEMA_V4L2_FRAMES, 640 x 480 pixels of Z16 with 64 bytes after each row, or, if KINEMA_V4L2_STEREO is
// set, two pictures of 640 x 480 pixels side by side as BGR. It is unplugged after KINEMA_V4L2_PULLED of them, for the
// next two attempts to open it, and after the last.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

struct Images {
  unsigned pixel_format, width, height, row, stride;  // bytes of a row, without and with what is after it

  unsigned buffer_size() const { return stride * height; }
  std::size_t size() const { return std::size_t{row} * height; }
};

constexpr Images depth_images{V4L2_PIX_FMT_Z16, 640, 480, 2 * 640, 2 * 640 + 64};
constexpr Images pairs{V4L2_PIX_FMT_BGR24, 2 * 640, 480, 3 * 2 * 640, 3 * 2 * 640};

class Camera {
public:
  bool is(int number) const { return number >= 0 && number == number_; }

  int open() {
    if (refused_ > 0) {
      --refused_;
      errno = ENOENT;
      return -1;
    }
    number_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    unplugged_ = false;
    return number_;
  }

  void close() {
    number_ = -1;
    buffers_.clear();
    queued_.clear();
  }

  void* map(long offset) {
    void* memory = next<void* (*)(void*, std::size_t, int, int, int, off_t)>("mmap")(
        nullptr, kind_.buffer_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    buffers_.at(static_cast<std::size_t>(offset) / kind_.buffer_size()) = memory;
    return memory;
  }

  int control(unsigned long request, void* argument) {
    if (unplugged_) return failed(ENODEV);
    switch (request) {
      case VIDIOC_QUERYCAP: {
        auto& capability = *static_cast<v4l2_capability*>(argument);
        std::strcpy(reinterpret_cast<char*>(capability.card), "stand-in");
        capability.capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
        return 0;
      }
      case VIDIOC_ENUM_FMT: {
        auto& format = *static_cast<v4l2_fmtdesc*>(argument);
        if (format.index > 1) return failed(EINVAL);
        format.pixelformat = format.index == 0 ? V4L2_PIX_FMT_GREY : kind_.pixel_format;
        return 0;
      }
      case VIDIOC_G_FMT:
      case VIDIOC_S_FMT: {
        v4l2_pix_format& pixels = static_cast<v4l2_format*>(argument)->fmt.pix;
        pixels.pixelformat = kind_.pixel_format;
        pixels.width = kind_.width;
        pixels.height = kind_.height;
        pixels.bytesperline = kind_.stride;
        pixels.sizeimage = kind_.buffer_size();
        return 0;
      }
      case VIDIOC_S_PARM:
        return 0;
      case VIDIOC_REQBUFS:
        static_cast<v4l2_requestbuffers*>(argument)->count = 3;  // fewer than asked for, as drivers may
        buffers_.assign(3, nullptr);
        return 0;
      case VIDIOC_QUERYBUF: {
        auto& buffer = *static_cast<v4l2_buffer*>(argument);
        buffer.length = kind_.buffer_size();
        buffer.m.offset = buffer.index * kind_.buffer_size();
        return 0;
      }
      case VIDIOC_QBUF:
        queued_.push_back(static_cast<v4l2_buffer*>(argument)->index);
        return 0;
      case VIDIOC_STREAMON: {
        const itimerspec every{{0, 33333333}, {0, 33333333}};
        ::timerfd_settime(number_, 0, &every, nullptr);
        return 0;
      }
      case VIDIOC_STREAMOFF:
        return 0;
      case VIDIOC_DQBUF:
        return give(*static_cast<v4l2_buffer*>(argument));
      default:
        return failed(ENOTTY);
    }
  }

private:
  static int failed(int error) {
    errno = error;
    return -1;
  }

  int give(v4l2_buffer& buffer) {
    std::uint64_t ticks = 0;
    if (::read(number_, &ticks, sizeof(ticks)) < 0 || queued_.empty()) return failed(EAGAIN);
    const bool last = (given_ + 1) * kind_.size() > images_.size();
    if (last || given_ == pulled_) {
      refused_ = last ? 1000000 : 2;
      pulled_ = ~std::size_t{0};
      unplugged_ = true;
      return failed(ENODEV);
    }
    buffer.index = queued_.front();
    queued_.pop_front();
    char* memory = static_cast<char*>(buffers_.at(buffer.index));
    for (unsigned y = 0; y < kind_.height; ++y) {
      std::memcpy(memory + y * kind_.stride, images_.data() + given_ * kind_.size() + y * kind_.row, kind_.row);
      std::memset(memory + y * kind_.stride + kind_.row, 0xff, kind_.stride - kind_.row);
    }
    buffer.bytesused = buffer.length = kind_.buffer_size();
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    buffer.timestamp = {now.tv_sec, now.tv_nsec / 1000};
    buffer.flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    ++given_;
    return 0;
  }

  static std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const Images& kind_ = std::getenv("KINEMA_V4L2_STEREO") != nullptr ? pairs : depth_images;
  std::string images_ = bytes_of(variable("KINEMA_V4L2_FRAMES"));
  std::size_t given_ = 0;
  std::size_t pulled_ =
      variable("KINEMA_V4L2_PULLED").empty() ? ~std::size_t{0} : std::stoul(variable("KINEMA_V4L2_PULLED"));
  int number_ = -1, refused_ = 0;
  bool unplugged_ = false;
  std::vector<void*> buffers_;
  std::deque<unsigned> queued_;
};

Camera& camera() {
  static Camera one;
  return one;
}

}  // namespace

extern "C" {

int stat(const char* file, struct stat* buf) noexcept {
  const char* device = std::getenv("KINEMA_V4L2_DEVICE");
  if (device == nullptr || std::strcmp(file, device) != 0)
    return next<int (*)(const char*, struct stat*)>("stat")(file, buf);
  *buf = {};
  buf->st_mode = S_IFCHR | 0600;
  return 0;
}

int open(const char* file, int oflag, ...) {
  va_list rest;
  va_start(rest, oflag);
  const mode_t mode = (oflag & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  const char* device = std::getenv("KINEMA_V4L2_DEVICE");
  if (device != nullptr && std::strcmp(file, device) == 0) return camera().open();
  return next<int (*)(const char*, int, ...)>("open")(file, oflag, mode);
}

int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  if (camera().is(fd)) return camera().control(request, argument);
  return next<int (*)(int, unsigned long, ...)>("ioctl")(fd, request, argument);
}

void* mmap(void* addr, std::size_t len, int prot, int flags, int fd, off_t offset) noexcept {
  if (fd >= 0 && camera().is(fd)) return camera().map(offset);
  return next<void* (*)(void*, std::size_t, int, int, int, off_t)>("mmap")(addr, len, prot, flags, fd, offset);
}

int close(int fd) {
  if (camera().is(fd)) camera().close();
  return next<int (*)(int)>("close")(fd);
}

}  // extern "C"
