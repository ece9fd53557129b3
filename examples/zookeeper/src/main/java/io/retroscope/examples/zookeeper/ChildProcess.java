package io.retroscope.examples.zookeeper;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A Java program in a separate process that ends with this one. Thread-safe. */
public final class ChildProcess implements AutoCloseable {
  private static final Duration GRACE = Duration.ofSeconds(5);

  private final String name;
  private final Path folder;
  private final Path output;
  private final List<String> command;
  private @Nullable Process process;

  /**
   * A program that is not started yet.
   *
   * @param name for messages
   * @param folder its working directory
   * @param output the file in the folder to which its output is appended
   */
  public ChildProcess(String name, Path folder, String output, List<String> command) {
    this.name = name;
    this.folder = folder;
    this.output = folder.resolve(output);
    this.command = List.copyOf(command);
  }

  /** The command that runs a class's main method; the launcher must be on the class path. */
  public static List<String> command(
      List<String> jvmArgs, String classPath, String mainClass, String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmArgs);
    command.addAll(List.of("-cp", classPath, GuardedMain.class.getName(), mainClass));
    command.addAll(List.of(args));
    return command;
  }

  /** The process's id, if it runs. */
  public synchronized Optional<Long> pid() {
    return isRunning() && process != null ? Optional.of(process.pid()) : Optional.empty();
  }

  /** Whether the process runs. */
  public synchronized boolean isRunning() {
    return process != null && process.isAlive();
  }

  /** The file with its output. */
  public Path output() {
    return output;
  }

  /** Starts or restarts it; no effect if it runs. */
  public synchronized void start() throws EnsembleException {
    if (isRunning()) {
      return;
    }
    try {
      process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
              .start();
    } catch (IOException e) {
      throw new EnsembleException("cannot start " + name + ": " + e.getMessage(), e);
    }
  }

  /** Simulates a crash with SIGKILL, and waits for its end. */
  public synchronized void kill() {
    if (process != null) {
      process.destroyForcibly();
      awaitEnd(process, GRACE);
    }
  }

  /** Stops all its threads with SIGSTOP. */
  public void pause() throws EnsembleException {
    signal("STOP");
  }

  /** Continues it after a pause with SIGCONT. */
  public void resume() throws EnsembleException {
    signal("CONT");
  }

  private void signal(String signal) throws EnsembleException {
    String pid = pid().map(Object::toString).orElseThrow(() -> ended("to get SIG" + signal));
    try {
      Process kill = new ProcessBuilder("kill", "-" + signal, pid).start();
      if (!awaitEnd(kill, GRACE) || kill.exitValue() != 0) {
        throw new EnsembleException("cannot send SIG" + signal + " to " + name);
      }
    } catch (IOException e) {
      throw new EnsembleException("cannot send a signal to " + name + ": " + e.getMessage(), e);
    }
  }

  private EnsembleException ended(String purpose) {
    return new EnsembleException(name + " does not run " + purpose);
  }

  /** Waits until it ends by itself; false if the timeout elapsed first. */
  public boolean awaitEnd(Duration patience) throws InterruptedException {
    Process current;
    synchronized (this) {
      current = process;
    }
    return current == null || current.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    kill();
  }

  /** Requests its end, and kills it if it does not end within a few seconds. */
  synchronized void stop() {
    if (process != null && process.isAlive()) {
      process.destroy();
      if (!awaitEnd(process, GRACE)) {
        kill();
      }
    }
  }

  /** Requests its end without waiting, so that several processes end concurrently. */
  synchronized void requestStop() {
    if (process != null) {
      process.destroy();
    }
  }

  private static boolean awaitEnd(Process process, Duration patience) {
    try {
      return process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
