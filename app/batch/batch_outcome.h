// What came of one attempt at a job, from how its process ended and what it wrote.
#pragma once

#include "app/batch/batch_store.h"
#include "app/batch/child_process.h"

#include <filesystem>
#include <string>

namespace kinema::app {

/// Everything of the record that the attempt decides.
void fill_in(JobRecord& record, const Claim& claim, const ChildEnd& end, const std::filesystem::path& input);

/// "ended by signal 11 (Segmentation fault)"
std::string words_of(const ChildEnd& end);

/// A tracker gives the same bits again: whom it did not find, it will not find, and wrong input stays wrong.
bool worth_another_attempt(const JobRecord& record);

}  // namespace kinema::app
