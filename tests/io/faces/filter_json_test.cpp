// filter.json: what is written reads back, and nonsense is refused with one line.
#include "io/faces/filter_json.h"

#include "refusal.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>

namespace kinema::io {
namespace {

using head::Calibration;

TEST(FilterJson, APlaneAsTheDesignHasItIsEnough) {
  const Calibration calibration = parse_filter(R"({"classifier":"plane","f":[0.02,-0.01,-0.005,0.25]})");
  const auto& plane = std::get<head::SkinPlane>(calibration.filter.model);
  EXPECT_EQ(plane.r, 0.02);
  EXPECT_EQ(plane.g, -0.01);
  EXPECT_EQ(plane.b, -0.005);
  EXPECT_EQ(plane.d, 0.25);
  EXPECT_FALSE(calibration.head);
}

TEST(FilterJson, NamesThatAreNotKnownAreLeftAlone) {
  EXPECT_NO_THROW(parse_filter(R"({"classifier":"plane","f":[0.02,-0.01,-0.005,0.25],"made_by":"hand"})"));
}

TEST(FilterJson, EveryClassifierReadsBackAsItWas) {
  head::Histogram histogram;
  histogram.bins = 3;
  for (int i = 0; i < 27; ++i) histogram.degrees.push_back(static_cast<std::uint8_t>(9 * i));
  const head::SkinModel models[] = {head::SkinPlane{1.0 / 3, -0.1, 1e-17, 2},
                                    head::RgGaussian{},
                                    head::XyzGaussian{},
                                    head::CbCrGaussian{},
                                    head::HsvBox{},
                                    head::TslGaussian{},
                                    histogram};
  std::vector<std::uint8_t> patch(head::head_patch_side * head::head_patch_side);
  for (std::size_t i = 0; i < patch.size(); ++i) patch[i] = static_cast<std::uint8_t>(31 * i);
  for (const head::SkinModel& model : models) {
    Calibration calibration;
    calibration.filter = {model, 0.75, "a camera \"x\"", "lamp"};
    calibration.head =
        head::HeadReference{640, 480, {320.5, 240, 50, 70}, 0.03, 0.05, {0.1, -0.2, 1.1}, 0.4, patch, 0.6, 1.05};
    const std::string text = filter_json(calibration);
    const Calibration read = parse_filter(text);
    EXPECT_EQ(filter_json(read), text) << head::name(model);
    EXPECT_EQ(head::name(read.filter.model), head::name(model));
    EXPECT_EQ(read.filter.score, 0.75);
    EXPECT_EQ(read.head->oval.cx, 320.5);
    EXPECT_EQ(read.head->anchor.size, 1.1);
    EXPECT_EQ(read.head->contrast, 0.4);
    EXPECT_EQ(read.head->patch, patch);
    EXPECT_EQ(*read.head->distance, 0.6);
  }
}

struct Refusal {
  const char* text;
  const char* says;
};

TEST(FilterJson, NonsenseIsRefusedInOneLine) {
  const Refusal refusals[] = {
      {"", "is empty"},
      {"{", "is not JSON"},
      {"[1,2,3]", "filter"},
      {"{}", "has no \"classifier\""},
      {R"({"classifier":"plane"})", "has no \"f\""},
      {R"({"classifier":"plane","f":[1,2,3]})", "/f: is not a list of 4 numbers"},
      {R"({"classifier":"plane","f":[1,2,3,"x"]})", "/f/3"},
      {R"({"classifier":"plane","f":[1,2,3,null]})", "/f/3"},
      {R"({"classifier":"plane","f":[1,2,3,1e400]})", "too large"},
      {R"({"classifier":"plane","f":"red"})", "/f"},
      {R"({"classifier":"magic","f":[1,2,3,4]})", "/classifier: is 'magic'"},
      {R"({"classifier":7,"f":[1,2,3,4]})", "/classifier"},
      {R"({"classifier":"plane","f":[1,2,3,4],"f":[1,2,3,4]})", "twice"},
      {R"({"classifier":"rg","mean":[0.4,0.3],"covariance":[-1,0,1],"darkest":60})", ""},
      {R"({"classifier":"histogram","bins":1,"degrees":"00"})", "/bins"},
      {R"({"classifier":"histogram","bins":2,"degrees":"00"})", "/degrees"},
      {R"({"classifier":"histogram","bins":2,"degrees":"000000000000000g"})", "/degrees"},
      {R"({"classifier":"plane","f":[1,2,3,4],"score":"good"})", "/score"},
      {R"({"classifier":"plane","f":[1,2,3,4],"head":{"width":640}})", "/head: has no"},
      {R"({"classifier":"plane","f":[1,2,3,4],"head":{"width":0,"height":480,"oval":[1,2,3,4],"area":0.1}})",
       "/head/width"},
      {R"({"classifier":"plane","f":[1,2,3,4],"head":{"width":640,"height":480,"oval":[1,2,0,4],"area":0.1}})",
       "/head/oval"},
      {R"({"classifier":"plane","f":[1,2,3,4],"head":{"width":640,"height":480,"oval":[9,9,3,4],"area":7}})",
       "/head/area"},
      {R"({"classifier":"plane","f":[1,2,3,4],"head":{"width":640,"height":480,"oval":[9,9,3,4],"area":0.1,"aera":1}})",
       "/head/aera"},
      {R"({"classifier":"plane","f":[1,2,3,4],"head":{"width":640,"height":480,"oval":[9,9,3,4],"area":0.1,"patch":"0f"}})",
       "/head/patch: has 2 letters"},
  };
  const ScratchFolder folder;
  for (const Refusal& refusal : refusals) {
    const std::filesystem::path path = folder.write("filter.json", refusal.text);
    expect_refusal(path, refusal.says, [&] { read_filter(path); });
  }
  EXPECT_THROW(read_filter("nowhere.json"), Error);
}

}  // namespace
}  // namespace kinema::io
