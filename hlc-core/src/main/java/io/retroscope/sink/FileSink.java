package io.retroscope.sink;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.BlockEncoder;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Writes blocks one behind the other into a file, as {@link EventBlockCodec#read} reads them back.
 * Thread-safe.
 *
 * <p>A file that is full, or that an earlier run has left, is renamed to {@code <file>.1}, {@code
 * <file>.2} and so on, so that the plain name is always the newest and no run writes behind a frame
 * that another may have left torn. The oldest are deleted when there are too many.
 */
public final class FileSink implements EventSink {
  /** The default size at which a new file is begun. */
  public static final long DEFAULT_MAX_FILE_BYTES = 256L << 20;

  /** The default number of files, the newest included. */
  public static final int DEFAULT_MAX_FILES = 64;

  /** Between two bare heartbeats in the file; events carry their own. */
  private static final long HEARTBEAT_EVERY_MICROS = 1_000_000;

  private final Path file;
  private final long maxFileBytes;
  private final int maxFiles;
  private final boolean fsync;
  private final BlockEncoder encoder = new BlockEncoder();
  private @Nullable FileChannel channel;
  private boolean closed;
  private long newestNumber;
  private long length;
  private long lastPromiseMicros;

  /** A sink with the default limits that leaves it to the system when to write to the device. */
  public FileSink(Path file) {
    this(file, DEFAULT_MAX_FILE_BYTES, DEFAULT_MAX_FILES, false);
  }

  /**
   * A sink. Creates the directory where it is missing.
   *
   * @param maxFileBytes when a file is as long, the next is begun; 1 or more
   * @param maxFiles how many files to keep, 1 or more
   * @param fsync whether {@link #flush} and each full file survive a power loss too
   * @throws UncheckedIOException if the file cannot be created
   */
  public FileSink(Path file, long maxFileBytes, int maxFiles, boolean fsync) {
    if (maxFileBytes < 1 || maxFiles < 1) {
      throw new IllegalArgumentException(
          "maxFileBytes and maxFiles must be at least 1: " + maxFileBytes + ", " + maxFiles);
    }
    this.file = file.toAbsolutePath();
    this.maxFileBytes = maxFileBytes;
    this.maxFiles = maxFiles;
    this.fsync = fsync;
    try {
      Path directory = this.file.getParent();
      if (directory != null) {
        Files.createDirectories(directory);
      }
      newestNumber = RotatedFiles.newestNumber(this.file);
      begin();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot record into " + file + ": " + e.getMessage(), e);
    }
  }

  @Override
  public synchronized void accept(EventBlock block) {
    long micros = HlcTimestamp.micros(block.heartbeat());
    if (block.isEmpty() && micros - lastPromiseMicros < HEARTBEAT_EVERY_MICROS) {
      return;
    }
    try {
      write(encoder.encode(block));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write to " + file + ": " + e.getMessage(), e);
    }
    lastPromiseMicros = micros;
  }

  @Override
  public boolean keepsBlocks() {
    return false;
  }

  private void write(ByteBuffer frame) throws IOException {
    if (closed) {
      throw new IOException("the file is closed");
    }
    FileChannel open = channel == null || length >= maxFileBytes ? begin() : channel;
    try {
      while (frame.hasRemaining()) {
        open.write(frame);
      }
    } catch (IOException e) {
      takeBack(open);
      throw e;
    }
    length += frame.limit();
  }

  /** Cuts off a frame that was written in part, or else leaves the file and begins another. */
  private void takeBack(FileChannel open) {
    try {
      open.truncate(length);
      open.position(length);
    } catch (IOException e) {
      channel = null;
    }
  }

  private FileChannel begin() throws IOException {
    finish();
    if (Files.exists(file) && Files.size(file) > 0) {
      newestNumber++;
      Files.move(file, RotatedFiles.name(file, newestNumber), StandardCopyOption.ATOMIC_MOVE);
      RotatedFiles.keepNewest(file, newestNumber, maxFiles - 1);
    }
    FileChannel open =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING);
    channel = open;
    length = 0;
    return open;
  }

  private void finish() throws IOException {
    FileChannel open = channel;
    channel = null;
    if (open != null) {
      try (open) {
        if (fsync) {
          open.force(false);
        }
      }
    }
  }

  @Override
  public synchronized boolean flush(Duration timeout) {
    FileChannel open = channel;
    if (fsync && open != null) {
      try {
        open.force(false);
      } catch (IOException e) {
        return false;
      }
    }
    return true;
  }

  @Override
  public synchronized void close() {
    closed = true;
    try {
      finish();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close " + file + ": " + e.getMessage(), e);
    }
  }
}
