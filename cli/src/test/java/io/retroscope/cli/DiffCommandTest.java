// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiffCommandTest {
  private static final String RUN =
      """
      {"node":"a","log":"t","hlc":"1000000.0","set":{"x":1,"y":"one"}}
      {"node":"a","log":"net","hlc":"1000001.0","send":{"to":"b","id":"m1"}}
      {"node":"b","log":"net","hlc":"1000002.0","receive":{"from":"a","id":"m1"}}
      {"node":"b","log":"t","hlc":"1000003.0","set":{"x":2}}
      {"node":"a","log":"t","hlc":"1000004.0","set":{"x":3}}
      {"node":"b","log":"t","hlc":"1000005.0","message":"done"}
      """;

  @TempDir Path folder;

  @Test
  void diff_otherTimesNumbersLinesAndOrder_areEqual() throws IOException {
    String later =
        """
        {"node":"a","log":"t","hlc":"7000004.0","set":{"x":3}}
        {"node":"b","log":"net","hlc":"5000002.0","receive":{"from":"a","id":"other"}}
        {"node":"b","log":"t","hlc":"5000003.0","set":{"x":2}}
        {"node":"a","log":"t","hlc":"6000000.0","set":{"y":"one","x":1}}
        {"node":"a","log":"t","hlc":"6000005.0","message":"new"}
        {"node":"a","log":"net","hlc":"7000001.0","send":{"to":"b","id":"other"}}
        """;
    CommandRun run = diff(later);
    assertThat(run).isEqualTo(new CommandRun(0, "The runs are equal: 5 steps.\n", ""));
  }

  @Test
  void diff_anotherValue_showsTheFirstOfThem_andTheStateBefore() throws IOException {
    CommandRun run = diff(RUN.replace("\"x\":2", "\"x\":9").replace("\"x\":3", "\"x\":8"));
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .contains(
            "at node b, after 1 equal step of it:",
            "first run   t.x = 2, 0.000003 s after its start, at hlc'1000003.0'",
            "second run  t.x = 9, 0.000003 s after its start",
            "Before, in both runs:",
            "  t.y  one",
            "  a  2 of 3 and 3\n",
            "  b  1 of 2 and 2\n");
  }

  @Test
  void diff_anotherMessage_isADifference() throws IOException {
    CommandRun run = diff(RUN.replace("\"to\":\"b\"", "\"to\":\"c\""));
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("first run   net sends to b", "second run  net sends to c");
  }

  @Test
  void diff_aRunThatEndsEarlier_isADifference() throws IOException {
    CommandRun run = diff(RUN.lines().limit(4).reduce("", (all, line) -> all + line + "\n"));
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("first run   t.x = 3", "second run  has no further step");
  }

  @Test
  void diff_aNodeOfOneRunOnly_isADifference() throws IOException {
    CommandRun run =
        diff(RUN + "{\"node\":\"c\",\"log\":\"t\",\"hlc\":\"900000.0\",\"set\":{\"x\":0}}\n");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .contains("at node c, after 0 equal steps", "first run   has no further step");
  }

  @Test
  void diff_onSomeVariables_comparesOnlyThem() throws IOException {
    String other =
        RUN.replace("\"y\":\"one\"", "\"y\":\"two\"").replace("\"to\":\"b\"", "\"to\":\"c\"");
    assertThat(diff(other, "--on", "t.x").exitCode()).isZero();
    assertThat(diff(other, "--on", "t.x,t.y").exitCode()).isEqualTo(1);
    assertThat(diff(other, "--on", "t.z"))
        .isEqualTo(new CommandRun(5, "There is nothing to compare: neither run has a step.\n", ""));
  }

  @Test
  void diff_lostEvents_areNoEquality() throws IOException {
    String numbered =
        """
        {"node":"a","log":"t","hlc":"1000000.0","seq":1,"set":{"x":1}}
        {"node":"a","log":"t","hlc":"1000004.0","seq":4,"set":{"x":3}}
        """;
    Path first = Files.writeString(folder.resolve("first.ndjson"), numbered);
    CommandRun run = CommandRun.of("diff", first.toString(), first.toString());
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.out()).contains("warning: first run: 2 events of node a are lost between hlc");
  }

  @Test
  void diff_json_isOneObject() throws IOException {
    CommandRun run = diff(RUN.replace("\"x\":2", "\"x\":9"), "--format", "json");
    StructValue object = (StructValue) JsonValues.parse(run.out());
    assertThat(object.fields()).containsEntry("equal", Value.of(false));
    StructValue divergence = (StructValue) object.fields().get("divergence");
    assertThat(divergence.fields()).containsEntry("node", Value.of("b"));
    assertThat(((StructValue) divergence.fields().get("second")).fields())
        .containsEntry("step", Value.of("t.x = 9"))
        .containsEntry("micros", Value.of(3));
    assertThat(run.out())
        .endsWith(
            ",\"nodes\":[{\"node\":\"a\",\"equalSteps\":3,\"firstSteps\":3,\"secondSteps\":3},"
                + "{\"node\":\"b\",\"equalSteps\":1,\"firstSteps\":2,\"secondSteps\":2}]}\n");
    assertThat(diff(RUN, "--format", "json").out()).startsWith("{\"equal\":true,");
  }

  @Test
  void diff_aFileThatCannotBeRead_is2() throws IOException {
    Path first = Files.writeString(folder.resolve("first.ndjson"), RUN);
    CommandRun none =
        CommandRun.of("diff", first.toString(), folder.resolve("no.ndjson").toString());
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("no.ndjson");
    Path damaged = Files.writeString(folder.resolve("damaged.ndjson"), "{\"node\":}\n{}\n");
    assertThat(CommandRun.of("diff", first.toString(), damaged.toString()).exitCode()).isEqualTo(2);
  }

  private CommandRun diff(String second, String... options) throws IOException {
    Path one = Files.writeString(folder.resolve("first.ndjson"), RUN);
    Path two = Files.writeString(folder.resolve("second.ndjson"), second);
    String[] arguments = new String[options.length + 3];
    arguments[0] = "diff";
    arguments[1] = one.toString();
    arguments[2] = two.toString();
    System.arraycopy(options, 0, arguments, 3, options.length);
    return CommandRun.of(arguments);
  }
}
