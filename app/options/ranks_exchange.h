// An exchange between the ranks of MPI.
#pragma once

#include "kinema/exchange.h"

#include <memory>

namespace kinema::app {

/// Between the first `ranks`; null on the others. All ranks make the call.
std::shared_ptr<Exchange> make_ranks_exchange(int ranks);

}  // namespace kinema::app
