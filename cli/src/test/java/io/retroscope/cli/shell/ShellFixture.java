// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.cli.process.StandardStreams;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.print.OutputFormat;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A shell without a terminal, whose output is kept. */
final class ShellFixture {
  /** A writer that writes the query itself instead of its sound. */
  static final SoundWriter SOUND =
      (session, query, file, shell) -> {
        session.run(query, shell);
        Files.writeString(file, query.text());
        return "wrote " + file.getFileName();
      };

  final StringWriter out = new StringWriter();
  final StringWriter err = new StringWriter();
  final FakeClock clock = new FakeClock();
  final Cancellation cancellation = new Cancellation();

  /** A clock that advances only when a test advances it. */
  static final class FakeClock implements ShellClock {
    long nanos;
    int pauses;
    ZonedDateTime now = ZonedDateTime.parse("2026-11-22T09:00:00+01:00[Europe/Berlin]");

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public ZonedDateTime now() {
      return now;
    }

    @Override
    public void pause(long millis) {
      pauses++;
      nanos += millis * 1_000_000;
    }
  }

  StandardStreams streams(String input) {
    return new StandardStreams(
        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
        new PrintWriter(out),
        new PrintWriter(err),
        false,
        false,
        false,
        () -> 60);
  }

  static ShellOptions options(Path file, OutputFormat format, String... commands) {
    return new ShellOptions(
        Optional.empty(),
        Optional.of(opening(file)),
        List.of(commands),
        Optional.empty(),
        format,
        SOUND,
        false,
        Map.of());
  }

  static ShellOptions.FileOpening opening(Path file) {
    return () -> EventFileSet.of(file, events -> ClockOffsets.UNKNOWN).session(QueryLimits.DEFAULT);
  }

  Interpreter interpreter(FakeSession session, ShellSettings settings, boolean ignoreErrors) {
    return interpreter(session, settings, ignoreErrors, Optional.empty());
  }

  Interpreter interpreter(
      FakeSession session, ShellSettings settings, boolean ignoreErrors, Optional<Pager> pager) {
    ErrorPrinter errors = new ErrorPrinter(new PrintWriter(err), Optional.empty());
    StatementRunner runner =
        new StatementRunner(session, streams(""), settings, clock, cancellation, errors, pager);
    return new Interpreter(
        runner,
        settings,
        new ShellTools(SOUND, new Subprocess(Optional.empty(), Map.of())),
        errors,
        clock,
        cancellation,
        true,
        ignoreErrors);
  }
}
