#!/usr/bin/env python3
"""Whether several faces keep their numbers: landmarks of `kinema face fit --faces N` against a drawn film of several people.

  kinema face film --persons 5 --frames 600 --out film
  kinema face fit --input film --sequence --faces 5 --out film.jsonl
  scripts/measure_faces.py film film.jsonl

A face is hidden in a frame where somebody larger covers more than half of its landmarks; such frames do not count. "kept": found
with the number that this person has most often, of all found; "missed" of all that are not hidden; errors of those found are over the
distance of the outer eye corners.
"""

import collections
import json
import statistics
import sys
from pathlib import Path

import numpy as np

SAME = 0.3  # outer-eye distances, mean over landmarks: this face and no other


def points_of(path):
    lines = path.read_text(encoding="utf-8").split("{")[1].split("}")[0].split()
    return np.array(lines, float).reshape(-1, 2) - 1  # .pts counts from 1


def size_of(points):
    return float(np.linalg.norm(points[36] - points[45]))


def hidden(own, others):
    covered = np.zeros(len(own), bool)
    for other in others:
        if size_of(other) > size_of(own):
            low, high = other.min(0), other.max(0)
            covered |= ((own > low) & (own < high)).all(1)
    return covered.mean() > 0.5


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    film, found = Path(sys.argv[1]), collections.defaultdict(list)
    for line in map(json.loads, open(sys.argv[2], encoding="utf-8")):
        if line.get("points"):
            found[line["frame"]].append((line.get("person", 0), np.array(line["points"])))
    numbers, errors = collections.defaultdict(collections.Counter), []
    seen = missed = extra = 0
    for picture in sorted(film.glob("??????.png")):
        frame = int(picture.stem)
        truth = {int(p.stem.split("_")[1]): points_of(p) for p in film.glob(f"{picture.stem}_*.pts")}
        left = list(found[frame])
        for person, points in sorted(truth.items()):
            away = [float(np.linalg.norm(at - points, axis=1).mean()) / size_of(points) for _, at in left]
            best = int(np.argmin(away)) if away else -1
            match = best >= 0 and away[best] < SAME
            if not hidden(points, [p for k, p in truth.items() if k != person]):
                seen += 1
                missed += not match
                if match:
                    numbers[person][left[best][0]] += 1
                    errors.append(away[best])
            if match:
                left.pop(best)
        extra += len(left)
    matched = sum(sum(c.values()) for c in numbers.values())
    main_number = {person: counts.most_common(1)[0][0] for person, counts in numbers.items()}
    kept = sum(counts[main_number[person]] for person, counts in numbers.items())
    shared = len(main_number) - len(set(main_number.values()))
    print(json.dumps({"people": len(numbers), "seen": seen, "missed": round(missed / max(1, seen), 4), "false": extra,
                      "kept": round(kept / max(1, matched), 4), "people_with_one_number": shared,
                      "numbers": {p: dict(c) for p, c in sorted(numbers.items())},
                      "median_error": round(statistics.median(errors), 4) if errors else None}))


if __name__ == "__main__":
    main()
