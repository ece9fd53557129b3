// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ChildProcessTest {
  private static final int PATIENCE_SECONDS = 60;

  @TempDir Path folder;

  /** A program that does not end by itself. */
  public static final class Sleeper {
    private Sleeper() {}

    /** Waits for long. */
    public static void main(String[] args) throws InterruptedException {
      TimeUnit.HOURS.sleep(1);
    }
  }

  /** A program that starts one, pauses it if its second argument says so, and prints its id. */
  public static final class Parent {
    private Parent() {}

    /** Starts the child and waits for long. */
    public static void main(String[] args) throws Exception {
      ChildProcess child = sleeper(Path.of(args[0]));
      child.start();
      if (args[1].equals("paused")) {
        child.pause();
      }
      System.out.println(child.pid().orElseThrow());
      System.out.flush();
      TimeUnit.HOURS.sleep(1);
    }
  }

  private static ChildProcess sleeper(Path folder) {
    return new ChildProcess(
        "the sleeper",
        folder,
        "child.out",
        ChildProcess.command(
            List.of("-Xmx32m"), BuiltProject.ownClassPath(), Sleeper.class.getName()));
  }

  @ParameterizedTest
  @CsvSource({"KILL,running", "KILL,paused", "INT,running", "INT,paused", "TERM,running"})
  void child_parentGetsSignal_ends(String signal, String state) throws Exception {
    Process parent =
        new ProcessBuilder(
                "env", // In the background, signals may be ignored, which a JVM accepts.
                "--default-signal=INT,TERM",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx32m",
                "-cp",
                BuiltProject.ownClassPath(),
                Parent.class.getName(),
                folder.toString(),
                state)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader printed =
        new BufferedReader(
            new InputStreamReader(parent.getInputStream(), StandardCharsets.UTF_8))) {
      ProcessHandle child = ProcessHandle.of(Long.parseLong(printed.readLine())).orElseThrow();
      assertThat(child.isAlive()).isTrue();
      send(signal, parent);
      assertThat(parent.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      child.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(child.isAlive()).isFalse();
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test
  void command_ofThisProcessThatVerifiesNoClasses_verifiesThoseOfAnAgentOnly() {
    String unverified = "-XX:-BytecodeVerificationRemote";
    assumeThat(ManagementFactory.getRuntimeMXBean().getInputArguments()).contains(unverified);
    assertThat(ChildProcess.command(List.of("-Xmx32m"), "a.jar", "Main"))
        .contains("-XX:+UnlockDiagnosticVMOptions", unverified, "-Xmx32m");
    assertThat(ChildProcess.command(List.of("-javaagent:agent.jar=a"), "a.jar", "Main"))
        .doesNotContain(unverified);
  }

  @Test
  void pause_untilResumed_stopsTheProcess() throws Exception {
    try (ChildProcess child = sleeper(folder)) {
      child.start();
      long pid = child.pid().orElseThrow();
      child.pause();
      // The signal takes effect when the process is next interrupted on its own processor.
      await().atMost(PATIENCE_SECONDS, TimeUnit.SECONDS).until(() -> state(pid) == 'T');
      child.resume();
      await().atMost(PATIENCE_SECONDS, TimeUnit.SECONDS).until(() -> state(pid) != 'T');
      assertThat(child.isRunning()).isTrue();
    }
  }

  private static void send(String signal, Process process) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start();
    assertThat(kill.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(kill.exitValue()).isZero();
  }

  /** The state as the kernel reports it: T if it is stopped by a signal. */
  private static char state(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2);
  }
}
