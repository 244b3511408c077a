// kinema stereo calibrate: two cameras and a chessboard or ChArUco board to the calibration that body track reads.
#include "app/options/command_line.h"
#include "app/options/interrupt.h"
#include "app/options/options.h"
#include "app/options/progress.h"
#include "app/page/view.h"
#include "io/cameras/stereo_calibration.h"
#include "io/files/frame_files.h"
#include "io/files/input_file.h"
#include "io/files/output_file.h"
#include "io/pictures/image_file.h"
#include "io/sources/reopening_source.h"
#include "io/sources/source_schemes.h"
#include "kinema/error.h"
#include "kinema/lens_check.h"
#include "serve/messages/calibration_feed.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;

struct StereoCalibrateOptions {
  std::string input;
  fs::path out;
  io::CalibrationBoard board;
  std::size_t views = 25;
  bool json = false;
  io::RecordingSettings source;
  ViewOptions view;
};

// The boards found so far, in pictures of one size.
class Boards {
public:
  explicit Boards(const io::CalibrationBoard& board, serve::CalibrationFeed* feed) : board_(board), feed_(feed) {}

  /// `still`: boards that are where another was are left out too.
  void add(const io::Picture& left, const io::Picture& right, bool still) {
    if (pairs_++ == 0) {
      width_ = left.width;
      height_ = left.height;
    }
    for (const io::Picture* picture : {&left, &right}) {
      if (picture->width == width_ && picture->height == height_) continue;
      throw Error(fmt::format("pair {} has {} x {} pixels, where the first picture has {} x {}", pairs_, picture->width,
                              picture->height, width_, height_));
    }
    if (lenses_.looks()) lenses_.look(io::grey_of(left).view(), io::grey_of(right).view());
    auto view = io::find_board(left, right, board_);
    if (view && before_) view->down = io::moved_down(*before_, *view);
    before_ = view;
    const bool taken = view && (!still || io::is_another_view(*view, views_, width_));
    if (taken) views_.push_back(*view);
    if (feed_ != nullptr) feed_->add({left, right, view, taken, views_, io::lacking(views_, width_, height_)});
  }

  std::size_t pairs() const { return pairs_; }
  const std::vector<io::BoardView>& views() const { return views_; }

  /// What is wrong with a lens in all of the first pairs, or nothing.
  const std::string& lens_fault() const { return lenses_.fault(); }
  io::PairCalibration calibrate() const { return io::calibrate_pair(views_, board_, width_, height_); }

private:
  io::CalibrationBoard board_;
  serve::CalibrationFeed* feed_;  // null: nobody looks
  std::size_t pairs_ = 0;
  int width_ = 0, height_ = 0;
  std::optional<io::BoardView> before_;  // of the last pair
  std::vector<io::BoardView> views_;
  stereo::LensCheck lenses_;
};

std::pair<io::FrameSequence, io::FrameSequence> pictures_of(const std::string& input) {
  if (io::is_folder(input)) {
    return {io::list_folder(fs::path(input) / "left", io::FileKind::picture),
            io::list_folder(fs::path(input) / "right", io::FileKind::picture)};
  }
  const std::vector<std::string> words = split(input, ',');
  if (words.size() != 2) {
    throw Error(
        fmt::format("{}: give a folder with left/ and right/, patterns as in left%02d.jpg,right%02d.jpg, or a "
                    "stereo camera as in stereo:0",
                    input));
  }
  return {io::list_pattern(words[0]), io::list_pattern(words[1])};
}

void add_pictures(const std::string& input, Boards& boards) {
  const auto [left, right] = pictures_of(input);
  Progress progress("pairs", left.frames.size(), true);
  std::size_t at = 0;
  for (const io::FrameFile& file : left.frames) {
    progress.show(at++);
    const auto other = std::find_if(right.frames.begin(), right.frames.end(), [&](const io::FrameFile& candidate) {
      return candidate.index == file.index && !candidate.missing;
    });
    if (file.missing || other == right.frames.end()) continue;
    boards.add(io::read_picture(file.path), io::read_picture(other->path), false);
  }
}

void add_live(const io::RawOpener& opener, const StereoCalibrateOptions& options, Boards& boards) {
  io::ReopeningSource source(opener, options.source.reconnect);
  const Interrupt interrupt;
  Progress progress("boards", options.views, true);
  while (boards.views().size() < options.views && !interrupt.asked()) {
    progress.show(boards.views().size());
    io::RawFrame frame;
    const auto got = source.read(frame, std::chrono::milliseconds(100));
    if (got == io::RawSource::Got::end) return;
    if (got == io::RawSource::Got::frame) boards.add(frame.left, frame.right, true);
  }
}

std::string words_of(const Boards& boards, const io::PairCalibration& pair) {
  return fmt::format(
      "{} boards in {} pairs: error {:.2f} pixels, between rows {:.2f} pixels, {:.0f} mm at 3 m; baseline {:.1f} mm, "
      "focal length {:.1f} pixels within {:.2f} %; {:.0f} % of the picture covered",
      pair.views, boards.pairs(), pair.error, pair.row_error, 1000 * pair.depth_error, 1000 * pair.baseline,
      pair.calibration.left.fx, 100 * pair.focal_deviation, 100 * pair.coverage);
}

void report(const StereoCalibrateOptions& options, const Boards& boards, const io::PairCalibration& pair) {
  if (pair.out_of_step)
    warn(stderr, "the cameras are out of step: the {} one is late by {:.1f} or more of the time between pairs",
         *pair.out_of_step > 0 ? "right" : "left", std::abs(*pair.out_of_step));
  if (!options.json) return fmt::print("{}\n", words_of(boards, pair));
  nlohmann::ordered_json json;
  json["pairs"] = boards.pairs();
  json["boards"] = pair.views;
  json["error_px"] = pair.error;
  json["row_error_px"] = pair.row_error;
  json["depth_error_3m_mm"] = 1000 * pair.depth_error;
  json["baseline_mm"] = 1000 * pair.baseline;
  json["focal_px"] = pair.calibration.left.fx;
  json["focal_deviation"] = pair.focal_deviation;
  json["coverage"] = pair.coverage;
  json["results"] = {{"out", options.out.string()}};
  print_json(json);
}

io::PairCalibration calibrated(const StereoCalibrateOptions& options, Boards& boards) {
  if (const auto opener = io::source_opener(options.input, options.source, io::SourceUse::raw_pairs)) {
    add_live(*opener, options, boards);
  } else {
    add_pictures(options.input, boards);
  }
  if (boards.views().empty() && !boards.lens_fault().empty())
    throw Error(fmt::format("{}: {}", options.input, boards.lens_fault()));
  if (boards.views().empty()) {
    throw Error(fmt::format("{}: no board of {} x {} inner corners is {} both pictures of any of {} pairs",
                            options.input, options.board.columns, options.board.rows,
                            options.board.marker > 0 ? "in" : "whole in", boards.pairs()));
  }
  try {
    return boards.calibrate();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", options.input, error.what()));
  }
}

void run(const StereoCalibrateOptions& options) {
  const io::OutputFile place(options.out);  // refused now, not after minutes with the board
  io::check_board(options.board);
  std::optional<View> view;
  std::optional<serve::CalibrationFeed> feed;
  if (options.view.wanted) {
    view.emplace(options.view);
    feed.emplace(view->hub().channel("calibrate"), options.input, options.views);
  }
  Boards boards(options.board, feed ? &*feed : nullptr);
  try {
    const io::PairCalibration pair = calibrated(options, boards);
    io::write_calibration(options.out, pair);
    report(options, boards, pair);
    if (feed) feed->finish(words_of(boards, pair));
  } catch (const Error& error) {
    if (feed) feed->finish(error.what());
    throw;
  }
  if (view) view->wait();
}

// "9x6".
void parse_board(const std::string& word, io::CalibrationBoard& board) {
  std::string_view rest = word;
  const auto columns = take_number(rest);
  if (rest.starts_with('x')) rest.remove_prefix(1);
  const auto rows = take_number(rest);
  const auto good = [](const std::optional<double>& count) {
    return count && *count == std::floor(*count) && *count >= 3 && *count <= 100;
  };
  if (!good(columns) || !good(rows) || !rest.empty()) {
    throw Error(
        fmt::format("--board is '{}': give its inner corners, as in 9x6 for 10 x 7 squares", io::printable(word)));
  }
  board.columns = static_cast<int>(*columns);
  board.rows = static_cast<int>(*rows);
}

}  // namespace

void add_stereo_calibrate(Verb parent, Task& task) {
  Verb verb = parent.add("calibrate", "Calibrate a stereo pair with a chessboard or ChArUco board, for body track");
  const auto options = std::make_shared<StereoCalibrateOptions>();
  verb.option("--input", options->input, "DIR|FILES|SOURCE",
              "A folder with left/ and right/, patterns left%02d.jpg,right%02d.jpg, or a stereo camera as in stereo:0")
      .required();
  verb.text(
          "--board", [options](const std::string& word) { parse_board(word, options->board); }, "9x6",
          "Inner corners of the board, where four squares meet")
      .show_default("9x6");
  verb.text(
          "--square",
          [options](const std::string& word) { options->board.square = parse_metres("--square", word, seen_lengths); },
          "25mm", "Side of a square, in metres or with a unit")
      .show_default("25mm");
  verb.text(
      "--marker",
      [options](const std::string& word) { options->board.marker = parse_metres("--marker", word, seen_lengths); },
      "18mm", "Side of a marker of a ChArUco board, as --square; without it the board is a chessboard");
  verb.option("--dictionary", options->board.dictionary, "NAME", "Markers of a ChArUco board, as OpenCV names them")
      .show_default();
  verb.option("--out", options->out, "stereo.yml", "The calibration, for --camera-file of body track").required();
  verb.option("--views", options->views, "N", "Views of the board, in different places, to take from a camera")
      .between(5L, 1000L)
      .show_default();
  add_view_options(verb, options->view);
  verb.under("Everywhere").flag("--json", options->json, "Print the results as one JSON object on standard output");
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
