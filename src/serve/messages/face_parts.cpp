#include "serve/messages/face_parts.h"

#include "io/faces/pose_text.h"
#include "serve/messages/face_appearance.h"

#include <algorithm>
#include <cmath>

namespace kinema::serve {

void FaceParts::tell(const face::Model& model, const face::GreyView& picture, const face::Estimate& face,
                     nlohmann::ordered_json& header, std::vector<ArrayPart>& arrays) {
  const face::Fit& fit = face.fit;
  header["quality"] = fit.quality;
  header["iterations"] = fit.iterations;
  header["ms"] = {{"fit", fit.ms}};
  if (face.head) header["head"] = nlohmann::ordered_json::parse(io::pose_json(*face.head));
  const std::size_t level = shown_level(model);
  const std::vector<float> sampled =
      face::sample_texture(model, static_cast<std::uint32_t>(level), picture, face.landmarks);
  shape_.clear();
  for (std::size_t m = 0; m < std::min(most_modes, fit.shape.size()); ++m) {
    shape_.push_back(fit.shape[m] / std::sqrt(std::max(1e-12f, model.shape.variances[m])));
  }
  texture_ = texture_parameters(model.levels[level], sampled, most_modes);
  arrays.push_back(array_part<float>("landmarks", face.landmarks, {face.landmarks.size() / 2, 2}));
  arrays.push_back(array_part<float>("confidence", fit.confidence, {fit.confidence.size()}));
  arrays.push_back(array_part<float>("shape", shape_, {shape_.size()}));
  arrays.push_back(array_part<float>("texture", texture_, {texture_.size()}));
}

}  // namespace kinema::serve
