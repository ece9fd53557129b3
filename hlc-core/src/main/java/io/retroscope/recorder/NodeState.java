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
 * A node's directory: what it must remember from one run to the next. One process at a time. An
 * interrupt of the thread that uses it has no effect.
 *
 * <pre>
 *   lock      held while the process lives
 *   clock     the bound of the clock's stamps
 *   run       "running &lt;incarnation&gt;", or "ended &lt;incarnation&gt;" after an orderly end
 *   spill/    what the log server has not taken yet
 * </pre>
 */
final class NodeState implements AutoCloseable {
  private static final String RUNNING = "running ";
  private static final String ENDED = "ended ";
  private static final int MAX_RUN_FILE_BYTES = 1_000;

  /**
   * The directories that recorders of this process have. A second one must not even open the lock:
   * closing any descriptor of a file gives up the process's locks on it.
   */
  private static final Map<Path, NodeState> HELD = new ConcurrentHashMap<>();

  private final Path directory;
  private final Fsync fsync;
  private final FileChannel lock;
  private final Run before;
  private final ClockBound bound;

  /** What the directory says of the run before. */
  private record Run(String incarnation, Spill spill, boolean damaged) {
    private static final Pattern TEXT = Pattern.compile("(" + RUNNING + "|" + ENDED + ")(\\S+)\n?");
    static final Run NONE = new Run("", Spill.COMPLETE, false);
    static final Run DAMAGED = new Run("", Spill.LOST, true);

    static Run read(Path file) throws IOException {
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
        return new Run(text.group(2), ended ? Spill.COMPLETE : Spill.LOST, false);
      }
    }
  }

  /** Opens the clock's bound in a file; a seam for tests whose disk hangs. */
  interface Bounds {
    ClockBound open(Path file) throws IOException;
  }

  /**
   * Takes possession of a directory.
   *
   * @throws IOException if it cannot be used, or another recorder has it, of this process or
   *     another; its content is as before then
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
      before = Run.read(directory.resolve("run"));
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
      // Another class loader's recorder has it.
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
   * Checks that the run before is known, if there was one.
   *
   * @throws IOException if what the directory says of it is damaged
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

  /** The incarnation before, empty where there was none or it is not known. */
  String predecessor() {
    return before.incarnation;
  }

  /**
   * What became of the predecessor's blocks. Never PENDING: a sink delivers what it finds in the
   * spill before anything of this run.
   */
  Spill predecessorSpill() {
    return before.spill;
  }

  void begin(String incarnation) throws IOException {
    writeRun(RUNNING + incarnation);
  }

  /** Notes that all of the incarnation's blocks are delivered or in the spill. */
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

  /** Gives the directory up. */
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
