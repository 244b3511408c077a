// What somebody meant who mistyped a word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kinema::app {

/// The one of `words` that differs least from `typed`, by letters left out, added, changed or exchanged with their
/// neighbour; "" if all differ in more than a third of its letters.
std::string near_word(std::string_view typed, const std::vector<std::string>& words);

}  // namespace kinema::app
