// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A Java program in a separate process that ends with this one. Thread-safe. */
public final class ChildProcess implements AutoCloseable {
  private static final Duration GRACE = Duration.ofSeconds(5);

  /** What a JVM can leave out to start sooner. */
  private static final Set<String> SHORTCUTS =
      Set.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-BytecodeVerificationRemote");

  /** Reports that the process is stopped, and continues it when the pipe from here is closed. */
  private static final String PAUSE =
      "trap '' INT HUP; kill -STOP $1 || exit 1; echo stopped; read -r line; kill -CONT $1";

  private final String name;
  private final Path folder;
  private final Path output;
  private final List<String> command;
  private @Nullable Process process;
  private @Nullable Process pauseGuard;

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

  /**
   * The command that runs a class's main method; the launcher must be on the class path. What this
   * process leaves out to start sooner, the other leaves out too, unless it has an agent: classes
   * that an agent has changed are always verified.
   */
  public static List<String> command(
      List<String> jvmArgs, String classPath, String mainClass, String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (jvmArgs.stream().noneMatch(argument -> argument.startsWith("-javaagent:"))) {
      command.addAll(shortcuts());
    }
    command.addAll(jvmArgs);
    command.addAll(List.of("-cp", classPath, GuardedMain.class.getName(), mainClass));
    command.addAll(List.of(args));
    return command;
  }

  private static List<String> shortcuts() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(SHORTCUTS::contains)
        .toList();
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

  /**
   * What it last complained about: the last line of its output that names an exception, or the last
   * one, after a colon; empty if there is none.
   */
  public String complaint() {
    String last = "";
    String exception = "";
    try (Stream<String> lines = Files.lines(output, StandardCharsets.ISO_8859_1)) {
      for (String line : (Iterable<String>) lines::iterator) {
        last = line.isBlank() ? last : line.strip();
        exception = line.contains("Exception") || line.contains("Error") ? line.strip() : exception;
      }
    } catch (IOException | UncheckedIOException e) {
      // It has not written anything.
    }
    String found = exception.isEmpty() ? last : exception;
    return found.isEmpty() ? "" : ": " + found;
  }

  /** Starts or restarts it; no effect if it runs. */
  public synchronized void start() throws StageException {
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
      throw new StageException("cannot start " + name + ": " + e.getMessage(), e);
    }
  }

  /** Simulates a crash with SIGKILL, and waits for its end. */
  public synchronized void kill() {
    if (process != null) {
      process.destroyForcibly();
      awaitEnd(process, GRACE);
    }
    if (pauseGuard != null) {
      pauseGuard.destroyForcibly();
      pauseGuard = null;
    }
  }

  /**
   * Stops all its threads with SIGSTOP, until {@link #resume()} or the end of this virtual machine.
   *
   * <p>A stopped process cannot notice the end of its parent. Another one waits for that, and
   * continues it.
   */
  public synchronized void pause() throws StageException {
    String pid =
        pid()
            .map(Object::toString)
            .orElseThrow(() -> new StageException(name + " does not run to be stopped"));
    if (pauseGuard != null) {
      return;
    }
    try {
      Process guard = new ProcessBuilder("sh", "-c", PAUSE, "sh", pid).start();
      pauseGuard = guard;
      if (guard.getInputStream().read() < 0) {
        resume();
        throw new StageException("cannot send SIGSTOP to " + name);
      }
    } catch (IOException e) {
      throw new StageException("cannot send a signal to " + name + ": " + e.getMessage(), e);
    }
  }

  /** Continues it after a pause with SIGCONT; no effect if it is not paused. */
  public synchronized void resume() throws StageException {
    Process guard = pauseGuard;
    pauseGuard = null;
    if (guard == null) {
      return;
    }
    try {
      guard.getOutputStream().close();
    } catch (IOException e) {
      throw new StageException("cannot continue " + name + ": " + e.getMessage(), e);
    }
    if (!awaitEnd(guard, GRACE)) {
      throw new StageException("cannot send SIGCONT to " + name);
    }
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
  public synchronized void stop() {
    if (process != null && process.isAlive()) {
      process.destroy();
      if (!awaitEnd(process, GRACE)) {
        kill();
      }
    }
  }

  /** Requests its end without waiting, so that several processes end concurrently. */
  public synchronized void requestStop() {
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
