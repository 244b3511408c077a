// The document behind every report page (`kinema demo`, `bench`, `evaluate`): sections of figures, tables, plots and
// pictures. C++ fills it in; web/src/report draws it. web/src/report/schema.ts states the same types for the page, and
// the two must agree.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kinema::report {

/// How the page writes a value: "12.5"; "43k"; "1.2 ms"; "310×"; a share of 1 as "12 %".
enum class Unit { number, count, milliseconds, factor, percent };

/// The same text in C++, for tables and labels.
std::string with_unit(double value, Unit unit);

/// A paragraph, and a file beside the page that it may refer to.
struct Text {
  std::string text;
  std::string link;  ///< relative; "": none
};

/// The numbers to read first.
struct Figures {
  struct Figure {
    std::string value, label;
  };
  std::vector<Figure> figures;
};

/// Terms and what is said of them.
struct List {
  struct Entry {
    std::string term, text;
  };
  std::vector<Entry> entries;
};

/// Cells are text as it is shown.
struct Table {
  struct Row {
    std::vector<std::string> cells;  ///< where fewer than columns, the last one spans the rest
    bool group = false;              ///< a rule above: the first row of a group
    bool total = false;              ///< the sum of the rows above
    std::string link = {};           ///< of the first cell, relative to the page; "": none
  };
  std::string title;
  std::vector<std::string> columns;
  std::size_t text_columns = 1;  ///< leading columns that are text; the others are numbers
  std::vector<Row> rows;
};

struct Axis {
  std::string label;
  Unit unit = Unit::number;
  bool logarithmic = false;
  std::optional<double> from, to;  ///< else as the data has it
  bool hidden = false;
};

struct Point {
  double x = 0;
  std::optional<double> y;   ///< nothing: the line is broken here
  double low = 0, high = 0;  ///< a bar for the spread where low < high
};

enum class Style { line, dashed, thin, dots };

struct Series {
  std::string name;
  int colour = 0;  ///< 0 to 5, of the page's palette
  Style style = Style::line;
  std::vector<Point> points;  ///< ascending in x; on a logarithmic axis those that are not positive are left out
};

struct Plot {
  /// A dashed line across the plot.
  struct Limit {
    bool vertical = false;
    double at = 0;
    std::string label;
  };
  /// A shaded range of x, for which there is no data.
  struct Gap {
    double from = 0, to = 0;
  };
  std::string title;
  Axis x, y;
  std::vector<Series> series;
  std::vector<Limit> limits;
  std::vector<Gap> gaps;
};

/// Horizontal bars, each with a name and its value.
struct Bars {
  struct Bar {
    std::string name;
    double value = 0;  ///< on a logarithmic axis bars that are not positive are left out
    int colour = 0;
    std::string note;    ///< after the value
    double whisker = 0;  ///< a line from the bar's end to here; 0: none
  };
  std::string title;
  Axis axis;
  std::vector<Bar> bars;
};

/// Pictures in a row.
struct Pictures {
  struct Picture {
    std::string png;  ///< the bytes of the file
    int width = 0, height = 0;
    std::string alternative;  ///< for readers who cannot see it
    std::string caption;
  };
  std::vector<Picture> pictures;
};

/// A film beside the page, which plays in it where the browser knows its codec.
struct Film {
  std::string file;  ///< relative to the page
  std::string text;  ///< what it shows
};

/// Points and capsules as a camera sees them, all in pixels.
struct Scenes {
  static constexpr std::size_t levels = 11;
  /// The two ends of a capsule as circles: x, y, radius.
  using Outline = std::array<double, 6>;
  struct Scene {
    std::string title, text, alternative;
    double left = 0, top = 0, width = 0, height = 0;  ///< what is shown
    std::string ramp;                                 ///< colours of the levels: "depth" or "distance"
    std::string low, high;                            ///< what the ends of the ramp mean
    std::array<std::vector<std::pair<double, double>>, levels> points;  ///< by level
    std::vector<Outline> outlines;
    bool dashed = false;  ///< the outlines
  };
  std::vector<Scene> scenes;
};

/// What to type into a shell.
struct Commands {
  std::vector<std::string> lines;
};

using Block = std::variant<Text, Figures, List, Table, Plot, Bars, Pictures, Film, Scenes, Commands>;

struct Section {
  std::string title;  ///< "": none
  std::string text;   ///< "": none
  std::vector<Block> blocks;
};

struct Report {
  std::string title, text;
  std::vector<Section> sections;
  std::string footer;
};

/// One JSON object. Values that are not finite become null; bytes that are no UTF-8 are replaced.
std::string to_json(const Report& report);

/// Titles, words and tables for a terminal.
std::string to_text(const Report& report);

/// The page: one HTML file that needs nothing beside it.
std::string to_html(const Report& report);

}  // namespace kinema::report
