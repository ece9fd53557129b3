// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.Deadline;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
final class PostgresServerTest {
  private static final Duration END_PATIENCE = Duration.ofMinutes(1);

  @TempDir Path folder;

  @Test
  void server_itsVirtualMachineIsKilled_ends() throws Exception {
    List<String> command =
        ChildProcess.command(
            List.of(),
            System.getProperty("java.class.path"),
            KilledMain.class.getName(),
            folder.toString());
    List<ProcessHandle> servers = new ArrayList<>();
    try (ChildProcess main = new ChildProcess("the starter", folder, "main.out", command)) {
      main.start();
      await(folder.resolve(KilledMain.READY_FILE), main);
      servers.add(server("primary"));
      servers.add(server("standby"));
      assertThat(servers).allMatch(ProcessHandle::isAlive);
      main.kill();
      Deadline deadline = Deadline.in(END_PATIENCE);
      while (servers.stream().anyMatch(ProcessHandle::isAlive) && !deadline.hasPassed()) {
        Deadline.sleep(Duration.ofMillis(50));
      }
      assertThat(servers).noneMatch(ProcessHandle::isAlive);
    } finally {
      servers.forEach(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void server_withoutPassword_refuses() throws Exception {
    try (Replication replication = Replication.start(folder, false)) {
      String url = "jdbc:postgresql://127.0.0.1:%d/postgres";
      for (PostgresServer server : List.of(replication.primary(), replication.standby())) {
        assertThatThrownBy(
                () -> DriverManager.getConnection(url.formatted(server.port()), Login.USER, "no"))
            .isInstanceOf(SQLException.class)
            .hasMessageContaining("password authentication failed");
      }
      assertThat(Files.getPosixFilePermissions(replication.login().file())).hasSize(2);
    }
  }

  private ProcessHandle server(String name) throws Exception {
    Path pidFile = folder.resolve("postgres-data").resolve(name).resolve("postmaster.pid");
    long pid = Long.parseLong(Files.readAllLines(pidFile).get(0).strip());
    return ProcessHandle.of(pid).orElseThrow();
  }

  private static void await(Path file, ChildProcess main) throws Exception {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (!Files.exists(file)) {
      assertThat(main.isRunning()).as(main.complaint()).isTrue();
      assertThat(deadline.hasPassed()).isFalse();
      Deadline.sleep(Duration.ofMillis(50));
    }
  }
}
