"""kinema tracks people with models instead of networks.

kinema.body     a person from depth images, stereo pairs or point clouds: the tracker and its parts
kinema.head     a head from colour frames, by the colours of its skin
kinema.face     a face from grey images: appearance models
kinema.person   one person in front of a webcam: position, rotation and expression of the head
kinema.io       recordings: frames from files
kinema.stereo   disparities of stereo pairs
kinema.devices  what this build includes and this machine provides
kinema.to_dataframe  estimates of any tracker as a table of pandas
kinema.Error    invalid input, or a failure at run time; its message is one line

Metres, radians, seconds. Camera frame: x right, y down, z forward. Pixels count from 0 at the centre of the first.
"""

from kinema._kinema import Error, __version__, devices
from kinema import body, face, head, io, person, stereo
from kinema.table import to_dataframe

__all__ = ["Error", "__version__", "body", "devices", "face", "head", "io", "person", "stereo", "to_dataframe"]
