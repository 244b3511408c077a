"""Fits a face to a picture that PyTorch holds in GPU memory, without a copy to the host:

    python3 gpu_tensor.py PICTURE LANDMARKS.pts

Exits with 77 where there is no GPU or no PyTorch.
"""

import sys

import numpy as np

import kinema
from kinema import face, io


def read_pts(path):
    """float32 (L, 2), pixels from 0: files count from 1."""
    with open(path) as file:
        numbers = file.read().split("{")[1].split("}")[0].split()
    return np.array(numbers, np.float32).reshape(-1, 2) - 1


def main(picture, landmarks):
    try:
        import torch
    except ImportError:
        print("skipped: there is no PyTorch")
        return 77
    if not torch.cuda.is_available() or "cuda" not in kinema.devices()["backends"]:
        print("skipped: there is no GPU")
        return 77
    frame = next(io.open_colour(picture, sequence=False))
    tensor = torch.from_numpy(frame.colour).cuda()
    grey = tensor.float().mean(dim=2).round().to(torch.uint8)  # computed on the GPU, and read there
    fitter = face.Fitter(face.read_model(), backend="cuda")
    on_gpu = fitter.fit(grey, landmarks=read_pts(landmarks))
    on_host = fitter.fit(grey.cpu().numpy(), landmarks=read_pts(landmarks))
    print(on_gpu)
    print("largest difference from the same array in host memory:", np.abs(on_gpu.landmarks - on_host.landmarks).max())
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
