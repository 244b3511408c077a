// What is sent of a face that was found: landmarks, their confidence, and the parameters of the appearance.
#pragma once

#include "kinema/face_tracker.h"
#include "serve/messages/message.h"

#include <cstddef>
#include <vector>

namespace kinema::serve {

/// Keeps the numbers that the arrays view.
class FaceParts {
public:
  static constexpr std::size_t most_modes = 24;

  void tell(const face::Model& model, const face::GreyView& picture, const face::Estimate& face,
            nlohmann::ordered_json& header, std::vector<ArrayPart>& arrays);

private:
  std::vector<float> shape_, texture_;  // in standard deviations
};

}  // namespace kinema::serve
