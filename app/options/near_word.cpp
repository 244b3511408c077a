#include "app/options/near_word.h"

#include <algorithm>
#include <cstddef>

namespace kinema::app {
namespace {

// The restricted Damerau-Levenshtein distance: rows of its table are prefixes of `a`, columns prefixes of `b`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t changed = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({changed, table[i - 1][j] + 1, table[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::string near_word(std::string_view typed, const std::vector<std::string>& words) {
  constexpr std::size_t longest = 64;  // more is no word that was mistyped
  if (typed.size() > longest) return "";
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& word : words) {
    const std::size_t far = distance(typed, word);
    if (far >= least) continue;
    least = far;
    nearest = word;
  }
  return nearest;
}

}  // namespace kinema::app
