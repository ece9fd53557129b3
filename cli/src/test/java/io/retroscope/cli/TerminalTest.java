// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the output of commands on a terminal. */
@Timeout(120)
@EnabledOnOs(OS.LINUX) // for /dev/full
class TerminalTest {
  @TempDir Path folder;

  @BeforeEach
  void prepare() throws IOException {
    CommandRun.writeScript(folder.resolve("retroscope"));
    Files.writeString(
        folder.resolve("e.ndjson"),
        """
        {"node":"a","log":"l","hlc":1000,"set":{"x":1}}
        {"node":"b","log":"l","hlc":2000,"set":{"x":3}}
        """);
  }

  @Test
  void shell_commandsAndScript_areRunInThatOrder() throws Exception {
    Files.writeString(folder.resolve("s.rql"), "SELECT MAX(x) AS m\nFROM l WHEN SPREAD(x) > 1;\n");

    assertThat(
            terminal("./retroscope shell --file e.ndjson --format csv -c '1; 2' -f s.rql; echo $?"))
        .containsExactly(
            "value",
            "1",
            "value",
            "2",
            "hlc,time,uncertaintyMicros,m",
            "2000.0,1970-01-01T00:00:00.002000Z,,3",
            "0");
  }

  @Test
  void shell_fileWithoutOption_isAsked() throws Exception {
    // The events of two files, without repetitions.
    assertThat(terminal("./retroscope shell e.ndjson --file e.ndjson --format csv -c 'SHOW LOGS'"))
        .containsExactly("log,variables,events", "l,1,2");
  }

  @Test
  void shell_help_writesFormatsAsTheyAreTyped() throws Exception {
    assertThat(CommandRun.of("shell", "--help").out().replaceAll("\\s+", " "))
        .contains("aligned, vertical, csv, tsv, json, jsonl, markdown, chart (default: aligned)");
  }

  @Test
  void shell_pipe_isReadAsAScript() throws Exception {
    assertThat(terminal("echo 'SHOW LOGS; 1' | ./retroscope shell --file e.ndjson --format jsonl"))
        .containsExactly("{\"log\":\"l\",\"variables\":1,\"events\":2}", "{\"value\":1}");
  }

  @Test
  void shell_firstError_endsUnlessIgnored() throws Exception {
    String shell = "./retroscope shell --file e.ndjson --format csv -c 'SELECT y FROM l; 7'";

    assertThat(terminal(shell + " 2>err.txt; echo $?")).containsExactly("3");
    assertThat(folder.resolve("err.txt"))
        .content()
        .startsWith("error[RQL0203]: unknown variable \"y\" in log \"l\"\n");
    assertThat(terminal(shell + " --ignore-errors 2>err.txt; echo $?"))
        .containsExactly("value", "7", "3");
  }

  @Test
  void exitCodes_failureUsageAndConnection_areToldApart() throws Exception {
    String server = "127.0.0.1:1"; // Nothing listens there.

    assertThat(terminal("./retroscope shell --file none -c 1; echo $?"))
        .containsExactly("error: cannot read none: there is no such file or folder", "1");
    assertThat(terminal("./retroscope shell --fromat csv; echo $?")).endsWith("2");
    assertThat(terminal("RETROSCOPE_SERVER=" + server + " ./retroscope shell -c 1; echo $?"))
        .containsExactly(
            "error: no connection to http://" + server + ": is the server running?", "4");
  }

  @Test
  void output_thatTakesNoMore_isAFailure() throws Exception {
    assertThat(terminal("./retroscope export e.ndjson > /dev/full; echo $?"))
        .containsExactly("error: the output could not be written completely", "1");
    assertThat(terminal("./retroscope shell --file e.ndjson -c '\\o /dev/full' -c 1; echo $?"))
        .containsExactly("error: the output file of \\o could not be written completely", "1");
  }

  @Test
  void shell_formatChart_isAsWideAsTheTerminal() throws Exception {
    List<String> lines =
        terminal("./retroscope shell --file e.ndjson --format chart -c 'SELECT x FROM l'");

    assertThat(lines.get(1)).startsWith("a ▁").hasSize(Pseudoterminal.COLUMNS);
  }

  @Test
  void importAndExport_shivizAndBack_areOneLineEach() throws Exception {
    assertThat(
            terminal(
                "./retroscope export e.ndjson --format shiviz --node a"
                    + " --until 1970-01-01T00:00:00.001Z --to a.log"
                    + " && ./retroscope import a.log --to back.ndjson && cat back.ndjson"))
        .containsExactly(
            "warning: the events are a part of a recording: only of a, only until"
                + " 1970-01-01T00:00:00.001000Z",
            "imported 1 event of 1 node with 0 messages, from 1 execution",
            "{\"node\":\"a\",\"log\":\"shiviz\",\"hlc\":\"1001000.0\",\"set\":{\"hlc\":1000.0}}",
            "{\"node\":\"a\",\"log\":\"shiviz\",\"hlc\":\"1001000.1\",\"message\":\"l x = 1\"}");
  }

  /** The lines that a command prints into a terminal. */
  private List<String> terminal(String command) throws Exception {
    Pseudoterminal terminal =
        new Pseudoterminal(List.of("/bin/bash", "-c", command), folder, Map.of());
    try (InputStream in = terminal.process().getInputStream()) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      terminal.awaitEnd();
      return text.replace("\r", "").lines().toList();
    } finally {
      terminal.process().destroyForcibly();
    }
  }
}
