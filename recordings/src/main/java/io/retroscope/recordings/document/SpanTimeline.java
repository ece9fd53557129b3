// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The starts and ends of spans in the order of their nodes' clocks, with what they change: the set
 * {@code running} of the names of running spans, and the number {@code inflight.NAME} of those of
 * each name. It depends on the spans alone, not on their order. Used by one thread.
 */
public final class SpanTimeline {
  /** The log of spans. */
  public static final String LOG = "spans";

  /** The most names whose running spans are counted, because each is a variable. */
  static final int MAX_NAMES = 1_000;

  private static final String RUNNING = "running";
  private static final String INFLIGHT = "inflight.";

  /*
   * At one time of a node, ends come before starts, because spans that touch do not overlap; a span
   * without a duration ends after its own start. Of starts at one time that of the longer span comes
   * first, because it may be the parent, and of ends that of the shorter one.
   */
  private static final int END = 0;
  private static final int START = 1;
  private static final int END_AT_START = 2;

  private static final Comparator<Moment> ORDER =
      Comparator.comparingLong(Moment::nanos)
          .thenComparingInt(Moment::rank)
          .thenComparingLong(moment -> moment.isEnd ? -moment.start() : -moment.leave())
          .thenComparing(moment -> moment.span.ids().trace())
          .thenComparing(moment -> moment.span.ids().span())
          .thenComparing(moment -> moment.span.kind());

  private final List<Moment> moments;
  private final Set<String> counted = new HashSet<>();
  private final SpanMessages messages;
  private boolean isTooMany;

  /**
   * The start or end of a span.
   *
   * @param isEnd whether it is the end, which expiry is as well
   */
  public record Moment(Span span, boolean isEnd) {
    /** Its time by the clock of the span's node, in nanoseconds since 1970. */
    public long nanos() {
      return isEnd ? leave() : start();
    }

    private long start() {
      return span.times().startNanos();
    }

    private long leave() {
      return span.times().leaveNanos();
    }

    private int rank() {
      return isEnd ? start() == leave() ? END_AT_START : END : START;
    }
  }

  /** A receiver of the events of one moment, in their order. */
  public interface Receiver {
    /** Takes them. */
    void at(Moment moment, List<EventBody> bodies);
  }

  /**
   * A timeline.
   *
   * @param messages the messages between spans
   */
  SpanTimeline(List<Span> spans, SpanMessages messages) {
    this.messages = messages;
    moments = new ArrayList<>(2 * spans.size());
    for (Span span : spans) {
      moments.add(new Moment(span, false));
      moments.add(new Moment(span, true));
    }
    moments.sort(ORDER);
  }

  /** Passes on all events of spans whose messages are not known. */
  public static void of(List<Span> spans, Receiver receiver) {
    SpanTimeline timeline = new SpanTimeline(spans, SpanMessages.NONE);
    Walk walk = timeline.walk();
    while (walk.hasNext()) {
      Moment moment = walk.next();
      receiver.at(moment, walk.bodies());
    }
  }

  /** A pass over all moments, with the events of each. */
  Walk walk() {
    return new Walk();
  }

  /** Whether a pass found more names than can be counted. */
  boolean hasTooManyNames() {
    return isTooMany;
  }

  /** A pass over the moments. */
  final class Walk implements Iterator<Moment> {
    private final Iterator<Moment> order = moments.iterator();
    private final Map<String, Map<String, Integer>> running = new HashMap<>();
    private List<EventBody> bodies = List.of();

    @Override
    public boolean hasNext() {
      return order.hasNext();
    }

    @Override
    public Moment next() {
      Moment moment = order.next();
      bodies = moment.isEnd ? end(moment.span) : start(moment.span);
      return moment;
    }

    /** The events of the moment that was returned last. */
    List<EventBody> bodies() {
      return bodies;
    }

    private List<EventBody> start(Span span) {
      List<EventBody> found = new ArrayList<>(4);
      messages.requestFrom(span).ifPresent(found::add);
      found.add(change(span, 1));
      found.add(new EventBody.LogLine(span.name(), span.fields()));
      found.addAll(messages.requestsOf(span));
      return found;
    }

    private List<EventBody> end(Span span) {
      List<EventBody> found = new ArrayList<>(3);
      messages.responseTo(span).ifPresent(found::add);
      found.add(new EventBody.LogLine(span.name(), span.endFields()));
      found.add(change(span, -1));
      messages.responseOf(span).ifPresent(found::add);
      return found;
    }

    /**
     * Counts a span in or out; one more of a name that is running changes nothing but the count.
     */
    private EventBody change(Span span, int more) {
      Map<String, Integer> ofNode = running.computeIfAbsent(span.node(), name -> new HashMap<>());
      int count = ofNode.merge(span.name(), more, Integer::sum);
      ofNode.remove(span.name(), 0);
      List<Change> changes = new ArrayList<>(2);
      if (isCounted(span.name())) {
        changes.add(new Change(Operation.SET, INFLIGHT + span.name(), Value.of((long) count)));
      }
      changes.add(
          new Change(
              count > 0 ? Operation.ADD : Operation.REMOVE,
              RUNNING,
              new Value.SetValue(List.of(Value.of(span.name())))));
      return new EventBody.StateChange(changes);
    }

    private boolean isCounted(String name) {
      if (counted.size() < MAX_NAMES) {
        counted.add(name);
      }
      isTooMany |= !counted.contains(name);
      return counted.contains(name);
    }
  }
}
