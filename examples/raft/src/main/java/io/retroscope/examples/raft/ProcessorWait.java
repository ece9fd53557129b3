package io.retroscope.examples.raft;

import io.retroscope.examples.stage.ChildProcess;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * How long each thread of a process has been ready to run without a processor, as Linux counts it
 * in {@code /proc}. On other systems, no thread has waited. Immutable.
 */
final class ProcessorWait {
  private final Map<Path, Long> nanosByThread;

  private ProcessorWait(Map<Path, Long> nanosByThread) {
    this.nanosByThread = nanosByThread;
  }

  /** The waits so far. */
  static ProcessorWait of(ChildProcess process) {
    Map<Path, Long> nanos = new HashMap<>();
    Path threads = Path.of("/proc", process.pid().map(Object::toString).orElse(""), "task");
    try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
      for (Path thread : all) {
        nanos.put(thread, nanos(thread));
      }
    } catch (IOException e) {
      // There is no such folder: another system, or the process has ended.
    }
    return new ProcessorWait(nanos);
  }

  /** The second number of three: the time on the processor, the time waited for one, the turns. */
  private static long nanos(Path thread) {
    try {
      return Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ", 3)[1]);
    } catch (IOException e) {
      return 0; // the thread has ended since
    }
  }

  /**
   * What all threads together have waited since an earlier reading, in microseconds: work that one
   * thread passes to another was not held up for longer.
   */
  long microsSince(ProcessorWait earlier) {
    return nanosByThread.entrySet().stream()
            .mapToLong(
                thread ->
                    thread.getValue() - earlier.nanosByThread.getOrDefault(thread.getKey(), 0L))
            .sum()
        / 1_000;
  }
}
