// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests exported traces with TLC, the model checker of TLA+. */
class TlaExportTest {
  private static final Path EXAMPLE = Path.of("../examples/tla");

  @TempDir Path folder;

  @Test
  void export_aRunThatConforms_isABehaviourOfItsSpecification() throws Exception {
    assertThat(check("conforms.ndjson"))
        .contains("Model checking completed. No error has been found.")
        .contains("5 distinct states found");
  }

  @Test
  void export_aRunThatDoesNotConform_isNone() throws Exception {
    assertThat(check("violates.ndjson"))
        .contains("Error: Action property", "of module Lock is violated.")
        .contains("/\\ step = 3\n/\\ lease_holds = [a |-> TRUE, b |-> TRUE]");
  }

  @Test
  void export_valuesOfAllTypes_areValuesOfTlc() throws Exception {
    Path events = folder.resolve("events.ndjson");
    Files.writeString(
        events,
        """
        {"node":"a-1","log":"t","hlc":"1000000.0","set":{"x y":-3,"s":["b","a"],"d":1.5}}
        {"node":"a-1","log":"t","hlc":"1000001.0","set":{"q":"say \\"\\\\\\" é\\n","r":{"k":{"m":true}}}}
        """);
    Path module = folder.resolve("Values.tla");
    CommandRun run =
        CommandRun.of(
            "export",
            events.toString(),
            "--format",
            "tla",
            "--on",
            "t.x y,t.s,t.d,t.q,t.r",
            "--to",
            module.toString());
    assertThat(run).isEqualTo(new CommandRun(0, "", ""));
    assertThat(module)
        .content()
        .contains(
            "t_x_y |-> \"a-1\" :> -3, t_s |-> \"a-1\" :> {\"a\", \"b\"}, t_d |-> \"a-1\" :>"
                + " \"1.5\"")
        .contains("t_q |-> \"a-1\" :> \"say \\\"\\\\\\\" \\\\u00E9\\n\"")
        .contains("t_r |-> \"a-1\" :> (\"k\" :> (\"m\" :> TRUE))");
    Files.writeString(folder.resolve("Values.cfg"), "SPECIFICATION TraceSpec\n");
    assertThat(tlc("Values")).contains("No error has been found.", "3 distinct states found");
  }

  @Test
  void export_json_hasAnObjectForEachState_notForCutsThatAreEqual() throws IOException {
    Path events = folder.resolve("events.ndjson");
    Files.writeString(
        events,
        Files.readString(EXAMPLE.resolve("violates.ndjson"))
            + "{\"node\":\"b\",\"log\":\"lease\",\"hlc\":\"2500000.0\",\"set\":{\"holds\":true}}\n");
    CommandRun run =
        CommandRun.of("export", events.toString(), "--format", "tla-json", "--on", "lease.holds");
    assertThat(run.out().lines())
        .containsExactly(
            "{\"hlc\":\"0.0\",\"lease_holds\":{}}",
            "{\"hlc\":\"1000000.0\",\"lease_holds\":{\"a\":true}}",
            "{\"hlc\":\"1900000.0\",\"lease_holds\":{\"a\":true,\"b\":true}}",
            "{\"hlc\":\"2000000.0\",\"lease_holds\":{\"a\":false,\"b\":true}}");
  }

  @Test
  void export_whatTlcDoesNotHave_isRefused() throws IOException {
    String events = EXAMPLE.resolve("conforms.ndjson").toString();
    CommandRun unknown = CommandRun.of("export", events, "--format", "tla", "--on", "lease.held");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err())
        .isEqualTo("error: no variable lease.held was recorded; there are lease.holds\n");
    assertThat(CommandRun.of("export", events, "--format", "tla").exitCode()).isEqualTo(2);
    assertThat(CommandRun.of("export", events, "--on", "lease.holds").exitCode()).isEqualTo(2);
    assertThat(
            CommandRun.of("export", events, "--format", "tla", "--on", "lease.holds", "--node", "a")
                .err())
        .contains("a trace for TLA+ is whole");
    assertThat(
            CommandRun.of(
                    "export",
                    events,
                    "--format",
                    "tla",
                    "--on",
                    "lease.holds",
                    "--to",
                    folder.resolve("my-trace.tla").toString())
                .err())
        .contains("\"my-trace\" is not the name of a TLA+ module");
    Path large = folder.resolve("large.ndjson");
    Files.writeString(
        large, "{\"node\":\"a\",\"log\":\"t\",\"hlc\":\"1.0\",\"set\":{\"x\":5000000000}}\n");
    assertThat(CommandRun.of("export", large.toString(), "--format", "tla", "--on", "t.x").err())
        .contains("t.x has the value 5000000000, and TLC's integers have 32 bits");
  }

  private String check(String events) throws Exception {
    for (String file : new String[] {"Lock.tla", "LockTrace.tla", "LockTrace.cfg"}) {
      Files.copy(EXAMPLE.resolve(file), folder.resolve(file));
    }
    CommandRun run =
        CommandRun.of(
            "export",
            EXAMPLE.resolve(events).toString(),
            "--format",
            "tla",
            "--on",
            "lease.holds",
            "--to",
            folder.resolve("Trace.tla").toString());
    assertThat(run).isEqualTo(new CommandRun(0, "", ""));
    return tlc("LockTrace");
  }

  /** Runs TLC, which ends its process, in one of its own. */
  private String tlc(String module) throws Exception {
    Path output = folder.resolve("tlc.txt");
    List<String> command =
        new ArrayList<>(QuickJava.command(System.getProperty("java.class.path")));
    command.add("-Djava.io.tmpdir=" + folder); // TLC unpacks its modules there
    command.addAll(List.of("tlc2.TLC", "-workers", "1", module));
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    return Files.readString(output, StandardCharsets.UTF_8);
  }
}
