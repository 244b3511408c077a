#include "command.h"

#include "bench/body/body_problem.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace kinema::app {
namespace {

std::filesystem::path make_scratch_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "kinema-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder: " + name);
  return name;
}

[[noreturn]] void become(const std::string& program, const Arguments& arguments, const std::filesystem::path& folder,
                         const Environment& environment, const std::filesystem::path& streams) {
  const auto redirect = [&](const char* name, int to) {
    const int file = ::open((streams / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || ::dup2(file, to) < 0) ::_exit(126);
  };
  redirect("out", STDOUT_FILENO);
  redirect("err", STDERR_FILENO);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 || ::chdir(folder.c_str()) != 0) ::_exit(126);
  ::unsetenv("KINEMA_BACKEND");
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execvp(program.c_str(), words.data());
  ::_exit(127);
}

}  // namespace

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

nlohmann::json report_data(const std::filesystem::path& page) {
  const std::string html = bytes_of(page), begin = R"(<script id="data" type="application/json">)";
  const std::size_t from = html.find(begin) + begin.size();
  return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

Outcome run_program(const std::string& program, const Arguments& arguments, const std::filesystem::path& folder,
                    const Environment& environment) {
  const std::filesystem::path streams = make_scratch_folder();
  const pid_t child = ::fork();
  if (child == 0) become(program, arguments, folder, environment, streams);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) throw std::runtime_error("cannot run " + program);
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = bytes_of(streams / "out");
  outcome.err = bytes_of(streams / "err");
  std::filesystem::remove_all(streams);
  return outcome;
}

Outcome run_kinema(const Arguments& arguments, const std::filesystem::path& folder, const Environment& environment) {
  return run_program(KINEMA_COMMAND, arguments, folder, environment);
}

void expect_one_line(const Outcome& outcome, int exit_code, const std::string& says) {
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("kinema: ", 0), 0u) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(says), std::string::npos) << "wanted: " << says << "\nsays: " << outcome.err;
}

Problem::Problem(std::size_t point_count, std::size_t sample_count)
    : samples(sample_count), folder_(make_scratch_folder()) {
  bench::BodyProblem problem = bench::make_body_problem(point_count, sample_count, 7);
  points = std::move(problem.points);
  capsules = std::move(problem.capsules);
  save("points.npy", points, {point_count, 3});
  save("capsules.npy", capsules, {sample_count, bench::person_capsules, 7});
}

Problem::~Problem() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Outcome Problem::likelihood(Arguments more, const Environment& environment) const {
  Arguments arguments = {"body", "likelihood"};
  const auto unless_given = [&](const std::string& flag, const std::string& value) {
    if (std::find(more.begin(), more.end(), flag) == more.end()) arguments.insert(arguments.end(), {flag, value});
  };
  unless_given("--points", "points.npy");
  unless_given("--capsules", "capsules.npy");
  unless_given("--out", "L.npy");
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_kinema(arguments, folder_, environment);
}

}  // namespace kinema::app
