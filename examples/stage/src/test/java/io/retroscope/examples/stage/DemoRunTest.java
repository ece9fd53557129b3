// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DemoRunTest {
  private static final int PATIENCE_SECONDS = 60;

  @TempDir Path folder;

  /** A program whose demonstration starts a child, prints its id and the folder, and waits. */
  public static final class LongDemo {
    private LongDemo() {}

    /** Runs it. */
    public static void main(String[] args) {
      PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
      PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
      System.exit(
          DemoRun.run(
              Path.of(args[0]),
              new DemoScreen(out, false, false),
              err,
              temporary -> {
                ChildProcess child =
                    new ChildProcess(
                        "the sleeper",
                        temporary,
                        "child.out",
                        ChildProcess.command(
                            List.of("-Xmx32m"),
                            BuiltProject.ownClassPath(),
                            ChildProcessTest.Sleeper.class.getName()));
                child.start();
                out.println(child.pid().orElseThrow() + " " + temporary);
                while (child.isRunning()) {
                  TimeUnit.MILLISECONDS.sleep(1);
                }
                throw new StageException("the sleeper ended");
              }));
    }
  }

  @ParameterizedTest
  @CsvSource({"INT,130", "TERM,143"})
  void run_signal_saysSoAndLeavesNothing(String signal, int exitCode) throws Exception {
    Process demo =
        new ProcessBuilder(
                "env", // In the background, signals may be ignored, which a JVM accepts.
                "--default-signal=INT,TERM",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx32m",
                "-cp",
                BuiltProject.ownClassPath(),
                LongDemo.class.getName(),
                folder.resolve("out").toString())
            .redirectError(folder.resolve("err").toFile())
            .start();
    try (BufferedReader printed =
        new BufferedReader(new InputStreamReader(demo.getInputStream(), StandardCharsets.UTF_8))) {
      String[] started = printed.readLine().split(" ", 2);
      Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(demo.pid())).start();
      assertThat(kill.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(demo.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();

      assertThat(demo.exitValue()).isEqualTo(exitCode);
      assertThat(Files.readString(folder.resolve("err")))
          .isEqualToIgnoringNewLines("demo ended by a signal, and its processes with it");
      assertThat(ProcessHandle.of(Long.parseLong(started[0])).filter(ProcessHandle::isAlive))
          .isEmpty();
      assertThat(Path.of(started[1])).doesNotExist();
    } finally {
      demo.destroyForcibly();
    }
  }

  @Test
  void run_folderOfAnother_saysSo() {
    StringWriter complaints = new StringWriter();
    DemoScreen screen = new DemoScreen(new PrintWriter(new StringWriter()), false, true);
    int[] second = new int[1];
    int first =
        DemoRun.run(
            folder,
            screen,
            new PrintWriter(complaints, true),
            outer ->
                second[0] =
                    DemoRun.run(folder, screen, new PrintWriter(complaints, true), inner -> {}));
    assertThat(first).isZero();
    assertThat(second[0]).isEqualTo(1);
    assertThat(complaints.toString())
        .isEqualToIgnoringNewLines(
            "demo failed: another demonstration writes to %s: wait for its end, or name another folder with --out"
                .formatted(folder));
    assertThat(DemoRun.run(folder, screen, new PrintWriter(complaints, true), again -> {}))
        .isZero();
  }
}
