#include "serve/messages/calibration_feed.h"

#include "serve/messages/message.h"
#include "serve/messages/picture_part.h"

#include <vector>

namespace kinema::serve {

void CalibrationFeed::open(const std::string& result) {
  opened_ = true;
  const nlohmann::ordered_json opening{
      {"say", "opening"}, {"channel", channel_.name()}, {"source", source_}, {"wanted", wanted_}, {"result", result}};
  channel_.open(Packet::text(text_of(opening)));
}

void CalibrationFeed::add(const Frame& frame) {
  if (!opened_) open("");
  const int width = frame.left.width, height = frame.left.height;
  nlohmann::ordered_json header{{"channel", channel_.name()},
                                {"index", channel_.next_index()},
                                {"width", width},
                                {"height", height},
                                {"found", frame.board.has_value()},
                                {"taken", frame.taken},
                                {"views", frame.views.size()},
                                {"lacking", frame.lacking}};
  header["coverage"] = io::coverage_of(frame.views, width, height).seen;
  const RgbPicture left = rgb_picture(frame.left, widest_picture), right = rgb_picture(frame.right, widest_picture);
  std::vector<ArrayPart> arrays{array_part<std::uint8_t>("left", left.rgb, {left.height, left.width, 3}),
                                array_part<std::uint8_t>("right", right.rgb, {right.height, right.width, 3})};
  if (frame.board) {
    const std::size_t corners = frame.board->corners.size();
    arrays.push_back(array_part<float>("left_corners", frame.board->left, {corners, 2}));
    arrays.push_back(array_part<float>("right_corners", frame.board->right, {corners, 2}));
  }
  channel_.publish(Packet::arrays(encode(std::move(header), arrays)));
}

void CalibrationFeed::finish(const std::string& words) {
  open(words);
  channel_.finish();
}

}  // namespace kinema::serve
