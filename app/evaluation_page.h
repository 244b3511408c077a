// The page of `kinema body evaluate`: one HTML file with plots that needs nothing beside it.
#pragma once

#include "app/evaluation.h"

#include <string>

namespace kinema::app {

std::string evaluation_page(const Evaluation& evaluation, const std::string& poses, const std::string& truth);

/// Parts of it for another page, with what they need in its style sheet: the colours --ink, --quiet, --rule and --gap are
/// the page's own.
std::string evaluation_style();
std::string joints_table(const Evaluation& evaluation);
std::string frames_plot(const Evaluation& evaluation);
std::string joints_plot(const Evaluation& evaluation);

}  // namespace kinema::app
