// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.event.WireWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folder of converted copies of event files, which only their owner can read. A copy belongs to
 * files with their paths, sizes, modification times and the digests of their first and last bytes.
 * Thread-safe, also across processes.
 */
public final class ConvertedCopies {
  /** The most bytes of all copies; the one that was not used for longest is removed first. */
  public static final long MAX_BYTES = 10_000_000_000L;

  private static final String ENDING = ".rtsf";
  private static final String DRAFT = ".part";

  /** A change of what copies contain makes those of before unused. */
  private static final int VERSION = 2;

  private static final int SAMPLE_BYTES = 1 << 16;

  private final Path folder;
  private final long maxBytes;

  /** The copies in a folder, which is created when it is needed. */
  public ConvertedCopies(Path folder) {
    this(folder, MAX_BYTES);
  }

  ConvertedCopies(Path folder, long maxBytes) {
    this.folder = folder;
    this.maxBytes = maxBytes;
  }

  /**
   * The copies in the user's own folder.
   *
   * @param environment of which {@code XDG_CACHE_HOME} is used if it is an absolute path, or else
   *     {@code HOME}
   */
  public static ConvertedCopies ofUser(Map<String, String> environment) {
    String given = environment.getOrDefault("XDG_CACHE_HOME", "");
    String home = environment.getOrDefault("HOME", System.getProperty("user.home", "."));
    Path base =
        !given.isEmpty() && Path.of(given).isAbsolute() ? Path.of(given) : Path.of(home, ".cache");
    return new ConvertedCopies(base.resolve("retroscope"));
  }

  /** The folder. */
  public Path folder() {
    return folder;
  }

  /**
   * The key of the copy of files.
   *
   * @param settings a text that differs if the files may have other events
   * @throws IOException if one cannot be read
   */
  static String key(List<Path> files, String settings) throws IOException {
    MessageDigest digest = sha256();
    for (Path file : files) {
      WireWriter facts = new WireWriter();
      facts.putByte(VERSION);
      facts.putText(file.toRealPath().toString());
      facts.putLong(Files.size(file));
      Instant changed = Files.getLastModifiedTime(file).toInstant();
      facts.putLong(changed.getEpochSecond());
      facts.putLong(changed.getNano());
      digest.update(facts.toByteArray());
      addSamples(file, digest);
    }
    digest.update(settings.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static void addSamples(Path file, MessageDigest digest) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      for (long at : new long[] {0, Math.max(0, channel.size() - SAMPLE_BYTES)}) {
        ByteBuffer sample = ByteBuffer.allocate(SAMPLE_BYTES);
        int read = 0;
        while (read >= 0 && sample.hasRemaining()) {
          read = channel.read(sample, at + sample.position());
        }
        digest.update(sample.flip());
      }
    }
  }

  /** The copy with a key, which counts as used now. */
  Optional<Path> find(String key) {
    Path copy = folder.resolve(key + ENDING);
    try {
      Files.setLastModifiedTime(copy, FileTime.from(Instant.now()));
      return Optional.of(copy);
    } catch (IOException absent) {
      return Optional.empty();
    }
  }

  /**
   * Prepares a copy.
   *
   * @return a path in the folder, of a file that does not exist yet
   * @throws IOException if the folder cannot be written
   */
  Path draft(String key) throws IOException {
    createFolder();
    removeLeftDrafts();
    Path draft = folder.resolve(key + "." + ProcessHandle.current().pid() + DRAFT);
    Files.deleteIfExists(draft);
    return draft;
  }

  private void createFolder() throws IOException {
    Path base = folder.getParent();
    if (base != null) {
      Files.createDirectories(base);
    }
    if (Files.isDirectory(folder)) {
      return;
    }
    if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } else {
      Files.createDirectories(folder);
    }
  }

  /** Removes the drafts of processes that were killed. */
  private void removeLeftDrafts() throws IOException {
    for (Path file : files()) {
      String name = file.getFileName().toString();
      int end = name.indexOf(DRAFT);
      int start = name.lastIndexOf('.', Math.max(0, end - 1));
      if (end > 0 && start >= 0 && name.substring(start + 1, end).matches("\\d{1,10}")) {
        long pid = Long.parseLong(name.substring(start + 1, end));
        if (ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty()) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /**
   * Keeps a finished draft, and removes other copies if all are too large together.
   *
   * @return where it is now; empty if it is too large by itself, and then it remains a draft
   */
  Optional<Path> keep(Path draft, String key) throws IOException {
    long size = Files.size(draft);
    if (size > maxBytes) {
      return Optional.empty();
    }
    Path copy = folder.resolve(key + ENDING);
    Files.move(draft, copy, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    long total = 0;
    for (Copy other : copies()) {
      total += other.bytes();
    }
    for (Copy oldest : copies()) {
      if (total > maxBytes && !oldest.file().equals(copy)) {
        Files.deleteIfExists(oldest.file());
        total -= oldest.bytes();
      }
    }
    return Optional.of(copy);
  }

  /** A copy. */
  public record Copy(Path file, long bytes, Instant lastUse) {}

  /** The copies, the one that was not used for longest first. */
  public List<Copy> copies() throws IOException {
    List<Copy> copies = new ArrayList<>();
    for (Path file : files()) {
      if (file.toString().endsWith(ENDING)) {
        copy(file).ifPresent(copies::add);
      }
    }
    copies.sort(Comparator.comparing(Copy::lastUse));
    return copies;
  }

  /** Empty if another process has removed it. */
  private static Optional<Copy> copy(Path file) throws IOException {
    try {
      Instant lastUse = Files.getLastModifiedTime(file).toInstant();
      return Optional.of(new Copy(file, Files.size(file), lastUse));
    } catch (NoSuchFileException removed) {
      return Optional.empty();
    }
  }

  /**
   * Removes all copies.
   *
   * @return those that were removed
   */
  public List<Copy> clear() throws IOException {
    List<Copy> copies = copies();
    for (Copy copy : copies) {
      Files.deleteIfExists(copy.file());
    }
    if (Files.isDirectory(folder)) {
      removeLeftDrafts();
    }
    return copies;
  }

  private List<Path> files() throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }
}
