// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.print;

import io.retroscope.cli.shiviz.ShivizImport;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.MessageOrder;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.JsonText;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/** The summary of an import: entries as their format counts them, nodes, received messages. */
public final class ImportSummary implements EventConsumer {
  private final Set<String> nodes = new HashSet<>();
  private final Set<String> warnings = new LinkedHashSet<>();
  private final MessageOrder order = new MessageOrder();
  private long eventCount;
  private long messageCount;
  private int executionCount;
  private long lostCount;

  @Override
  public void event(Event event) {
    eventCount++;
    nodes.add(event.node());
    order.add(event);
    if (event.body() instanceof EventBody.Receive) {
      messageCount++;
    }
  }

  @Override
  public void gap(Gap gap) {
    lostCount += gap.eventCount();
  }

  @Override
  public void incomplete(Incompleteness reason) {
    warnings.add(reason.sentence());
  }

  /** What the files report, and the messages that contradict their stamps. */
  public Set<String> warnings() {
    Set<String> all = new LinkedHashSet<>(warnings);
    order.contradictions().forEach(reason -> all.add(reason.sentence()));
    return all;
  }

  public void add(ShivizImport.Result found) {
    eventCount += found.entryCount();
    messageCount += found.messageCount();
    executionCount += found.executionCount();
    found.events().forEach(event -> nodes.add(event.node()));
    found.gaps().forEach(this::gap);
  }

  public void addExecution(int count) {
    executionCount += count;
  }

  public String json() {
    return JsonText.object(
        out -> {
          out.writeNumberProperty("events", eventCount);
          out.writeNumberProperty("nodes", nodes.size());
          out.writeNumberProperty("messages", messageCount);
          out.writeNumberProperty("executions", executionCount);
        });
  }

  public String text() {
    return "imported %s of %s with %s, from %s"
            .formatted(
                many(eventCount, "event"),
                many(nodes.size(), "node"),
                many(messageCount, "message"),
                many(executionCount, "execution"))
        + (lostCount == 0
            ? ""
            : "; the files say that " + many(lostCount, "more event") + " were lost");
  }

  private static String many(long count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }
}
