package io.retroscope.server.store;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The directory of a store, and the file that says which program may use it. */
final class DataDirectory {
  private static final String FORMAT_FILE = "FORMAT";
  private static final int MAX_SHOWN = 60;

  private DataDirectory() {}

  /**
   * Makes a directory that is empty or does not exist one of ours, and checks one that is.
   *
   * @throws StoreException if it holds something else, with one sentence that says what to do
   */
  static void claim(Path directory) {
    Path format = directory.resolve(FORMAT_FILE);
    try {
      Files.createDirectories(directory);
      if (Files.exists(format)) {
        checkFormat(directory, Files.readString(format).strip());
        return;
      }
      try (Stream<Path> content = Files.list(directory)) {
        if (content.findAny().isPresent()) {
          throw new StoreException(
              "directory "
                  + directory
                  + " is not empty and holds no Retroscope store: name another directory");
        }
      }
      Files.writeString(format, StoreSchema.FORMAT + "\n");
    } catch (IOException e) {
      throw new StoreException("cannot use " + directory + " as data directory: " + reason(e), e);
    }
  }

  private static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "this user may not write there";
    }
    if (e instanceof FileAlreadyExistsException || e instanceof NotDirectoryException) {
      return "it is a file, not a directory";
    }
    return String.valueOf(e.getMessage());
  }

  private static void checkFormat(Path directory, String found) {
    if (!found.equals(StoreSchema.FORMAT)) {
      throw new StoreException(
          "directory "
              + directory
              + " holds \""
              + found.substring(0, Math.min(found.length(), MAX_SHOWN))
              + "\", but this program reads \""
              + StoreSchema.FORMAT
              + "\": use the program that wrote it, or another directory");
    }
  }
}
