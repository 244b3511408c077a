#include "io/faces/labelled_images.h"

#include "io/files/frame_files.h"
#include "io/files/input_file.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace kinema::io {
namespace fs = std::filesystem;

namespace {

// Files of a folder by name, without hidden ones.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      std::error_code ignored;
      const std::string name = entry.path().filename().string();
      if (name.empty() || name[0] == '.' || !entry.is_regular_file(ignored)) continue;
      files.push_back(entry.path());
    }
  } catch (const fs::filesystem_error& error) {
    throw about(folder, Error(fmt::format("cannot be listed: {}", error.code().message())));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Faces of a set during collection, with messages about what is missing.
class Collection {
public:
  explicit Collection(const LandmarkSettings& settings) : settings_(settings) {}

  void add_folder(const fs::path& folder) {
    std::map<std::string, std::vector<fs::path>> pictures, labels;  // by name without extension
    std::vector<fs::path> tables;
    for (const fs::path& file : files_of(folder)) {
      if (kind_of(file) == FileKind::picture) pictures[file.stem().string()].push_back(file);
      if (holds_one_face(file)) labels[file.stem().string()].push_back(file);
      if (holds_many_faces(file) && looks_like_landmarks(file)) tables.push_back(file);
    }
    if (pictures.empty()) throw about(folder, Error("holds no pictures (.jpg, .png, .tif, .bmp, .pgm)"));
    std::set<fs::path> labelled;
    for (const fs::path& table : tables) {
      for (const fs::path& picture : add_table(table)) labelled.insert(picture);
    }
    for (const auto& [stem, files] : labels) pair_up(stem, files, pictures, labelled);
    for (const auto& [stem, files] : pictures) {
      for (const fs::path& file : files) {
        if (!labelled.contains(fs::weakly_canonical(file))) {
          set_.left_out.push_back(fmt::format("{}: no landmarks beside it ({}.pts or .asf)", file.string(), stem));
        }
      }
    }
  }

  /// A file about many images; returns the images for which it has landmarks.
  std::vector<fs::path> add_table(const fs::path& table) {
    std::vector<fs::path> added;
    for (LandmarkedFace& face : read_landmarks(table, settings_)) {
      const fs::path picture = table.parent_path() / fs::path(face.image);
      if (!is_there(picture)) {
        set_.left_out.push_back(
            fmt::format("{}: {}: there is no picture {}", table.string(), face.place, picture.string()));
        continue;
      }
      added.push_back(fs::weakly_canonical(picture));
      set_.images.push_back({picture, table, std::move(face), picture.filename().string()});
    }
    return added;
  }

  LabelledSet finish(const std::vector<fs::path>& sources) {
    if (set_.images.empty()) {
      throw Error(fmt::format("{}: holds no picture with landmarks{}", sources.front().string(),
                              set_.left_out.empty() ? "" : fmt::format(" (first: {})", set_.left_out.front())));
    }
    keep_one_number();
    std::stable_sort(set_.images.begin(), set_.images.end(),
                     [](const LabelledImage& a, const LabelledImage& b) { return a.name < b.name; });
    // several faces of one image, and images of one name in two folders, get a number
    std::map<std::string, std::size_t> seen;
    for (const LabelledImage& image : set_.images) ++seen[image.name];
    std::map<std::string, std::size_t> number;
    for (LabelledImage& image : set_.images) {
      if (seen[image.name] > 1) image.name += fmt::format("#{}", ++number[image.name]);
    }
    return std::move(set_);
  }

private:
  void pair_up(const std::string& stem, const std::vector<fs::path>& labels,
               const std::map<std::string, std::vector<fs::path>>& pictures, std::set<fs::path>& labelled) {
    if (labels.size() > 1) {
      throw about(labels[0], Error(fmt::format("stands beside {}: keep one of them", labels[1].filename().string())));
    }
    LandmarkedFace face;
    try {
      face = read_landmarks(labels[0], settings_).front();
    } catch (const Error& error) {
      set_.left_out.emplace_back(error.what());
      // its image has landmarks, but bad ones: one message is enough
      if (const auto same = pictures.find(stem); same != pictures.end())
        for (const fs::path& picture : same->second) labelled.insert(fs::weakly_canonical(picture));
      return;
    }
    // the image named by an .asf, otherwise the one with the same name
    const auto same = pictures.find(stem);
    std::optional<fs::path> picture;
    std::error_code ignored;
    const fs::path named = labels[0].parent_path() / fs::path(face.image).filename();
    if (!face.image.empty() && fs::is_regular_file(named, ignored)) {
      picture = named;
    } else if (same != pictures.end()) {
      if (same->second.size() > 1) {
        throw about(same->second[0],
                    Error(fmt::format("and {} have the same landmarks, {}: keep one of them",
                                      same->second[1].filename().string(), labels[0].filename().string())));
      }
      picture = same->second.front();
    }
    if (!picture) {
      set_.left_out.push_back(
          fmt::format("{}: there is no picture beside it ({}.jpg or .png)", labels[0].string(), stem));
      return;
    }
    const fs::path canonical = fs::weakly_canonical(*picture);
    if (!labelled.insert(canonical).second) {
      set_.left_out.push_back(
          fmt::format("{}: its picture has landmarks from another file too, which are taken", labels[0].string()));
      return;
    }
    set_.images.push_back({*picture, labels[0], std::move(face), picture->filename().string()});
  }

  // A model has one number of landmarks: that of most faces.
  void keep_one_number() {
    std::map<std::size_t, std::size_t> frequency;
    for (const LabelledImage& image : set_.images) ++frequency[image.face.landmarks.size() / 2];
    const auto most = std::max_element(frequency.begin(), frequency.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    set_.landmarks = most->first;
    for (const auto& [number, count] : frequency) {
      if (number != most->first && count == most->second) {
        throw Error(fmt::format("{} faces have {} landmarks and {} have {}: train them apart", count, number, count,
                                most->first));
      }
    }
    std::erase_if(set_.images, [&](const LabelledImage& image) {
      const std::size_t count = image.face.landmarks.size() / 2;
      if (count == set_.landmarks) return false;
      const std::string place = image.face.place.empty() ? "" : image.face.place + ": ";
      set_.left_out.push_back(fmt::format("{}: {}has {} landmarks where the others have {}", image.labels.string(),
                                          place, count, set_.landmarks));
      return true;
    });
  }

  LandmarkSettings settings_;
  LabelledSet set_;
};

// A face may extend over the border, but not lie beyond it.
void check_inside(const std::vector<float>& landmarks, int width, int height) {
  float left = landmarks[0], right = left, top = landmarks[1], bottom = top;
  std::size_t inside = 0;
  for (std::size_t i = 0; i + 1 < landmarks.size(); i += 2) {
    const float x = landmarks[i], y = landmarks[i + 1];
    left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
    inside += x >= -0.5f && y >= -0.5f && x < static_cast<float>(width) - 0.5f && y < static_cast<float>(height) - 0.5f;
  }
  const std::size_t count = landmarks.size() / 2;
  if (2 * inside < count) {
    throw Error(fmt::format("{} of {} landmarks lie outside the picture of {} x {}: are they of this picture?",
                            count - inside, count, width, height));
  }
  const float over = 0.5f * std::max(right - left, bottom - top);
  for (std::size_t i = 0; i + 1 < landmarks.size(); i += 2) {
    const float x = landmarks[i], y = landmarks[i + 1];
    if (x < -over || y < -over || x > static_cast<float>(width) + over || y > static_cast<float>(height) + over) {
      throw Error(fmt::format("landmark {} lies at ({:.1f}, {:.1f}), far outside the picture of {} x {}: mend it",
                              i / 2, x, y, width, height));
    }
  }
}

}  // namespace

LabelledSet find_labelled_images(const std::vector<fs::path>& sources, const LandmarkSettings& settings) {
  if (sources.empty()) throw Error("no folder of pictures with landmarks was given");
  Collection collection(settings);
  for (const fs::path& source : sources) {
    if (!is_there(source)) throw about(source, Error("there is no such folder or file"));
    if (is_folder(source)) {
      collection.add_folder(source);
    } else if (holds_many_faces(source)) {
      collection.add_table(source);
    } else {
      throw about(source, Error("is neither a folder nor an .xml, .json or .csv file of landmarks"));
    }
  }
  return collection.finish(sources);
}

LabelledPicture read_labelled(const LabelledImage& image) {
  LabelledPicture read;
  read.colour = read_face_picture(image.image);
  read.grey = grey_of(read.colour);
  read.landmarks = image.face.landmarks;
  if (image.face.relative) {
    // fractions of width and height, as in IMM's own tools
    for (std::size_t i = 0; i + 1 < read.landmarks.size(); i += 2) {
      read.landmarks[i] = read.landmarks[i] * static_cast<float>(read.colour.width);
      read.landmarks[i + 1] = read.landmarks[i + 1] * static_cast<float>(read.colour.height);
    }
  }
  try {
    check_inside(read.landmarks, read.colour.width, read.colour.height);
  } catch (const Error& error) {
    throw about(image.labels, image.face.place.empty() ? error : Error(image.face.place + ": " + error.what()));
  }
  return read;
}

}  // namespace kinema::io
