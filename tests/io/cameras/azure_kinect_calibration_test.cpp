// The calibration in recordings of Azure Kinect: intrinsics in pixels for each mode, and what is refused.
#include "io/cameras/camera_file.h"

#include "kinema/error.h"

#include <gtest/gtest.h>

#include <string>

namespace kinema::io {
namespace {

std::string calibration(const std::string& parameters) {
  return R"({"CalibrationInformation":{"Cameras":[{"Location":"CALIBRATION_CameraLocationPV0"},)"
         R"({"Location":"CALIBRATION_CameraLocationD0","Intrinsics":{"ModelType":)"
         R"("CALIBRATION_LensDistortionModelBrownConrady","ModelParameters":[)" +
         parameters + "]}}]}}";
}

const std::string usual = calibration("0.5,0.51,0.49,0.48,1,2,3,4,5,6,0,0,8,7,0");

TEST(AzureKinectCalibration, TheNarrowModesAreCutFromTheMiddleOfTheSensor) {
  const CameraFile file = azure_kinect_depth_camera(usual, 640, 576);
  EXPECT_DOUBLE_EQ(file.camera.fx, 0.49 * 1024);
  EXPECT_DOUBLE_EQ(file.camera.fy, 0.48 * 1024);
  EXPECT_DOUBLE_EQ(file.camera.cx, 0.5 * 1024 - 192 - 0.5);
  EXPECT_DOUBLE_EQ(file.camera.cy, 0.51 * 1024 - 180 - 0.5);
  EXPECT_EQ(file.depth_scale, 0.001);
  // k1 k2 p1 p2 k3 k4 k5 k6, as in OpenCV
  EXPECT_EQ(file.distortion, (std::vector<double>{1, 2, 7, 8, 3, 4, 5, 6}));
  // binned pixels are twice as large, and their centres lie between those of four
  const CameraFile binned = azure_kinect_depth_camera(usual, 320, 288);
  EXPECT_DOUBLE_EQ(binned.camera.fx, file.camera.fx / 2);
  EXPECT_DOUBLE_EQ(binned.camera.cx, (file.camera.cx + 0.5) / 2 - 0.5);
}

TEST(AzureKinectCalibration, TheWideModesAreTheWholeSensor) {
  EXPECT_DOUBLE_EQ(azure_kinect_depth_camera(usual, 1024, 1024).camera.cy, 0.51 * 1024 - 0.5);
  EXPECT_DOUBLE_EQ(azure_kinect_depth_camera(usual, 512, 512).camera.cy, 0.51 * 512 - 0.5);
  // some are stored with a zero at the end
  EXPECT_NO_THROW(azure_kinect_depth_camera(usual + std::string(1, '\0'), 512, 512));
}

TEST(AzureKinectCalibration, RefusesWhatIsNone) {
  const auto says = [](const std::string& text, int width, const std::string& words) {
    try {
      azure_kinect_depth_camera(text, width, width == 640 ? 576 : 480);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  says(usual, 648, "is not a mode of an Azure Kinect");
  says("{", 640, "is not JSON");
  says("{}", 640, "CalibrationInformation");
  says(R"({"CalibrationInformation":{"Cameras":[]}})", 640, "the depth camera");
  says(calibration("1,2"), 640, "fewer than 14");
  says(calibration("0.5,0.5,0,0.5,0,0,0,0,0,0,0,0,0,0"), 640, "fx");
}

}  // namespace
}  // namespace kinema::io
