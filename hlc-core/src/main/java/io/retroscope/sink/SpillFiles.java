// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of frames on disk, in segment files that are written, read and deleted as a
 * whole. Segments left by an earlier process are at its head. Not thread-safe.
 *
 * <p>No interruptible channels are used, because the calling threads may be the application's.
 */
final class SpillFiles implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger(SpillFiles.class.getName());
  private static final String SUFFIX = ".spill";
  private static final long MAX_SEGMENT_BYTES = 4L << 20;

  /** The number of failed attempts to read an existing segment before it is abandoned. */
  private static final int MAX_READ_ATTEMPTS = 5;

  private final Path directory;
  private final long maxBytes;
  private final FileLease lease;
  private final ArrayDeque<SpillSegment> segments = new ArrayDeque<>();
  private long totalBytes;
  private long nextNumber;
  private int failedReads;
  private @Nullable RandomAccessFile writing;

  /**
   * Opens the queue.
   *
   * @throws IOException if the directory cannot be used, or another process uses it
   */
  SpillFiles(Path directory, long maxBytes) throws IOException {
    this.directory = directory;
    this.maxBytes = maxBytes;
    Files.createDirectories(directory);
    lease =
        FileLease.tryAcquire(directory.resolve("lock"))
            .orElseThrow(
                () -> new IOException("another sink uses the spill directory " + directory));
    try {
      adopt();
    } catch (IOException e) {
      lease.close();
      throw e;
    }
  }

  private void adopt() throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      all.forEach(found::add);
    }
    found.sort(null);
    for (Path file : found) {
      SpillSegment segment = SpillSegment.adopted(file);
      segments.add(segment);
      totalBytes += segment.length();
      String name = String.valueOf(file.getFileName());
      nextNumber = Math.max(nextNumber, numberOf(name) + 1);
    }
  }

  private static long numberOf(String name) throws IOException {
    try {
      return Long.parseLong(name.substring(0, name.length() - SUFFIX.length()));
    } catch (NumberFormatException e) {
      throw new IOException("not a spill file of this program: " + name, e);
    }
  }

  boolean isEmpty() {
    return segments.isEmpty();
  }

  /** The bytes of all segments, including one whose frames are also in memory. */
  long totalBytes() {
    return totalBytes;
  }

  /** Whether there is room for a frame without discarding others. */
  boolean hasRoom(int length) {
    return totalBytes + length <= maxBytes;
  }

  /** Writes a frame after all others. */
  void append(Parcel parcel) throws IOException {
    SpillSegment last = segments.peekLast();
    RandomAccessFile open = writing;
    if (open == null || last == null || last.length() >= MAX_SEGMENT_BYTES) {
      finishSegment();
      Files.createDirectories(directory);
      last = SpillSegment.begun(directory.resolve(String.format("%018d", nextNumber++) + SUFFIX));
      open = new RandomAccessFile(last.file.toFile(), "rw");
      writing = open;
      segments.add(last);
    }
    try {
      open.write(parcel.bytes());
    } catch (IOException e) {
      takeBack(open, last.length());
      throw e;
    }
    last.wrote(parcel);
    totalBytes += parcel.length();
  }

  /** Truncates a partially written frame, or, if that fails, starts a new segment. */
  private void takeBack(RandomAccessFile open, long length) {
    try {
      open.setLength(length);
      open.seek(length);
    } catch (IOException e) {
      finishSegment();
    }
  }

  private void finishSegment() {
    RandomAccessFile open = writing;
    writing = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        LOGGER.log(System.Logger.Level.WARNING, "cannot close a spill file", e);
      }
    }
  }

  /**
   * Reads the oldest segment; damaged or missing parts are reported and omitted.
   *
   * @throws IOException if a later attempt may succeed
   */
  SpillSegment.Content readOldest() throws IOException {
    if (segments.size() == 1) {
      finishSegment();
    }
    try {
      SpillSegment.Content content = segments.getFirst().read();
      failedReads = 0;
      return content;
    } catch (IOException e) {
      if (++failedReads < MAX_READ_ATTEMPTS) {
        throw e;
      }
      return abandonOldest(String.valueOf(e));
    }
  }

  /** Abandons the oldest segment without reading it. */
  SpillSegment.Content abandonOldest(String reason) {
    failedReads = 0;
    return segments.getFirst().abandon(reason);
  }

  /** Whether the oldest segment's file still exists. */
  boolean keepsOldest() {
    return Files.exists(segments.getFirst().file);
  }

  /** Deletes the oldest segment; a file that cannot be deleted is left for the next process. */
  void deleteOldest() {
    SpillSegment oldest = segments.removeFirst();
    totalBytes -= oldest.length();
    if (segments.isEmpty()) {
      finishSegment();
    }
    try {
      Files.deleteIfExists(oldest.file);
    } catch (IOException e) {
      LOGGER.log(System.Logger.Level.WARNING, "cannot delete a spill file", e);
    }
  }

  @Override
  public void close() throws IOException {
    finishSegment();
    lease.close();
  }
}
