#include "serve/messages/calibration_feed.h"

#include <vector>

namespace kinema::serve {

void CalibrationFeed::tell(const std::string& result) { open(opening({{"wanted", wanted_}, {"result", result}})); }

void CalibrationFeed::add(const Frame& frame) {
  if (!opened()) tell("");
  const int width = frame.left.width, height = frame.left.height;
  nlohmann::ordered_json message = header({{"width", width},
                                           {"height", height},
                                           {"found", frame.board.has_value()},
                                           {"taken", frame.taken},
                                           {"views", frame.views.size()},
                                           {"lacking", frame.lacking},
                                           {"coverage", io::coverage_of(frame.views, width, height).seen}});
  const RgbPicture left = rgb_picture(frame.left, widest_picture), right = rgb_picture(frame.right, widest_picture);
  std::vector<ArrayPart> arrays{left.part("left"), right.part("right")};
  if (frame.board) {
    const std::size_t corners = frame.board->corners.size();
    arrays.push_back(array_part<float>("left_corners", frame.board->left, {corners, 2}));
    arrays.push_back(array_part<float>("right_corners", frame.board->right, {corners, 2}));
  }
  publish(std::move(message), arrays);
}

void CalibrationFeed::finish(const std::string& words) {
  tell(words);
  Feed::finish();
}

}  // namespace kinema::serve
