// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AlignmentOptionsTest {
  @TempDir Path folder;
  private String file = "";

  /** Each direction takes 1 ms; the clocks are 40 ms apart. */
  @BeforeEach
  void write() throws IOException {
    String events =
        """
        {"node":"a","log":"net","hlc":"1795200000000001.0","pt":1795200000000001,"send":{"to":"b","id":"m1"}}
        {"node":"b","log":"net","hlc":"1795200000000001.1","pt":1795199999961001,"receive":{"from":"a","id":"m1"}}
        {"node":"b","log":"net","hlc":"1795200000000001.2","pt":1795199999962001,"send":{"to":"a","id":"m2"}}
        {"node":"a","log":"net","hlc":"1795200000003001.0","pt":1795200000003001,"receive":{"from":"b","id":"m2"}}
        """;
    file = Files.writeString(folder.resolve("e.ndjson"), events).toString();
  }

  private String interval(String... options) {
    String[] all = new String[options.length + 5];
    String[] command = {"align", "--file", file, "--format", "csv"};
    System.arraycopy(command, 0, all, 0, command.length);
    System.arraycopy(options, 0, all, command.length, options.length);
    String row = CommandRun.of(all).out().lines().skip(2).findFirst().orElseThrow();
    String[] fields = row.split(",", -1);
    return fields[4] + " to " + fields[5];
  }

  @Test
  void settings_rhoAndGranule_widenTheInterval() {
    assertThat(interval("--rho", "0")).isEqualTo("38998 to 41002");
    assertThat(interval("--rho", "0", "--granule", "500us")).isEqualTo("38000 to 42000");
  }

  @Test
  void settings_minimumDelays_narrowItForAllLinksOrOne() {
    assertThat(interval("--rho", "0", "--min-delay", "300us")).isEqualTo("39298 to 40702");
    assertThat(interval("--rho", "0", "--min-delay", "300us", "--min-delay", "a,b=1ms"))
        .isEqualTo("39998 to 40702");
  }

  @Test
  void settings_badValues_areRefusedWithOneSentence() {
    assertRefused("rhoPpm must lie in 0 to 100000: -1.0", "--rho", "-1");
    assertRefused("\"fast\" is not a duration", "--min-delay", "fast");
    assertRefused("\"a\" is not a link: write FROM,TO=DURATION", "--min-delay", "a=1ms");
    assertRefused("driverWindowMicros must lie in", "--driver-window", "900d");
  }

  private void assertRefused(String message, String option, String value) {
    CommandRun run = CommandRun.of("align", "--file", file, option, value);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("error: " + message).hasLineCount(1);
    CommandRun server =
        CommandRun.of("server", "--data", folder.resolve("d").toString(), option, value);
    assertThat(server.exitCode()).isEqualTo(2);
    assertThat(server.err()).startsWith("error: " + message);
  }
}
