// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.compare;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.Bearing;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.SequenceGaps;
import io.retroscope.rql.json.EventConsumer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The events that a run lacks, as far as it shows. Used by one thread. */
public final class RunLosses implements EventConsumer {
  private final SortedMap<String, SequenceGaps> numbers = new TreeMap<>(NaturalOrder.INSTANCE);
  private final Set<String> losses = new LinkedHashSet<>();

  /** Creates a run without events, which lacks none. */
  public RunLosses() {}

  @Override
  public void event(Event event) {
    if (event.body() instanceof EventBody.Start start) {
      numbers(event.node()).started(event.hlc(), start.incarnation());
    }
    long number = event.sequence();
    if (number != Event.NO_SEQUENCE) {
      numbers(event.node()).seen(number, number, event.hlc(), event.hlc());
    }
  }

  private SequenceGaps numbers(String node) {
    return numbers.computeIfAbsent(node, name -> new SequenceGaps(name, SequenceGaps.State.EMPTY));
  }

  @Override
  public void gap(Gap gap) {
    losses.add(sentence(gap));
  }

  private static String sentence(Gap gap) {
    return "%,d %s of node %s %s lost between %s and %s"
        .formatted(
            gap.eventCount(),
            gap.eventCount() == 1 ? "event" : "events",
            gap.node(),
            gap.eventCount() == 1 ? "is" : "are",
            new HlcTimestamp(gap.range().from()),
            new HlcTimestamp(gap.range().to()));
  }

  @Override
  public void incomplete(Incompleteness reason) {
    if (Bearing.of(reason) == Bearing.UNDECIDES) {
      losses.add(reason.sentence());
    }
  }

  /** The sentences about events that may be missing. */
  public List<String> sentences() {
    Set<String> all = new LinkedHashSet<>(losses);
    numbers.values().forEach(node -> node.gaps().forEach(gap -> all.add(sentence(gap))));
    return List.copyOf(all);
  }
}
