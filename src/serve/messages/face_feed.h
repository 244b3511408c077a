// The face fitter's frames, for the Face page: the picture, landmarks with their confidence, and the parameters of the
// appearance; the model itself is sent once, so that the page can draw its faces.
#pragma once

#include "kinema/face_tracker.h"
#include "serve/messages/feed.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kinema::serve {

/// A face model as a page needs it to draw faces: the members of `header`, then those and the arrays of the model: the mesh, the
/// mean face and the modes at one standard deviation (docs/protocol.md, "face").
Packet face_model_message(nlohmann::ordered_json header, const face::Model& model);

/// What is sent of a face that was found: landmarks, their confidence, and the parameters of the appearance. Keeps the numbers
/// that the arrays view.
class FaceParts {
public:
  static constexpr std::size_t most_modes = 24;

  void tell(const face::Model& model, const face::GreyView& picture, const face::Estimate& face,
            nlohmann::ordered_json& header, std::vector<ArrayPart>& arrays);

private:
  std::vector<float> shape_, texture_;  // in standard deviations
};

class FaceFeed : public Feed {
public:
  static constexpr std::size_t widest_picture = 480;

  /// Tells the model at once.
  FaceFeed(Channel& channel, std::string source, std::shared_ptr<const face::Model> model);

  void add(std::int64_t number, const io::Picture& picture, const face::Estimate& face);

private:
  std::shared_ptr<const face::Model> model_;
};

}  // namespace kinema::serve
