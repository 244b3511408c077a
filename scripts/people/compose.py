"""Compositions of two real recordings of UTD-MHAD, whose people are cut out of their backgrounds: one or both are moved, and the
nearer hides the farther. They do not know of each other, and who is moved sideways glides."""

import json

import cv2
import numpy as np

# Recordings, nearer and farther, and for each where: metres right and back of where each stood, at the first and at the last frame
COMPOSITIONS = {
    "beside": ("a13_s3_t1", "a22_s4_t3", [(-0.45, 0)] * 2, [(0.45, 0.1)] * 2),
    "half-hidden": ("a26_s2_t1", "a9_s1_t3", [(-0.15, 0)] * 2, [(0.2, 0.6)] * 2),
    "past": ("a4_s4_t1", "a23_s2_t2", [(0.1, 0)] * 2, [(-0.8, 0.7), (0.9, 0.7)]),
    "crossing": ("a22_s1_t4", "a21_s3_t1", [(0.6, 0), (-0.6, 0)], [(-0.6, 0.6), (0.6, 0.6)]),
}


def compose(convert, mat, name, folder):
    """Writes a composition as a recording; `convert` is that of UTD-MHAD's tools, `mat` the folder with Depth/ and Skeleton/."""
    near, far, *ways = COMPOSITIONS[name]
    people = [convert.load(mat, recording) for recording in (near, far)]
    frames = min(len(depth) for depth, _, _ in people)
    fps = len(people[0][0]) * 50 / len(people[0][2])
    (folder / "depth").mkdir(parents=True, exist_ok=True)
    camera = dict(width=320, height=240, fx=285.63, fy=285.63, cx=159.5, cy=119.5, fps=round(fps, 3), depth_scale=0.001)
    (folder / "camera.json").write_text(json.dumps(camera))
    lines = []
    for t in range(frames):
        image, owner, alone = np.full((240, 320), np.inf), np.full((240, 320), -1), []
        for k, ((depth, _, _), (first, last)) in enumerate(zip(people, ways)):
            right, back = np.add(first, np.subtract(last, first) * (t / max(1, frames - 1)))
            v, u = np.nonzero(depth[t])
            z = depth[t][v, u] / 1000
            x, y, far = (u - 159.5) * z / 285.63 + right, (v - 119.5) * z / 285.63, z + back
            u, v = np.rint(285.63 * x / far + 159.5).astype(int), np.rint(285.63 * y / far + 119.5).astype(int)
            inside = (u >= 0) & (v >= 0) & (u < 320) & (v < 240)
            own = np.full((240, 320), np.inf)
            np.minimum.at(own, (v[inside], u[inside]), far[inside])
            left, right_of = own[:, :-2], own[:, 2:]  # of pixels that nothing moved to
            crack = np.isinf(own[:, 1:-1]) & (np.abs(np.where(np.isfinite(left) & np.isfinite(right_of), left, 9) - right_of) < 0.1)
            own[:, 1:-1][crack] = left[crack]
            alone.append(max(1, len(set(zip(v, u)))))
            owner[own < image] = k
            image = np.minimum(image, own)
        pixels = np.where(np.isfinite(image), np.rint(1000 * image), 0).astype(np.uint16)
        cv2.imwrite(str(folder / f"depth/{t:06d}.png"), pixels)
        for k, ((_, joints, _), (first, last)) in enumerate(zip(people, ways)):
            right, back = np.add(first, np.subtract(last, first) * (t / max(1, frames - 1)))
            places = {n: [round(float(x), 5) for x in joints[t][j] + [right, 0, back]] for n, j in convert.JOINTS.items()}
            visible = min(1.0, float((owner == k).sum()) / alone[k])
            lines.append(dict(frame=t, time=round(t / fps, 5), person=k + 1, joints=places, visible=round(visible, 3)))
    (folder / "truth.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
