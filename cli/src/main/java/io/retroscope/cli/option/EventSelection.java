package io.retroscope.cli.option;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.json.EventConsumer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/**
 * A command's selection of events. An event without a log, such as a start, belongs to all logs.
 */
public final class EventSelection {
  @Option(
      names = "--log",
      paramLabel = "LOG",
      description = "Only events of this log, and starts, stops and heartbeats; may be repeated.")
  private Set<String> logs = Set.of();

  @Option(
      names = "--node",
      paramLabel = "NODE",
      description = "Only events of this node; may be repeated.")
  private Set<String> nodes = Set.of();

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

  /** The selection as the parameters of a request; empty for everything. */
  public String asQuery() {
    return Stream.of(
            logs.stream().map(log -> parameter("log", log)),
            nodes.stream().map(node -> parameter("node", node)),
            from.stream().map(time -> parameter("from", HlcTimestamp.text(time.from()))),
            until.stream().map(time -> parameter("until", HlcTimestamp.text(time.to()))))
        .flatMap(parameters -> parameters)
        .collect(Collectors.joining("&"));
  }

  private static String parameter(String name, String value) {
    return name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  /** A consumer that passes on the selected events. */
  public EventConsumer before(EventConsumer consumer) {
    HlcRange range = range();
    return new EventConsumer() {
      @Override
      public void event(Event event) throws IOException {
        boolean wantedLog = logs.isEmpty() || event.log().isEmpty() || logs.contains(event.log());
        if (wantedLog && isWanted(event.node()) && range.contains(event.hlc())) {
          // Omitted events are not lost events.
          consumer.event(logs.isEmpty() ? event : event.withoutSequence());
        }
      }

      @Override
      public void gap(Gap gap) throws IOException {
        if (isWanted(gap.node()) && gap.range().overlaps(range)) {
          consumer.gap(gap);
        }
      }

      @Override
      public void warning(String sentence) throws IOException {
        consumer.warning(sentence);
      }
    };
  }

  private boolean isWanted(String node) {
    return nodes.isEmpty() || nodes.contains(node);
  }

  private HlcRange range() {
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
