// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of a store, with the file that names its format and the file in which losses are
 * recorded.
 */
public final class DataDirectory {
  private static final String FORMAT_FILE = "FORMAT";
  private static final String LOSSES_FILE = "LOSSES";
  private static final int MAX_SHOWN = 60;
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");
  private static final Logger logger = LoggerFactory.getLogger(DataDirectory.class);

  private DataDirectory() {}

  /**
   * Marks an empty or missing directory as a store, or checks an existing store.
   *
   * @throws StoreException if the directory contains anything else; the message says how to
   *     continue
   */
  public static void claim(Path directory) {
    Path format = directory.resolve(FORMAT_FILE);
    try {
      createPrivate(directory);
      if (Files.exists(format)) {
        checkFormat(directory, text(format).strip());
        if (!Database.exists(directory)) {
          logger.warn("{} is a store without a database: it begins empty", directory);
        }
        return;
      }
      try (Stream<Path> content = Files.list(directory)) {
        if (content.anyMatch(file -> !file.getFileName().toString().equals(FORMAT_FILE + ".new"))) {
          throw new StoreException(
              "directory "
                  + directory
                  + " is not empty and contains no Retroscope store: name another directory");
        }
      }
      writeDurably(format, StoreSchema.FORMAT + "\n");
    } catch (IOException e) {
      throw new StoreException("cannot use " + directory + " as data directory: " + reason(e), e);
    }
  }

  /**
   * Marks a store that this program has opened for writing as one of the present format, so that a
   * program that does not know sealed blocks refuses it.
   */
  static void upgrade(Path directory) {
    Path format = directory.resolve(FORMAT_FILE);
    try {
      if (!text(format).strip().equals(StoreSchema.FORMAT)) {
        writeDurably(format, StoreSchema.FORMAT + "\n");
      }
    } catch (IOException e) {
      throw new StoreException("cannot write " + format + ": " + reason(e), e);
    }
  }

  /**
   * Creates a directory if it does not exist, and denies access to other users. A directory of
   * another user, such as a mounted volume, keeps its permissions.
   */
  static void createPrivate(Path directory) throws IOException {
    Files.createDirectories(directory);
    PosixFileAttributeView view =
        Files.getFileAttributeView(directory, PosixFileAttributeView.class);
    if (view == null) {
      return; // Not a POSIX system.
    }
    try {
      view.setPermissions(OWNER_ONLY);
    } catch (FileSystemException e) {
      logger.warn("other users may be able to read {}: {}", directory, e.getMessage());
    }
  }

  /** The text of a file, in which a character replaces each byte that is damaged beyond reading. */
  public static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }

  /** The sentences about data that starts with {@code --recover} had to leave out. */
  public static List<String> losses(Path directory) {
    Path file = directory.resolve(LOSSES_FILE);
    try {
      return Files.exists(file) ? text(file).lines().toList() : List.of();
    } catch (IOException e) {
      throw new StoreException("cannot read " + file + ": " + reason(e), e);
    }
  }

  /** Records a loss permanently. */
  public static void addLoss(Path directory, String sentence) {
    List<String> losses = new ArrayList<>(losses(directory));
    losses.add(sentence);
    Path file = directory.resolve(LOSSES_FILE);
    try {
      writeDurably(file, String.join("\n", losses) + "\n");
    } catch (IOException e) {
      throw new StoreException("cannot write " + file + ": " + reason(e), e);
    }
  }

  /** Replaces a file atomically: after a crash it contains either the old or the new text. */
  public static void writeDurably(Path file, String text) throws IOException {
    writeDurably(file, text.getBytes(StandardCharsets.UTF_8));
  }

  public static void writeDurably(Path file, byte[] content) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel channel =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      try (FileChannel parent = FileChannel.open(directory, StandardOpenOption.READ)) {
        parent.force(true);
      }
    }
  }

  /**
   * Checks that a directory contains a store of a supported format.
   *
   * @throws StoreException if it does not
   */
  public static void check(Path directory) {
    Path format = directory.resolve(FORMAT_FILE);
    try {
      if (!Files.exists(format)) {
        throw new StoreException("directory " + directory + " contains no Retroscope store");
      }
      checkFormat(directory, text(format).strip());
    } catch (IOException e) {
      throw new StoreException("cannot read " + directory + ": " + reason(e), e);
    }
  }

  /** Whether a directory exists and is not empty. */
  public static boolean isOccupied(Path directory) {
    if (!Files.exists(directory)) {
      return false;
    }
    try (Stream<Path> content = Files.list(directory)) {
      return content.findAny().isPresent();
    } catch (IOException e) {
      throw new StoreException("cannot read " + directory + ": " + reason(e), e);
    }
  }

  private static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "this user may not write there";
    }
    if (e instanceof FileAlreadyExistsException || e instanceof NotDirectoryException) {
      return "it is a file, not a directory";
    }
    if (e instanceof NoSuchFileException) {
      return "it does not exist and cannot be created";
    }
    return String.valueOf(e.getMessage());
  }

  private static void checkFormat(Path directory, String found) {
    if (!found.equals(StoreSchema.FORMAT) && !found.equals(StoreSchema.FORMAT_WITHOUT_SEALED)) {
      throw new StoreException(
          "directory "
              + directory
              + " holds \""
              + found.substring(0, Math.min(found.length(), MAX_SHOWN))
              + "\", but this program reads \""
              + StoreSchema.FORMAT
              + "\": use the program that wrote it, or another directory; if this program wrote it,"
              + " "
              + FORMAT_FILE
              + " is damaged: restore a backup");
    }
  }
}
