// Where the time of a call went.
#pragma once

#include <string>

namespace kinema {

struct StageTime {
  std::string stage;  ///< a name of the backend's
  double ms = 0;
};

}  // namespace kinema
