// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The full files of a {@link FileSink}: {@code <file>.<number>}. If {@code <file>.<number>.lock}
 * exists as well, the file belongs to another process and is named after its id.
 */
final class RotatedFiles {
  /** The maximum number of digits in a file's number. */
  private static final int MAX_DIGITS = 18;

  private final Path file;
  private long newestNumber;

  RotatedFiles(Path file) throws IOException {
    this.file = file;
    this.newestNumber = findNewest();
  }

  static Path name(Path file, long number) {
    return file.resolveSibling(file.getFileName() + "." + number);
  }

  /** The lock file that belongs to a file of events. */
  static Path lock(Path file) {
    return file.resolveSibling(file.getFileName() + ".lock");
  }

  /** The highest number in use, 0 if there is none. */
  private long findNewest() throws IOException {
    long newest = 0;
    String prefix = file.getFileName() + ".";
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(file.resolveSibling("").toAbsolutePath())) {
      for (Path path : all) {
        String name = String.valueOf(path.getFileName());
        if (name.startsWith(prefix) && isNumber(name.substring(prefix.length()))) {
          long number = Long.parseLong(name.substring(prefix.length()));
          newest = isAnothers(number) ? newest : Math.max(newest, number);
        }
      }
    }
    return newest;
  }

  private static boolean isNumber(String text) {
    return !text.isEmpty()
        && text.length() <= MAX_DIGITS
        && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private boolean isAnothers(long number) {
    return Files.exists(lock(name(file, number)));
  }

  /** Renames the file to the next unused number. */
  void rotate() throws IOException {
    Path free;
    do {
      newestNumber++;
      free = name(file, newestNumber);
    } while (!isTaken(free));
    Files.move(file, free, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Reserves the name with an empty file, so that a rename replaces nothing else; false if the name
   * is in use.
   */
  private static boolean isTaken(Path name) throws IOException {
    try {
      Files.createFile(name);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  /** Deletes all but the newest {@code count} files. */
  void keepNewest(int count) throws IOException {
    for (long number = newestNumber - count; number > 0; number--) {
      if (!isAnothers(number) && !Files.deleteIfExists(name(file, number))) {
        return;
      }
    }
  }
}
