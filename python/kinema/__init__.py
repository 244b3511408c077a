"""kinema follows people with models instead of networks.

kinema.body     a person from points that a stereo or depth camera saw: the tracker, and the likelihood beneath it
kinema.head     a head from colour frames, by the colours of its skin
kinema.face     a face from grey images: appearance models
kinema.devices  what this build holds and what this machine offers
kinema.Error    wrong input, or a failure on the way; its message is a line for a person

Metres, radians, seconds. Camera frame: x right, y down, z forward. Pixels count from 0 at the centre of the first.
"""

from kinema._kinema import Error, __version__, devices
from kinema import body, face, head

__all__ = ["Error", "__version__", "body", "devices", "face", "head"]
