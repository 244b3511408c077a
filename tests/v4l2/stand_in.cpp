// A stand-in for a depth camera of Video4Linux 2, loaded with LD_PRELOAD: calls on the device of KINEMA_V4L2_DEVICE are
// answered as the kernel's documentation says (streaming I/O with mapped buffers), all others by the C library. It gives
// the images of KINEMA_V4L2_FRAMES, 640 x 480 pixels of Z16 with 64 bytes after each row, and is unplugged after
// KINEMA_V4L2_PULLED of them, for the next two attempts to open it, and after the last.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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

constexpr unsigned width = 640, height = 480, stride = 2 * width + 64, buffer_size = stride * height;
constexpr std::size_t image_size = 2 * width * height;

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

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
        nullptr, buffer_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    buffers_.at(static_cast<std::size_t>(offset) / buffer_size) = memory;
    return memory;
  }

  int control(unsigned long request, void* argument) {
    if (unplugged_) return failed(ENODEV);
    switch (request) {
      case VIDIOC_QUERYCAP:
        std::strcpy(reinterpret_cast<char*>(static_cast<v4l2_capability*>(argument)->card), "stand-in");
        return 0;
      case VIDIOC_ENUM_FMT: {
        auto& format = *static_cast<v4l2_fmtdesc*>(argument);
        if (format.index > 1) return failed(EINVAL);
        format.pixelformat = format.index == 0 ? V4L2_PIX_FMT_GREY : V4L2_PIX_FMT_Z16;
        return 0;
      }
      case VIDIOC_S_FMT: {
        v4l2_pix_format& pixels = static_cast<v4l2_format*>(argument)->fmt.pix;
        pixels.width = width;
        pixels.height = height;
        pixels.bytesperline = stride;
        pixels.sizeimage = buffer_size;
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
        buffer.length = buffer_size;
        buffer.m.offset = buffer.index * buffer_size;
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
    const bool last = (given_ + 1) * image_size > images_.size();
    if (last || given_ == pulled_) {
      refused_ = last ? 1000000 : 2;
      pulled_ = ~std::size_t{0};
      unplugged_ = true;
      return failed(ENODEV);
    }
    buffer.index = queued_.front();
    queued_.pop_front();
    char* memory = static_cast<char*>(buffers_.at(buffer.index));
    for (unsigned y = 0; y < height; ++y) {
      std::memcpy(memory + y * stride, images_.data() + given_ * image_size + y * 2 * width, 2 * width);
      std::memset(memory + y * stride + 2 * width, 0xff, stride - 2 * width);
    }
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

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  const char* device = std::getenv("KINEMA_V4L2_DEVICE");
  if (device != nullptr && std::strcmp(path, device) == 0) return camera().open();
  return next<int (*)(const char*, int, ...)>("open")(path, flags, mode);
}

int ioctl(int number, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  if (camera().is(number)) return camera().control(request, argument);
  return next<int (*)(int, unsigned long, ...)>("ioctl")(number, request, argument);
}

void* mmap(void* address, std::size_t size, int protection, int flags, int number, off_t offset) noexcept {
  if (number >= 0 && camera().is(number)) return camera().map(offset);
  return next<void* (*)(void*, std::size_t, int, int, int, off_t)>("mmap")(address, size, protection, flags, number,
                                                                           offset);
}

int close(int number) {
  if (camera().is(number)) camera().close();
  return next<int (*)(int)>("close")(number);
}

}  // extern "C"
