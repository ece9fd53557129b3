// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.StateEvents;
import io.retroscope.rql.json.EventConsumer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
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
      names = "--with-state",
      description =
          "With --from, as NDJSON: also the events before it that set the state there, so that"
              + " answers over the part are those over the whole.")
  private boolean withState;

  @Mixin private TimeRangeOptions times = new TimeRangeOptions();

  /** The selection as the parameters of a request; empty for everything. */
  public String asQuery() {
    return Stream.of(
            logs.stream().map(log -> parameter("log", log)),
            nodes.stream().map(node -> parameter("node", node)),
            times.parameters().entrySet().stream()
                .map(time -> parameter(time.getKey(), time.getValue())),
            withState ? Stream.of(parameter("state", "true")) : Stream.<String>of())
        .flatMap(parameters -> parameters)
        .collect(Collectors.joining("&"));
  }

  private static String parameter(String name, String value) {
    return name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  /** Whether the events that set the state at the start of the range are wanted as well. */
  public boolean withState() {
    return withState;
  }

  /**
   * Passes on the events that set the state at the start of the range, and all losses up to its
   * end.
   *
   * @throws IOException if the consumer throws it
   */
  public void readState(EventSource.View view, EventConsumer consumer) throws IOException {
    HlcRange range = times.range();
    Set<String> wanted =
        logs.isEmpty()
            ? view.logs().stream().map(LogDescription::name).collect(Collectors.toSet())
            : logs;
    for (Event event : StateEvents.before(view, wanted, this::isWanted, range.from())) {
      consumer.event(event);
    }
    for (Gap gap : view.gaps(new HlcRange(HlcTimestamp.MIN_PACKED, range.to()))) {
      if (isWanted(gap.node())) {
        consumer.gap(gap);
      }
    }
  }

  /** What the selected events are a part of; empty if everything is selected. */
  public Optional<Incompleteness> part() {
    HlcRange range = times.range();
    return logs.isEmpty() && nodes.isEmpty() && range.equals(HlcRange.ALL)
        ? Optional.empty()
        : Optional.of(new Incompleteness.Part(nodes, logs, range, withState));
  }

  /** A consumer that passes on the selected events. */
  public EventConsumer before(EventConsumer consumer) {
    HlcRange range = times.range();
    return new EventConsumer() {
      @Override
      public void event(Event event) throws IOException {
        boolean wantedLog = logs.isEmpty() || event.log().isEmpty() || logs.contains(event.log());
        if (wantedLog && isWanted(event.node()) && range.contains(event.hlc())) {
          // Omitted events are not lost events.
          boolean isWhole = logs.isEmpty() && !withState;
          consumer.event(isWhole ? event : event.withoutSequence());
        }
      }

      @Override
      public void gap(Gap gap) throws IOException {
        if (!withState && isWanted(gap.node()) && gap.range().overlaps(range)) {
          consumer.gap(gap);
        }
      }

      @Override
      public void incomplete(Incompleteness reason) throws IOException {
        consumer.incomplete(reason);
      }
    };
  }

  private boolean isWanted(String node) {
    return nodes.isEmpty() || nodes.contains(node);
  }
}
