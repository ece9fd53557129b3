// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.StandardStreams;
import io.retroscope.rql.print.OutputFormat;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RqlShellTest {
  private final ShellFixture fixture = new ShellFixture();
  @TempDir private Path folder;
  private Path events;

  @BeforeEach
  void writeEvents() throws IOException {
    events = folder.resolve("events.ndjson");
    Files.writeString(
        events,
        """
        {"node":"a","log":"l","hlc":1000,"set":{"x":1}}
        {"node":"b","log":"l","hlc":2000,"set":{"x":3}}
        """);
  }

  @Test
  void run_commandsThenScript_inThatOrder() throws IOException {
    Path script = folder.resolve("more.rql");
    Files.writeString(script, "-- the rest\n3;\n4\n");

    ExitCode result = run(call(List.of("1; 2", "\\format jsonl"), Optional.of(script), false));

    assertThat(result).isEqualTo(ExitCode.OK);
    assertThat(out()).isEqualTo("value\r\n1\r\nvalue\r\n2\r\n{\"value\":3}\n{\"value\":4}\n");
  }

  @Test
  void run_neitherCommandNorScript_readsTheInput() {
    ExitCode result =
        run(
            call(List.of(), Optional.empty(), false),
            "SELECT MAX(x) AS m\nFROM l\nWHEN SPREAD(x) > 1;\n");

    assertThat(result).isEqualTo(ExitCode.OK);
    assertThat(out())
        .isEqualTo("hlc,time,uncertaintyMicros,m\r\n2000.0,1970-01-01T00:00:00.002000Z,,3\r\n");
  }

  @Test
  void run_everyFormat_printsTheSameResult() {
    for (OutputFormat format : OutputFormat.values()) {
      ShellFixture one = new ShellFixture();
      ShellOptions options = ShellFixture.options(events, format, "SELECT x FROM l");
      ExitCode result = new RqlShell(options, one.streams(""), one.clock).run();
      assertThat(result).as(format.word()).isEqualTo(ExitCode.OK);
      assertThat(one.out.toString()).as(format.word()).contains("x");
      assertThat(one.err.toString()).as(format.word()).isEmpty();
    }
  }

  @Test
  void run_failedStatement_endsWithThree() {
    assertThat(run(call(List.of("SELECT y FROM l; 1;"), Optional.empty(), false)))
        .isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(out()).isEmpty();
    assertThat(err())
        .isEqualTo(
            """
            error[RQL0203]: unknown variable "y" in log "l"
            LINE 1: SELECT y FROM l;
                           ^
            help: did you mean "x"? Variables here: x
            """);
  }

  @Test
  void run_ignoreErrors_continuesAndStillEndsWithThree() {
    assertThat(run(call(List.of("SELECT y FROM l", "1", "\\q", "2"), Optional.empty(), true)))
        .isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(out()).isEqualTo("value\r\n1\r\n");
  }

  @Test
  void run_serverAndFile_isWrongUsage() {
    ShellOptions both =
        new ShellOptions(
            Optional.of(URI.create("http://127.0.0.1:1")),
            Optional.of(ShellFixture.opening(events)),
            List.of("1"),
            Optional.empty(),
            OutputFormat.CSV,
            ShellFixture.SOUND,
            false,
            Map.of());

    assertThat(run(both, "")).isEqualTo(ExitCode.USAGE);
    assertThat(err()).isEqualTo("error: --server and --file cannot be given together\n");
  }

  @Test
  void run_serverOfTheEnvironment_isAsked() {
    String nobody = "127.0.0.1:1";

    assertThat(run(onServer(nobody), "")).isEqualTo(ExitCode.CONNECTION_LOST);
    assertThat(err())
        .isEqualTo("error: no connection to http://" + nobody + ": is the server running?\n");
  }

  @Test
  void run_serverThatIsNoAddress_isWrongUsage() {
    assertThat(run(onServer("not an address"), "")).isEqualTo(ExitCode.USAGE);
    assertThat(err()).isEqualTo("error: RETROSCOPE_SERVER is not an address: not an address\n");
  }

  @Test
  void run_fileThatCannotBeRead_fails() throws IOException {
    Path broken = folder.resolve("broken.ndjson");
    Files.writeString(broken, "{\"node\":\"a\"}\n");

    assertThat(run(ShellFixture.options(folder.resolve("none"), OutputFormat.CSV, "1"), ""))
        .isEqualTo(ExitCode.FAILED);
    // Nothing is read for a statement that needs no event.
    assertThat(run(ShellFixture.options(broken, OutputFormat.CSV, "1"), "")).isEqualTo(ExitCode.OK);
    assertThat(run(ShellFixture.options(broken, OutputFormat.CSV, "SHOW LOGS"), ""))
        .isEqualTo(ExitCode.FAILED);
    assertThat(err())
        .contains("none: there is no such file or folder")
        .contains("broken.ndjson:1: field \"hlc\" is missing");
  }

  @Test
  void run_scriptThatIsNotThere_fails() {
    Optional<Path> none = Optional.of(folder.resolve("none.rql"));

    assertThat(run(call(List.of(), none, false))).isEqualTo(ExitCode.FAILED);
    assertThat(err()).contains("none.rql: there is no such file or folder");
  }

  @Test
  void run_scriptThatFails_saysAtWhichLine() throws IOException {
    Path script = folder.resolve("daily.rql");
    Files.writeString(script, "1;\n\nSELECT y\n  FROM l;\n2;\n");

    assertThat(run(call(List.of(), Optional.of(script), false)))
        .isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(err())
        .startsWith(script + ":3: error[RQL0203]")
        .endsWith("\n" + script + ": the rest was not run\n");
    assertThat(run(call(List.of(), Optional.of(script), true)))
        .isEqualTo(ExitCode.STATEMENT_FAILED);
    assertThat(err()).containsOnlyOnce("the rest was not run");
    assertThat(out()).endsWith("value\r\n1\r\nvalue\r\n2\r\n");
  }

  @Test
  void run_outputThatTakesNoMore_fails() {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("no space left on device");
          }
        };
    StandardStreams streams =
        new StandardStreams(
            InputStream.nullInputStream(),
            new PrintWriter(full, false, StandardCharsets.UTF_8),
            new PrintWriter(fixture.err),
            false,
            false,
            false,
            () -> StandardStreams.DEFAULT_WIDTH);

    assertThat(
            new RqlShell(
                    call(List.of("SHOW LOGS"), Optional.empty(), false), streams, fixture.clock)
                .run())
        .isEqualTo(ExitCode.FAILED);
    assertThat(err()).isEqualTo("error: the output could not be written completely\n");
  }

  private ShellOptions call(List<String> commands, Optional<Path> script, boolean ignoreErrors) {
    return new ShellOptions(
        Optional.empty(),
        Optional.of(ShellFixture.opening(events)),
        commands,
        script,
        OutputFormat.CSV,
        ShellFixture.SOUND,
        ignoreErrors,
        Map.of());
  }

  private static ShellOptions onServer(String address) {
    return new ShellOptions(
        Optional.empty(),
        Optional.empty(),
        List.of("SHOW LOGS"),
        Optional.empty(),
        OutputFormat.CSV,
        ShellFixture.SOUND,
        false,
        Map.of("RETROSCOPE_SERVER", address));
  }

  private ExitCode run(ShellOptions options) {
    return run(options, "");
  }

  private ExitCode run(ShellOptions options, String input) {
    return new RqlShell(options, fixture.streams(input), fixture.clock).run();
  }

  private String out() {
    return fixture.out.toString();
  }

  private String err() {
    return fixture.err.toString();
  }
}
