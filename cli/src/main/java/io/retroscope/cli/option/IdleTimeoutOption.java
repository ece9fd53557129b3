// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.evaluation.QueryLimits;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/** The option for the silence after which a node of a file is not live any more. */
public final class IdleTimeoutOption {
  private static final String NAME = "--idle-timeout";

  @Option(
      names = NAME,
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = {
        "For files: how long a node may be silent and still be",
        "one of AT LIVE NODES, above 100ms (default: 1s)."
      })
  private Optional<Duration> timeout = Optional.empty();

  /**
   * Returns the limits with the given timeout.
   *
   * @throws CommandException if it is too short to differ from the ranges in which nodes were seen
   */
  public QueryLimits in(QueryLimits limits) {
    return timeout.map(given -> limits.withIdleTimeoutMicros(micros(given))).orElse(limits);
  }

  private static long micros(Duration given) {
    long micros = TimeUnit.MICROSECONDS.convert(given);
    if (micros <= Presence.MAX_GAP_MICROS) {
      throw new CommandException(ExitCode.USAGE, NAME + " must be above 100ms");
    }
    return micros;
  }

  /**
   * Refuses the option for a server.
   *
   * @throws CommandException if it is given
   */
  public void refuseForServer() {
    if (timeout.isPresent()) {
      throw new CommandException(
          ExitCode.USAGE, NAME + " is for files; a server has its own " + NAME);
    }
  }
}
