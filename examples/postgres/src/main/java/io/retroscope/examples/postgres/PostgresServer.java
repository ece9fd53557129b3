// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * A server of PostgreSQL on a loopback port, as a process. It ends with this virtual machine, even
 * if that is killed.
 */
final class PostgresServer implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration END_PATIENCE = Duration.ofSeconds(10);

  /**
   * Runs the program that is given beside this process, which becomes a reader of the pipe from
   * here. When the pipe is closed or this process is killed, the program is shut down at once: a
   * killed one would leave shared memory. When the program ends, so does this process.
   */
  private static final String GUARDED =
      "main=$$; mkfifo alive; (\"$@\" < /dev/null & program=$!;"
          + " (cat alive > /dev/null; kill -QUIT $program 2> /dev/null) &"
          + " wait $program; kill $main 2> /dev/null) & exec cat > alive";

  /** Nothing needs to survive the machine's end, and a busy machine is no failure. */
  private static final List<String> SETTINGS =
      List.of(
          "listen_addresses=127.0.0.1",
          "unix_socket_directories=",
          "fsync=off",
          "shared_buffers=16MB",
          "autovacuum=off",
          "wal_keep_size=256MB",
          "wal_sender_timeout=0",
          "wal_receiver_timeout=0");

  private final String name;
  private final Login login;
  private final Path data;
  private final ChildProcess process;
  private final int port;

  private PostgresServer(String name, Login login, Path data, ChildProcess process, int port) {
    this.name = name;
    this.login = login;
    this.data = data;
    this.process = process;
    this.port = port;
  }

  /**
   * Starts a server, and waits until clients can connect.
   *
   * @param data its folder, as initdb has made it
   * @param more settings, each {@code name=value}
   */
  static PostgresServer start(
      String name, PostgresPrograms programs, Login login, Path data, int port, String... more)
      throws StageException, InterruptedException {
    List<String> args =
        new ArrayList<>(List.of("-D", data.toString(), "-p", Integer.toString(port)));
    List<String> settings = new ArrayList<>(SETTINGS);
    settings.addAll(List.of(more));
    settings.forEach(setting -> args.addAll(List.of("-c", setting)));
    List<String> command = new ArrayList<>(List.of("sh", "-c", GUARDED, "sh"));
    command.addAll(programs.command("postgres", args.toArray(String[]::new)));
    PostgresServer server =
        new PostgresServer(
            name, login, data, new ChildProcess("the " + name, data, "server.out", command), port);
    try {
      server.process.start();
      server.awaitReady();
      return server;
    } catch (StageException | InterruptedException e) {
      server.close();
      throw e;
    }
  }

  private void awaitReady() throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (!answers()) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "the %s does not answer within %d s%s"
                .formatted(name, Deadline.PATIENCE.toSeconds(), complaint()));
      }
      Deadline.sleep(POLL);
    }
  }

  private boolean answers() {
    try {
      return number("SELECT 1") == 1;
    } catch (SQLException e) {
      return false;
    }
  }

  /** Connects to a server on this machine, with the password of {@link Login#jvmArg()}. */
  static Connection connect(int port) throws SQLException {
    return connect(port, new Properties());
  }

  private Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("password", login.password());
    return connect(port, properties);
  }

  /** A server that does not answer for longer than anything may take is an error. */
  private static Connection connect(int port, Properties properties) throws SQLException {
    String patience = Long.toString(Deadline.PATIENCE.toSeconds());
    properties.setProperty("user", Login.USER);
    properties.setProperty("connectTimeout", patience);
    properties.setProperty("loginTimeout", patience);
    properties.setProperty("socketTimeout", patience);
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port + "/postgres", properties);
  }

  /** Runs a statement without a result. */
  void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The number in the only row of a result. */
  long number(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  int port() {
    return port;
  }

  void checkRunning() throws StageException {
    if (!process.isRunning()) {
      throw new StageException("the " + name + " ended" + complaint());
    }
  }

  /** The last line of its log that says why it ended, after a colon; otherwise its last line. */
  private String complaint() {
    try (Stream<String> lines = Files.lines(process.output())) {
      return lines
          .filter(line -> line.contains("FATAL: ") || line.contains("PANIC: "))
          .reduce((first, last) -> last)
          .map(line -> ": " + line.strip())
          .orElseGet(process::complaint);
    } catch (IOException | UncheckedIOException e) {
      return process.complaint();
    }
  }

  /** Shuts it down, and waits until it has ended, at most for some seconds. */
  @Override
  public void close() {
    process.stop();
    Deadline deadline = Deadline.in(END_PATIENCE);
    try {
      while (Files.exists(data.resolve("postmaster.pid")) && !deadline.hasPassed()) {
        Deadline.sleep(POLL);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
