// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.ast.TimePoint;
import io.retroscope.rql.parser.generated.RqlParser.HlcPointContext;
import io.retroscope.rql.parser.generated.RqlParser.IsoPointContext;
import io.retroscope.rql.parser.generated.RqlParser.MillisPointContext;
import io.retroscope.rql.parser.generated.RqlParser.NowPointContext;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.TerminalNode;

/** A builder of points in time. */
final class TimePointBuilder extends AlternativeVisitor<TimePoint> {
  private final SourceTokens source;
  private final LiteralReader literals;

  TimePointBuilder(SourceTokens source, LiteralReader literals) {
    this.source = source;
    this.literals = literals;
  }

  @Override
  public TimePoint visitIsoPoint(IsoPointContext context) {
    Token token = context.STRING().getSymbol();
    return new TimePoint.Iso(
        literals.string(token), literals.isoMicros(token), source.range(context));
  }

  @Override
  public TimePoint visitMillisPoint(MillisPointContext context) {
    Instant instant = literals.epochMillis(context.INTEGER().getSymbol());
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    return new TimePoint.Iso(instant.toString(), micros, source.range(context));
  }

  @Override
  public TimePoint visitHlcPoint(HlcPointContext context) {
    return new TimePoint.Hlc(literals.hlc(context.HLC().getSymbol()), source.range(context));
  }

  @Override
  public TimePoint visitNowPoint(NowPointContext context) {
    TerminalNode minus = context.DURATION();
    long minusMicros = minus == null ? 0 : literals.durationMicros(minus.getSymbol(), false);
    return new TimePoint.Now(minusMicros, source.range(context));
  }
}
