// mpirun in tests: more ranks than cores, and as root, as in a container.
#pragma once

#include "command.h"

#include <string>

namespace kinema::app {

#ifdef KINEMA_MPIRUN
inline constexpr const char* mpirun = KINEMA_MPIRUN;
#else
inline constexpr const char* mpirun = nullptr;
#endif

inline const Environment& any_ranks() {
  static const Environment environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                          {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                                          {"OMPI_MCA_hwloc_base_binding_policy", "none"},
                                          {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
                                          {"OMPI_MCA_mpi_yield_when_idle", "1"},
                                          {"KINEMA_BACKEND", "cpu"}};
  return environment;
}

inline Outcome run_ranks(int ranks, const Arguments& arguments, const std::filesystem::path& folder) {
  Arguments all = {"-n", std::to_string(ranks), KINEMA_COMMAND};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_program(mpirun, all, folder, any_ranks());
}

/// Why ranks cannot be started here; empty if they can.
inline std::string no_ranks() {
  if (mpirun == nullptr) return "MPI is not built in";
  const Outcome outcome = run_program(mpirun, {"-n", "2", "true"}, std::filesystem::temp_directory_path(), any_ranks());
  return outcome.exit_code == 0 ? "" : "mpirun does not start two ranks here";
}

/// mpirun adds a note of its own about the exit code; of kinema there is one line.
inline void expect_one_line_of_kinema(const Outcome& outcome, int exit_code, const std::string& says) {
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  const std::size_t at = outcome.err.find("kinema: ");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("kinema: ", at + 1), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
}

}  // namespace kinema::app
