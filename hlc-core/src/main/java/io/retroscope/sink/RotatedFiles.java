package io.retroscope.sink;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The names of the files that a {@link FileSink} has left behind: {@code <file>.<number>}. */
final class RotatedFiles {
  /** The most digits of a number that is looked at. */
  private static final int MAX_DIGITS = 18;

  private RotatedFiles() {}

  static Path name(Path file, long number) {
    return file.resolveSibling(file.getFileName() + "." + number);
  }

  /** The highest number there is, 0 for none. */
  static long newestNumber(Path file) throws IOException {
    long newest = 0;
    String prefix = file.getFileName() + ".";
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(file.resolveSibling("").toAbsolutePath())) {
      for (Path path : all) {
        String name = String.valueOf(path.getFileName());
        if (name.startsWith(prefix) && isNumber(name.substring(prefix.length()))) {
          newest = Math.max(newest, Long.parseLong(name.substring(prefix.length())));
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

  /** Deletes what is older than the newest {@code count}. */
  static void keepNewest(Path file, long newestNumber, int count) throws IOException {
    for (long number = newestNumber - count; number > 0; number--) {
      if (!Files.deleteIfExists(name(file, number))) {
        return;
      }
    }
  }
}
