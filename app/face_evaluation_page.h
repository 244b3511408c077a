// The page of `kinema face evaluate`: one HTML file with a plot and the worst faces, which needs nothing beside it.
#pragma once

#include "app/face_evaluation.h"

#include <string>
#include <vector>

namespace kinema::app {

/// `worst`: the bytes of a PNG, or empty.
std::string face_evaluation_page(const FaceEvaluation& evaluation, const std::string& model, const std::string& images,
                                 const std::string& start, const std::string& worst);

/// The cumulative curve as SVG, with what it needs in a style sheet beside bench::plot_style(): the colours --ink and
/// --quiet are the page's own.
std::string face_curve(const FaceEvaluation& evaluation);
std::string face_curve_style();

}  // namespace kinema::app
