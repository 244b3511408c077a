#include "bench/papers.h"

#include "bench/body/body_bench.h"
#include "bench/face/face_bench.h"
#include "bench/head/head_bench.h"

#include <nlohmann/json.hpp>

#include <iterator>
#include <utility>

namespace kinema::bench {
namespace {

// The part of a paper, with its own title.
void add_paper(const char* title, report::Report part, report::Report& page) {
  page.sections.push_back({title, part.text, {}});
  std::move(part.sections.begin(), part.sections.end(), std::back_inserter(page.sections));
}

}  // namespace

void run_papers(const BenchOptions& options) {
  ResultFiles of_body(options, "body"), of_head(options, "head"), of_face(options, "face"), of_all(options, "papers");
  // all of it within 8 minutes of a machine with a GPU, and 25 of two cores
  const auto part = [&](auto made, double seconds) {
    static_cast<BenchOptions&>(made) = options;
    if (options.seconds == 0 && !options.quick) made.seconds = seconds;
    return made;
  };
  const BodyReport body = measure_body(part(BodyBenchOptions(), 0.5), say);
  of_body.write(body_json(body), body_page(body));
  HeadBenchOptions head_options = part(HeadBenchOptions(), 0.25);
  head_options.tables = {"paper", "kernels"};
  const HeadReport head = measure_head(head_options, say);
  of_head.write(head_json(head), head_page(head));
  FaceBenchOptions face_options = part(FaceBenchOptions(), 0.25);
  face_options.only = {"sizes"};
  const FaceReport face = measure_face(face_options, say);
  of_face.write(face_json(face), face_page(face));

  report::Report page{"The three papers, remade", "", {}, ""};
  add_paper("GPU Accelerated Likelihoods for Stereo-Based Articulated Tracking", body_page(body), page);
  add_paper("Fast GPU and CPU computing for Head Position Estimation", head_page(head), page);
  add_paper("Efficient Parallel Implementation of Active Appearance Model Fitting Algorithm on GPU", face_page(face),
            page);
  const nlohmann::ordered_json json = {{"kind", "papers"},
                                       {"body", nlohmann::ordered_json::parse(body_json(body))},
                                       {"head", nlohmann::ordered_json::parse(head_json(head))},
                                       {"face", nlohmann::ordered_json::parse(face_json(face))}};
  of_all.publish(json.dump() + "\n", page);
}

}  // namespace kinema::bench
