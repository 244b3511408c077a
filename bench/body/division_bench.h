// `kinema bench body` with --devices, or under mpirun: what it costs and gains to divide the work.
//
// Parts on one GPU show the cost of the division, never a gain: they compute no faster than one. The gain is that of
// several GPUs, or of the ranks of mpirun, whose strong and weak scaling this measures.
#pragma once

#include "bench/bench_run.h"
#include "bench/machine.h"
#include "bench/statistics.h"
#include "kinema/backend.h"
#include "kinema/body.h"
#include "kinema/stage_time.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kinema::bench {

struct DivisionOptions : BenchOptions {
  Backend backend = Backend::automatic;
  std::vector<int> devices;             ///< a part on each, for measure_division()
  std::size_t points = 0, samples = 0;  ///< of the likelihood; 0: 43,000 and 14,000, fewer on the CPU
  std::size_t particles = 0;            ///< of the tracker; 0: chosen for this machine
  int frames = 0;                       ///< of the tracker; 0: 100, fewer on the CPU
};

/// One operation, whole and divided.
struct DivisionRow {
  std::string what;  ///< "likelihood" or "tracked frame"
  std::size_t points = 0, samples = 0;
  std::size_t parts = 0;
  Spread whole, divided;                          ///< milliseconds
  std::vector<StageTime> stages, divided_stages;  ///< of the whole, and of the first part
  double bytes = 0;                               ///< exchanged per frame
  bool same_bits = false;

  /// Time that the division costs, relative to the whole.
  double overhead() const { return divided.median / whole.median - 1; }
};

/// One operation on some of the ranks.
struct ScalingRow {
  std::string scaling;  ///< "strong": the same problem for all; "weak": as much for each rank
  std::string what;
  int ranks = 0;
  std::size_t points = 0, samples = 0;  ///< of the whole problem
  Spread ms;
  double efficiency = 0;  ///< 1: ideal; of the time of one rank
  double bytes = 0;       ///< exchanged per frame
};

struct DivisionReport : RunReport {
  Backend backend = Backend::cpu;
  std::vector<int> devices;
  int ranks = 1;
  bool one_device = true;  ///< all parts ran on one
  std::vector<DivisionRow> rows;
  std::vector<ScalingRow> scaling;
};

/// The ranks that run measure_scaling() together.
struct Crew {
  int rank = 0, count = 1;
  std::function<double(double)> most;  ///< the largest number of all ranks; also waits for them

  /// Runs work on the first rank while the others of the first n weigh for it; all ranks make the call.
  std::function<void(int n, const std::function<void(const body::ShareLikelihood&)>& work)> share;
};

DivisionReport measure_division(const DivisionOptions& options,
                                const std::function<void(const std::string&)>& progress);

/// On every rank; the first has the report.
DivisionReport measure_scaling(const DivisionOptions& options, const Crew& crew,
                               const std::function<void(const std::string&)>& progress);

std::string division_json(const DivisionReport& report);
report::Report division_page(const DivisionReport& report);

}  // namespace kinema::bench
