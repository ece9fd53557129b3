// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LocalTimesTest {
  private final ShellFixture.FakeClock clock = new ShellFixture.FakeClock();
  private final StringWriter notes = new StringWriter();
  private final LocalTimes times =
      new LocalTimes(
          clock::now,
          new ErrorPrinter(new PrintWriter(notes, true), Optional.empty()),
          Optional::empty);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2026-11-22 02:52:35 | 2026-11-22T02:52:35+01:00",
        "2026-11-22T02:52:35.000001 | 2026-11-22T02:52:35.000001+01:00",
        "2026-07-01 02:52 | 2026-07-01T02:52:00+02:00",
        "02:52:35 | 2026-11-22T02:52:35+01:00",
        "23:59 | 2026-11-22T23:59:00+01:00",
        "02:52:35Z | 2026-11-22T02:52:35Z",
        "2026-11-22 02:52:35Z | 2026-11-22T02:52:35Z",
        "2026-11-22 02:52:35 -05:00 | 2026-11-22T02:52:35-05:00",
      })
  void resolve_timeOfAPerson_isAnInstant(String written, String instant) {
    assertThat(times.resolve("SELECT r1 FROM setd ON TIME '" + written + "' TO NOW"))
        .isEqualTo("SELECT r1 FROM setd ON TIME '" + instant + "' TO NOW");
  }

  @Test
  void resolve_timeWithAnOffsetOfItsOwn_isOfTodayThere() {
    clock.now = ZonedDateTime.parse("2026-11-22T00:30:00+01:00[Europe/Berlin]");

    assertThat(times.resolve("ON TIME '22:00Z'")).isEqualTo("ON TIME '2026-11-21T22:00:00Z'");
  }

  @Test
  void resolve_timeOverAFile_isOfTheDayOfItsLastEvent() {
    LocalTimes ofFile =
        new LocalTimes(
            clock::now,
            new ErrorPrinter(new PrintWriter(notes, true), Optional.empty()),
            () -> Optional.of(Instant.parse("2024-02-03T23:30:00Z")));

    assertThat(ofFile.resolve("ON TIME '22:00' TO '2026-11-22 02:52'"))
        .isEqualTo("ON TIME '2024-02-04T22:00:00+01:00' TO '2026-11-22T02:52:00+01:00'");
    assertThat(ofFile.resolve("ON TIME '22:00Z'")).isEqualTo("ON TIME '2024-02-03T22:00:00Z'");
  }

  @Test
  void resolve_hourThatTheClocksSkip_isTheOneAfterIt() {
    assertThat(times.resolve("ON TIME '2026-03-29 02:30'"))
        .isEqualTo("ON TIME '2026-03-29T03:30:00+02:00'");
  }

  @Test
  void resolve_everyPlaceOfATime_isFound() {
    assertThat(
            times.resolve(
                "SELECT r1 FROM setd WHEN Time() > TIMESTAMP '02:00' ON TIME /* from */ \"03:00\""
                    + " to '04:00'; -- TIME '05:00'"))
        .isEqualTo(
            "SELECT r1 FROM setd WHEN Time() > TIMESTAMP '2026-11-22T02:00:00+01:00' ON TIME"
                + " /* from */ '2026-11-22T03:00:00+01:00' to '2026-11-22T04:00:00+01:00';"
                + " -- TIME '05:00'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT r1 FROM setd WHEN u@zk1 = '02:52:35'",
        "SELECT r1 FROM setd ON TIME 'yesterday'",
        "SELECT r1 FROM setd ON TIME '02:52:61'",
        "SELECT r1 FROM setd ON TIME '2026-02-30T10:00:00Z'",
        "SELECT r1 FROM setd ON TIME '2026-02-29 10:00' TO '2026-04-31 10:00:00'",
        "SELECT r1 FROM setd ON TIME '2026-02-28T24:00:00Z'",
        "SELECT r1 FROM setd ON TIME '2026-11-22T02:52:35Z' TO '2026-11-22T02:52:35.5+01:00'",
        "SELECT r1 FROM setd ON TIME '02:52",
        "SELECT '",
      })
  void resolve_anythingElse_isUnchanged(String statement) {
    assertThat(times.resolve(statement)).isEqualTo(statement);
    assertThat(notes.toString()).isEmpty();
  }

  @Test
  void resolve_withoutAZone_isSaidOnce() {
    times.resolve("ON TIME '2026-11-22 02:52:35Z'");
    assertThat(notes.toString()).isEmpty();

    times.resolve("ON TIME '02:52:35' TO '03:00'");
    times.resolve("ON TIME '04:00'");

    assertThat(notes.toString())
        .isEqualTo(
            "times without a zone are those of Europe/Berlin:"
                + " '02:52:35' is 2026-11-22T02:52:35+01:00\n");
  }
}
