// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.rql.plan.TimeWindow;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
  private static final long START = 1_795_200_000_000_000L;
  private static final HlcRange EXTENT =
      new HlcRange(HlcTimestamp.pack(START), HlcTimestamp.pack(START + 10_000_000));

  private final StringWriter err = new StringWriter();
  private final ShellFixture.FakeClock clock = new ShellFixture.FakeClock();

  @Test
  void update_shortQuery_showsNothing() {
    ProgressLine line = line(Optional.of(EXTENT));
    clock.nanos = ProgressLine.FIRST_NANOS - 1;

    line.update(100, EXTENT.from());
    line.clear();

    assertThat(err.toString()).isEmpty();
  }

  @Test
  void update_longQuery_saysRateShareAndTimeLeft() {
    ProgressLine line = line(Optional.of(EXTENT));
    clock.nanos = 2_000_000_000L;

    line.update(3_000_000, HlcTimestamp.pack(START + 2_500_000));
    line.update(3_000_001, HlcTimestamp.pack(START + 2_500_001));
    line.clear();
    line.clear();

    assertThat(err.toString())
        .isEqualTo(
            "\r\u001B[K3,000,000 cuts, 1,500,000/s, at 2026-11-20T18:40:02.500000Z, 25%, 6 s left"
                + "\r\u001B[K");
  }

  @Test
  void update_rangeUnknown_leavesTheEstimateOut() {
    ProgressLine line = line(Optional.empty());
    clock.nanos = 1_000_000_000L;

    line.update(10, EXTENT.from());

    assertThat(err.toString()).isEqualTo("\r\u001B[K10 cuts, 10/s, at 2026-11-20T18:40:00.000000Z");
  }

  @Test
  void update_narrowTerminal_fits() {
    ProgressLine line = new ProgressLine(new PrintWriter(err), clock, 12, Optional::empty);
    clock.nanos = 1_000_000_000L;

    line.update(10, EXTENT.from());

    assertThat(err.toString()).isEqualTo("\r\u001B[K10 cuts, 10");
  }

  @Test
  void timeWindow_everyFormOfOnTime_isAPartOfTheExtent() {
    assertThat(range("")).isEqualTo(EXTENT);
    assertThat(range("ON TIME LAST 4s")).isEqualTo(seconds(6, 10));
    assertThat(range("ON TIME NOW - 3s TO NOW")).isEqualTo(seconds(7, 10));
    assertThat(range("ON TIME '2026-11-20T18:40:02Z' TO hlc'1795200005000000.0'"))
        .isEqualTo(seconds(2, 5));
    assertThat(range("ON TIME hlc'1795200005000000.0'")).isEqualTo(seconds(5, 5));
  }

  private static HlcRange range(String onTime) {
    String text = "SELECT r1 FROM setd " + onTime;
    Statement.Query query = new RqlParser().read(text).query().orElseThrow();
    return TimeWindow.of(text, query, Optional.of(EXTENT), EXTENT.to()).orElseThrow().range();
  }

  private static HlcRange seconds(int from, int to) {
    return new HlcRange(
        HlcTimestamp.pack(START + from * 1_000_000L), HlcTimestamp.pack(START + to * 1_000_000L));
  }

  private ProgressLine line(Optional<HlcRange> range) {
    return new ProgressLine(new PrintWriter(err), clock, 120, () -> range);
  }
}
