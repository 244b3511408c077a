// Pictures find their landmarks; what has no partner is left out with a line, and pixels of every kind are read.
#include "io/faces/labelled_images.h"

#include "io/faces/face_detector.h"
#include "io/pictures/image_file.h"
#include "refusal.h"
#include "scratch_folder.h"
#include "synth/faces/faces.h"

#include <opencv2/imgcodecs.hpp>

namespace kinema::io {
namespace {

void picture(const std::filesystem::path& path, int width = 40, int height = 30) {
  cv::Mat image(height, width, CV_8UC3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      image.at<cv::Vec3b>(y, x) = {static_cast<std::uint8_t>(5 * x), 80, static_cast<std::uint8_t>(7 * y)};
  }
  ASSERT_TRUE(cv::imwrite(path.string(), image));
}

const char* const three = "5 5\n20 6\n12 20\n";

bool any_says(const std::vector<std::string>& lines, const std::string& words) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(words) != std::string::npos; });
}

TEST(LabelledImages, PairsByNameAndSaysWhatIsMissing) {
  const ScratchFolder folder;
  for (const char* name : {"a.png", "b.jpg", "c.png", "alone.png"}) picture(folder / name);
  for (const char* name : {"a.pts", "b.pts", "widow.pts"}) folder.write(name, three);
  folder.write("c.pts", "1 2\n3 x\n");
  folder.write("index.csv", "file,width\na.png,40\n");
  folder.write("notes.txt", "nothing");
  const LabelledSet set = find_labelled_images({folder.path()});
  ASSERT_EQ(set.images.size(), 2u);
  EXPECT_EQ(set.images[0].name, "a.png");
  EXPECT_EQ(set.images[1].name, "b.jpg");
  EXPECT_EQ(set.landmarks, 3u);
  EXPECT_TRUE(any_says(set.left_out, "alone.png: no landmarks beside it"));
  EXPECT_TRUE(any_says(set.left_out, "widow.pts: there is no picture beside it"));
  EXPECT_TRUE(any_says(set.left_out, "c.pts: line 2: 'x'"));
  EXPECT_FALSE(any_says(set.left_out, "c.png")) << "bad landmarks are no missing ones";
  const LabelledPicture read = read_labelled(set.images[0]);
  EXPECT_EQ(read.landmarks, (std::vector<float>{4, 4, 19, 5, 11, 19}));
  EXPECT_EQ(read.grey.width, 40);
}

TEST(LabelledImages, KeepsTheNumberOfLandmarksThatMostHave) {
  const ScratchFolder folder;
  for (const char* name : {"a", "b", "c"}) picture(folder / (std::string(name) + ".png"));
  folder.write("a.pts", three);
  folder.write("b.pts", three);
  folder.write("c.pts", "1 2\n3 4\n");
  const LabelledSet set = find_labelled_images({folder.path()});
  EXPECT_EQ(set.images.size(), 2u);
  EXPECT_TRUE(any_says(set.left_out, "c.pts: has 2 landmarks where the others have 3"));
  std::filesystem::remove(folder / "b.pts");
  EXPECT_NE(refusal_of([&] { find_labelled_images({folder.path()}); }).find("train them apart"), std::string::npos);
}

TEST(LabelledImages, TakesTablesAndSeveralFacesOfOnePicture) {
  const ScratchFolder folder;
  picture(folder / "a.png");
  const auto table = folder.write(
      "set.csv", "file,x0,y0,x1,y1,x2,y2\na.png,1,2,8,2,3,9\na.png,11,2,18,2,13,9\nnone.png,1,2,3,4,5,6\n");
  const LabelledSet set = find_labelled_images({table});
  ASSERT_EQ(set.images.size(), 2u);
  EXPECT_EQ(set.images[0].name, "a.png#1");
  EXPECT_EQ(set.images[1].name, "a.png#2");
  EXPECT_TRUE(any_says(set.left_out, "line 4: there is no picture"));
  EXPECT_EQ(find_labelled_images({folder.path()}).images.size(), 2u);  // found in the folder too
}

TEST(LabelledImages, AsfTakesTheSizeOfThePictureItNames) {
  const ScratchFolder folder;
  picture(folder / "p.png");
  folder.write("q.asf", "3\n0 0 0.25 0.5 0\n0 0 0.5 0.5 1\n0 0 0.5 0.9 2\np.png\n");
  const LabelledSet set = find_labelled_images({folder.path()});
  ASSERT_EQ(set.images.size(), 1u);
  EXPECT_EQ(read_labelled(set.images[0]).landmarks, (std::vector<float>{10, 15, 20, 15, 20, 27}));
}

TEST(LabelledImages, RefusesWhatIsNoSet) {
  const ScratchFolder folder;
  expect_refusal(folder.path(), "holds no pictures", [&] { find_labelled_images({folder.path()}); });
  picture(folder / "a.png");
  expect_refusal(folder.path(), "holds no picture with landmarks", [&] { find_labelled_images({folder.path()}); });
  expect_refusal(folder / "none", "there is no such folder", [&] { find_labelled_images({folder / "none"}); });
  expect_refusal(folder / "a.png", "is neither a folder nor", [&] { find_labelled_images({folder / "a.png"}); });
  folder.write("a.pts", three);
  folder.write("a.asf", "1\n0 0 0.1 0.1\n");
  EXPECT_NE(refusal_of([&] { find_labelled_images({folder.path()}); }).find("keep one of them"), std::string::npos);
}

TEST(LabelledImages, RefusesLandmarksOfAnotherPicture) {
  const ScratchFolder folder;
  picture(folder / "a.png");
  const auto read = [&](const char* points) {
    folder.write("a.pts", points);
    read_labelled(find_labelled_images({folder.path()}).images.at(0));
  };
  expect_refusal(folder / "a.pts", "landmarks lie outside the picture of 40 x 30",
                 [&] { read("500 500\n510 500\n505 510\n"); });
  expect_refusal(folder / "a.pts", "landmark 2 lies at (19.0, 199.0), far outside",
                 [&] { read("5 5\n20 6\n20 200\n10 10\n12 12\n"); });
  read("5 5\n20 6\n20 34\n");  // a chin below the border is a face all the same
}

TEST(FacePicture, ReadsGreySixteenBitsAndTransparency) {
  const ScratchFolder folder;
  cv::Mat grey(4, 6, CV_8UC1, cv::Scalar(77)), deep(4, 6, CV_16UC1, cv::Scalar(0x0fff)),
      clear(4, 6, CV_8UC4, cv::Scalar(10, 20, 30, 0));
  deep.at<std::uint16_t>(0, 0) = 0x07ff;
  clear.at<cv::Vec4b>(0, 0) = {10, 20, 30, 255};
  cv::imwrite((folder / "g.png").string(), grey);
  cv::imwrite((folder / "d.png").string(), deep);
  cv::imwrite((folder / "c.png").string(), clear);
  EXPECT_EQ(read_face_picture(folder / "g.png").bgr[4], 77);
  // 12 bits of a sensor are brought to the whole range
  const Picture read = read_face_picture(folder / "d.png");
  EXPECT_EQ(read.bgr[3], 255);
  EXPECT_NEAR(read.bgr[0], 127, 1);
  const Picture seen = read_face_picture(folder / "c.png");
  EXPECT_EQ(seen.bgr[0], 10);
  EXPECT_EQ(seen.bgr[3], 128);
  expect_refusal(folder / "n.png", "there is no such file", [&] { read_face_picture(folder / "n.png"); });
  const auto text = folder.write("t.png", "no picture");
  expect_refusal(text, "", [&] { read_face_picture(text); });
}

TEST(FaceDetector, FindsASyntheticFaceAndNothingInNothing) {
  if (find_face_cascade().empty()) GTEST_SKIP() << "opencv-data is not installed";
  const FaceDetector detector;
  std::size_t found = 0, tried = 12;
  for (std::uint32_t i = 0; i < tried; ++i) {
    const synth::FaceShot shot = synth::face_shot(2, i, 192);
    const auto boxes = detector.detect(synth::grey_of(shot.picture).view());
    if (boxes.empty()) continue;
    const float nose_x = shot.landmarks[60], nose_y = shot.landmarks[61];
    found += nose_x > boxes[0].x && nose_y > boxes[0].y && nose_x < boxes[0].x + boxes[0].width &&
             nose_y < boxes[0].y + boxes[0].height;
  }
  // a cascade trained on people knows most of them
  EXPECT_GE(found, tried / 2);
  EXPECT_TRUE(detector.detect(GreyImage{1, 1, {128}}.view()).empty());
  EXPECT_TRUE(detector.detect(GreyImage{200, 150, std::vector<std::uint8_t>(30000, 90)}.view()).empty());
}

TEST(FaceDetector, RefusesDataThatIsNone) {
  const ScratchFolder folder;
  expect_refusal(folder / "none.xml", "there is no such file", [&] { FaceDetector detector(folder / "none.xml"); });
  const auto text = folder.write("x.xml", "<a/>");
  expect_refusal(text, "is not a cascade", [&] { FaceDetector detector(text); });
  const auto network = folder.write("x.onnx", "none");
  expect_refusal(network, "is not a cascade", [&] { FaceDetector detector(network); });
}

}  // namespace
}  // namespace kinema::io
