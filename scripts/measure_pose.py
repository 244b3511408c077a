#!/usr/bin/env python3
"""Errors and jitter of the head's pose on a drawn film: estimates of `kinema face fit` or `kinema track` against truth.jsonl.

  kinema face film --frames 300 --out film
  kinema face fit --input film --sequence --out film.jsonl
  scripts/measure_pose.py film/truth.jsonl film.jsonl
"""

import argparse
import json
import math
import statistics


def read(path):
    with open(path, encoding="utf-8") as file:
        return {line["frame"]: line for line in map(json.loads, file)}


def turned(a, b):
    """Degrees between two rotations [w, x, y, z]."""
    return math.degrees(2 * math.acos(min(1.0, abs(sum(x * y for x, y in zip(a, b))))))


def spread(values):
    """Standard deviation of the noise by second differences, as `kinema head track` states it, and of all values."""
    second = [abs(a - 2 * b + c) for a, b, c in zip(values, values[1:], values[2:])]
    noise = 1.4826 * statistics.median(second) / math.sqrt(6) if second else 0
    return noise, statistics.pstdev(values)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth")
    parser.add_argument("estimates")
    parser.add_argument("--skip", type=int, default=30, help="frames at the start that do not count")
    arguments = parser.parse_args()
    truth, estimates = read(arguments.truth), read(arguments.estimates)
    frames = [f for f in sorted(truth) if f >= arguments.skip]
    seen = [f for f in frames if estimates.get(f, {}).get("head")]
    print(f"{len(seen)} of {len(frames)} frames have a pose")
    if not seen:
        return
    angles = {name: [] for name in ("turn", "yaw", "pitch", "roll")}
    places = {name: [] for name in ("distance", "x", "y", "z")}
    scores = {name: [] for name in ("yaw", "pitch", "roll", "z")}
    for frame in seen:
        own, true = estimates[frame]["head"], truth[frame]["head"]
        angles["turn"].append(turned(own["rotation"], true["rotation"]))
        for i, name in enumerate(("yaw", "pitch", "roll")):
            off = math.remainder(own[name] - true[name], 360)
            angles[name].append(off)
            scores[name].append(off / max(1e-9, own["angle_deviation"][i]))
        off = [a - b for a, b in zip(own["position"], true["position"])]
        far = math.hypot(*true["position"])
        places["distance"].append(100 * math.hypot(*off) / far)
        for name, value in zip("xyz", off):
            places[name].append(1000 * value)
        scores["z"].append(off[2] / max(1e-9, own["position_deviation"][2]))
    mean = statistics.fmean
    print(f"rotation: mean {mean(angles['turn']):.2f} deg, median {statistics.median(angles['turn']):.2f}, "
          f"nine tenths below {percentile(angles['turn'], 0.9):.2f}")
    print("  bias and deviation: " + ", ".join(
        f"{n} {mean(angles[n]):+.2f} {statistics.pstdev(angles[n]):.2f}" for n in ("yaw", "pitch", "roll")))
    print(f"place: mean {mean(places['distance']):.2f} % of the distance, median "
          f"{statistics.median(places['distance']):.2f} %, nine tenths below {percentile(places['distance'], 0.9):.2f} %")
    print("  bias and deviation, mm: " + ", ".join(
        f"{n} {mean(places[n]):+.1f} {statistics.pstdev(places[n]):.1f}" for n in "xyz"))
    print("errors over stated deviations: " + ", ".join(
        f"{n} {math.sqrt(mean(v * v for v in scores[n])):.2f}" for n in scores))
    print("jitter (from second differences) and standard deviation: " + ", ".join(
        "{} {:.3f} {:.3f}".format(n, *spread([estimates[f]["head"][n] for f in seen])) for n in ("yaw", "pitch", "roll"))
        + " deg; " + ", ".join(
        "{} {:.3f} {:.3f}".format(n, *spread([1000 * estimates[f]["head"]["position"][i] for f in seen]))
        for i, n in enumerate("xyz")) + " mm")


if __name__ == "__main__":
    main()
