// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.clock.ClockBound;
import io.retroscope.event.EventBody.Spill;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A node's state directory, which persists data from one run to the next. Used by one process at a
 * time. Interrupts do not affect it.
 *
 * <pre>
 *   lock      held while the process lives
 *   clock     the bound of the clock's stamps
 *   run       "running &lt;incarnation&gt;", or "ended &lt;incarnation&gt;" after an orderly end
 *   spill/    blocks not yet acknowledged by the log server
 * </pre>
 */
final class NodeState implements AutoCloseable {
  private static final String RUNNING = "running ";
  private static final String ENDED = "ended ";
  private static final int MAX_RUN_FILE_BYTES = 1_000;

  /**
   * The directories in use by recorders of this process. A second recorder must not even open the
   * lock file, because closing any descriptor of a file releases the process's locks on it.
   */
  private static final Map<Path, NodeState> HELD = new ConcurrentHashMap<>();

  private final Path directory;
  private final Fsync fsync;
  private final FileChannel lock;
  private final StoredRun before;
  private final ClockBound bound;

  /** The directory's record of the previous run. */
  private record StoredRun(String incarnation, Spill spill, boolean damaged) {
    private static final Pattern TEXT = Pattern.compile("(" + RUNNING + "|" + ENDED + ")(\\S+)\n?");
    static final StoredRun NONE = new StoredRun("", Spill.COMPLETE, false);
    static final StoredRun DAMAGED = new StoredRun("", Spill.LOST, true);

    static StoredRun read(Path file) throws IOException {
      if (!Files.exists(file)) {
        return NONE;
      }
      try (InputStream in = new FileInputStream(file.toFile())) {
        byte[] bytes = in.readNBytes(MAX_RUN_FILE_BYTES);
        Matcher text = TEXT.matcher(new String(bytes, StandardCharsets.UTF_8));
        if (!text.matches()) {
          return DAMAGED;
        }
        boolean ended = text.group(1).equals(ENDED);
        return new StoredRun(text.group(2), ended ? Spill.COMPLETE : Spill.LOST, false);
      }
    }
  }

  /** A factory of the clock's bound in a file; a seam for tests with a hung disk. */
  interface Bounds {
    ClockBound open(Path file) throws IOException;
  }

  /**
   * Acquires a directory.
   *
   * @throws IOException if it cannot be used, or is in use by another recorder of this or another
   *     process; its content is then unchanged
   */
  NodeState(Path path, Fsync fsync, Bounds bounds) throws IOException {
    this.fsync = fsync;
    Files.createDirectories(path);
    directory = path.toRealPath();
    if (HELD.putIfAbsent(directory, this) != null) {
      throw inUse();
    }
    FileChannel channel = null;
    try {
      channel = lock();
      before = StoredRun.read(directory.resolve("run"));
      bound = bounds.open(directory.resolve("clock"));
      lock = channel;
      forceNames();
    } catch (IOException | RuntimeException e) {
      if (channel != null) {
        channel.close();
      }
      HELD.remove(directory);
      throw e;
    }
  }

  private FileChannel lock() throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      // A recorder of another class loader holds it.
    }
    channel.close();
    throw inUse();
  }

  private IOException inUse() {
    return new IOException("another recorder uses the state directory " + directory);
  }

  private void forceNames() throws IOException {
    fsync.force(directory);
    Path parent = directory.getParent();
    if (parent != null) {
      fsync.force(parent);
    }
  }

  /**
   * Checks that the previous run is known, if there was one.
   *
   * @throws IOException if the directory's record of it is damaged
   */
  void checkPredecessor() throws IOException {
    if (before.damaged) {
      throw new IOException(directory.resolve("run") + " is damaged");
    }
  }

  ClockBound bound() {
    return bound;
  }

  Path spillDirectory() {
    return directory.resolve("spill");
  }

  /** The previous incarnation, empty if there was none or it is unknown. */
  String predecessor() {
    return before.incarnation;
  }

  /**
   * The state of the predecessor's blocks. Never PENDING, because a sink delivers the spilled
   * blocks before any block of this run.
   */
  Spill predecessorSpill() {
    return before.spill;
  }

  void begin(String incarnation) throws IOException {
    writeRun(RUNNING + incarnation);
  }

  /** Records that all of the incarnation's blocks are delivered or spilled. */
  void end(String incarnation) throws IOException {
    writeRun(ENDED + incarnation);
  }

  private void writeRun(String text) throws IOException {
    Path draft = directory.resolve("run.new");
    try (OutputStream out = new FileOutputStream(draft.toFile())) {
      out.write((text + "\n").getBytes(StandardCharsets.UTF_8));
    }
    fsync.force(draft);
    Files.move(
        draft,
        directory.resolve("run"),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    fsync.force(directory);
  }

  /** Releases the directory. */
  @Override
  public void close() throws IOException {
    try {
      bound.close();
    } finally {
      lock.close();
      HELD.remove(directory);
    }
  }
}
