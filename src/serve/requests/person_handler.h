// One person in front of the camera of a page: colours and face joined, so that nothing needs to be calibrated.
#pragma once

#include "serve/requests/face_handler.h"
#include "serve/requests/head_handler.h"

namespace kinema::serve {

/// Messages: {"do":"camera","tracker":"person","sequence":n,"time":ms} with the array "picture" (height, width, 4); answered
/// by {"say":"person",...}. With "instead":"head" nobody is found, and the page should ask the head tracker: there is no face
/// model, or the user has calibrated a head, which is then followed by its colours.
class PersonHandler final : public CameraHandler {
public:
  /// The face model, the detector and the slots are those of `faces`, the calibration that of `heads`.
  PersonHandler(PageSender& sender, FaceSharedState& faces, HeadSharedState& heads);
};

}  // namespace kinema::serve
