// kinema batch: many jobs, what is done and what fails among them.
#include "batch.h"
#include "live.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Batch : public BatchTest {
protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }
};

TEST_F(Batch, GivesTheBitsOfEachCommandAlone) {
  record("a", 2);
  record("b", 1);
  const Outcome outcome = batch({"--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json sums = json::parse(outcome.out);
  EXPECT_EQ(sums["jobs"], 2);
  EXPECT_EQ(sums["done"], 2);
  EXPECT_EQ(sums["frames"], 3);
  EXPECT_EQ(sums["found"], 3);
  EXPECT_EQ(sums["errors"], json::object());
  Arguments alone = {"body", "track", "--input", "recordings/a", "--out", "alone.jsonl"};
  std::istringstream words(cheap);
  for (std::string word; words >> word;) alone.push_back(word);
  ASSERT_EQ(run_kinema(alone, folder.folder()).exit_code, 0);
  std::string expected;
  for (const json& line : lines_of(folder / "alone.jsonl")) expected += without_times(line) + "\n";
  EXPECT_EQ(poses("a.body"), expected);
  expect_no_work_left();
}

TEST_F(Batch, ARecordHoldsTheRunAndItsCost) {
  record("a", 2);
  ASSERT_EQ(batch().exit_code, 0);
  const json job = job_record("a.body");
  EXPECT_EQ(job["state"], "done");
  EXPECT_EQ(job["attempts"], 1);
  EXPECT_EQ(job["exit"], 0);
  EXPECT_EQ(job["error"], "");
  EXPECT_EQ(job["run"]["frames"], 2);
  EXPECT_GT(job["run"]["deviation_mm"], 0);
  EXPECT_EQ(job["run"]["results"]["out"], "poses.jsonl");
  EXPECT_GT(job["cpu_seconds"], 0);
  EXPECT_GT(job["peak_bytes"], 1000000);
  EXPECT_GT(job["bytes_in"], fs::file_size(folder / "recordings/a/points/000000.npy"));
  EXPECT_EQ(job["bytes_out"], fs::file_size(results("a.body") / "poses.jsonl"));
}

TEST_F(Batch, GoesOnAfterWrongInputAndDoesNotTryItAgain) {
  record("a");
  record("b");
  record("c");
  write("recordings/b/camera.json", "junk");
  const Outcome outcome = batch({"--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("b.body: "), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("it is tried once more"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("kinema: 1 of 3 jobs failed; out/batch.html says why\n"), std::string::npos)
      << outcome.err;
  const json sums = json::parse(outcome.out);
  EXPECT_EQ(sums["done"], 2);
  EXPECT_EQ(sums["failed"], 1);
  EXPECT_EQ(sums["errors"], json({{"wrong input", 1}}));
  const json job = job_record("b.body");
  EXPECT_EQ(job["state"], "failed");
  EXPECT_EQ(job["attempts"], 1);
  EXPECT_EQ(job["exit"], 2);
  EXPECT_NE(job["error"].get<std::string>().find("camera.json"), std::string::npos) << job;
  EXPECT_NE(bytes_of(results("b.body") / "log.txt").find("camera.json"), std::string::npos);
  expect_no_work_left();
}

TEST_F(Batch, TriesAJobThatWasKilledOnceMore) {
  record("a", 4);
  RunningCommand running(call(), folder.folder());
  std::vector<pid_t> children;
  while ((children = children_of(running.process())).empty() || !fs::exists(folder / "out/work/a.body/log.txt"))
    continue;
  ASSERT_EQ(::kill(children.front(), SIGKILL), 0);
  const Outcome outcome = running.wait();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("a.body: ended by signal 9 (Killed); it is tried once more"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(job_record("a.body")["attempts"], 2);
  expect_no_work_left();
}

TEST_F(Batch, StartsNoProcessForAnInputThatIsMissing) {
  write("jobs.txt", "nowhere body\ngone.bag:/depth body\nfilms/%06d.png face\n");
  const Outcome outcome = run_kinema({"batch", "jobs.txt", "--out", "out", "--json"}, folder.folder());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(json::parse(outcome.out)["errors"], json({{"wrong input", 3}}));
  const json job = job_record("nowhere.body");
  EXPECT_EQ(job["attempts"], 1);
  EXPECT_EQ(job["cpu_seconds"], 0);  // as it would not be of a process
  EXPECT_NE(job["error"].get<std::string>().find("nowhere: there is no such file or folder"), std::string::npos) << job;
  expect_no_work_left();
}

TEST_F(Batch, RefusesLiveSourcesWhichMayNeverCome) {
  for (const char* source : {"tcp:7007", "unix:/tmp/frames", "-", "camera:0", "rtsp://example.org/video", "stereo:0"}) {
    write("jobs.txt", fmt::format("{} face\n", source));
    expect_one_line(run_kinema({"batch", "jobs.txt", "--out", "out"}, folder.folder()), 2,
                    fmt::format("jobs.txt:1: {} is a live source", source));
  }
}

TEST_F(Batch, RunsAJobAgainWhoseResultWasRemoved) {
  record("a");
  record("b");
  ASSERT_EQ(batch().exit_code, 0);
  const std::string before = bytes_of(results("b.body") / "job.json");
  fs::remove(results("a.body") / "poses.jsonl");
  EXPECT_EQ(json::parse(batch({"--report", "--json"}).out)["done"], 1);
  EXPECT_EQ(json::parse(batch({"--json"}).out)["shard"]["done"], 1);
  EXPECT_FALSE(poses("a.body").empty());
  EXPECT_EQ(bytes_of(results("b.body") / "job.json"), before);
}

TEST_F(Batch, NamesAJobWhoseProcessCouldNotBeStarted) {
  record("a");
  // one of these limits lets the job be claimed, but not the files of its process be opened
  std::string said;
  for (int limit = 4; limit < 64 && said.find("could not be opened") == std::string::npos; ++limit) {
    Arguments words = {"-c", fmt::format("ulimit -n {} && exec \"$0\" \"$@\"", limit), KINEMA_COMMAND};
    for (const std::string& word : call()) words.push_back(word);
    said = run_program("sh", words, folder.folder()).err;
  }
  EXPECT_NE(said.find("could not be opened"), std::string::npos) << said;
  EXPECT_NE(said.find("kinema: a.body: "), std::string::npos) << said;
}

TEST_F(Batch, RunsAgainOnlyWhatIsNotDone) {
  record("a");
  record("b");
  const std::string camera = bytes_of(folder / "recordings/b/camera.json");
  write("recordings/b/camera.json", "junk");
  ASSERT_EQ(batch().exit_code, 1);
  const std::string before = bytes_of(results("a.body") / "job.json");
  write("recordings/b/camera.json", camera);
  record("c");
  const Outcome outcome = batch({"--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json sums = json::parse(outcome.out);
  EXPECT_EQ(sums["shard"]["skipped"], 1);
  EXPECT_EQ(sums["shard"]["done"], 2);
  EXPECT_EQ(sums["done"], 3);
  EXPECT_EQ(bytes_of(results("a.body") / "job.json"), before);
  EXPECT_EQ(job_record("b.body")["attempts"], 2);
  EXPECT_FALSE(fs::exists(results("b.body") / "log.txt"));
}

TEST_F(Batch, OtherOptionsReplaceTheResult) {
  record("a");
  ASSERT_EQ(batch().exit_code, 0);
  EXPECT_EQ(json::parse(batch({"--json"}).out)["shard"]["skipped"], 1);
  EXPECT_EQ(json::parse(batch({"--json", "--seed", "7"}).out)["shard"]["skipped"], 0);
  EXPECT_EQ(job_record("a.body")["options"].back(), "7");
}

TEST_F(Batch, WhomTheTrackerDidNotFindItDoesNotSearchAgain) {
  record("a");
  const Outcome outcome = run_kinema(
      {"batch", "recordings", "--out", "out", "--body", cheap + " --near 50 --far 60", "--json"}, folder.folder());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(json::parse(outcome.out)["errors"], json({{"nobody found", 1}}));
  EXPECT_EQ(job_record("a.body")["attempts"], 1);
}

TEST_F(Batch, AFileListsJobsWithTheirOptions) {
  record("a");
  record("with space");
  fs::create_directories(folder / "lists");
  write("lists/jobs.txt", fmt::format("# input tracker options\n\n../recordings/a body {0}\n../recordings/a body {0} "
                                      "--bvh walk.bvh\n\"../recordings/with space\" body {0} --csv=poses.csv\n",
                                      cheap));
  const Outcome outcome = run_kinema({"batch", "lists/jobs.txt", "--out", "out", "--json"}, folder.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(done().size(), 3u);
  EXPECT_TRUE(fs::exists(results("recordings-with-space.body") / "poses.csv"));
  std::size_t animations = 0;
  for (const std::string& name : done()) animations += fs::exists(results(name) / "walk.bvh");
  EXPECT_EQ(animations, 1u);
  EXPECT_FALSE(fs::exists(folder / "lists/walk.bvh"));
}

TEST_F(Batch, TracksWhatFitsEachEntryOfAFolder) {
  if (!pictures()) GTEST_SKIP() << "this build has no OpenCV";
  record_head("anna");
  record("walk");
  expect_one_line(batch(), 2, "recordings/anna: is a folder of pictures: say what to track in it");
  // names on the command line are relative to the current folder
  const Outcome outcome = batch({"--head", "--filter anna.json --jsonl head.jsonl", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(done(), (std::set<std::string>{"anna.head", "walk.body"}));
  EXPECT_TRUE(fs::exists(results("anna.head") / "head.csv"));
  EXPECT_TRUE(fs::exists(results("anna.head") / "head.jsonl"));
  EXPECT_EQ(json::parse(outcome.out)["trackers"]["head"]["found"], 3);
}

TEST_F(Batch, FollowsThePersonInPictures) {
  if (!pictures()) GTEST_SKIP() << "this build has no OpenCV";
  const Outcome film =
      run_kinema({"face", "film", "--frames", "4", "--width", "320", "--height", "240", "--out", "recordings/anna"},
                 folder.folder());
  ASSERT_EQ(film.exit_code, 0) << film.err;
  // where the head is in the first frame: no detector needs to be installed
  const std::string options = "--oval 173,125,31,41 --csv track.csv";
  Outcome outcome = run_kinema({"batch", "recordings", "--out", "out", "--track", options, "--json"}, folder.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(results("anna.track") / "track.jsonl"));
  EXPECT_TRUE(fs::exists(results("anna.track") / "track.csv"));
  EXPECT_GE(json::parse(outcome.out)["trackers"]["track"]["found"], 3);
  // the same job in a list
  write("jobs.txt", "recordings/anna track " + options + "\n");
  outcome = run_kinema({"batch", "jobs.txt", "--out", "listed", "--json"}, folder.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(folder / "listed/results/recordings-anna.track/track.jsonl"));
}

TEST_F(Batch, TakesNamesThatAreNoUtf8) {
  record("w\xe4lk");
  record("w\xc3\xa4lk");
  record("w\xf6lk");
  for (int done_before : {0, 3}) {
    const Outcome outcome = batch({"--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json sums = json::parse(outcome.out);
    EXPECT_EQ(sums["done"], 3) << sums;
    EXPECT_EQ(sums["shard"]["skipped"], done_before) << sums;
  }
  EXPECT_TRUE(fs::exists(results("w\xc3\xa4lk.body") / "poses.jsonl"));
  const std::string table = bytes_of(folder / "out/batch.csv");
  EXPECT_NO_THROW(json(table).dump()) << "no UTF-8";
  EXPECT_NE(table.find(",w\\xe4lk,body,done,1,1,1,0,0,"), std::string::npos) << table;
  EXPECT_NE(table.find(",w\\xf6lk,body,done,1,1,1,0,0,"), std::string::npos) << table;
  // a name that is cut is still text
  std::string name;
  while (name.size() < 200) name += "\xc3\xa4";
  record(name + "x");
  ASSERT_EQ(batch().exit_code, 0);
  for (const std::string& result : done()) EXPECT_NO_THROW(json(result).dump()) << result;
}

TEST_F(Batch, WritesAPageAndATableOfAllJobs) {
  record("a");
  record("b,\"c\"");
  write("recordings/a/camera.json", "junk");
  ASSERT_EQ(batch().exit_code, 1);
  const json page = report_data(folder / "out/batch.html");
  const std::string text = page.dump();
  for (const char* words : {"jobs done", "wrong input", "a.body", "b--c-.body", "deviation, mm", "batch.csv",
                            "results/b--c-.body/", "kinema batch recordings --out out --body '--particles"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words;
  }
  const std::string table = bytes_of(folder / "out/batch.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3) << table;
  EXPECT_NE(table.find("b--c-.body,\"b,\"\"c\"\"\",body,done,1,1,1,0,0,"), std::string::npos) << table;

  // a report can be made at any time, from the records alone
  fs::remove(folder / "out/batch.html");
  record("d");
  const Outcome again = batch({"--report", "--json"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["waiting"], 1);
  const std::string later = report_data(folder / "out/batch.html").dump();
  for (const char* words : {"d.body", "left, at the speed so far", "kinema batch recordings --out out", " UTC"})
    EXPECT_NE(later.find(words), std::string::npos) << words;
  EXPECT_GT(json::parse(again.out)["seconds_left"], 0);
}

TEST_F(Batch, FindsRecordingsInFoldersBelow) {
  record("s1/walk");
  record("s2/walk");
  fs::create_directories(folder / "recordings/.hidden/points");
  // the results may stand in the folder itself
  const Outcome outcome =
      run_kinema({"batch", "recordings", "--out", "recordings/out", "--body", cheap, "--json"}, folder.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["done"], 2);
  EXPECT_TRUE(fs::exists(folder / "recordings/out/results/s1-walk.body/poses.jsonl"));
}

TEST_F(Batch, ASignalStopsItAndTheNextRunGoesOn) {
  for (int i = 0; i < 12; ++i) record(fmt::format("{:02}", i), 4);
  RunningCommand running(call(), folder.folder());
  while (!fs::exists(folder / "out/results") || done().empty()) continue;
  running.signal(SIGTERM);
  running.signal(SIGINT);  // the same request, from somebody else
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(fs::exists(folder / "out/batch.html"));
  EXPECT_NE(outcome.err.find("of 12 jobs; run the same command again for the rest"), std::string::npos) << outcome.err;
  expect_no_work_left();
  const std::size_t before = done().size();
  const Outcome again = batch({"--json"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["shard"]["skipped"], before);
  EXPECT_EQ(done().size(), 12u);
}

TEST_F(Batch, TwoProcessesShareTheJobs) {
  for (int i = 0; i < 12; ++i) record(fmt::format("{:02}", i));
  RunningCommand first(call({"--json"}), folder.folder()), second(call({"--json"}), folder.folder());
  std::size_t jobs_done = 0;
  for (RunningCommand* running : {&first, &second}) {
    const Outcome outcome = running->wait();
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    jobs_done += json::parse(outcome.out)["shard"]["done"].get<std::size_t>();
  }
  EXPECT_EQ(jobs_done, 12u);
  for (const std::string& name : done()) EXPECT_EQ(job_record(name)["attempts"], 1) << name;
  expect_no_work_left();
}

TEST_F(Batch, RefusesWhatIsNoList) {
  const auto refuses = [&](const Arguments& arguments, const std::string& says) {
    SCOPED_TRACE(says);
    Arguments all = {"batch"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    expect_one_line(run_kinema(all, folder.folder()), 2, says);
    EXPECT_FALSE(fs::exists(folder / "out"));
  };
  const auto refuses_lines = [&](const std::string& lines, const std::string& says) {
    write("jobs.txt", lines);
    refuses({"jobs.txt", "--out", "out"}, says);
  };
  refuses({"none", "--out", "out"}, "none: ");
  fs::create_directories(folder / "empty");
  refuses({"empty", "--out", "out"}, "holds no jobs");
  refuses_lines("# nothing\n", "holds no jobs");
  refuses_lines("a body\nb\n", "jobs.txt:2: a job is INPUT TRACKER");
  refuses_lines("a foot\n", "jobs.txt:1: the tracker is 'foot'");
  refuses_lines("a body --input b\n", "--input cannot be an option");
  refuses_lines("a body --bvh /tmp/x.bvh\n", "give a name without a folder");
  refuses_lines("a body --csv=../x.csv\n", "give a name without a folder");
  refuses_lines("a body\na body\n", "is listed twice");
  write("jobs.txt", "a body\n");
  refuses({"jobs.txt", "--out", "out", "--body", "--no-shape"}, "are for a folder");
  refuses({"jobs.txt", "--out", "out", "--shard", "0/4"}, "--shard is '0/4'");
  refuses({"jobs.txt", "--out", "out", "--shard", "5/4"}, "--shard is '5/4'");
  refuses({"jobs.txt", "--out", "out", "--shard", "4"}, "--shard is '4'");
  write("empty/clip.mp4", "");
  refuses({"empty", "--out", "out"}, "is a video: say what to track in it");
}

TEST_F(Batch, KnowsAllOptionsThatNameOutputs) {
  // a new one must be added to the list in batch_jobs.cpp, or all jobs would write the same file
  const auto outputs = [&](const Arguments& verb, const std::set<std::string>& known) {
    Arguments help = verb;
    help.push_back("--help");
    std::istringstream text(run_kinema(help, folder.folder()).out);
    for (std::string line; std::getline(text, line);) {
      std::istringstream words(line);
      std::string option, type;
      words >> option >> type;
      const bool output = type.starts_with("out.") || type.starts_with("poses.csv") || type.starts_with("head.jsonl");
      EXPECT_TRUE(!output || known.count(option) > 0) << option;
    }
  };
  outputs({"body", "track"}, {"--csv", "--bvh", "--gltf", "--trc", "--mot", "--c3d", "--overlay"});
  outputs({"head", "track"}, {"--jsonl", "--overlay"});
  outputs({"track"}, {"--csv", "--overlay"});
}

}  // namespace
}  // namespace kinema::app
