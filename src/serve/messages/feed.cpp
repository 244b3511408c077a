#include "serve/messages/feed.h"

#include <algorithm>

namespace kinema::serve {

nlohmann::ordered_json Feed::opening(const nlohmann::ordered_json& more) const {
  nlohmann::ordered_json opening{{"say", "opening"}, {"channel", channel_.name()}, {"source", source_}};
  opening.update(more);
  return opening;
}

void Feed::open(const nlohmann::ordered_json& opening) {
  opened_ = true;
  channel_.open(Packet::text(text_of(opening)));
}

nlohmann::ordered_json Feed::header(const nlohmann::ordered_json& more) const {
  nlohmann::ordered_json header{{"channel", channel_.name()}, {"index", channel_.next_index()}};
  header.update(more);
  return header;
}

void Feed::publish(nlohmann::ordered_json header, std::span<const ArrayPart> arrays) {
  channel_.publish(Packet::arrays(encode(std::move(header), arrays)));
}

RgbPicture rgb_picture(const io::Picture& picture, std::size_t widest) {
  RgbPicture result;
  const auto width = static_cast<std::size_t>(picture.width), height = static_cast<std::size_t>(picture.height);
  const std::size_t step = std::max<std::size_t>(1, (width + widest - 1) / widest);
  result.width = width / step;
  result.height = height / step;
  result.rgb.resize(3 * result.width * result.height);
  auto out = result.rgb.begin();
  for (std::size_t y = 0; y < result.height; ++y) {
    for (std::size_t x = 0; x < result.width; ++x) {
      std::size_t sum[3] = {};
      for (std::size_t row = y * step; row < (y + 1) * step; ++row) {
        const std::uint8_t* pixel = picture.bgr.data() + 3 * (row * width + x * step);
        for (std::size_t i = 0; i < 3 * step; ++i) sum[i % 3] += pixel[i];
      }
      for (std::size_t channel : {2, 1, 0}) *out++ = static_cast<std::uint8_t>(sum[channel] / (step * step));
    }
  }
  return result;
}

}  // namespace kinema::serve
