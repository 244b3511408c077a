// Highway, or its one-lane fallback where it is not built in: the same names for both. Included once for every SIMD
// level that a source is compiled for, so there is no guard here; each of the two has its own.
#ifdef KINEMA_HAVE_HIGHWAY
#include <hwy/highway.h>
#else
#include "core/simd_scalar.h"
#endif
