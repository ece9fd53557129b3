// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.process;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A program of the user's that is started for each row, one at a time, without a shell. The row is
 * one line of JSON on its standard input; nothing of it is in an argument or a variable, where it
 * could mean something else. Its standard output is discarded, and its errors are this process's.
 *
 * <p>At most {@value #MAX_WAITING} rows wait; further ones are dropped and counted. {@link #offer}
 * never waits. If this process is ended by a signal, the program that is running for a row ends
 * first, with the processes that it has started. Thread-safe.
 */
public final class RowProgram implements AutoCloseable {
  /** The maximum number of rows that wait for the program. */
  public static final int MAX_WAITING = 1_000;

  /** The time after which a run of the program is ended. */
  public static final Duration LIMIT = Duration.ofSeconds(30);

  /** How long a program that should end has until it is forced to. */
  static final Duration GRACE = Duration.ofSeconds(1);

  private final List<String> command;
  private final Duration limit;
  private final PrintWriter err;
  private final BlockingQueue<String> waiting;
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final Thread thread = new Thread(this::run, "retroscope-exec");
  private final Thread hook = new Thread(this::stop, "retroscope-exec-end");
  private volatile boolean closing;
  private volatile boolean stopped;
  private @Nullable Process running;

  /**
   * Starts the thread that runs the program.
   *
   * @param command the program, and arguments that come before nothing else
   * @param err receives the first failure, and the counts at the end
   */
  public RowProgram(List<String> command, PrintWriter err) {
    this(command, LIMIT, MAX_WAITING, err);
  }

  RowProgram(List<String> command, Duration limit, int maxWaiting, PrintWriter err) {
    this.command = List.copyOf(command);
    this.limit = limit;
    this.err = err;
    this.waiting = new ArrayBlockingQueue<>(maxWaiting);
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) {
      stopped = true; // This process is ending already.
    }
    thread.setDaemon(true);
    thread.start();
  }

  /** Adds a row, unless too many wait. */
  public void offer(String json) {
    if (closing || !waiting.offer(json)) {
      dropped.incrementAndGet();
    }
  }

  /** Whether a row was dropped, or a run of the program failed. Final after {@link #close}. */
  public boolean incomplete() {
    return dropped.get() > 0 || failed.get() > 0;
  }

  private void run() {
    try {
      while (!stopped && (!closing || !waiting.isEmpty())) {
        String row = waiting.poll(100, TimeUnit.MILLISECONDS);
        if (row != null) {
          runFor(row);
        }
      }
    } catch (InterruptedException e) {
      dropped.addAndGet(waiting.size());
    }
  }

  private void runFor(String row) throws InterruptedException {
    Process process;
    try {
      process = start();
    } catch (IOException e) {
      fail("cannot be started: " + e.getMessage());
      return;
    }
    if (process == null) {
      return;
    }
    // Also for a program that does not read its row, whose pipe may be too small for all of it.
    CompletableFuture<Process> inTime =
        process.onExit().orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS);
    var unused =
        inTime.exceptionally(
            late -> {
              family(process).forEach(ProcessHandle::destroyForcibly);
              return process;
            });
    try (OutputStream input = process.getOutputStream()) {
      input.write((row + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // A program may end without reading its row.
    }
    try {
      int exitCode = process.waitFor();
      if (inTime.isCompletedExceptionally()) {
        fail("did not end within " + limit.toSeconds() + " s");
      } else if (exitCode != 0 && !stopped) {
        fail("ended with " + exitCode);
      }
    } finally {
      end(process);
    }
  }

  private synchronized @Nullable Process start() throws IOException {
    if (stopped) {
      return null;
    }
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.INHERIT)
            .start();
    running = process;
    return process;
  }

  /**
   * Ends the program that is running for a row, with the processes that it has started, and starts
   * it for no further row. Returns when they have ended, which takes at most {@link #GRACE} if they
   * end when they are asked to, and as long again if they must be forced.
   */
  void stop() {
    Process last;
    synchronized (this) {
      stopped = true;
      last = running;
    }
    if (last != null) {
      end(last);
    }
  }

  private static void end(Process process) {
    List<ProcessHandle> family = family(process);
    family.forEach(ProcessHandle::destroy);
    if (!haveEnded(family)) {
      family.forEach(ProcessHandle::destroyForcibly);
      boolean unused = haveEnded(family);
    }
  }

  /** The processes of a run that are alive. */
  private static List<ProcessHandle> family(Process process) {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants())
        .filter(ProcessHandle::isAlive)
        .toList();
  }

  private static boolean haveEnded(List<ProcessHandle> family) {
    try {
      CompletableFuture.allOf(
              family.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
          .get(GRACE.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  private void fail(String what) {
    if (failed.getAndIncrement() == 0) {
      err.println("warning: --exec: " + command.get(0) + " " + what);
    }
  }

  /** Waits until the rows that wait have been handled, at most one run's limit; then prints. */
  @Override
  public void close() {
    closing = true;
    try {
      thread.join(limit.toMillis());
      thread.interrupt();
      thread.join(limit.toMillis());
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // It is running.
    }
    if (dropped.get() > 0) {
      err.println("warning: --exec: rows dropped: " + dropped.get());
    }
    if (failed.get() > 0) {
      err.println("warning: --exec: runs failed: " + failed.get());
    }
  }
}
