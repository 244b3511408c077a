#include "io/network/live_sender.h"

#include <algorithm>
#include <cstddef>

namespace kinema::io {
namespace {

double weight_of(const face::Expression& expression, std::string_view name) {
  for (std::size_t e = 0; e < expression.size(); ++e) {
    if (face::expression_names[e] == name) return std::clamp(expression[e], 0.0, 1.0);
  }
  return 0;
}

// The presets of VRM, made of ARKit's shapes. Vowels by how far the mouth is open, rounded and wide; moods by smile and
// brows.
struct Presets {
  double blink_left = 0, blink_right = 0;
  double a = 0, i = 0, u = 0, e = 0, o = 0;
  double joy = 0, anger = 0, sorrow = 0, surprise = 0;
};

Presets presets_of(const face::Expression& expression) {
  const auto both = [&](std::string_view left, std::string_view right) {
    return 0.5 * (weight_of(expression, left) + weight_of(expression, right));
  };
  const double open = weight_of(expression, "jawOpen"), round = weight_of(expression, "mouthPucker");
  const double smile = both("mouthSmileLeft", "mouthSmileRight"), wide = smile * (1 - round);
  const double frown = both("browDownLeft", "browDownRight"), raised = both("browOuterUpLeft", "browOuterUpRight");
  const double inner = weight_of(expression, "browInnerUp");
  Presets all;
  all.blink_left = weight_of(expression, "eyeBlinkLeft");
  all.blink_right = weight_of(expression, "eyeBlinkRight");
  all.o = open * round;
  all.u = (1 - open) * round;
  all.e = open * (1 - round) * 0.5 * wide;
  all.a = open * (1 - round) - all.e;
  // a wide mouth speaks only once it opens a little; until then it smiles
  all.i = (1 - open) * (1 - round) * wide * std::min(1.0, 4 * open);
  all.joy = smile;
  all.anger = frown * (1 - smile);
  all.sorrow = std::max(0.0, inner - raised) * (1 - smile);
  all.surprise = std::min(inner, raised) * (1 - frown);
  return all;
}

}  // namespace

std::vector<BlendShape> blend_shapes(const face::Expression& expression, BlendShapes names) {
  std::vector<BlendShape> shapes;
  if (names == BlendShapes::arkit) {
    for (std::size_t e = 0; e < expression.size(); ++e) {
      shapes.push_back({face::expression_names[e], std::clamp(expression[e], 0.0, 1.0)});
    }
    return shapes;
  }
  const Presets all = presets_of(expression);
  if (names == BlendShapes::vrm0) {
    return {{"Blink_L", all.blink_left},
            {"Blink_R", all.blink_right},
            {"A", all.a},
            {"I", all.i},
            {"U", all.u},
            {"E", all.e},
            {"O", all.o},
            {"Joy", all.joy},
            {"Angry", all.anger},
            {"Sorrow", all.sorrow}};
  }
  return {{"blinkLeft", all.blink_left},
          {"blinkRight", all.blink_right},
          {"aa", all.a},
          {"ih", all.i},
          {"ou", all.u},
          {"ee", all.e},
          {"oh", all.o},
          {"happy", all.joy},
          {"angry", all.anger},
          {"sad", all.sorrow},
          {"surprised", all.surprise}};
}

}  // namespace kinema::io
