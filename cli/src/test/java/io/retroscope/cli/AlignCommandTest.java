// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AlignCommandTest {
  /**
   * a is 40 ms ahead of b; a message took 1 ms in each direction; e received a stamp 99,999 us
   * ahead.
   */
  private static final List<String> LINES =
      List.of(
          message("a", "1795200000000001.0", 1795200000000001L, "send", "to", "b", "m1"),
          message("b", "1795200000000001.1", 1795199999961001L, "receive", "from", "a", "m1"),
          message("b", "1795200000000001.2", 1795199999962001L, "send", "to", "a", "m2"),
          message("a", "1795200000003001.0", 1795200000003001L, "receive", "from", "b", "m2"),
          "{\"node\":\"e\",\"log\":\"net\",\"hlc\":\"1795200000000002.0\","
              + "\"pt\":1795199999900003,\"set\":{\"x\":1}}",
          "{\"node\":\"d\",\"log\":\"net\",\"hlc\":\"1795200000000003.0\",\"set\":{\"x\":1}}");

  @TempDir Path folder;
  private String file = "";

  private static String message(
      String node, String hlc, long reading, String end, String peerField, String peer, String id) {
    return "{\"node\":\"%s\",\"log\":\"net\",\"hlc\":\"%s\",\"pt\":%d,\"%s\":{\"%s\":\"%s\",\"id\":\"%s\"}}"
        .formatted(node, hlc, reading, end, peerField, peer, id);
  }

  @BeforeEach
  void write() throws IOException {
    file = Files.write(folder.resolve("e.ndjson"), LINES).toString();
  }

  @Test
  void align_file_showsIntervalsAndSaysUnknownWhereNothingBounds() {
    assertThat(CommandRun.of("align", "--file", file))
        .isEqualTo(
            new CommandRun(
                0,
                """
                offsets from the clock of a, the driver since 2026-11-20T18:40:00.000002Z
                 node | offset     | interval              | drift   | evidence | evidence age | last step
                ------+------------+-----------------------+---------+----------+--------------+-----------
                 a    | driver     |                       |         |        2 | 0.000 s      | none seen
                 b    | +40.000 ms | +38.969 to +41.030 ms | unknown |        4 | 0.000 s      | none seen
                 d    | unknown    | unknown               | unknown |        0 |              | none seen
                 e    | +99.957 ms | +99.957 to unknown ms | unknown |        1 | 0.003 s      | none seen
                (4 rows)
                """,
                ""));
  }

  @Test
  void align_csv_hasTheColumnsOfShowAlignment() {
    assertThat(CommandRun.of("align", "--file", file, "--format", "csv").out().replace("\r", ""))
        .isEqualTo(
            """
            node,driver,driverSinceHlc,offsetMicros,lowMicros,highMicros,driftPpm,driftUncertaintyPpm,\
            evidenceCount,evidenceAgeMicros,lastStepHlc,lastStepMicros
            a,a,1795200000000002.0,0,0,0,,,2,0,,
            b,a,1795200000000002.0,40000,38969,41030,,,4,0,,
            d,a,1795200000000002.0,,,,,,0,,,
            e,a,1795200000000002.0,99957,99957,,,,1,2999,,
            """);
  }

  @Test
  void align_severalFiles_areTakenTogetherAndEachEventOnce() throws IOException {
    String half = Files.write(folder.resolve("half.ndjson"), LINES.subList(0, 3)).toString();
    String rest = Files.write(folder.resolve("rest.ndjson"), LINES.subList(2, 6)).toString();
    assertThat(CommandRun.of("align", "--file", half, rest).out())
        .isEqualTo(CommandRun.of("align", "--file", file).out());
    assertThat(CommandRun.of("align", half, "--file", rest).out())
        .isEqualTo(CommandRun.of("align", file).out())
        .isEqualTo(CommandRun.of("align", "--file", file).out());
    assertThat(CommandRun.of("align", half, "--server", "http://127.0.0.1:1").err())
        .isEqualTo("error: --file and --server exclude each other\n");
  }

  @Test
  void align_server_showsWhatTheFileOfItsEventsShows() throws Exception {
    try (LogServer server =
        LogServer.start(ServerConfig.in(folder.resolve("data")).port(0).build())) {
      String address = server.uri().toString();
      assertThat(CommandRun.of("align", "--server", address))
          .satisfies(run -> assertThat(run.exitCode()).isEqualTo(1))
          .satisfies(
              run ->
                  assertThat(run.err())
                      .startsWith("error: " + address + ": nothing is known of any clock")
                      .hasLineCount(1));

      CommandRun.of("import", file, "--server", address);
      assertThat(CommandRun.of("align", "--server", address, "--format", "jsonl").out())
          .isEqualTo(CommandRun.of("align", "--file", file, "--format", "jsonl").out())
          .hasLineCount(4);
      String rows =
          CommandRun.of("align", "--server", address, "--format", "jsonl")
              .out()
              .strip()
              .replace("\n", ",");
      assertThat(get(server.uri().resolve("/v1/alignment")))
          .isEqualTo("{\"driverNode\":\"a\",\"nodes\":[" + rows + "]}");
    }
  }

  @Test
  void align_steppedClock_saysWhenAndHowFar() throws IOException {
    String stepped =
        Files.writeString(
                folder.resolve("stepped.ndjson"),
                String.join("\n", LINES)
                    + "\n{\"node\":\"b\",\"log\":\"net\",\"hlc\":\"1795200000004000.0\","
                    + "\"pt\":1795199999932001,\"set\":{\"x\":1}}\n")
            .toString();
    assertThat(CommandRun.of("align", "--file", stepped).out())
        .contains("2026-11-20T18:40:00.004000Z, at least 30.000 ms");
  }

  @Test
  void align_noReadings_failsWithOneSentence() throws IOException {
    String bare = Files.writeString(folder.resolve("bare.ndjson"), LINES.get(5)).toString();
    assertThat(CommandRun.of("align", "--file", bare))
        .isEqualTo(
            new CommandRun(
                1,
                "",
                "error: "
                    + bare
                    + ": nothing is known of any clock, because no event has its node's own reading"
                    + " (\"pt\")\n"));
  }

  @Test
  void align_badInput_isNamed() throws IOException {
    String text = Files.writeString(folder.resolve("a.log"), "hello\n").toString();
    String absent = folder.resolve("absent").toString();
    assertThat(CommandRun.of("align", "--file", absent))
        .isEqualTo(
            new CommandRun(1, "", "error: " + absent + ": there is no such file or folder\n"));
    assertThat(CommandRun.of("align", "--file", text).err())
        .startsWith("error: " + text + ": is a text of unknown form: none of its first 1 lines");
    assertThat(CommandRun.of("align", "--file", text, "--server", "http://127.0.0.1:1").exitCode())
        .isEqualTo(2);
    assertThat(CommandRun.of("align", "--server", "http://127.0.0.1:1").exitCode()).isEqualTo(4);
  }

  private static String get(URI address) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private static final String ISOLATED =
      "{\"node\":\"z\",\"log\":\"app\",\"hlc\":\"1795200090000000.0\",\"pt\":1795200090000000,\"set\":{\"x\":1}}";

  /**
   * a is 40 to 41 ms ahead of b, and z talks to nobody; all readings of both are this much later.
   */
  private static List<String> isolatedDriver(long micros) {
    long sent = 1795200000000000L + micros;
    return List.of(
        ISOLATED,
        message("a", sent + ".0", sent, "send", "to", "b", "q"),
        message("b", sent + ".1", sent - 40_000, "receive", "from", "a", "q"),
        message("b", sent + ".2", sent - 39_000, "send", "to", "a", "r"),
        message("a", (sent + 2_000) + ".0", sent + 2_000, "receive", "from", "b", "r"));
  }

  @Test
  void align_isolatedDriver_showsOthersFromTheHighestClockAmongThem() throws IOException {
    List<String> lines = isolatedDriver(1);
    String isolated = Files.write(folder.resolve("z.ndjson"), lines).toString();
    assertThat(CommandRun.of("align", "--file", isolated).out())
        .contains("offsets from the clock of z, the driver since")
        .contains(" a    | reference ")
        // A granule for each of two readings, and what two clocks may drift apart in the 82 ms that
        // a stamp may be wrong by; not what they may drift apart until the event of z.
        .contains(" b    | +40.500 ms from a | +39.981 to +41.019 ms |");
    String alone = Files.write(folder.resolve("ab.ndjson"), lines.subList(1, 5)).toString();
    assertThat(CommandRun.of("align", "--file", alone).out())
        .contains(" b    | +40.500 ms | +39.981 to +41.019 ms |");
  }

  @Test
  void align_isolatedDriverAndMessagesInOneDirection_showsTheEndThatTheyGive() throws IOException {
    String oneWay =
        Files.write(folder.resolve("z.ndjson"), isolatedDriver(1).subList(0, 3)).toString();
    assertThat(CommandRun.of("align", "--file", oneWay).out())
        .contains(" a    | reference ")
        .containsPattern(
            " b    \\| \\+39\\.[0-9]{3} ms from a \\| \\+39\\.[0-9]{3} to unknown ms \\|");
  }

  @Test
  void align_messagesAgainstTheirStamps_areNamed() throws IOException {
    List<String> lines =
        List.of(
            message("a", "1795200000000050.0", 1795200000000050L, "send", "to", "b", "q"),
            message("b", "1795200000000020.0", 1795200000000020L, "receive", "from", "a", "q"));
    String file = Files.write(folder.resolve("c.ndjson"), lines).toString();
    assertThat(CommandRun.of("align", "--file", file).err())
        .contains("1 message from a to b is stamped as received before being sent");
  }

  @Test
  void align_readingsInMilliseconds_addOneForEachOfTwoReadings() throws IOException {
    String coarse = Files.write(folder.resolve("z.ndjson"), isolatedDriver(0)).toString();
    assertThat(CommandRun.of("align", "--file", coarse).out())
        .contains(" b    | +40.500 ms from a | +37.982 to +43.017 ms |");
  }

  @Test
  void align_withReference_showsOffsetsFromItsClock() throws IOException {
    String isolated = Files.write(folder.resolve("z.ndjson"), isolatedDriver(0)).toString();
    assertThat(CommandRun.of("align", "--file", isolated, "--reference", "b").out())
        .contains("offsets from the clock of b\n")
        .containsPattern(" a    \\| -40\\.[0-9]{3} ms +\\|");
    assertThat(CommandRun.of("align", "--file", isolated, "--reference", "y").err())
        .contains("no event is of node \"y\"");
    assertThat(CommandRun.of("align", "--reference", "y").exitCode()).isEqualTo(2);
  }
}
