"""Where a head is and where it looks, from a webcam:

    python3 head_pose.py                 # the first camera
    python3 head_pose.py film            # or a video, or a folder of pictures

Prints a line per frame until Ctrl-C.
"""

import sys

from kinema import face, io, person


def main():
    source = io.open_colour(sys.argv[1] if len(sys.argv) > 1 else "camera:0")
    print(source)
    tracker = person.Tracker(face.read_model(), detect=face.Detector(), order="bgr")
    for frame in source:
        if frame.gap:
            print(f"{frame.time:7.3f} s  no picture: {frame.gap}")
            continue
        estimate = tracker.track(frame.colour, frame.time)
        if estimate.pose is None:
            print(f"{frame.time:7.3f} s  {estimate.why or 'no face yet'}")
            continue
        pose = estimate.pose
        x, y, z = pose.position
        print(f"{frame.time:7.3f} s  yaw {pose.yaw:6.1f}  pitch {pose.pitch:6.1f}  roll {pose.roll:6.1f} degrees  "
              f"x {x:6.3f}  y {y:6.3f}  z {z:6.3f} m  mouth open {pose.expression['jawOpen']:.2f}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
