package io.retroscope.recorder;

import io.retroscope.clock.ClockBound;
import io.retroscope.event.EventBody.Spill;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A node's directory: what it must remember from one run to the next. One process at a time.
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

  private final Path directory;
  private final FileChannel lock;
  private final ClockBound bound;
  private final String predecessor;
  private final Spill predecessorSpill;

  /**
   * Takes possession of a directory.
   *
   * @throws IOException if it cannot be used, is damaged, or another process has it
   */
  NodeState(Path directory, boolean fsync) throws IOException {
    this.directory = directory;
    Files.createDirectories(directory);
    lock =
        FileChannel.open(
            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (tryLock(lock) == null) {
      lock.close();
      throw new IOException("another recorder uses the state directory " + directory);
    }
    String run = readRun();
    boolean ended = run.startsWith(ENDED);
    predecessor = run.substring(run.indexOf(' ') + 1);
    predecessorSpill = run.isEmpty() || ended ? Spill.COMPLETE : Spill.LOST;
    bound = ClockBound.inFile(directory.resolve("clock"), fsync);
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  private String readRun() throws IOException {
    Path file = directory.resolve("run");
    try {
      if (Files.size(file) > MAX_RUN_FILE_BYTES) {
        throw new IOException(file + " is not of this program's making: it is too long");
      }
      return Files.readString(file).strip();
    } catch (NoSuchFileException e) {
      return "";
    }
  }

  private void writeRun(String text) throws IOException {
    Path draft = directory.resolve("run.new");
    Files.writeString(draft, text + "\n");
    Files.move(
        draft,
        directory.resolve("run"),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  ClockBound bound() {
    return bound;
  }

  Path spillDirectory() {
    return directory.resolve("spill");
  }

  /** The incarnation before, empty where there was none. */
  String predecessor() {
    return predecessor;
  }

  /**
   * What became of the predecessor's blocks. Never PENDING: a sink delivers what it finds in the
   * spill before anything of this run.
   */
  Spill predecessorSpill() {
    return predecessorSpill;
  }

  void begin(String incarnation) throws IOException {
    writeRun(RUNNING + incarnation);
  }

  /** Notes that all of the incarnation's blocks are delivered or in the spill. */
  void end(String incarnation) throws IOException {
    writeRun(ENDED + incarnation);
  }

  @Override
  public void close() throws IOException {
    bound.close();
    lock.close();
  }
}
