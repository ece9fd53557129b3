// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.rule.NoteJson;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.rule.Tempo;
import io.retroscope.sonify.session.PastPlayer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the notes that the server sends for a live statement with PLAY. */
@Timeout(120)
class NoteStreamTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final long STEP_MICROS = 200_000;
  private static final Pattern MICROS = Pattern.compile("\"micros\":(\\d+)");
  private static final Pattern STAMP = Pattern.compile("\"hlc\":\"(\\d+)\\.");

  @TempDir Path directory;

  /** The timeout is much longer than any pause of the machine, so that no node becomes silent. */
  @RegisterExtension
  final ServerExtension server =
      new ServerExtension(() -> ServerConfig.in(directory).idleTimeout(Duration.ofSeconds(30)));

  private final HttpProbe http = new HttpProbe(server);
  private final Random random = new Random(7);
  private long micros = START_MICROS;
  private long stepMicros = STEP_MICROS;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "WHEN SPREAD(r1) >= 2 EMIT EDGES PLAY wood EACH n IN NODES : (MAX(r1) - r1@n >= 2)"
            + " LEVEL MAX(r1) - r1@n PLACE n",
        "PLAY pad AS BACKGROUND FOLLOW SPREAD(r1) RANGE 0 TO 8",
        "WHEN SPREAD(r1) >= 3 FOR 100ms PLAY alarm AS ALARM",
        "WHEN SPREAD(r1) >= 3 FOR 100ms EMIT EDGES PLAY glass NOTE 60 + SPREAD(r1)",
        "WHEN SPREAD(r1) >= 2 EMIT INTERVALS PLAY pluck",
        "PLAY woodblock NOTE 60 + SPREAD(r1)"
      })
  void stream_statementWithPlay_sendsTheNotesOfThePast(String clauses) throws Exception {
    List<String> heard;
    send(0); // so that both nodes have their places from the start
    try (BufferedReader stream = follow("SELECT STREAM r1 FROM setd " + clauses, "")) {
      for (int batch = 0; batch < 6; batch++) {
        send(10);
      }
      long last = micros;
      micros += 5_000_000;
      send(0);
      heard = notesBefore(read(stream, last + 3_000_000), last);
    }
    List<String> past = notesBefore(past("SELECT r1 FROM setd " + clauses), micros - 5_000_000);
    assertThat(heard).isNotEmpty().isEqualTo(past);
  }

  private List<String> past(String statement) throws IOException {
    SoundscapeRules rules =
        SoundscapeRules.of(new RqlParser().parseScript(statement), PatchBank.standard());
    FirstStamp first = new FirstStamp();
    try (RqlClient client = new RqlClient(server.uri())) {
      client.run("SELECT r1 FROM setd", first);
      long from = HlcTimestamp.micros(first.hlc);
      PastPlayer player =
          new PastPlayer(Tempo.REAL_TIME, false, OptionalLong.of(from), OptionalLong.of(micros));
      return player.play(client, rules, new FirstStamp()).performance().notes().stream()
          .map(note -> NoteJson.text(note.at(note.micros() + from)))
          .toList();
    }
  }

  private static final class FirstStamp implements RowSink {
    private long hlc = Long.MAX_VALUE;

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      hlc = Math.min(hlc, row.hlc());
      return true;
    }

    @Override
    public void warning(String message) {}
  }

  @ParameterizedTest
  @ValueSource(strings = {"PLAY woodblock", "PLAY wood LEVEL SPREAD(r1) STEPS {1000}"})
  void stream_resumedOverTenThousandRows_sendsOneNote(String clauses) throws Exception {
    String statement = "SELECT STREAM r1 FROM setd " + clauses;
    String id;
    try (BufferedReader stream = follow(statement, "")) {
      send(1);
      long last = micros;
      micros += 1_000_000;
      send(0);
      List<String> events = read(stream, last);
      id =
          events.stream()
              .filter(line -> line.startsWith("id: "))
              .reduce((first, second) -> second)
              .orElseThrow()
              .substring(4);
    }
    for (int i = 0; i < 10; i++) {
      send(1_000);
    }
    long last = micros;
    micros += 1_000_000;
    send(0);
    awaitWatermark(micros);
    try (BufferedReader stream = follow(statement, id)) {
      micros += 3_000_000;
      send(0);
      List<String> notes = notes(read(stream, last + 2_000_000));
      assertThat(notes).hasSize(1);
      assertThat(notes.get(0)).contains("\"kind\":\"caught_up\"").contains("\"level\":10000,");
    }
  }

  @Test
  void stream_tooManyNotes_countsThoseLeftOut() throws Exception {
    stepMicros = 10_000;
    send(0);
    try (BufferedReader stream = follow("SELECT STREAM r1 FROM setd PLAY woodblock", "")) {
      send(200);
      micros += 1_000_000;
      send(0);
      List<String> events = read(stream, micros - 500_000);
      int last = events.lastIndexOf("event: dropped");
      assertThat(last).isNotNegative();
      long sounded = notes(events).size();
      assertThat(sounded).isBetween(1L, 199L);
      assertThat(events.get(last + 1))
          .isEqualTo("data: {\"rule\":\"1 wood\",\"notes\":%d}".formatted(200 - sounded));
    }
  }

  @Test
  void stream_levelThatIsNoNumber_endsWithAProblem() throws Exception {
    try (BufferedReader stream = follow("SELECT STREAM t FROM setd PLAY wood LEVEL MAX(t)", "")) {
      String line = "{\"node\":\"zk1\",\"log\":\"setd\",\"hlc\":\"%d.0\",\"set\":{\"t\":\"x\"}}\n";
      assertThat(http.events(line.formatted(micros)).status()).isEqualTo(200);
      micros += 1_000_000;
      send(0);
      List<String> lines = stream.lines().toList();
      assertThat(lines)
          .contains("event: problem")
          .doesNotContain("event: end")
          .anyMatch(data -> data.contains("LEVEL and FOLLOW take numbers, not x"));
    }
  }

  @Test
  void stream_unknownInstrument_isRefused() throws Exception {
    HttpProbe.Reply reply =
        http.get("/v1/stream?query=SELECT%20STREAM%20r1%20FROM%20setd%20PLAY%20theremin");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body()).contains("unknown instrument").contains("theremin");
  }

  /** Follows a statement, and returns when the server has begun to walk. */
  private BufferedReader follow(String statement, String id) throws Exception {
    BufferedReader stream =
        new BufferedReader(
            new InputStreamReader(http.stream(statement, id), StandardCharsets.UTF_8));
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> http.query("SHOW QUERIES").body().lines().count() == 2);
    return stream;
  }

  /** Waits until the sent events count: a stream that begins earlier does not begin with it. */
  private void awaitWatermark(long atMicros) {
    String watermark = "\"watermark\":\"%d.1\"".formatted(atMicros);
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(http.get("/v1/nodes").body()).contains(watermark));
  }

  /** Sends versions of two nodes, and a heartbeat of both. */
  private void send(int count) throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < count; i++) {
      micros += stepMicros;
      lines.append(
          "{\"node\":\"zk%d\",\"log\":\"setd\",\"hlc\":\"%d.0\",\"set\":{\"r1\":%d}}\n"
              .formatted(1 + random.nextInt(2), micros, random.nextInt(6)));
    }
    for (String node : List.of("zk1", "zk2")) {
      lines.append(
          "{\"node\":\"%s\",\"hlc\":\"%d.1\",\"heartbeat\":true}\n".formatted(node, micros));
    }
    assertThat(http.events(lines.toString()).status()).isEqualTo(200);
  }

  /** The lines up to the first progress beyond a time. */
  private static List<String> read(BufferedReader stream, long untilMicros) throws IOException {
    List<String> lines = new ArrayList<>();
    boolean progress = false;
    for (String line = stream.readLine(); line != null; line = stream.readLine()) {
      lines.add(line);
      Matcher stamp = STAMP.matcher(line);
      if (progress && stamp.find() && Long.parseLong(stamp.group(1)) > untilMicros) {
        return lines;
      }
      progress = line.equals("event: progress") || (progress && line.startsWith("id:"));
    }
    throw new IOException("the stream ended: " + lines);
  }

  private static List<String> notes(List<String> lines) {
    return Stream.iterate(0, i -> i + 1)
        .limit(lines.size())
        .filter(i -> i > 0 && lines.get(i - 1).equals("event: note"))
        .map(i -> lines.get(i).substring("data: ".length()))
        .toList();
  }

  private static List<String> notesBefore(List<String> lines, long beforeMicros) {
    List<String> notes = lines.stream().anyMatch("event: note"::equals) ? notes(lines) : lines;
    return notes.stream()
        .filter(
            note -> {
              Matcher at = MICROS.matcher(note);
              return at.find() && Long.parseLong(at.group(1)) < beforeMicros;
            })
        .toList();
  }
}
