// The landmark layouts of common data sets, and the number of channels of features.
#include "kinema/face_model.h"

#include <numeric>

namespace kinema::face {
namespace {

Layout::Group line(std::string name, int first, int last, bool closed = false) {
  Layout::Group group{std::move(name), std::vector<int>(static_cast<std::size_t>(last - first + 1)), closed};
  std::iota(group.points.begin(), group.points.end(), first);
  return group;
}

void pair(Layout& layout, int a, int b) {
  layout.mirror[static_cast<std::size_t>(a)] = b;
  layout.mirror[static_cast<std::size_t>(b)] = a;
}

// 0-16 jaw, 17-26 brows, 27-35 nose, 36-47 eyes, 48-67 lips
Layout ibug() {
  Layout layout;
  layout.groups = {line("jaw", 0, 16),
                   line("right_brow", 17, 21),
                   line("left_brow", 22, 26),
                   line("nose_bridge", 27, 30),
                   line("nostrils", 31, 35),
                   line("right_eye", 36, 41, true),
                   line("left_eye", 42, 47, true),
                   line("outer_lip", 48, 59, true),
                   line("inner_lip", 60, 67, true)};
  layout.mirror.resize(68);
  for (int i = 0; i <= 8; ++i) pair(layout, i, 16 - i);
  for (int i = 17; i <= 21; ++i) pair(layout, i, 43 - i);
  for (int i = 27; i <= 30; ++i) pair(layout, i, i);
  for (int i = 31; i <= 33; ++i) pair(layout, i, 66 - i);
  for (int i = 36; i <= 39; ++i) pair(layout, i, 81 - i);
  pair(layout, 40, 47);
  pair(layout, 41, 46);
  for (int i = 48; i <= 51; ++i) pair(layout, i, 102 - i);
  for (int i = 55; i <= 57; ++i) pair(layout, i, 114 - i);
  for (int i = 60; i <= 62; ++i) pair(layout, i, 124 - i);
  for (int i = 65; i <= 66; ++i) pair(layout, i, 132 - i);
  layout.outer_eyes = {36, 45};
  return layout;
}

// 0-15 brows, 16-31 eyes, 32-33 pupils, 34-45 nose, 46-61 lips, 62-72 jaw
Layout imm() {
  Layout layout;
  layout.groups = {line("right_brow", 0, 7, true),
                   line("left_brow", 8, 15, true),
                   line("right_eye", 16, 23, true),
                   line("left_eye", 24, 31, true),
                   line("right_pupil", 32, 32),
                   line("left_pupil", 33, 33),
                   line("nose", 34, 44),
                   line("nose_tip", 45, 45),
                   line("outer_lip", 46, 55, true),
                   line("inner_lip_upper", 56, 58),
                   line("inner_lip_lower", 59, 61),
                   line("jaw", 62, 72)};
  layout.mirror.resize(73);
  pair(layout, 0, 8);
  for (int i = 1; i <= 7; ++i) pair(layout, i, 16 - i);
  pair(layout, 16, 24);
  for (int i = 17; i <= 23; ++i) pair(layout, i, 48 - i);
  pair(layout, 32, 33);
  for (int i = 34; i <= 39; ++i) pair(layout, i, 78 - i);
  pair(layout, 45, 45);
  for (int i = 46; i <= 49; ++i) pair(layout, i, 98 - i);
  for (int i = 53; i <= 54; ++i) pair(layout, i, 108 - i);
  for (int i = 56; i <= 57; ++i) pair(layout, i, 114 - i);
  for (int i = 59; i <= 60; ++i) pair(layout, i, 120 - i);
  for (int i = 62; i <= 67; ++i) pair(layout, i, 134 - i);
  layout.outer_eyes = {16, 24};
  return layout;
}

}  // namespace

Layout default_layout(std::size_t landmarks) { return landmarks == 68 ? ibug() : landmarks == 73 ? imm() : Layout{}; }

std::size_t channels(Features features) { return features == Features::intensity ? 1 : 2; }

}  // namespace kinema::face
