// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.HlcRange;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A converter of stamps, as printed in results, and of times of day, which cover all stamps of
 * their microsecond.
 */
public final class StampConverter implements ITypeConverter<HlcRange> {
  private static final Pattern STAMP = Pattern.compile("(?:hlc')?(\\d+\\.\\d+)'?");

  @Override
  public HlcRange convert(String text) {
    try {
      Matcher stamp = STAMP.matcher(text);
      if (stamp.matches()) {
        long hlc = HlcTimestamp.parse(stamp.group(1));
        return new HlcRange(hlc, hlc);
      }
      Instant instant = OffsetDateTime.parse(text).toInstant();
      long micros =
          Math.addExact(
              Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000);
      return new HlcRange(
          HlcTimestamp.pack(micros), HlcTimestamp.pack(micros, HlcTimestamp.MAX_LOGICAL));
    } catch (DateTimeException | ArithmeticException | IllegalArgumentException e) {
      throw new TypeConversionException(
          "\"%s\" is not a time: write 2026-11-20T18:40:00Z, or a stamp like 1795200000000000.0"
              .formatted(text));
    }
  }
}
