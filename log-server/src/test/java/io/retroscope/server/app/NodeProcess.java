// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A node in a separate JVM that sets a variable, and can be hung or killed. */
final class NodeProcess implements AutoCloseable {
  private final Process process;
  private final Writer commands;
  private final BufferedReader answers;

  private NodeProcess(Process process) {
    this.process = process;
    this.commands = process.outputWriter(StandardCharsets.UTF_8);
    this.answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** The program of the process: sets the variable to each number that it reads. */
  public static final class Main {
    private Main() {}

    /**
     * Starts a recorder.
     *
     * @param args the server, the node, and the log
     */
    public static void main(String[] args) throws IOException {
      try (Recorder recorder =
              Recorder.builder().server(URI.create(args[0])).node(args[1]).build();
          BufferedReader in =
              new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
        EventLog log = recorder.log(args[2]);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          log.set("v", Long.parseLong(line));
          System.out.println(recorder.flush(Duration.ofSeconds(20)));
        }
      }
    }
  }

  static NodeProcess start(URI server, String node, String log) throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            server.toString(),
            node,
            log);
    return new NodeProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start());
  }

  /** Sets the variable; returns once the server has it. */
  void set(long value) throws IOException {
    commands.write(value + "\n");
    commands.flush();
    if (!"true".equals(answers.readLine())) {
      throw new IOException("the node could not deliver " + value);
    }
  }

  /** Stops all its threads, as a node hangs. */
  void hang() throws IOException, InterruptedException {
    signal("-STOP");
  }

  void resume() throws IOException, InterruptedException {
    signal("-CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", name, Long.toString(process.pid())).start();
    if (!kill.waitFor(60, TimeUnit.SECONDS) || kill.exitValue() != 0) {
      throw new IOException("cannot send " + name);
    }
  }

  /** Kills it as {@code kill -9} does. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
