// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.rql.parser.RqlToken;
import io.retroscope.rql.parser.RqlToken.Kind;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The times in a statement that people write without a zone or a day, such as {@code '2026-11-22
 * 02:52:35'} and {@code '02:52:35'}: they are times of the shell's zone, and of today or, over a
 * file, of the day of its last event. RQL itself takes only instants, because a server does not
 * know where its users are. Used by one thread.
 */
final class LocalTimes {
  /** A day, if any, a time, and a zone, if any. */
  private static final DateTimeFormatter FORMAT =
      new DateTimeFormatterBuilder()
          .parseCaseInsensitive()
          .optionalStart()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .appendPattern("['T'][ ]")
          .optionalEnd()
          .append(DateTimeFormatter.ISO_LOCAL_TIME)
          .optionalStart()
          .appendPattern("[ ]")
          .appendOffsetId()
          .optionalEnd()
          .toFormatter(Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT);

  private static final Pattern COMPLETE =
      Pattern.compile("^\\d{4,}-.*(?:[Zz]|[+-]\\d\\d:?\\d\\d)$");

  /** The words before a time. */
  private static final Set<String> BEFORE = Set.of("TIME", "TO", "TIMESTAMP");

  private final Supplier<ZonedDateTime> clock;
  private final ErrorPrinter notes;
  private final Supplier<Optional<Instant>> lastEvent;
  private boolean isSaid;

  /**
   * Creates a reader of times.
   *
   * @param clock the time of day in the zone of the user
   * @param lastEvent the last event of a file; empty for a server, whose day is today
   */
  LocalTimes(
      Supplier<ZonedDateTime> clock, ErrorPrinter notes, Supplier<Optional<Instant>> lastEvent) {
    this.clock = clock;
    this.notes = notes;
    this.lastEvent = lastEvent;
  }

  /** Returns the statement with an instant in place of each such time; says so the first time. */
  String resolve(String statement) {
    StringBuilder resolved = new StringBuilder();
    int copied = 0;
    String before = "";
    for (RqlToken token : RqlToken.of(statement)) {
      if (token.kind() == Kind.COMMENT) {
        continue;
      }
      if (token.kind() == Kind.STRING && BEFORE.contains(before)) {
        Optional<OffsetDateTime> instant = instant(content(token.text()));
        if (instant.isPresent()) {
          String text = DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(instant.get());
          resolved.append(statement, copied, token.range().start());
          resolved.append('\'').append(text).append('\'');
          copied = token.range().end();
          if (!isComplete(content(token.text()))) {
            say(token.text(), text);
          }
        }
      }
      before = token.kind() == Kind.KEYWORD ? token.text().toUpperCase(Locale.ROOT) : "";
    }
    return resolved.append(statement, copied, statement.length()).toString();
  }

  private void say(String written, String text) {
    if (!isSaid) {
      isSaid = true;
      notes.note(
          "times without a zone are those of %s: %s is %s"
              .formatted(clock.get().getZone(), written, text));
    }
  }

  private static String content(String literal) {
    return literal.substring(1, literal.length() - 1);
  }

  /** Returns the instant that a time means; empty if it is no time. */
  private Optional<OffsetDateTime> instant(String text) {
    ZoneId zone = clock.get().getZone();
    try {
      TemporalAccessor time =
          FORMAT.parseBest(
              text.strip(),
              OffsetDateTime::from,
              LocalDateTime::from,
              OffsetTime::from,
              LocalTime::from);
      if (time instanceof OffsetDateTime instant) {
        return Optional.of(instant);
      }
      if (time instanceof LocalDateTime local) {
        return Optional.of(local.atZone(zone).toOffsetDateTime());
      }
      if (time instanceof OffsetTime today) {
        LocalDate date = day().withZoneSameInstant(today.getOffset()).toLocalDate();
        return Optional.of(today.atDate(date));
      }
      return Optional.of(day().with((LocalTime) time).toOffsetDateTime());
    } catch (DateTimeParseException e) {
      return Optional.empty(); // The parser of RQL reports the error.
    }
  }

  /** A moment of the day that a time without one is of. */
  private ZonedDateTime day() {
    ZonedDateTime now = clock.get();
    return lastEvent.get().map(event -> event.atZone(now.getZone())).orElse(now);
  }

  /** Whether a text has a day and a zone, so that it means the same everywhere. */
  private static boolean isComplete(String text) {
    return COMPLETE.matcher(text).find();
  }
}
