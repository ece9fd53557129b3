// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class RetroscopeTest {
  @TempDir Path folder;

  static Stream<List<String>> commands() {
    return below(List.of(), Retroscope.commandLine());
  }

  private static Stream<List<String>> below(List<String> path, CommandLine command) {
    return Stream.concat(
        Stream.of(path),
        command.getSubcommands().entrySet().stream()
            .flatMap(
                sub ->
                    below(
                        Stream.concat(path.stream(), Stream.of(sub.getKey())).toList(),
                        sub.getValue())));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void help_everyCommand_describesItselfWithAnExample(List<String> path) {
    CommandRun run =
        CommandRun.of(Stream.concat(path.stream(), Stream.of("--help")).toArray(String[]::new));
    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .startsWith("Usage: " + String.join(" ", prepend("retroscope", path)))
        .containsPattern("\nExamples?:\n  " + String.join(" ", prepend("retroscope", path)))
        .containsPattern("\n[A-Z][^\n]+[.?]\n");
    assertThat(run.out().lines().mapToInt(String::length)).allMatch(length -> length <= 100);
  }

  @Test
  void help_optionNames_areLong() {
    CommandLine all = Retroscope.commandLine();
    commands()
        .forEach(
            path -> {
              CommandLine command = all;
              for (String name : path) {
                command = command.getSubcommands().get(name);
              }
              assertThat(command.getCommandSpec().options())
                  .isNotEmpty()
                  .allMatch(option -> option.longestName().startsWith("--"));
            });
  }

  /** Most runs read the definition of one command only, so its name is written twice. */
  @Test
  void commands_names_areThoseOfTheirDefinitions() {
    Retroscope.COMMANDS.forEach(
        (name, command) ->
            assertThat(command.getAnnotation(CommandLine.Command.class).name()).isEqualTo(name));
  }

  @Test
  void commandLine_namedCommand_hasNoOther() {
    assertThat(Retroscope.commandLine("shell", "--help").getSubcommands())
        .containsOnlyKeys("shell");
    assertThat(Retroscope.commandLine("--version").getSubcommands()).isEmpty();
    assertThat(Retroscope.commandLine("--help").getSubcommands())
        .containsOnlyKeys(Retroscope.COMMANDS.keySet());
  }

  @Test
  void run_noCommand_isWrongUsage() {
    assertThat(CommandRun.of())
        .isEqualTo(new CommandRun(2, "", "error: a command is missing\nhelp: retroscope --help\n"));
  }

  @Test
  void run_unknownOption_isWrongUsage() {
    CommandRun run = CommandRun.of("import", "a.ndjson", "--frobnicate");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .startsWith("error: ")
        .contains("--frobnicate")
        .endsWith("help: retroscope import --help\n");
  }

  @Test
  void run_maxOuterRows_limitsTheRowsThatAShellHoldsOverAFile(@TempDir Path folder)
      throws IOException {
    Path events = folder.resolve("e.ndjson");
    Files.writeString(
        events,
        """
        {"node":"a","log":"l","hlc":1000,"set":{"x":1}}
        {"node":"a","log":"l","hlc":2000,"set":{"x":2}}
        {"node":"a","log":"l","hlc":3000,"set":{"x":3}}
        """);
    String query = "SELECT x FROM (SELECT MAX(x) AS x FROM l) ORDER BY x DESC";
    String file = events.toString();

    CommandRun enough = CommandRun.of("shell", file, "--max-outer-rows", "3", "-c", query);
    CommandRun few = CommandRun.of("shell", file, "--max-outer-rows", "2", "-c", query);
    CommandRun none = CommandRun.of("shell", file, "--max-outer-rows", "0", "-c", query);
    CommandRun server = CommandRun.of("shell", "--max-outer-rows", "2", "-c", query);

    assertThat(enough.exitCode()).isZero();
    assertThat(few.exitCode()).isEqualTo(3);
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("--max-outer-rows must be positive: 0");
    assertThat(server.exitCode()).isEqualTo(2);
    assertThat(server.err()).contains("a server has its own --max-outer-rows");
  }

  @Test
  void run_misspelledWord_suggestsTheNearOnes() {
    assertThat(CommandRun.of("shel").err())
        .isEqualTo("error: unknown argument: shel\nhelp: did you mean shell? retroscope --help\n");
    assertThat(CommandRun.of("shell", "--fromat", "csv").err())
        .isEqualTo(
            """
            error: unknown argument: --fromat
            help: did you mean --format? retroscope shell --help
            """);
  }

  @Test
  void run_optionsOfTheShell_sayHowStatementsAreGivenHere() {
    assertThat(CommandRun.of("render", "-c", "SELECT a FROM l", "--to", "a.wav").err())
        .isEqualTo(
            """
            error: unknown argument: -c
            help: give the query without an option, in quotation marks: retroscope render --help
            """);
    assertThat(CommandRun.of("listen", "--command=SELECT a FROM l").err())
        .endsWith(
            "help: give the query without an option, in quotation marks: retroscope listen --help\n");
    assertThat(CommandRun.of("render", "-f", "a.rql", "--to", "a.wav").err())
        .isEqualTo(
            """
            error: unknown argument: -f
            help: give FILE.rql without an option, or as --soundscape FILE.rql: retroscope render --help
            """);
    assertThat(CommandRun.of("export", "-c", "SELECT a FROM l").err())
        .doesNotContain("without an option");
  }

  @Test
  void run_missingFile_failsWithOneSentence() {
    CommandRun run = CommandRun.of("export", folder.resolve("absent.ndjson").toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo(
            "error: " + folder.resolve("absent.ndjson") + ": there is no such file or folder\n");
  }

  @Test
  void run_debugVariable_showsTheStackTrace() {
    String absent = folder.resolve("absent.ndjson").toString();
    assertThat(CommandRun.with(Map.of("RETROSCOPE_DEBUG", "1"), "export", absent).err())
        .contains("NoSuchFileException")
        .contains("\tat ");
    assertThat(CommandRun.with(Map.of("RETROSCOPE_DEBUG", "0"), "export", absent).err())
        .doesNotContain("\tat ");
  }

  @Test
  void run_wrongStatement_isItsOwnExitCode() throws IOException {
    Path events = Files.writeString(folder.resolve("e.ndjson"), "");
    CommandRun run =
        CommandRun.of(
            "render",
            "--file",
            events.toString(),
            "--to",
            folder.resolve("a.mid").toString(),
            "SELECT FROM");
    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.err()).startsWith("error[RQL");
  }

  @Test
  void run_noServer_isConnectionLost() throws IOException {
    Path events =
        Files.writeString(
            folder.resolve("e.ndjson"),
            "{\"node\":\"a\",\"log\":\"l\",\"hlc\":1,\"set\":{\"x\":1}}\n");
    CommandRun run = CommandRun.of("import", events.toString(), "--server", "http://127.0.0.1:1");
    assertThat(run.exitCode()).isEqualTo(4);
    assertThat(run.err())
        .isEqualTo("error: no connection to http://127.0.0.1:1: is the server running?\n");
  }

  private static List<String> prepend(String first, List<String> rest) {
    return Stream.concat(Stream.of(first), rest.stream()).toList();
  }
}
