// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.ast.Literals;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.HlcRange;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options for the range of time over which rules are evaluated. */
public final class CheckedRange {
  @Mixin private TimeRangeOptions times = new TimeRangeOptions();

  @Option(
      names = "--last",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Only this long before now, such as 1h; now is a file's last event.")
  private Optional<Duration> last = Optional.empty();

  /** Whether a range is given. */
  public boolean given() {
    return last.isPresent() || !times.parameters().isEmpty();
  }

  /**
   * The range as a clause ON TIME, empty if none is given. Rules with their own clause keep it.
   *
   * @throws CommandException if the options contradict each other
   * @throws IOException if the server cannot be reached
   */
  public String onTime(Session session) throws IOException {
    if (last.isPresent()) {
      if (!times.parameters().isEmpty()) {
        throw new CommandException(ExitCode.USAGE, "--last excludes --from and --until");
      }
      return "ON TIME LAST " + Literals.duration(last.get().toNanos() / 1_000);
    }
    if (times.parameters().isEmpty()) {
      return "";
    }
    HlcRange range = times.range();
    long from = range.from();
    if (from == HlcTimestamp.MIN_PACKED) {
      from = session.catalog().extent().map(HlcRange::from).orElse(from);
    }
    return clause(
        from, range.to() == HlcTimestamp.MAX_PACKED ? Optional.empty() : Optional.of(range.to()));
  }

  /**
   * The length of the range as far as events are stored, in microseconds.
   *
   * @throws IOException if the server cannot be reached
   */
  public long micros(Session session) throws IOException {
    HlcRange stored = session.catalog().extent().orElse(new HlcRange(0, 0));
    long until = HlcTimestamp.micros(stored.to());
    if (last.isPresent()) {
      long micros = last.get().toNanos() / 1_000;
      return Math.min(micros, until - HlcTimestamp.micros(stored.from()));
    }
    HlcRange range = times.parameters().isEmpty() ? stored : times.range();
    return Math.min(until, HlcTimestamp.micros(range.to()))
        - Math.max(HlcTimestamp.micros(stored.from()), HlcTimestamp.micros(range.from()));
  }

  /**
   * A clause for a range.
   *
   * @param from packed
   * @param to packed; empty for now
   */
  public static String clause(long from, Optional<Long> to) {
    return "ON TIME %s TO %s".formatted(literal(from), to.map(CheckedRange::literal).orElse("NOW"));
  }

  private static String literal(long hlc) {
    return "HLC'" + HlcTimestamp.text(hlc) + "'";
  }
}
