// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.cli.option.StampConverter;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.ast.OnTime;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.TimePoint;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.server.lines.LineRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** Tests that a time is the same in RQL and in the options of commands, or refused in all. */
class TimeOptionsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-02-30T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-11-20T24:00:00Z",
        "2026-11-20T23:59:60Z",
        "2026-11-20T18:40:00+25:00",
        "2026-11-20T18:40:00",
        "2026-11-20"
      })
  void time_thatIsOnNoCalendar_isRefusedEverywhere(String text) {
    assertThatThrownBy(() -> new StampConverter().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("is not a time");
    assertThatThrownBy(() -> LineRequest.parse(Map.of("since", List.of(text))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("neither an instant nor a duration");
    assertThatThrownBy(() -> fromMicros(text))
        .isInstanceOf(RqlException.class)
        .hasMessageContaining("is not an ISO-8601 instant");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2024-02-29T00:00:00Z",
        "2000-02-29T23:59:59.999999Z",
        "2026-11-20T18:40Z",
        "2026-11-20T19:40:00.25+01:00"
      })
  void time_onTheCalendar_isTheSameEverywhere(String text) {
    long micros = fromMicros(text);
    assertThat(HlcTimestamp.micros(new StampConverter().convert(text).from())).isEqualTo(micros);
    assertThat(LineRequest.parse(Map.of("since", List.of(text))).since().orElseThrow().micros())
        .isEqualTo(micros);
  }

  private static long fromMicros(String time) {
    String text = "SELECT x FROM t ON TIME '" + time + "' TO '2112-01-01T00:00:00Z';";
    Statement.Query query = (Statement.Query) new RqlParser().parseScript(text).get(0);
    OnTime.Between between = (OnTime.Between) query.onTime().orElseThrow();
    return ((TimePoint.Iso) between.from()).micros();
  }
}
