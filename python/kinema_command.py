#!python
"""The command of the wheel: the program that lies in the package, which is not imported for it."""

import importlib.util
import os
import sys

place = importlib.util.find_spec("kinema").submodule_search_locations[0]
program = os.path.join(place, "bin", "kinema")
os.execv(program, [program, *sys.argv[1:]])
