// record_oni FILE.oni FRAMES: writes the depth of the first OpenNI device to a file with OpenNI's own recorder. Exits
// with 3 if the file holds fewer frames: the recorder misses those that come before its thread is ready.
#include <OpenNI.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const auto check = [](openni::Status status) {
    if (status == openni::STATUS_OK) return;
    std::fprintf(stderr, "record_oni: %s\n", openni::OpenNI::getExtendedError());
    std::exit(1);
  };
  if (argc != 3) return 2;
  const int frames = std::atoi(argv[2]);
  int written = 0;
  check(openni::OpenNI::initialize());
  {
    openni::Device device;
    openni::VideoStream depth;
    openni::Recorder recorder;
    check(device.open(openni::ANY_DEVICE));
    check(depth.create(device, openni::SENSOR_DEPTH));
    check(recorder.create(argv[1]));
    check(recorder.attach(depth));
    check(recorder.start());
    check(depth.start());
    openni::VideoFrameRef frame;
    do {
      check(depth.readFrame(&frame));
    } while (frame.getFrameIndex() < frames);
    depth.stop();
    recorder.stop();
    recorder.destroy();
    depth.destroy();
    device.close();
    check(device.open(argv[1]));
    check(depth.create(device, openni::SENSOR_DEPTH));
    written = device.getPlaybackControl()->getNumberOfFrames(depth);
    depth.destroy();
    device.close();
  }
  openni::OpenNI::shutdown();
  return written == frames ? 0 : 3;
}
