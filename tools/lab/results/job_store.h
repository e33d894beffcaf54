#pragma once

#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace glimpse {

/// Results of finished jobs, one file each, so that what was interrupted goes on where it was. A job is known
/// by its key: every option and number that decides its result, as text. The file's name has a hash of the
/// key. The file begins with the whole key (as '#' lines) and ends with a checksum of all that stands before.
/// A file counts only if its key is the same to the letter and its checksum is right: a damaged one counts as
/// missing. Files are written beside and renamed, so each is whole or not there. Without a folder nothing is
/// kept. Thread-safe: jobs with different keys may be put at once.
class JobStore {
 public:
  /// `folder` is made where missing; empty: keep nothing. `files` must outlive the store.
  static Result<JobStore> open(FileSystem& files, const std::string& folder);

  /// What put() was given for this key, if it was.
  std::optional<std::string> find(const std::string& name, const std::string& key) const;
  /// `name` is for people, the beginning of the file's name.
  Status put(const std::string& name, const std::string& key, const std::string& content) const;
  /// put() that a power failure may undo, though not a kill: for many small results of little worth, which
  /// would wait longer for the disk than they take to compute.
  Status put_unsynced(const std::string& name, const std::string& key, const std::string& content) const;
  /// Forgets the key; no Error where nothing was put for it.
  Status remove(const std::string& name, const std::string& key) const;

 private:
  JobStore(FileSystem& files, std::string folder) : files_(&files), folder_(std::move(folder)) {}
  Status write(const std::string& path, const std::string& text, bool sync) const;
  std::string path_of(const std::string& name, const std::string& key) const;

  FileSystem* files_;
  std::string folder_;
};

}  // namespace glimpse
