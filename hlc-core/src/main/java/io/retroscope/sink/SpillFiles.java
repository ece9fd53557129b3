package io.retroscope.sink;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of frames on disk, in segment files that are written, read and deleted as a
 * whole. What an earlier process left is at its head. Not thread-safe.
 */
final class SpillFiles implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger(SpillFiles.class.getName());
  private static final String SUFFIX = ".spill";
  private static final long MAX_SEGMENT_BYTES = 4L << 20;

  private final Path directory;
  private final long maxBytes;
  private final FileChannel lockChannel;
  private final ArrayDeque<Segment> segments = new ArrayDeque<>();
  private long totalBytes;
  private long nextNumber;
  private @Nullable FileChannel writing;

  /** A segment file; the newest may still grow. */
  private static final class Segment {
    final Path file;
    long length;

    Segment(Path file, long length) {
      this.file = file;
      this.length = length;
    }
  }

  /**
   * Opens the queue.
   *
   * @throws IOException if the directory cannot be used, or another process uses it
   */
  SpillFiles(Path directory, long maxBytes) throws IOException {
    this.directory = directory;
    this.maxBytes = maxBytes;
    Files.createDirectories(directory);
    lockChannel =
        FileChannel.open(
            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (tryLock(lockChannel) == null) {
      lockChannel.close();
      throw new IOException("another sink uses the spill directory " + directory);
    }
    adopt();
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  private void adopt() throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      all.forEach(found::add);
    }
    found.sort(null);
    for (Path file : found) {
      long length = Files.size(file);
      segments.add(new Segment(file, length));
      totalBytes += length;
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

  /** Whether there is room for a frame without discarding others. */
  boolean hasRoom(int length) {
    return totalBytes + length <= maxBytes;
  }

  /** Writes a frame behind all others. */
  void append(byte[] frame) throws IOException {
    Segment last = segments.peekLast();
    FileChannel channel = writing;
    if (channel == null || last == null || last.length >= MAX_SEGMENT_BYTES) {
      finishSegment();
      last = new Segment(directory.resolve(String.format("%018d", nextNumber++) + SUFFIX), 0);
      channel =
          FileChannel.open(last.file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      writing = channel;
      segments.add(last);
    }
    ByteBuffer bytes = ByteBuffer.wrap(frame);
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      channel.truncate(last.length).position(last.length);
      throw e;
    }
    last.length += frame.length;
    totalBytes += frame.length;
  }

  private void finishSegment() throws IOException {
    FileChannel channel = writing;
    writing = null;
    if (channel != null) {
      channel.close();
    }
  }

  /** The frames of the oldest segment; a damaged rest is reported and left out. */
  List<Parcel> readOldest() throws IOException {
    Segment oldest = segments.getFirst();
    if (segments.size() == 1) {
      finishSegment();
    }
    List<Parcel> parcels = new ArrayList<>();
    try (InputStream in = new BufferedInputStream(Files.newInputStream(oldest.file))) {
      long position = 0;
      Optional<BlockFrame> frame = EventBlockCodec.read(in, position);
      while (frame.isPresent()) {
        if (!(frame.get() instanceof EventBlock block) || block.number() > 0) {
          Parcel parcel = Parcel.of(frame.get());
          parcels.add(parcel);
          position += parcel.length();
        }
        frame = EventBlockCodec.read(in, position);
      }
    } catch (CorruptBlockException e) {
      LOGGER.log(
          System.Logger.Level.WARNING, "the rest of " + oldest.file + " is lost: it is damaged", e);
    }
    return parcels;
  }

  /** Deletes the oldest segment. */
  void deleteOldest() throws IOException {
    Segment oldest = segments.removeFirst();
    totalBytes -= oldest.length;
    if (segments.isEmpty()) {
      finishSegment();
    }
    Files.deleteIfExists(oldest.file);
  }

  @Override
  public void close() throws IOException {
    finishSegment();
    lockChannel.close();
  }
}
