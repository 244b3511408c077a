// The sources that --input names by a scheme instead of a file, such as "-", "camera:0" or "openni:". Each is one file
// in this folder; this is the list of them.
#pragma once

#include "io/sources/raw_source.h"
#include "kinema/recording.h"
#include "kinema/source.h"

#include <optional>
#include <string>
#include <vector>

namespace kinema::io {

struct Connected {
  std::string input;  ///< what to give --input
  std::string name;   ///< of the device, as it calls itself
};

struct Scheme {
  std::string forms;        ///< "unix:PATH, tcp:PORT"
  std::string description;  ///< one line
  bool body = false, colour = false;
  std::string package;  ///< the Debian package that this build lacks; empty: none
  std::vector<Connected> connected;
};

/// Whether a word names a camera, the network or another program, all of which may never come or never end.
bool names_live_source(const std::string& word);

/// All schemes, with what is connected now.
std::vector<Scheme> schemes();

/// Nothing if the word is not a scheme: a file then. Throws Error if it is one that this build lacks, that cannot serve
/// this use, or whose device does not exist.
std::optional<RawOpener> source_opener(const std::string& word, const RecordingSettings& settings, SourceUse use);

}  // namespace kinema::io
