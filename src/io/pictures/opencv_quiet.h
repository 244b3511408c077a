// Silences OpenCV's own lines on standard error: an Error reports each failure once.
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
