// OpenCV without its own lines on standard error: what went wrong is said once, by an Error.
#pragma once

#include <opencv2/core/utils/logger.hpp>

namespace kinema::io {

class QuietOpenCV {
public:
  QuietOpenCV() : before_(cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT)) {}
  ~QuietOpenCV() { cv::utils::logging::setLogLevel(before_); }
  QuietOpenCV(const QuietOpenCV&) = delete;
  QuietOpenCV& operator=(const QuietOpenCV&) = delete;

private:
  cv::utils::logging::LogLevel before_;
};

}  // namespace kinema::io
