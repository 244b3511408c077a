// `kinema bench papers`: every figure and table of the three papers beside this machine's, on one page.
#pragma once

#include "bench/bench_run.h"

namespace kinema::bench {

/// Runs the benchmarks of body, head and face, writes body.json, head.json, face.json and so on, and papers.html with all of
/// their figures and tables, and prints the texts, or one JSON object with the three results. Throws Error as they do.
void run_papers(const BenchOptions& options);

}  // namespace kinema::bench
