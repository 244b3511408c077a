"""kinema follows people with models instead of networks.

kinema.body     the likelihood of a pose, given points that a stereo or depth camera saw
kinema.devices  what this build holds and what this machine offers
kinema.Error    wrong input, or a failure on the way; its message is a line for a person

Metres, radians, seconds. Camera frame: x right, y down, z forward.
"""

from kinema._kinema import Error, __version__, devices
from kinema import body

__all__ = ["Error", "__version__", "body", "devices"]
