#include "app/command.h"

int main(int argc, char** argv) {
  const kinema::app::Ranks ranks;
  return kinema::app::run_command({argv + 1, argv + argc}, ranks);
}
