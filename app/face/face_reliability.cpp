#include "app/face/face_reliability.h"

#include <algorithm>
#include <cmath>

namespace kinema::app {
namespace {

class Table {
public:
  explicit Table(std::vector<double> limits) {
    for (std::size_t i = 0; i + 1 < limits.size(); ++i) bins_.push_back({limits[i], limits[i + 1], 0, 0, 0});
  }

  void add(double predicted, bool observed) {
    const auto bin = std::find_if(bins_.begin(), bins_.end() - 1, [&](const auto& b) { return predicted < b.to; });
    ++bin->count;
    bin->predicted += predicted;
    bin->observed += observed;
  }

  std::vector<ReliabilityBin> means() const {
    std::vector<ReliabilityBin> result;
    for (ReliabilityBin bin : bins_) {
      if (bin.count == 0) continue;
      bin.predicted /= static_cast<double>(bin.count);
      bin.observed /= static_cast<double>(bin.count);
      result.push_back(bin);
    }
    return result;
  }

private:
  std::vector<ReliabilityBin> bins_;
};

}  // namespace

std::vector<ReliabilityBin> failure_reliability(const FaceEvaluation& evaluation) {
  Table table({0, 0.02, 0.1, 0.3, 0.7, 0.9, 1});
  for (const FaceError& face : evaluation.faces)
    if (face.fitted) table.add(face.failure, face.all > failure_limit);
  return table.means();
}

std::vector<ReliabilityBin> landmark_reliability(const FaceEvaluation& evaluation) {
  Table table({0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1});
  for (const FaceError& face : evaluation.faces)
    for (std::size_t i = 0; i < face.confidence.size(); ++i)
      table.add(static_cast<double>(face.confidence[i]), static_cast<double>(face.landmark_errors[i]) <= failure_limit);
  return table.means();
}

double calibration_error(const std::vector<ReliabilityBin>& bins) {
  double sum = 0, count = 0;
  for (const ReliabilityBin& bin : bins) {
    sum += static_cast<double>(bin.count) * std::abs(bin.predicted - bin.observed);
    count += static_cast<double>(bin.count);
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace kinema::app
