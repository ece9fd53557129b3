// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.rql.ast.Literals;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A converter for durations in RQL's syntax: {@code 250us 5ms 2s 10m 1h 2d}. */
public final class DurationConverter implements ITypeConverter<Duration> {
  private static final Duration LONGEST = Duration.ofDays(36_500);

  @Override
  public Duration convert(String text) {
    return Literals.durationMicros(text).stream()
        .mapToObj(micros -> Duration.of(micros, ChronoUnit.MICROS))
        .filter(duration -> !duration.isNegative() && duration.compareTo(LONGEST) <= 0)
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "\"%s\" is not a duration (such as 250us, 5ms, 2s, 10m, 1h or 2d; at most %dd)"
                        .formatted(text, LONGEST.toDays())));
  }
}
