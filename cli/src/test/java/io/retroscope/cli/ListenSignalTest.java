// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.process.RunningProcess;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a signal to {@code listen --exec} leaves no process behind. */
@Timeout(180)
@EnabledOnOs(value = OS.LINUX, disabledReason = "GNU env starts a process with default signals")
class ListenSignalTest {
  private static final String EVENTS =
      """
      {"node":"zk1","log":"setd","hlc":"1795200000000000.0","set":{"r1":1}}
      {"node":"zk1","hlc":"1795200002000000.0","heartbeat":true}
      """;

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"TERM, 143, :", "INT, 130, trap '' TERM INT"})
  void listen_signalWhileTheProgramRuns_endsItAndItsChildren(
      String signal, int exitCode, String prelude) throws Exception {
    try (LogServer server =
        LogServer.start(ServerConfig.in(folder.resolve("store")).port(0).build())) {
      Path pids = folder.resolve("pids");
      Process listen =
          listen(
              server.uri(),
              prelude
                  + "; sleep 600 & echo $$ $! > "
                  + pids
                  + ".new; mv "
                  + pids
                  + ".new "
                  + pids
                  + "; wait");
      try {
        Path events = Files.writeString(folder.resolve("e.ndjson"), EVENTS);
        CommandRun.of("import", events.toString(), "--server", server.uri().toString());
        Awaitility.await()
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> Files.exists(pids) || !listen.isAlive());
        assertThat(pids).as(Files.readString(folder.resolve("output"))).exists();
        assertThat(new ProcessBuilder("kill", "-" + signal, "" + listen.pid()).start().waitFor())
            .isZero();
        assertThat(listen.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(listen.exitValue()).isEqualTo(exitCode);
        for (long pid : RunningProcess.listedIn(pids)) {
          assertThat(RunningProcess.is(pid)).as("%s", pid).isFalse();
        }
      } finally {
        listen.destroyForcibly();
        if (Files.exists(pids)) {
          for (long pid : RunningProcess.listedIn(pids)) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
          }
        }
      }
    }
  }

  private Process listen(URI server, String script) throws Exception {
    List<String> command = new ArrayList<>();
    // In the background, signals may be ignored, which a JVM accepts.
    command.addAll(List.of("env", "--default-signal=INT,TERM"));
    command.addAll(QuickJava.command(System.getProperty("java.class.path")));
    command.addAll(
        List.of(
            "-Xmx256m",
            "io.retroscope.cli.Retroscope",
            "listen",
            "--mute",
            "--server",
            server.toString(),
            "SELECT STREAM r1 FROM setd ON TIME hlc'1795200000000000.0' PLAY woodblock NOTE 60",
            "--exec",
            "sh",
            "-c",
            script));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("output").toFile())
        .start();
  }
}
