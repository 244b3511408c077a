#include "body/foreground/foreground_heads.h"

#include "body/foreground/constants_foreground.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace kinema::body {
namespace {

using namespace constants::heads;

// The cells above one place of the ground.
struct Column {
  int across, along;
  double top;
  std::vector<std::size_t> cells;
  int summit = -1;  // the column with the head above it
};

class Ground {
public:
  Ground(const CellGrid& grid, std::span<const std::size_t> cells, const Vec3& up) {
    Vec3 right = cross(up, Vec3{0, 0, 1});
    right = norm(right) > 0.1 ? (1 / norm(right)) * right : Vec3{1, 0, 0};
    const Vec3 ahead = cross(right, up);
    for (const std::size_t cell : cells) {
      const Vec3f m = middle_of(grid, cell);
      const Vec3 p{m.x, m.y, m.z};
      const int across = step_of(dot(p, right)), along = step_of(dot(p, ahead));
      const auto [at, first] = places_.try_emplace({across, along}, static_cast<int>(columns_.size()));
      if (first) columns_.push_back({across, along, dot(p, up), {}});
      Column& column = columns_[static_cast<std::size_t>(at->second)];
      column.top = std::max(column.top, dot(p, up));
      column.cells.push_back(cell);
    }
  }

  // From the highest column down, each joins its higher neighbours; where two heads meet, the lower one ends unless it stands out.
  std::vector<std::vector<std::size_t>> divided() {
    std::vector<int> order(columns_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return at(a).top > at(b).top; });
    for (const int place : order) join(place);
    std::map<int, std::vector<std::size_t>> parts;  // by head, the highest first
    std::vector<int> rank(columns_.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const int head = head_of(static_cast<int>(i));
      auto& part = parts[rank[static_cast<std::size_t>(head)]];
      part.insert(part.end(), columns_[i].cells.begin(), columns_[i].cells.end());
    }
    std::vector<std::vector<std::size_t>> result;
    for (auto& [head, part] : parts) {
      std::sort(part.begin(), part.end());
      result.push_back(std::move(part));
    }
    return result;
  }

private:
  static int step_of(double place) { return static_cast<int>(std::floor(place / column)); }

  Column& at(int place) { return columns_[static_cast<std::size_t>(place)]; }

  int head_of(int place) {
    while (at(place).summit != place) place = at(place).summit;
    return place;
  }

  double between(int a, int b) { return column * std::hypot(at(a).across - at(b).across, at(a).along - at(b).along); }

  void join(int place) {
    Column& own = at(place);
    std::vector<int> heads;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const auto found = places_.find({own.across + dx, own.along + dy});
        if (found == places_.end() || found->second == place || at(found->second).summit < 0) continue;
        const int head = head_of(found->second);
        if (std::find(heads.begin(), heads.end(), head) == heads.end()) heads.push_back(head);
      }
    }
    own.summit = place;
    if (heads.empty()) return;
    std::stable_sort(heads.begin(), heads.end(), [&](int a, int b) { return between(a, place) < between(b, place); });
    own.summit = heads.front();
    for (std::size_t i = 1; i < heads.size(); ++i) {
      int high = head_of(heads[0]), low = head_of(heads[i]);
      if (high == low) continue;
      if (at(high).top < at(low).top) std::swap(high, low);
      if (at(low).top - own.top >= stands_out && between(high, low) >= heads_apart) continue;
      at(low).summit = high;
    }
  }

  std::vector<Column> columns_;
  std::map<std::pair<int, int>, int> places_;
};

}  // namespace

std::vector<std::vector<std::size_t>> below_heads(const CellGrid& grid, std::span<const std::size_t> cells,
                                                  const Vec3& up) {
  return Ground(grid, cells, up).divided();
}

}  // namespace kinema::body
