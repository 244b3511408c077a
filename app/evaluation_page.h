// The page of `kinema body evaluate`: one HTML file with plots that needs nothing beside it.
#pragma once

#include "app/evaluation.h"

#include <string>

namespace kinema::app {

std::string evaluation_page(const Evaluation& evaluation, const std::string& poses, const std::string& truth);

/// The two plots alone, as SVG inside a page.
std::string frames_plot(const Evaluation& evaluation);
std::string joints_plot(const Evaluation& evaluation);

}  // namespace kinema::app
