// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import io.retroscope.event.BlockEncoder;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A sink that appends blocks to a file, for {@link EventBlockCodec#read} to read. Thread-safe.
 *
 * <p>A file that is full, or that an earlier run has left, is renamed to {@code <file>.1}, {@code
 * <file>.2} and so on. The plain name is therefore always the newest file, and no run appends after
 * a frame that an earlier run may have torn. The oldest files are deleted when there are too many.
 * While another process records into the file, this one records into {@code <file>.<process id>}.
 * Lock files, {@code <file>.lock}, mark the names in use; they are empty and remain.
 */
public final class FileSink implements EventSink {
  /** The default size at which a new file is started. */
  public static final long DEFAULT_MAX_FILE_BYTES = 256L << 20;

  /** The default number of files, the newest included. */
  public static final int DEFAULT_MAX_FILES = 64;

  /** The interval between two bare heartbeats in the file; blocks with events carry their own. */
  private static final Duration HEARTBEAT_EVERY = Duration.ofSeconds(1);

  /** The number of names to try if others are in use. */
  private static final int MAX_NAMES = 1_000;

  private static final System.Logger LOGGER = System.getLogger(FileSink.class.getName());

  private final long maxFileBytes;
  private final int maxFiles;
  private final boolean fsync;
  private final BlockEncoder encoder = new BlockEncoder();
  private final Path file;
  private final RotatedFiles rotated;
  private @Nullable FileLease lease;
  private @Nullable RandomAccessFile open;
  private boolean closed;
  private long length;

  /** The last argument and result of {@link #pace}. Owned by the recorder's thread. */
  private @Nullable Pace lastWanted;

  private Pace pace = Pace.of(HEARTBEAT_EVERY, false);

  /**
   * A sink with the default limits that leaves it to the operating system when to write to the
   * device.
   */
  public FileSink(Path file) {
    this(file, DEFAULT_MAX_FILE_BYTES, DEFAULT_MAX_FILES, false);
  }

  /**
   * A sink. Creates the directory if it is missing.
   *
   * @param maxFileBytes the length at which the next file is started; 1 or more
   * @param maxFiles the number of files to keep, 1 or more
   * @param fsync whether {@link #flush} and each full file survive a power loss too
   * @throws IllegalArgumentException if a number is below 1
   * @throws UncheckedIOException if the file cannot be created
   */
  public FileSink(Path file, long maxFileBytes, int maxFiles, boolean fsync) {
    if (maxFileBytes < 1 || maxFiles < 1) {
      throw new IllegalArgumentException(
          "maxFileBytes and maxFiles must be at least 1: " + maxFileBytes + ", " + maxFiles);
    }
    this.maxFileBytes = maxFileBytes;
    this.maxFiles = maxFiles;
    this.fsync = fsync;
    try {
      Path named = file.toAbsolutePath();
      Path directory = named.getParent();
      if (directory != null) {
        Files.createDirectories(directory);
      }
      this.file = lease(named);
      rotated = new RotatedFiles(this.file);
      begin();
    } catch (IOException e) {
      closeLease();
      throw new UncheckedIOException("cannot record into " + file + ": " + e.getMessage(), e);
    }
  }

  /**
   * Acquires the lease of the name, or of a name with this process's id while another sink holds
   * it.
   */
  private Path lease(Path named) throws IOException {
    if (tryLease(named)) {
      return named;
    }
    long process = ProcessHandle.current().pid();
    for (int i = 1; i <= MAX_NAMES; i++) {
      Path own =
          named.resolveSibling(named.getFileName() + "." + process + (i == 1 ? "" : "-" + i));
      if (!Files.exists(own) && tryLease(own)) {
        LOGGER.log(
            System.Logger.Level.WARNING,
            "another process records into {0}: this one records into {1}; give each its own file",
            named,
            own);
        return own;
      }
    }
    throw new IOException("it is in use, and so are " + MAX_NAMES + " names like it");
  }

  private boolean tryLease(Path named) {
    try {
      Optional<FileLease> taken = FileLease.tryAcquire(RotatedFiles.lock(named));
      lease = taken.orElse(null);
      return taken.isPresent();
    } catch (IOException e) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          "cannot lock {0} ({1}): no other process may record into it",
          named,
          e.getMessage());
      return true;
    }
  }

  /** No reader follows a file, so one bare heartbeat per second is enough. */
  @Override
  public Pace pace(Pace wanted) {
    if (!wanted.equals(lastWanted)) {
      lastWanted = wanted;
      pace = wanted.atLeast(Duration.ZERO, HEARTBEAT_EVERY);
    }
    return pace;
  }

  @Override
  public synchronized void accept(EventBlock block) {
    try {
      write(encoder.encode(block));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write to " + file + ": " + e.getMessage(), e);
    }
  }

  @Override
  public boolean keepsBlocks() {
    return false;
  }

  private void write(ByteBuffer frame) throws IOException {
    if (closed) {
      throw new IOException("the file is closed");
    }
    RandomAccessFile out = open == null || length >= maxFileBytes ? begin() : open;
    try {
      out.write(frame.array(), frame.arrayOffset(), frame.limit());
    } catch (IOException e) {
      takeBack(out);
      throw e;
    }
    length += frame.limit();
  }

  /** Truncates a partially written frame, or, if that fails, starts a new file. */
  private void takeBack(RandomAccessFile out) {
    try {
      out.setLength(length);
      out.seek(length);
    } catch (IOException e) {
      open = null;
      closeTorn(out);
    }
  }

  private void closeTorn(RandomAccessFile out) {
    try {
      out.close();
    } catch (IOException e) {
      LOGGER.log(System.Logger.Level.WARNING, "cannot close " + file, e);
    }
  }

  private RandomAccessFile begin() throws IOException {
    finish();
    if (Files.exists(file) && Files.size(file) > 0) {
      rotated.rotate();
      rotated.keepNewest(maxFiles - 1);
    }
    RandomAccessFile begun = new RandomAccessFile(file.toFile(), "rw");
    open = begun;
    length = 0;
    return begun;
  }

  private void finish() throws IOException {
    RandomAccessFile full = open;
    open = null;
    if (full != null) {
      try (full) {
        if (fsync) {
          full.getFD().sync();
        }
      }
    }
  }

  @Override
  public synchronized boolean flush(Duration timeout) {
    RandomAccessFile out = open;
    if (fsync && out != null) {
      try {
        out.getFD().sync();
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
    } finally {
      closeLease();
    }
  }

  private void closeLease() {
    try {
      if (lease != null) {
        lease.close();
      }
    } catch (IOException e) {
      LOGGER.log(System.Logger.Level.WARNING, "cannot close the lock of a file of events", e);
    }
  }
}
