// Prints src/face/tracker/head_shape_table.cpp: print_head_shape > src/face/tracker/head_shape_table.cpp
#include "synth/faces/head_shape.h"

#include <cstdio>

int main() {
  const std::string source = kinema::synth::head_shape_source(kinema::synth::drawn_head_shape());
  return std::fputs(source.c_str(), stdout) < 0 ? 1 : 0;
}
