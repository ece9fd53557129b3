// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The names of files for completion.
 *
 * @param start the folder that relative names refer to
 */
record FileNames(Path start) {
  /** The maximum number of names. */
  static final int MAX_FILES = 1_000;

  /**
   * Returns the files and folders whose path has a prefix, in the same form; folders end with a
   * slash.
   */
  List<String> startingWith(String path) {
    String folder = path.substring(0, path.lastIndexOf('/') + 1);
    String name = path.substring(folder.length());
    try (Stream<Path> files = Files.list(start.resolve(folder))) {
      return files
          .filter(file -> shown(file, name))
          .limit(MAX_FILES)
          .map(file -> folder + file.getFileName() + (Files.isDirectory(file) ? "/" : ""))
          .sorted()
          .toList();
    } catch (IOException | InvalidPathException unreadable) {
      return List.of();
    }
  }

  /** Hides hidden files unless their dot is typed. */
  private static boolean shown(Path file, String name) {
    String fileName = String.valueOf(file.getFileName());
    return fileName.startsWith(name) && (!fileName.startsWith(".") || name.startsWith("."));
  }
}
