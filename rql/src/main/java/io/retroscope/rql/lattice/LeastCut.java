// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.lattice.Computation.Message;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A cut in the events of all nodes: the least one with given states, and the messages that bound
 * it. Immutable.
 */
final class LeastCut {
  /** The maximum number of messages that are shown. */
  static final int MAX_MESSAGES = 1_000;

  private final List<String> nodes;

  /** The packed stamp of the last event in the cut of each node that has one. */
  private final Map<String, Long> last = new TreeMap<>(NaturalOrder.INSTANCE);

  private final List<Message> bounds = new ArrayList<>();

  LeastCut(Computation computation, int[] cut) {
    nodes = computation.nodes();
    for (int node = 0; node < cut.length; node++) {
      if (cut[node] > 0) {
        last.put(nodes.get(node), computation.state(node, cut[node]).hlc());
      }
    }
    // A send has the lower stamp, so that no receipt that is considered later adds to this one.
    List<Message> messages = computation.messages();
    for (int i = messages.size() - 1; i >= 0; i--) {
      if (contains(messages.get(i))) {
        last.merge(messages.get(i).from(), messages.get(i).sent(), Math::max);
      }
    }
    for (Message message : messages) {
      boolean bounds =
          contains(message) && last.getOrDefault(message.from(), Long.MIN_VALUE) == message.sent();
      if (bounds && this.bounds.size() < MAX_MESSAGES) {
        this.bounds.add(message);
      }
    }
  }

  private boolean contains(Message message) {
    Long reached = last.get(message.to());
    return reached != null && message.received() <= reached;
  }

  /** The stamp of the last event of each node; NULL for a node at the start of the range. */
  Value stamps() {
    Map<String, Value> stamps = new TreeMap<>(NaturalOrder.INSTANCE);
    nodes.forEach(node -> stamps.put(node, NullValue.NULL));
    last.forEach((node, hlc) -> stamps.put(node, new TimestampValue(hlc)));
    return new StructValue(stamps);
  }

  /** The stamps of the nodes with an event in the cut, for errors. */
  String text() {
    return last.isEmpty()
        ? "at the start of the range"
        : last.entrySet().stream()
            .map(entry -> entry.getKey() + ": " + new HlcTimestamp(entry.getValue()))
            .collect(Collectors.joining(", "));
  }

  /** The messages whose send is the last event of its node, because the cut has the receipt. */
  Value messages() {
    List<Value> all = new ArrayList<>();
    for (Message message : bounds) {
      Map<String, Value> fields = new LinkedHashMap<>();
      fields.put("from", Value.of(message.from()));
      fields.put("to", Value.of(message.to()));
      fields.put("id", Value.of(message.id()));
      fields.put("sent", new TimestampValue(message.sent()));
      fields.put("received", new TimestampValue(message.received()));
      all.add(new StructValue(fields));
    }
    return new SetValue(all);
  }

  /** Whether there are more messages than are shown. */
  boolean isCutShort() {
    return bounds.size() == MAX_MESSAGES;
  }
}
