"""kinema follows people with models instead of networks.

kinema.body     a person from depth images, stereo pairs or point clouds: the tracker, and what stands beneath it
kinema.head     a head from colour frames, by the colours of its skin
kinema.face     a face from grey images: appearance models
kinema.io       recordings: frames from files
kinema.devices  what this build holds and what this machine offers
kinema.Error    wrong input, or a failure on the way; its message is a line for a person

Metres, radians, seconds. Camera frame: x right, y down, z forward. Pixels count from 0 at the centre of the first.
"""

from kinema._kinema import Error, __version__, devices
from kinema import body, face, head, io

__all__ = ["Error", "__version__", "body", "devices", "face", "head", "io"]
