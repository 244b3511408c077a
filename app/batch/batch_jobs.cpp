#include "app/batch/batch_jobs.h"

#include "app/options/command_line.h"
#include "io/files/checksum.h"
#include "io/files/frame_files.h"
#include "io/files/input_file.h"
#include "io/sources/openers.h"
#include "io/sources/source_schemes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <sstream>
#include <string_view>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;

// A video's bytes per frame, to compare its length with that of recordings in folders: 5 Mbit/s at 30 frames per second.
// Only the order of jobs depends on it.
constexpr double video_frame_bytes = 20e3;

struct TrackerVerb {
  std::string_view name;                // as in a list of jobs
  std::vector<std::string_view> words;  // of the command
  std::string_view out;
  std::vector<std::string_view> outputs;  // options that name further outputs
};

const std::array<TrackerVerb, 4>& tracker_verbs() {
  static const std::array<TrackerVerb, 4> verbs = {
      {{"body", {"body", "track"}, "poses.jsonl", {"--csv", "--bvh", "--gltf", "--trc", "--mot", "--c3d", "--overlay"}},
       {"head", {"head", "track"}, "head.csv", {"--jsonl", "--overlay"}},
       {"face", {"face", "fit"}, "landmarks.jsonl", {"--csv", "--overlay", "--pts", "--patches", "--appearance"}},
       {"track", {"track"}, "track.jsonl", {"--csv", "--overlay"}}}};
  return verbs;
}

const TrackerVerb* verb_of(std::string_view tracker) {
  for (const TrackerVerb& verb : tracker_verbs()) {
    if (verb.name == tracker) return &verb;
  }
  return nullptr;
}

bool contains(const auto& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// "--bvh" of "--bvh=walk.bvh"
std::string_view flag_of(std::string_view word) { return word.substr(0, word.find('=')); }

bool has_flag(const Job& job, std::string_view flag) {
  return std::any_of(job.options.begin(), job.options.end(),
                     [&](const std::string& word) { return flag_of(word) == flag; });
}

// A name inside the job's folder.
void check_output(std::string_view flag, const fs::path& name) {
  if (name.is_absolute() || contains(name, "..")) {
    throw Error(fmt::format("{} {}: outputs are written to the results of the job; give a name without a folder", flag,
                            name.string()));
  }
}

void check_job(const Job& job) {
  const TrackerVerb* verb = verb_of(job.tracker);
  if (verb == nullptr)
    throw Error(fmt::format("the tracker is '{}': it is one of body, head, face, track", job.tracker));
  for (std::size_t i = 0; i < job.options.size(); ++i) {
    const std::string_view word = job.options[i], flag = flag_of(word);
    for (const char* own : {"--input", "--out", "--json", "--view"}) {
      if (flag == own) throw Error(fmt::format("{} cannot be an option of a job", own));
    }
    if (!contains(verb->outputs, flag)) continue;
    if (flag.size() < word.size())
      check_output(flag, word.substr(flag.size() + 1));
    else if (i + 1 < job.options.size())
      check_output(flag, job.options[i + 1]);
  }
}

std::string text_of(const fs::path& file) {
  return io::naming(file, [&] { return io::read_bytes(file); });
}

std::vector<Job> read_lines(const fs::path& file, const std::vector<std::string>& common) {
  std::vector<Job> jobs;
  std::istringstream text(text_of(file));
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::vector<std::string> words = split_words(line);
    if (words.empty() || words.front().starts_with('#')) continue;
    try {
      if (words.size() < 2) throw Error("a job is INPUT TRACKER [OPTIONS], such as walk body --height 1.8");
      Job job;
      job.input = words[0];
      job.tracker = words[1];
      job.options.assign(words.begin() + 2, words.end());
      job.options.insert(job.options.end(), common.begin(), common.end());
      check_job(job);
      if (!io::is_there(fs::absolute(file).parent_path() / job.input) && io::names_live_source(job.input)) {
        throw Error(
            fmt::format("{} is a live source, which may never end: record it first (kinema record)", job.input));
      }
      jobs.push_back(std::move(job));
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", file.string(), number, error.what()));
    }
  }
  return jobs;
}

bool is_recording(const fs::path& folder) {
  return io::is_there(folder / "camera.json") || io::is_folder(folder / "depth") || io::is_folder(folder / "points") ||
         (io::is_folder(folder / "left") && io::is_folder(folder / "right"));
}

class FolderReader {
public:
  FolderReader(const FolderOptions& options, fs::path top, const fs::path& skipped)
      : options_(options), top_(std::move(top)), skipped_(fs::weakly_canonical(skipped)) {}

  void read(const fs::path& folder) {
    if (is_recording(folder)) return add(folder, "body", options_.body);
    std::vector<fs::path> entries;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
    std::sort(entries.begin(), entries.end());
    bool pictures = false;
    for (const fs::path& entry : entries) {
      if (entry.filename().string().starts_with('.')) continue;
      if (io::is_folder(entry)) {
        if (fs::weakly_canonical(entry) != skipped_) read(entry);
      } else if (io::extension_of(entry) == ".oni" || io::is_azure_kinect_file(entry.string())) {
        add(entry, "body", options_.body);
      } else if (io::kind_of(entry) == io::FileKind::video) {
        add_colour(entry, "a video");
      } else {
        pictures = pictures || io::kind_of(entry) == io::FileKind::picture;
      }
    }
    if (pictures) add_colour(folder, "a folder of pictures");
  }

  std::vector<Job> take() { return std::move(jobs_); }

private:
  void add(const fs::path& input, const char* tracker, const std::vector<std::string>& options) {
    Job job;
    job.input = input.lexically_relative(top_).string();
    job.tracker = tracker;
    job.options = options;
    jobs_.push_back(std::move(job));
  }

  void add_colour(const fs::path& input, const char* what) {
    if (!options_.head && !options_.face && !options_.track) {
      throw Error(fmt::format(
          "{}: is {}: say what to track in it, with --track '', --head '--filter FILE' or --face '', or list the jobs "
          "in a file",
          input.string(), what));
    }
    if (options_.head) add(input, "head", *options_.head);
    if (options_.face) add(input, "face", *options_.face);
    if (options_.track) add(input, "track", *options_.track);
  }

  const FolderOptions& options_;
  fs::path top_, skipped_;
  std::vector<Job> jobs_;
};

// A file's name made of a path: "s1/walk" becomes "s1-walk".
std::string file_name(const std::string& path) {
  constexpr std::size_t longest = 120;  // file systems allow 255 bytes
  std::string name;
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t length = character_length(rest);
    const char c = rest.front();
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
    if (length > 1 || (length == 1 && plain))
      name += rest.substr(0, length);
    else
      name += '-';
    rest.remove_prefix(length > 0 ? length : 1);
  }
  name.erase(0, name.find_first_not_of(".-"));
  if (name.size() > longest) name.erase(0, name.size() - longest);
  while (!name.empty() && character_length(name) == 0) name.erase(0, 1);  // half a character
  return name.empty() ? "job" : name;
}

std::uint32_t checksum(const Job& job) {
  const std::string text = fmt::format("{}\n{}\n{}", job.input, job.tracker, fmt::join(job.options, "\n"));
  return io::crc32(std::as_bytes(std::span(text)));
}

// Readable, and the same in every run. Jobs that would share a name are told apart by their checksums.
void name_jobs(std::vector<Job>& jobs) {
  std::map<std::string, std::size_t> uses;
  for (Job& job : jobs) {
    job.name = fmt::format("{}.{}", file_name(job.input), job.tracker);
    ++uses[job.name];
  }
  std::map<std::string, const Job*> named;
  for (Job& job : jobs) {
    if (uses[job.name] > 1) job.name += fmt::format("-{:08x}", checksum(job));
    if (!named.emplace(job.name, &job).second) {
      throw Error(fmt::format("{} {}: is listed twice with the same options", job.input, job.tracker));
    }
  }
}

// Without opening any frame: a shard looks at the jobs of all shards.
double estimated_frames(const fs::path& input) {
  std::error_code error;
  if (fs::is_regular_file(input, error)) {
    return static_cast<double>(fs::file_size(input, error)) / video_frame_bytes;
  }
  for (const char* frames : {"depth", "left", "points", "."}) {
    fs::directory_iterator entries(input / frames, error);
    if (!error) return static_cast<double>(std::distance(fs::begin(entries), fs::end(entries)));
  }
  return 0;
}

}  // namespace

fs::path input_of(const JobList& list, const Job& job) {
  const bool named = io::is_there(list.inputs / job.input);
  std::string first = named ? job.input : split(job.input, ',').front();
  if (!named && io::names_ros_bag(first)) first = first.substr(0, first.find(".bag") + 4);  // without its topic
  const fs::path path = list.inputs / first;
  return io::is_pattern(path.string()) ? path.parent_path() : path;
}

JobList read_jobs(const fs::path& jobs, const FolderOptions& options, const std::vector<std::string>& common,
                  const fs::path& skipped) {
  JobList list;
  if (io::is_folder(jobs)) {
    list.inputs = jobs;
    list.working = fs::current_path();
    FolderOptions all = options;
    const auto add_common = [&](std::vector<std::string>& words) {
      words.insert(words.end(), common.begin(), common.end());
    };
    add_common(all.body);
    if (all.head) add_common(*all.head);
    if (all.face) add_common(*all.face);
    if (all.track) add_common(*all.track);
    FolderReader reader(all, jobs, skipped);
    try {
      reader.read(jobs);
    } catch (const fs::filesystem_error& error) {
      throw Error(fmt::format("{}: cannot be read: {}", error.path1().string(), error.code().message()));
    }
    list.jobs = reader.take();
    for (const Job& job : list.jobs) check_job(job);
  } else {
    if (options.head || options.face || options.track || !options.body.empty()) {
      throw Error(fmt::format(
          "{}: is a file, whose lines have the options: --body, --head, --face and --track are for a folder",
          jobs.string()));
    }
    list.jobs = read_lines(jobs, common);
    list.inputs = list.working = fs::absolute(jobs).parent_path();
  }
  if (list.jobs.empty()) throw Error(fmt::format("{}: holds no jobs: no recording, video or picture", jobs.string()));
  name_jobs(list.jobs);
  for (Job& job : list.jobs) job.length = estimated_frames(input_of(list, job));
  return list;
}

std::vector<std::string> command_of(const JobList& list, const Job& job, const fs::path& folder,
                                    const std::vector<std::pair<std::string, std::string>>& more) {
  const TrackerVerb& verb = *verb_of(job.tracker);
  // relative to the file with the jobs, where the command runs; or below the folder, wherever it runs
  const std::string input =
      list.inputs == list.working ? job.input : fs::absolute(list.inputs / job.input).lexically_normal().string();
  std::vector<std::string> words(verb.words.begin(), verb.words.end());
  words.insert(words.end(), {"--input", input, "--out", (folder / verb.out).string(), "--json"});
  for (std::size_t i = 0; i < job.options.size(); ++i) {
    const std::string& word = job.options[i];
    const std::string_view flag = flag_of(word);
    words.push_back(word);
    if (!contains(verb.outputs, flag)) continue;
    if (flag.size() < word.size()) {
      words.back() = fmt::format("{}={}", flag, (folder / word.substr(flag.size() + 1)).string());
    } else if (i + 1 < job.options.size()) {
      words.push_back((folder / job.options[++i]).string());
    }
  }
  for (const auto& [flag, value] : more) {
    if (has_flag(job, flag)) continue;
    words.push_back(flag);
    words.push_back(value);
  }
  return words;
}

std::vector<Job> jobs_of(const JobList& list, Shard shard) {
  std::vector<const Job*> longest_first;
  for (const Job& job : list.jobs) longest_first.push_back(&job);
  std::sort(longest_first.begin(), longest_first.end(), [](const Job* a, const Job* b) {
    return a->length != b->length ? a->length > b->length : a->name < b->name;
  });
  // each job goes to the shard with the least to do; of equal ones to the first
  using Load = std::pair<double, std::size_t>;
  std::vector<Load> loads;
  for (std::size_t i = 0; i < shard.count; ++i) loads.emplace_back(0, i);
  std::vector<Job> mine;
  for (const Job* job : longest_first) {
    std::pop_heap(loads.begin(), loads.end(), std::greater<>());
    Load& least = loads.back();
    if (least.second == shard.index) mine.push_back(*job);
    least.first += job->length + 1;  // starting a job takes time too
    std::push_heap(loads.begin(), loads.end(), std::greater<>());
  }
  return mine;
}

// RFC 3629: the second byte also excludes characters that are too large, surrogates, and those with a shorter form.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : 4;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  unsigned low = 0x80, high = 0xBF;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

std::string readable(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length > 0)
      made += text.substr(0, length);
    else
      made += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    text.remove_prefix(length > 0 ? length : 1);
  }
  return made;
}

}  // namespace kinema::app
