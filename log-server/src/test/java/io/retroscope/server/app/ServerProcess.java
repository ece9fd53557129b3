// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.kafka.KafkaOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A log server in a separate JVM, which a test can kill. */
final class ServerProcess implements AutoCloseable {
  /** Such a process ends before optimized code or a concurrent collector would pay. */
  private static final List<String> QUICK_START =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-BytecodeVerificationRemote");

  private final Process process;
  private final URI uri;

  private ServerProcess(Process process, URI uri) {
    this.process = process;
    this.uri = uri;
  }

  /** The program of the child process: prints its address, then serves until it is killed. */
  public static final class Main {
    private Main() {}

    /**
     * Starts a server.
     *
     * @param args the data directory, and optionally a broker and a topic
     */
    public static void main(String[] args) throws IOException {
      PrintStream address = System.out;
      // The log would otherwise mix with the address, and block when it is not read.
      System.setOut(System.err);
      ServerConfig.Builder config = ServerConfig.in(Path.of(args[0])).port(0);
      if (args.length > 1) {
        config.kafka(KafkaOptions.of(Map.of("bootstrap.servers", args[1]), args[2]));
      }
      FatalErrors.watchUncaught();
      LogServer server = LogServer.start(config.build());
      address.println(server.uri());
      // Ends with its parent, which owns the other end of the pipe.
      System.exit(System.in.read());
    }
  }

  static ServerProcess start(Path directory) throws IOException {
    return start(directory, List.of("-Xmx256m"));
  }

  /** Starts a server with additional options of the JVM. */
  static ServerProcess start(Path directory, List<String> options) throws IOException {
    return start(directory, options, Main.class);
  }

  /**
   * With another main class.
   *
   * @param main prints the server's address first
   * @param arguments for it, after the data directory
   */
  static ServerProcess start(
      Path directory, List<String> options, Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(QUICK_START);
    command.addAll(options);
    command.addAll(
        List.of(
            "-cp", System.getProperty("java.class.path"), main.getName(), directory.toString()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String address = out.readLine();
    if (address == null) {
      process.destroyForcibly();
      throw new IOException("the child server did not start");
    }
    return new ServerProcess(process, URI.create(address));
  }

  URI uri() {
    return uri;
  }

  /** The CPU time of its process. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElseThrow();
  }

  /** The code that it ends with by itself, soon. */
  int exitCode() throws InterruptedException {
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new AssertionError("the child server still runs");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    kill();
  }

  /** Kills the process as {@code kill -9} does. */
  void kill() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        throw new AssertionError("the child server outlived its kill");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
