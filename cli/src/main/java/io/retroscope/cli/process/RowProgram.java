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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A program of the user's that is started for each row, one at a time, without a shell. The row is
 * one line of JSON on its standard input; nothing of it is in an argument or a variable, where it
 * could mean something else. Its standard output is discarded, and its errors are this process's.
 *
 * <p>At most {@value #MAX_WAITING} rows wait; further ones are dropped and counted. {@link #offer}
 * never waits. Thread-safe.
 */
public final class RowProgram implements AutoCloseable {
  /** The maximum number of rows that wait for the program. */
  public static final int MAX_WAITING = 1_000;

  /** The time after which a run of the program is ended. */
  public static final Duration LIMIT = Duration.ofSeconds(30);

  private final List<String> command;
  private final Duration limit;
  private final PrintWriter err;
  private final BlockingQueue<String> waiting;
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final Thread thread = new Thread(this::run, "retroscope-exec");
  private volatile boolean closing;

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
      while (!closing || !waiting.isEmpty()) {
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
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(Redirect.DISCARD)
              .redirectError(Redirect.INHERIT)
              .start();
      try {
        try (OutputStream input = process.getOutputStream()) {
          input.write((row + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
          // A program may end without reading its row.
        }
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
          fail("did not end within " + limit.toSeconds() + " s");
        } else if (process.exitValue() != 0) {
          fail("ended with " + process.exitValue());
        }
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      fail("cannot be started: " + e.getMessage());
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
    if (dropped.get() > 0) {
      err.println("warning: --exec: rows dropped: " + dropped.get());
    }
    if (failed.get() > 0) {
      err.println("warning: --exec: runs failed: " + failed.get());
    }
  }
}
