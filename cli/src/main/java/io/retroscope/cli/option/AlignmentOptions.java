// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.server.align.AlignmentSettings;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options for assumptions about the nodes' clocks and links, see {@code docs/alignment.md}. */
public final class AlignmentOptions {
  @Option(
      names = "--rho",
      paramLabel = "PPM",
      defaultValue = "200",
      description =
          "Clocks: the maximum relative drift of two clocks, in parts per million"
              + " (default: ${DEFAULT-VALUE}).")
  private double rhoPpm;

  @Option(
      names = "--granule",
      paramLabel = "DURATION",
      defaultValue = "1us",
      converter = DurationConverter.class,
      description =
          "Clocks: the coarsest resolution of their readings (default: ${DEFAULT-VALUE}; 1ms for a"
              + " node whose readings are whole milliseconds).")
  private Duration granule = Duration.ZERO;

  @Option(
      names = "--min-delay",
      paramLabel = "[FROM,TO=]DURATION",
      description =
          "Clocks: the minimum delay of messages, on one link or on all others; may be repeated"
              + " (default: 0us).")
  private List<String> minimumDelays = List.of();

  @Option(
      names = "--driver-window",
      paramLabel = "DURATION",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description =
          "Clocks: how long a node must have the highest clock to become the driver"
              + " (default: ${DEFAULT-VALUE}).")
  private Duration driverWindow = Duration.ZERO;

  /**
   * The settings.
   *
   * @throws CommandException if one is out of range or invalid
   */
  public AlignmentSettings settings() {
    AlignmentSettings defaults = AlignmentSettings.DEFAULT;
    long everywhere = defaults.minimumDelayMicros();
    Map<AlignmentSettings.Link, Long> links = new HashMap<>();
    try {
      for (String text : minimumDelays) {
        int equals = text.lastIndexOf('=');
        long delay = micros(new DurationConverter().convert(text.substring(equals + 1)));
        if (equals < 0) {
          everywhere = delay;
        } else {
          links.put(link(text.substring(0, equals)), delay);
        }
      }
      return new AlignmentSettings(
          rhoPpm,
          micros(granule),
          everywhere,
          links,
          micros(driverWindow),
          defaults.maxRememberedMessages(),
          defaults.maxHistorySlices());
    } catch (IllegalArgumentException | TypeConversionException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }

  private static AlignmentSettings.Link link(String text) {
    int comma = text.indexOf(',');
    if (comma <= 0 || comma != text.lastIndexOf(',') || comma == text.length() - 1) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a link: write FROM,TO=DURATION, such as zk1,zk2=100us");
    }
    return new AlignmentSettings.Link(text.substring(0, comma), text.substring(comma + 1));
  }

  private static long micros(Duration duration) {
    return duration.dividedBy(Duration.of(1, ChronoUnit.MICROS));
  }
}
