// Marks a function that runs on the host and, in CUDA sources, on the device too: one body, one result, because
// neither compiler may fuse a product with a sum on its own (see cmake/KinemaCompiler.cmake).
#pragma once

#ifdef __CUDACC__
#define KINEMA_HD __host__ __device__
#else
#define KINEMA_HD
#endif
