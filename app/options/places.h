// The files and folders that a call names, compared before anything is written.
#pragma once

#include "app/options/options.h"

#include <string>
#include <vector>

namespace kinema::app {

/// What an option names; empty: it was not given.
struct Place {
  const char* flag;
  std::string name;
};

/// Throws Error if two outputs are the same, or if one of them would overwrite an input: the file itself, a frame in its
/// folder, or what lies beside the frames of a recording, such as camera.json. Lines can go to standard output ("-"), as
/// `lines` names them; what a run prints at its end then goes to standard error, and --json is refused.
void check_places(const std::vector<Place>& lines, const std::vector<Place>& others, const std::vector<Place>& inputs,
                  CommonOptions& common);

/// "wrote poses.jsonl, walk.bvh": the files and folders among `outputs` that are there now, with what a run prints at its
/// end. Nothing with --json.
void print_written(const std::vector<std::string>& outputs, const CommonOptions& common);

}  // namespace kinema::app
