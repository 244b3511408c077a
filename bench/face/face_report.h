// The results of `kinema bench face`, and their forms: JSON for programs, a report page.
#pragma once

#include "bench/face/face_picture.h"
#include "bench/face/product/product_bench.h"
#include "bench/machine.h"
#include "bench/stages.h"
#include "bench/statistics.h"
#include "kinema/stage_time.h"
#include "report/report.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::bench {

/// One backend on the model of one size.
struct FaceRow {
  std::string backend;  ///< "listing", "reference", "cpu", "opencv", "paper", "cuda", "cuda batch"
  std::size_t pixels = 0;
  std::size_t modes = 0;    ///< of shape and texture together
  std::size_t faces = 1;    ///< of one call; all times are of one face
  std::string image;        ///< "host" or "device"
  std::size_t repeats = 0;  ///< frames that were timed

  Spread ms;                      ///< wall time per frame: all iterations of a face
  double mean_ms = 0;             ///< as in the paper's table 1
  std::vector<StageTime> stages;  ///< medians reported by the backend, per frame; "device": the GPU's part; figure 2
  double iteration_ms = 0;        ///< of the mean
  std::vector<double> frame_ms;   ///< time of the first 1, 2, 4 ... frames, one after the other (figure 6)

  double growth = 1;  ///< over the same backend's time at the smallest size (figure 7)
  std::optional<double> speedup_listing, speedup_opencv;  ///< by `ms` (figure 8)
  std::optional<double> speedup_paper;                    ///< by "device"

  /// The largest distance of a landmark from the reference's, in pixels, over some faces; not for another model.
  std::optional<double> landmark_error;

  /// Mean distance of a landmark from where it was drawn, in pixels, and frames in which the face was lost; of films.
  std::optional<double> error;
  std::size_t lost = 0;

  std::optional<double> upload_ms;        ///< the median frame where its upload is not hidden; on a GPU
  std::optional<double> free_iterations;  ///< mean number where the loop ends by itself; of one backend

  std::optional<double> stage(std::string_view wanted) const { return stage_ms(stages, wanted); }
  double faces_per_second() const { return ms.median > 0 ? 1000 / ms.median : 0; }
};

/// The default fit of a model on one backend.
struct FaceFitRow {
  std::string what;       ///< "one face", "batch", "film": frame after frame, each from the one before
  std::string backend;    ///< "cpu" or "cuda"
  std::size_t faces = 1;  ///< of one call; all times are of one face
  std::size_t repeats = 0;
  Spread ms;                      ///< wall time, the pictures in host memory
  std::vector<StageTime> stages;  ///< medians reported by the backend
  std::vector<StageTime> parts;   ///< that make up `ms` (figure 2); of one face alone
  double iterations = 0;          ///< mean
  double landmark_error = 0;      ///< the largest distance of a landmark from the cpu backend's, in pixels

  double faces_per_second() const { return ms.median > 0 ? 1000 / ms.median : 0; }
};

struct FaceReport : RunReport {
  std::string facemark;  ///< OpenCV's version if its module is built in
  int iterations = 0;
  std::vector<std::size_t> pixels;
  std::vector<FaceRow> rows;
  std::string model;                     ///< file whose default fit was timed; "": none
  std::vector<FaceFitRow> default_fits;  ///< of it
  std::optional<ProductReport> products;
  std::vector<FacePicture> templates;  ///< of texture and of shape, for each size (figure 5)
  std::vector<FaceTemplate> small_templates;
  std::vector<FacePicture> sequence;  ///< frames of a film, fitted

  /// Rows of a backend, by size.
  std::vector<const FaceRow*> of(std::string_view backend) const;
  std::vector<std::string> backends() const;
};

/// Fills growth and speed-ups.
void compare_rows(FaceReport& report);

/// Table 1 of the paper: ms per frame on the CPU and on the GPU (Athlon II X2 250, GTX 650); none for other sizes.
struct PaperFaceTime {
  std::size_t pixels;
  double cpu_ms, gpu_ms;
};
std::optional<PaperFaceTime> paper_face_time(std::size_t pixels);

std::string face_json(const FaceReport& report);
report::Report face_page(const FaceReport& report);

}  // namespace kinema::bench
