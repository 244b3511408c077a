#include "messages.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinema::python {
namespace {

// Longer ones first, where one begins as another does.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> options = {{
    {"--backend cpu", "backend='cpu'"},
    {"--camera-file", "camera_files="},
    {"--calibration-unit", "calibration_unit="},
    {"--depth-scale", "depth_scale="},
    {"--detector FILE", "face.Detector(FILE)"},
    {"--init start.jsonl", "start(landmarks=)"},
    {"--baseline", "baseline="},
    {"--reconnect", "reconnect="},
    {"--colour", "colour_pattern="},
    {"--fps", "fps="},
}};

}  // namespace

std::string in_python(std::string_view message) {
  std::string text;
  while (!message.empty()) {
    const auto* option =
        std::find_if(options.begin(), options.end(), [&](const auto& each) { return message.starts_with(each.first); });
    if (option == options.end()) {
      text += message.front();
      message.remove_prefix(1);
    } else {
      text += option->second;
      message.remove_prefix(option->first.size());
    }
  }
  return text;
}

}  // namespace kinema::python
