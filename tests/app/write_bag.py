"""Writes bags with the rosbag of ROS 1, for ros_bag_test.cpp.

    write_bag.py RECORDING OUT.bag KIND [COMPRESSION]

The depth images of a recording become messages of KIND: 16UC1, 32FC1 (metres, big-endian where COMPRESSION is none)
or png (compressedDepth). "two" writes depth on two topics; "colour" adds pictures; "bare" leaves out the CameraInfo.
"""
import json
import pathlib
import struct
import sys

import rosbag
import rospy
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

recording, out, kind = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
compression = sys.argv[4] if len(sys.argv) > 4 else "none"
camera = json.loads((recording / "camera.json").read_text())
width, height = camera["width"], camera["height"]
units = (recording / "units").read_bytes()
pngs = sorted((recording / "depth").glob("*.png"))


def depth_message(number):
    pixels = units[number * width * height * 2 : (number + 1) * width * height * 2]
    if kind == "png":
        return CompressedImage(format="16UC1; compressedDepth png", data=struct.pack("<iff", 0, 0, 0) + pngs[number].read_bytes())
    if kind == "32FC1":
        big = compression == "none"
        values = struct.unpack(f"<{width * height}H", pixels)
        metres = struct.pack(f"{'>' if big else '<'}{width * height}f", *(value * 0.001 for value in values))
        return Image(height=height, width=width, encoding=kind, is_bigendian=big, step=4 * width, data=metres)
    # rows with something after the last pixel, as some drivers have them
    rows = [pixels[row * width * 2 : (row + 1) * width * 2] + b"\xff\xff" for row in range(height)]
    return Image(height=height, width=width, encoding="16UC1", step=2 * width + 2, data=b"".join(rows))


info = CameraInfo(height=height, width=width, distortion_model="plumb_bob", D=[0.0] * 5)
info.K = [camera["fx"], 0, camera["cx"], 0, camera["fy"], camera["cy"], 0, 0, 1]
other = CameraInfo(height=1080, width=1920, distortion_model="plumb_bob", D=[0.1] * 5)
other.K = [1000, 0, 960, 0, 1000, 540, 0, 0, 1]

with rosbag.Bag(out, "w", compression=compression) as bag:
    for number, png in enumerate(pngs):
        stamp = rospy.Time(1700000000, round(float(png.stem) * 1e9))
        message = depth_message(number)
        message.header.stamp = stamp
        if kind == "colour":
            picture = Image(height=2, width=2, encoding="rgb8", step=6, data=bytes(range(12)))
            bag.write("/camera/color/image_raw", picture, stamp)
        bag.write("/camera/color/camera_info", other, stamp)
        if kind != "bare":
            bag.write("/camera/depth/camera_info", info, stamp)
        bag.write("/camera/depth/image_raw", message, stamp)
        if kind == "two":
            bag.write("/camera/aligned/image_raw", message, stamp)
