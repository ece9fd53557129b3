// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ZonedTimesTest {
  @Test
  void row_timesInAutomaticColumns_areInTheZone() {
    ZonedTimes times = new ZonedTimes(ZoneId.of("Europe/Berlin"));
    times.columns(
        List.of(new Column("time", true), new Column("hlc", true), new Column("text", false)));
    Value time = Value.of("2026-11-20T18:40:00.018000Z");
    Row row = new Row(1, 0, List.of(time, Value.of("1.0"), time), Optional.empty());
    assertThat(times.row(row).values())
        .containsExactly(Value.of("2026-11-20T19:40:00.018000+01:00"), Value.of("1.0"), time);
  }
}
