// What a page may send over its WebSocket: messages between zero bytes, each of text or, after a B, of arrays or of
// frames.
#include "serve/page_session.h"
#include "fuzz.h"
#include "io/sources/frame_inbox.h"
#include "serve/requests/camera_handler.h"

#include <algorithm>
#include <memory>

namespace {

// Reads the frames that a page or another program sends, and tracks nothing.
class FrameReader final : public kinema::serve::RequestHandler {
public:
  bool request(const std::string& what, const nlohmann::json& header) override {
    if (what == "frames") inbox_ = std::make_unique<kinema::io::FrameInbox>("frames");
    if (what == "frames") return true;
    return what == "track" && header.at("kind") == "body";
  }
  bool message(const std::string& what, const kinema::serve::Message& message) override {
    if (what != "camera") return false;
    kinema::serve::camera_frame(message);
    return true;
  }
  bool bytes(std::string_view bytes) override {
    if (inbox_) inbox_->add(bytes);
    return inbox_ != nullptr;
  }

private:
  std::unique_ptr<kinema::io::FrameInbox> inbox_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  serve::Hub hub(1 << 16);
  hub.channel("body").publish(serve::Packet::text("frame"));
  serve::PageSession session(
      hub,
      [](serve::PageSender&) {
        serve::RequestHandlers handlers;
        handlers.push_back(std::make_unique<FrameReader>());
        return handlers;
      },
      [] {});
  fuzz::expect_result_or_error([&] {
    for (std::size_t begin = 0; begin <= bytes.size() && !session.broken();) {
      // a message of arrays holds zeros itself, and is the last one
      const bool arrays = bytes.substr(begin).starts_with('B');
      const std::size_t end = arrays ? bytes.size() : std::min(bytes.find('\0', begin), bytes.size());
      const std::string_view message = bytes.substr(begin, end - begin);
      arrays ? session.received_message(message.substr(1)) : session.received_text(message);
      for (int i = 0; i < 8 && session.next(); ++i) {
      }
      begin = end + 1;
    }
  });
  return 0;
}
