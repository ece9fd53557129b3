// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * The writer of every file that a user names. A regular file is replaced as a whole or not at all,
 * and keeps its owner and its permissions. A link is followed. Anything else that exists, such as a
 * pipe or a device, is written to and never replaced or removed.
 */
public final class OutputFile {
  /** The number of links in a row that are followed, as in Linux. */
  private static final int MAX_LINKS = 40;

  /** The number of drafts of one file at the same time, with those that killed processes left. */
  private static final int MAX_DRAFTS = 1_000;

  private static final Path DESCRIPTORS = Path.of("/dev/fd");
  private static final Path PROCESSES = Path.of("/proc");

  private OutputFile() {}

  /** The content of a file. */
  @FunctionalInterface
  public interface Content {
    /** Writes the whole content. */
    void writeTo(OutputStream out) throws IOException;
  }

  /** The content of a text file. */
  @FunctionalInterface
  public interface Text {
    /** Writes the whole text. */
    void writeTo(Writer out) throws IOException;
  }

  /**
   * Writes a file; if that fails, a previous regular file remains as it was.
   *
   * @throws IOException if it cannot be written, or if writing the content fails
   */
  public static void replace(Path file, Content content) throws IOException {
    Path target = target(file);
    try {
      if (isReplaceable(target)) {
        replaceRegular(target, content);
      } else {
        write(through(target), content);
      }
    } catch (FileSystemException e) {
      throw e; // the message names its file
    } catch (IOException e) {
      String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      throw new IOException("cannot write " + file + ": " + reason, e);
    }
  }

  /** As {@link #replace}, for text in UTF-8. */
  public static void replaceText(Path file, Text text) throws IOException {
    replace(
        file,
        bytes -> {
          Writer out = new BufferedWriter(new OutputStreamWriter(bytes, StandardCharsets.UTF_8));
          text.writeTo(out);
          out.flush();
        });
  }

  /**
   * Opens a file for content that comes over time: a regular file is emptied at once.
   *
   * @throws IOException if it cannot be opened
   */
  public static OutputStream open(Path file) throws IOException {
    Path target = target(file);
    return isReplaceable(target) ? Files.newOutputStream(target) : through(target);
  }

  /** The file at the end of the links, which need not exist, or a descriptor of a process. */
  private static Path target(Path file) throws IOException {
    Path at = file.toAbsolutePath();
    for (int links = 0; Files.isSymbolicLink(at) && !isDescriptor(at); links++) {
      if (links == MAX_LINKS) {
        throw new FileSystemLoopException(file.toString());
      }
      at = at.resolveSibling(Files.readSymbolicLink(at));
    }
    Path folder = at.getParent();
    if (folder == null || Files.isDirectory(at)) {
      throw new IOException(file + " is a folder");
    }
    if (!Files.isDirectory(folder)) {
      throw new NoSuchFileException(folder.toString());
    }
    return at;
  }

  /** Whether a path means an open file of a process; its link may lead to a regular file. */
  private static boolean isDescriptor(Path file) throws IOException {
    Path folder = file.getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      return false;
    }
    Path real = folder.toRealPath();
    return real.equals(DESCRIPTORS) || (real.startsWith(PROCESSES) && real.endsWith("fd"));
  }

  private static boolean isReplaceable(Path target) throws IOException {
    return !isDescriptor(target) && (!Files.exists(target) || Files.isRegularFile(target));
  }

  private static OutputStream through(Path target) throws IOException {
    if (!isDescriptor(target)) {
      return Files.newOutputStream(target, StandardOpenOption.WRITE);
    }
    return switch (target.getFileName().toString()) {
      case "1" -> new Standard(FileDescriptor.out);
      case "2" -> new Standard(FileDescriptor.err);
      // Bytes written to the open file before remain.
      default -> Files.newOutputStream(target, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    };
  }

  private static void write(OutputStream open, Content content) throws IOException {
    try (OutputStream out = new BufferedOutputStream(open)) {
      content.writeTo(out);
    }
  }

  private static void replaceRegular(Path target, Content content) throws IOException {
    Path draft;
    try {
      draft = newDraft(target);
    } catch (AccessDeniedException | ReadOnlyFileSystemException e) {
      if (!Files.isWritable(target)) {
        throw e;
      }
      write(Files.newOutputStream(target), content); // Only the folder refuses a new file.
      return;
    }
    draft.toFile().deleteOnExit(); // also when Ctrl-C ends the process
    try {
      write(Files.newOutputStream(draft), content);
      move(draft, target);
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  /** Creates an empty file beside the target, with the permissions that new files have. */
  private static Path newDraft(Path target) throws IOException {
    for (int number = 1; ; number++) {
      Path draft =
          target.resolveSibling(
              "."
                  + target.getFileName()
                  + "."
                  + ProcessHandle.current().pid()
                  + "-"
                  + number
                  + ".part");
      try {
        return Files.createFile(draft);
      } catch (FileAlreadyExistsException e) {
        if (number == MAX_DRAFTS) {
          throw e;
        }
      }
    }
  }

  private static void move(Path draft, Path target) throws IOException {
    if (!Files.exists(target) || takesIdentity(draft, target)) {
      try {
        Files.move(draft, target, StandardCopyOption.REPLACE_EXISTING);
        return;
      } catch (FileSystemException e) {
        if (!Files.isWritable(target)) {
          throw e;
        }
        // A file that is mounted on its own can only be written to.
      }
    }
    write(Files.newOutputStream(target), out -> Files.copy(draft, out));
  }

  /** Gives a draft the permissions of the file that it replaces; returns whether it is as good. */
  private static boolean takesIdentity(Path draft, Path target) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(draft, PosixFileAttributeView.class);
    if (view == null) {
      return true; // Not a POSIX system.
    }
    PosixFileAttributes before = Files.readAttributes(target, PosixFileAttributes.class);
    PosixFileAttributes now = view.readAttributes();
    Set<PosixFilePermission> permissions = before.permissions();
    if (!now.permissions().equals(permissions)) {
      view.setPermissions(permissions);
    }
    return now.owner().equals(before.owner())
        && now.group().equals(before.group())
        && Files.getAttribute(target, "unix:nlink").equals(1);
  }

  /** A standard stream of this process, which stays open. */
  private static final class Standard extends FilterOutputStream {
    Standard(FileDescriptor descriptor) {
      super(new FileOutputStream(descriptor));
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      out.write(bytes, from, length);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }
}
