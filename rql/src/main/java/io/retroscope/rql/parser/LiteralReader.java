// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.ast.Literals;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.generated.RqlLexer;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.antlr.v4.runtime.Token;

/** A reader of the values of literals. It reports an invalid literal and continues. */
final class LiteralReader {
  private static final Map<Character, Character> ESCAPES =
      Map.of('n', '\n', 't', '\t', 'r', '\r', '\\', '\\', '\'', '\'', '"', '"');

  private final SourceTokens source;
  private final List<Diagnostic> problems;

  LiteralReader(SourceTokens source, List<Diagnostic> problems) {
    this.source = source;
    this.problems = problems;
  }

  /**
   * Returns the value of a literal.
   *
   * @param negative whether a minus comes directly before it; only for numbers and durations
   */
  Value value(Token token, boolean negative) {
    return switch (token.getType()) {
      case RqlLexer.NULL -> Value.NullValue.NULL;
      case RqlLexer.TRUE -> Value.of(true);
      case RqlLexer.FALSE -> Value.of(false);
      case RqlLexer.INTEGER -> Value.of(integer(token, negative));
      case RqlLexer.DOUBLE -> Value.of(decimal(token, negative));
      case RqlLexer.DURATION -> new Value.DurationValue(durationMicros(token, negative));
      case RqlLexer.HLC -> new Value.TimestampValue(hlc(token));
      case RqlLexer.STRING -> Value.of(string(token));
      default -> throw new AssertionError("no literal: " + token);
    };
  }

  long integer(Token token, boolean negative) {
    BigInteger number = new BigInteger(token.getText());
    BigInteger signed = negative ? number.negate() : number;
    if (signed.bitLength() >= Long.SIZE) {
      problems.add(
          ErrorCode.OUT_OF_RANGE
              .at(source.range(token), LexicalAdvice.quote(token.getText()), "a LONG")
              .withHelp("LONGs end at 9223372036854775807; with a point it is a DOUBLE"));
      return 0;
    }
    return signed.longValue();
  }

  private double decimal(Token token, boolean negative) {
    double number = Double.parseDouble(token.getText());
    if (Double.isInfinite(number)) {
      problems.add(
          ErrorCode.OUT_OF_RANGE.at(
              source.range(token), LexicalAdvice.quote(token.getText()), "a DOUBLE"));
      return 0;
    }
    return negative ? -number : number;
  }

  long durationMicros(Token token, boolean negative) {
    String written = token.getText();
    OptionalLong micros = Literals.durationMicros(negative ? "-" + written : written);
    if (micros.isEmpty()) {
      problems.add(
          ErrorCode.OUT_OF_RANGE
              .at(source.range(token), LexicalAdvice.quote(written), "a DURATION")
              .withHelp("the longest is 106751991d"));
    }
    return micros.orElse(0);
  }

  long hlc(Token token) {
    try {
      return HlcTimestamp.parse("hlc" + token.getText().substring("hlc".length()));
    } catch (IllegalArgumentException e) {
      problems.add(
          ErrorCode.BAD_TIME
              .at(source.range(token), LexicalAdvice.quote(token.getText()), "an HLC timestamp")
              .withHelp(
                  "write hlc'<microseconds since 1970>.<logical counter 0 to 4095>', as results"
                      + " print it"));
      return HlcTimestamp.MIN_PACKED;
    }
  }

  /** Returns an ISO-8601 instant in microseconds since the Unix epoch; finer digits are dropped. */
  long isoMicros(Token token) {
    String written = string(token);
    try {
      Instant instant = OffsetDateTime.parse(written).toInstant();
      long micros = ChronoUnit.MICROS.between(Instant.EPOCH, instant);
      if (micros >= 0 && micros <= HlcTimestamp.MAX_MICROS) {
        return micros;
      }
      problems.add(
          ErrorCode.OUT_OF_RANGE
              .at(source.range(token), LexicalAdvice.quote(written), "an HLC timestamp")
              .withHelp("times run from 1970 to September 2112"));
    } catch (DateTimeException | ArithmeticException e) {
      problems.add(
          ErrorCode.BAD_TIME
              .at(source.range(token), LexicalAdvice.quote(written), "an ISO-8601 instant")
              .withHelp(
                  "write date, time and zone, as in '2026-11-21T10:00:00Z' or"
                      + " '2026-11-21T11:00:00.250+01:00'"));
    }
    return 0;
  }

  /**
   * Returns a bare number as a time in milliseconds since the Unix epoch, as in the published RQL.
   */
  Instant epochMillis(Token token) {
    BigInteger millis = new BigInteger(token.getText());
    if (millis.compareTo(BigInteger.valueOf(HlcTimestamp.MAX_MICROS / 1_000)) <= 0) {
      return Instant.ofEpochMilli(millis.longValue());
    }
    problems.add(
        ErrorCode.OUT_OF_RANGE
            .at(source.range(token), LexicalAdvice.quote(token.getText()), "an HLC timestamp")
            .withHelp(
                "a bare number is milliseconds since 1970; microseconds are written hlc'"
                    + token.getText()
                    + ".0'"));
    return Instant.EPOCH;
  }

  /** Returns the content of a string token. {@code \%} and {@code \_} are unchanged, for LIKE. */
  String string(Token token) {
    String written = token.getText();
    char quote = written.charAt(0);
    StringBuilder content = new StringBuilder();
    int i = 1;
    while (i < written.length() - 1) {
      char c = written.charAt(i);
      if (c == '\\') {
        i += escape(token, i, content);
      } else {
        content.append(c);
        i += c == quote ? 2 : 1;
      }
    }
    return content.toString();
  }

  /** Reads the escape at a position of the token and returns its length. */
  private int escape(Token token, int position, StringBuilder content) {
    String written = token.getText();
    char c = written.charAt(position + 1);
    Character plain = ESCAPES.get(c);
    if (plain != null) {
      content.append(plain);
      return 2;
    }
    if (c == '%' || c == '_') {
      content.append('\\').append(c);
      return 2;
    }
    if (c == 'u' && isHex(written, position + 2)) {
      content.append((char) Integer.parseInt(written.substring(position + 2, position + 6), 16));
      return 6;
    }
    int start = token.getStartIndex() + position;
    problems.add(
        ErrorCode.BAD_ESCAPE
            .at(new SourceRange(start, start + 2), written.substring(position, position + 2))
            .withHelp("known are \\n \\t \\r \\\\ \\' \\\" \\uXXXX, and for LIKE \\% and \\_"));
    return 2;
  }

  private static boolean isHex(String text, int start) {
    return start + 4 < text.length()
        && text.substring(start, start + 4).chars().allMatch(c -> Character.digit(c, 16) >= 0);
  }
}
