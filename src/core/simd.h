// The SIMD level that the cpu backend runs on this machine.
#pragma once

#include <string>

namespace kinema {

/// "NEON", "AVX2" ...; "scalar" where Highway is not built in.
std::string simd_level();

}  // namespace kinema
