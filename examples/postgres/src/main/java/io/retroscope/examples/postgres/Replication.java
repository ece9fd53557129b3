// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.examples.stage.LoopbackRelay;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A primary of PostgreSQL, a standby, and a relay between them. */
final class Replication implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(50);
  private static final String READ = "SELECT number FROM orders";

  private final String version;
  private final Login login;
  private final LoopbackRelay link;
  private final PostgresServer primary;
  private final PostgresServer standby;

  private Replication(
      String version,
      Login login,
      LoopbackRelay link,
      PostgresServer primary,
      PostgresServer standby) {
    this.version = version;
    this.login = login;
    this.link = link;
    this.primary = primary;
    this.standby = standby;
  }

  /**
   * Starts both, with a table of one row that both have.
   *
   * @param synchronous whether a commit waits until the standby has replayed it
   */
  static Replication start(Path folder, boolean synchronous)
      throws StageException, IOException, InterruptedException {
    PostgresPrograms programs = PostgresPrograms.locate(folder);
    Path own = PostgresPrograms.ownFolder(folder, "postgres-data");
    Path primaryData = own.resolve("primary");
    Login login = Login.create(own);
    programs.run(
        own,
        "initdb",
        "--pgdata=" + primaryData,
        "--username=" + Login.USER,
        "--pwfile=" + login.alone(),
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--no-sync");
    // A cluster that has not been started yet is a backup of itself.
    Path standbyData = copy(primaryData, own.resolve("standby"));
    PostgresPrograms.giveAway(Files.createFile(standbyData.resolve("standby.signal")));
    int[] ports = LoopbackPorts.take(2, new Random());
    LoopbackRelay link = LoopbackRelay.to(ports[0]);
    PostgresServer primary = null;
    PostgresServer standby = null;
    try {
      primary =
          PostgresServer.start(
              "primary",
              programs,
              login,
              primaryData,
              ports[0],
              "synchronous_standby_names=" + (synchronous ? "*" : ""),
              "synchronous_commit=" + (synchronous ? "remote_apply" : "local"));
      standby =
          PostgresServer.start(
              "standby",
              programs,
              login,
              standbyData,
              ports[1],
              "primary_conninfo=host=127.0.0.1 user=%s port=%d %s"
                  .formatted(Login.USER, link.port(), login.passfile()));
      Replication replication =
          new Replication(programs.version(own), login, link, primary, standby);
      replication.create();
      return replication;
    } catch (StageException | IOException | InterruptedException e) {
      close(link, primary, standby);
      throw e;
    }
  }

  private static Path copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path copy = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectory(copy);
          Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwx------"));
        } else {
          Files.copy(file, copy);
        }
        PostgresPrograms.giveAway(copy);
      }
    }
    return to;
  }

  private void create() throws StageException, InterruptedException {
    try {
      primary.execute("CREATE TABLE orders (number bigint, stamp text)");
      primary.execute("INSERT INTO orders VALUES (0, '')");
    } catch (SQLException e) {
      throw new StageException("cannot create the table: " + e.getMessage(), e);
    }
    awaitReplicated();
  }

  /** Waits until the standby has what the primary has. */
  void awaitReplicated() throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (!isReplicated()) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "the standby does not have the primary's orders after %d s"
                .formatted(Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  private boolean isReplicated() {
    try {
      return number() == replicatedNumber();
    } catch (SQLException e) {
      return false; // It has no table yet.
    }
  }

  /** The last order at the primary. */
  long number() throws SQLException {
    return primary.number(READ);
  }

  /** The last order at the standby. */
  long replicatedNumber() throws SQLException {
    return standby.number(READ);
  }

  String version() {
    return version;
  }

  Login login() {
    return login;
  }

  PostgresServer primary() {
    return primary;
  }

  PostgresServer standby() {
    return standby;
  }

  LoopbackRelay link() {
    return link;
  }

  void checkRunning() throws StageException {
    primary.checkRunning();
    standby.checkRunning();
  }

  @Override
  public void close() {
    close(link, primary, standby);
  }

  private static void close(
      LoopbackRelay link, @Nullable PostgresServer primary, @Nullable PostgresServer standby) {
    if (standby != null) {
      standby.close();
    }
    link.close();
    if (primary != null) {
      primary.close();
    }
  }
}
