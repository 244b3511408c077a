// Where the time of a call went.
#pragma once

#include <string>

namespace kinema {

struct StageTime {
  std::string stage;  ///< as named by the backend
  double ms = 0;
};

}  // namespace kinema
