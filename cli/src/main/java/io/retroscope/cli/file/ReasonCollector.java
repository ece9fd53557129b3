// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.file;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.EventLine;
import io.retroscope.rql.json.StatedExtent;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The reasons that an input states why its events may be incomplete, with the events that they
 * concern. Passes everything on. Used by one thread.
 */
public final class ReasonCollector implements EventConsumer {
  /** The maximum number of reasons that are kept of an input; one more says so. */
  private static final int MAX_REASONS = 1_000;

  private final EventConsumer consumer;
  private final StatedExtent extent = new StatedExtent();
  private final Set<Incompleteness> reasons = new LinkedHashSet<>();

  /** Collects the reasons on their way to a consumer. */
  public ReasonCollector(EventConsumer consumer) {
    this.consumer = consumer;
  }

  @Override
  public void event(Event event) throws IOException {
    extent.add(event.node(), event.hlc());
    consumer.event(event);
  }

  @Override
  public void line(EventLine line) throws IOException {
    extent.add(line.node(), line.hlc());
    consumer.line(line);
  }

  @Override
  public void gap(Gap gap) throws IOException {
    consumer.gap(gap);
  }

  @Override
  public void incomplete(Incompleteness reason) throws IOException {
    if (reasons.size() < MAX_REASONS) {
      reasons.add(reason);
    } else {
      reasons.add(
          new Incompleteness.Reported("the files say more often what is missing than is kept"));
    }
    consumer.incomplete(reason);
  }

  /** The reasons of all events so far. */
  public List<Incompleteness> reasons() {
    return reasons.stream().map(reason -> reason.within(extent.extent())).toList();
  }
}
