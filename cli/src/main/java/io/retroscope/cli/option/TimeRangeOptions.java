// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.HlcRange;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that limit a command to the events of a range of time. */
public final class TimeRangeOptions {
  @Option(
      names = "--from",
      paramLabel = "TIME",
      converter = StampConverter.class,
      description =
          "Only events from this time on, such as 2026-11-20T18:40:00Z, or from this stamp on.")
  private Optional<HlcRange> from = Optional.empty();

  @Option(
      names = "--until",
      paramLabel = "TIME",
      converter = StampConverter.class,
      description = "Only events up to this time or stamp.")
  private Optional<HlcRange> until = Optional.empty();

  /**
   * The ends that are given, as the server expects them: a stamp by {@code from} or {@code until}.
   */
  public Map<String, String> parameters() {
    Map<String, String> parameters = new LinkedHashMap<>();
    from.ifPresent(time -> parameters.put("from", HlcTimestamp.text(time.from())));
    until.ifPresent(time -> parameters.put("until", HlcTimestamp.text(time.to())));
    return parameters;
  }

  /**
   * The range, which has no limit at an end that is not given.
   *
   * @throws CommandException if it ends before it begins
   */
  HlcRange range() {
    HlcRange range =
        new HlcRange(
            from.map(HlcRange::from).orElse(HlcTimestamp.MIN_PACKED),
            until.map(HlcRange::to).orElse(HlcTimestamp.MAX_PACKED));
    if (range.from() > range.to()) {
      throw new CommandException(ExitCode.USAGE, "--from is after --until");
    }
    return range;
  }
}
