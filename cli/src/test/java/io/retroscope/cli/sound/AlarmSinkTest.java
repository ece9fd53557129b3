// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.rule.Rule;
import io.retroscope.sonify.rule.SoundscapeRules;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AlarmSinkTest {
  private static final long MICROS = 1_795_200_000_000_000L;

  private final StringWriter out = new StringWriter();
  private final List<String> given = new ArrayList<>();
  private final Rule rule =
      SoundscapeRules.of(
              new RqlParser()
                  .parseScript("SELECT STREAM x FROM t WHEN MAX(x) > 2 PLAY alarm AS ALARM"),
              PatchBank.standard())
          .rules()
          .get(0);
  private final PrintWriter writer = new PrintWriter(out);
  private final AlarmSink sink = new ListenSink(writer, writer, given::add).ofAlarm(rule);

  @BeforeEach
  void begin() {
    sink.columns(
        List.of(new Column("hlc", true), new Column("edge", true), new Column("x", false)));
  }

  private static Row row(long afterMicros, String edge, long x) {
    long hlc = HlcTimestamp.pack(MICROS + afterMicros);
    List<Value> values = List.of(new Value.TimestampValue(hlc), Value.of(edge), Value.of(x));
    return new Row(hlc, 0, values, Optional.empty());
  }

  @Test
  void row_ofARiseAndAFall_isALineAndAnObjectEach() {
    assertThat(sink.row(row(0, "rise", 3))).isTrue();
    assertThat(sink.row(row(1_500_000, "fall", 2))).isTrue();
    assertThat(out.toString().lines())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .startsWith("2026-11-20T18:40:00.000000Z 1 alarm: alarm: x=3 (SELECT STREAM x"),
            line ->
                assertThat(line)
                    .isEqualTo("2026-11-20T18:40:01.500000Z 1 alarm: over after 1.500 s: x=2"));
    assertThat(given).hasSize(2);
    assertThat(given.get(0))
        .startsWith("{\"rule\":\"SELECT STREAM x")
        .contains("\"edge\":\"rise\"", "\"x\":3");
    assertThat(given.get(1)).contains("\"edge\":\"fall\"");
  }

  @Test
  void late_andRetracted_areMarked() {
    sink.late(row(0, "rise", 3));
    sink.retracted(0x1f, HlcTimestamp.pack(MICROS));
    assertThat(out.toString()).contains("x=3", " (late)\n");
    assertThat(given.get(0)).startsWith("{\"late\":true,\"rule\":");
    assertThat(given.get(1)).isEqualTo("{\"retracted\":\"1f\",\"hlc\":\"1795200000000000.0\"}");
  }
}
