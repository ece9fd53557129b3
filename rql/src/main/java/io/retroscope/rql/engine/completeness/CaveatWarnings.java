// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.completeness;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.recorder.Recorder;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * The warnings of a query about nodes that report their own trace as incomplete, and about
 * overlapping runs of a node. Used by one thread.
 */
public final class CaveatWarnings {
  /** The maximum number of warnings of one query. */
  private static final int MAX_WARNINGS = 20;

  /** The interest in what all nodes report about their own tracing. */
  static final Interest OWN_LOG = new OwnLog(node -> true, () -> false);

  private final RowSink sink;
  private final Predicate<String> counts;
  private final boolean followsMessages;
  private final Interest interest;

  /** The caveats of each node at the position that the check has reached. */
  private final Map<String, Set<Value>> caveats = new HashMap<>();

  /** The share of its messages that each node records, if it does not record all. */
  private final Map<String, Value> unrecordedMessages = new HashMap<>();

  private final Set<String> reported = new HashSet<>();
  private boolean begun;

  /** Whether there may be reasons for warnings in the present advance. */
  private boolean due = true;

  /**
   * Creates warnings that go to a sink.
   *
   * @param counts whether the query includes a node
   * @param followsMessages whether the query uses sends or receives
   */
  public CaveatWarnings(RowSink sink, Predicate<String> counts, boolean followsMessages) {
    this.sink = sink;
    this.counts = counts;
    this.followsMessages = followsMessages;
    this.interest = new OwnLog(counts, sink::cancelled);
  }

  /** Sets whether there may be reasons for any warning in the present advance. */
  void setDue(boolean isDue) {
    due = isDue;
  }

  /** Whether there may be reasons for any warning in the present advance. */
  boolean isDue() {
    return due;
  }

  /** Whether a range has been checked. */
  boolean hasBegun() {
    return begun;
  }

  /** Sends the warnings that apply to a range, which must follow the range of the call before. */
  public void check(View view, HlcRange range) {
    if (begun || view.mayHold(Recorder.OWN_LOG)) {
      checkCaveats(view, range);
    }
    begun = true;
    for (Overlap overlap : view.overlaps(range)) {
      warn(overlap.node(), overlap.sentence());
    }
  }

  private void checkCaveats(View view, HlcRange range) {
    if (!begun && range.from() > HlcTimestamp.MIN_PACKED) {
      view.stateBefore(interest, range.from()).events().forEachRemaining(this::apply);
      caveats.forEach(this::warn);
      unrecordedMessages.keySet().forEach(this::warnOfMessages);
    }
    Iterator<Event> events = view.scan(interest, range).events();
    while (events.hasNext()) {
      Event event = events.next();
      apply(event);
      warn(event.node(), caveats.getOrDefault(event.node(), Set.of()));
      warnOfMessages(event.node());
    }
  }

  private void apply(Event event) {
    if (event.body() instanceof EventBody.Start || event.body() instanceof EventBody.Stop) {
      caveats.remove(event.node());
      unrecordedMessages.remove(event.node());
    } else if (event.log().equals(Recorder.OWN_LOG)
        && event.body() instanceof EventBody.StateChange state) {
      for (EventBody.Change change : state.changes()) {
        if (change.variable().equals(Recorder.CAVEATS)) {
          apply(change, caveats.computeIfAbsent(event.node(), node -> new LinkedHashSet<>()));
        } else if (change.variable().equals(Recorder.MESSAGES) && followsMessages) {
          unrecordedMessages.put(event.node(), change.value());
        }
      }
    }
  }

  private static void apply(EventBody.Change change, Set<Value> own) {
    boolean replaces =
        change.operation() == EventBody.Operation.SET
            || change.operation() == EventBody.Operation.UNSET;
    if (replaces) {
      own.clear();
    }
    if (change.value() instanceof Value.SetValue set) {
      if (change.operation() == EventBody.Operation.REMOVE) {
        set.elements().forEach(own::remove);
      } else {
        own.addAll(set.elements());
      }
    }
  }

  private void warn(String node, Set<Value> own) {
    for (Value caveat : own) {
      if (caveat instanceof Value.StringValue text) {
        warn(node, "node %s: %s".formatted(node, text.value()));
      }
    }
  }

  private void warnOfMessages(String node) {
    Value share = unrecordedMessages.get(node);
    if (share instanceof Value.DoubleValue number) {
      warn(
          node,
          number.value() == 0
              ? "node %s: its messages carry the clock but are not recorded".formatted(node)
              : "node %s: only a sample of its messages is recorded, a share of %s"
                  .formatted(node, number.value()));
    }
  }

  private void warn(String node, String message) {
    if (!counts.test(node) || reported.size() > MAX_WARNINGS || !reported.add(message)) {
      return;
    }
    sink.warning(
        reported.size() <= MAX_WARNINGS
            ? message
            : "more of the nodes' traces are incomplete than can be listed here");
  }

  /** The interest in the nodes' reports about their own tracing. */
  private record OwnLog(Predicate<String> counted, BooleanSupplier cancelled) implements Interest {
    @Override
    public Set<String> logs() {
      return Set.of(Recorder.OWN_LOG);
    }

    @Override
    public boolean follows(String log, String variable) {
      return log.equals(Recorder.OWN_LOG)
          && (variable.equals(Recorder.CAVEATS) || variable.equals(Recorder.MESSAGES));
    }

    @Override
    public boolean counts(String node) {
      return counted.test(node);
    }

    @Override
    public boolean usesAges() {
      return false;
    }

    @Override
    public boolean isCancelled() {
      return cancelled.getAsBoolean();
    }
  }
}
