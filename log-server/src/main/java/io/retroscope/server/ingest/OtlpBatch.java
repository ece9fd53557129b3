// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.recorder.Recorder;
import io.retroscope.recordings.document.SpanTimeline;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The events of one OTLP request. Immutable.
 *
 * @param stamped events with the stamp that their node gave them
 * @param placed events without one, at the stamps that were derived from their times
 * @param firstPlaced the lowest of these stamps, for each node that has any
 * @param rejected records that are no events
 * @param reason why the first of them is none; empty if there are none
 * @param sizeBytes the approximate amount of memory that the events take
 */
public record OtlpBatch(
    List<NumberedEvent> stamped,
    List<NumberedEvent> placed,
    Map<String, Long> firstPlaced,
    long rejected,
    String reason,
    long sizeBytes) {
  /** The warning of queries about nodes with placed events. */
  static final String CAVEAT =
      "physical time only: events that it sent without a stamp are ordered by their times";

  /** The warning about their spans, besides. */
  static final String SPAN_CAVEAT =
      "running and inflight count the spans of one OTLP request at a time";

  /** Copies the collections. */
  public OtlpBatch {
    stamped = List.copyOf(stamped);
    placed = List.copyOf(placed);
    firstPlaced = Map.copyOf(firstPlaced);
  }

  /** Whether there are no events. */
  public boolean isEmpty() {
    return stamped.isEmpty() && placed.isEmpty();
  }

  /**
   * The events as they are stored.
   *
   * @param shiftMicros is added to the stamps of placed events, because a node with a coarse clock
   *     may have sent others with the same times in another request
   * @param unmarked the nodes whose placed events must be preceded by a warning for queries
   */
  public Submission.Lines submission(long shiftMicros, Set<String> unmarked) {
    List<NumberedEvent> lines = new ArrayList<>(stamped);
    for (String node : unmarked) {
      long before = firstPlaced.getOrDefault(node, HlcTimestamp.MIN_PACKED) - 1;
      lines.add(
          shifted(
              new NumberedEvent(NumberedEvent.NO_NUMBER, caveat(node, before, caveats())),
              shiftMicros));
    }
    placed.forEach(event -> lines.add(shifted(event, shiftMicros)));
    return new Submission.Lines(lines, List.of(), sizeBytes);
  }

  private List<Value> caveats() {
    boolean areSpans =
        placed.stream().anyMatch(placed -> placed.event().log().equals(SpanTimeline.LOG));
    return areSpans ? List.of(Value.of(CAVEAT), Value.of(SPAN_CAVEAT)) : List.of(Value.of(CAVEAT));
  }

  private static Event caveat(String node, long hlc, List<Value> texts) {
    Change change = new Change(Operation.ADD, Recorder.CAVEATS, new Value.SetValue(texts));
    return new Event(node, Recorder.OWN_LOG, hlc, new EventBody.StateChange(List.of(change)));
  }

  private static NumberedEvent shifted(NumberedEvent numbered, long micros) {
    Event event = numbered.event();
    long hlc = event.hlc() + (micros << HlcTimestamp.LOGICAL_BITS);
    return micros == 0
        ? numbered
        : new NumberedEvent(
            numbered.number(), new Event(event.node(), event.log(), hlc, event.body()));
  }
}
