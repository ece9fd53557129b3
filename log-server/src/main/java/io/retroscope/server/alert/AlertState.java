// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.answer.StreamPlace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The stored state of an alert as a whole. Immutable.
 *
 * @param identity of its text; another text begins anew
 * @param statement CREATE ALERT, if a client sent it; empty if a file defines the alert
 * @param by the name of its sender; empty if a file defines the alert
 * @param begin packed, the first stamp that is evaluated
 * @param checkpoints places at which the evaluation can begin again, the latest last; never empty
 * @param reachedHlc packed, up to which the edges are stored
 * @param mutedUntilMicros on the server's clock; 0 if it is not muted
 * @param notEvaluated a sentence about events that retention removed before they were evaluated;
 *     empty if there are none
 */
record AlertState(
    String identity,
    String statement,
    String by,
    long begin,
    List<Checkpoint> checkpoints,
    long reachedHlc,
    long mutedUntilMicros,
    String notEvaluated) {
  /** The distance of checkpoints. */
  private static final long SPACING_MICROS = TimeUnit.MINUTES.toMicros(1);

  /** The number of checkpoints: those of an hour, in addition to the begin. */
  private static final int MAX_CHECKPOINTS = 60;

  /** Copies the list. */
  AlertState {
    checkpoints = List.copyOf(checkpoints);
  }

  /**
   * A place at which the evaluation can begin again.
   *
   * @param start packed: a walk from here finds all edges that are found above {@code hlc}
   * @param loadFrom packed: edges and pages from here on belong to episodes that may change
   */
  record Checkpoint(long start, long hlc, long loadFrom) {
    StreamPlace place() {
      return new StreamPlace(start, hlc, StreamPlace.ALL);
    }

    private String text() {
      return HlcTimestamp.text(start)
          + "/"
          + HlcTimestamp.text(hlc)
          + "/"
          + HlcTimestamp.text(loadFrom);
    }

    private static Checkpoint parse(String text) {
      String[] parts = text.split("/", -1);
      return new Checkpoint(
          HlcTimestamp.parse(parts[0]), HlcTimestamp.parse(parts[1]), HlcTimestamp.parse(parts[2]));
    }
  }

  /** The state of an alert that begins at a stamp. */
  static AlertState beginning(String identity, String statement, String by, long opening) {
    long begin = Math.max(opening, HlcTimestamp.MIN_PACKED + 1);
    return new AlertState(
        identity,
        statement,
        by,
        begin,
        List.of(new Checkpoint(begin, begin - 1, begin)),
        begin - 1,
        0,
        "");
  }

  /** The last checkpoint. */
  Checkpoint last() {
    return checkpoints.get(checkpoints.size() - 1);
  }

  /** The last checkpoint below a stamp, or the first one. */
  Checkpoint before(long hlc) {
    Checkpoint found = checkpoints.get(0);
    for (Checkpoint next : checkpoints) {
      found = next.hlc() < hlc ? next : found;
    }
    return found;
  }

  /** Returns the state without the checkpoints after one, because earlier events have changed. */
  AlertState backTo(Checkpoint checkpoint) {
    List<Checkpoint> kept = checkpoints.subList(0, checkpoints.indexOf(checkpoint) + 1);
    return new AlertState(
        identity, statement, by, begin, kept, reachedHlc, mutedUntilMicros, notEvaluated);
  }

  /** Returns the state after the evaluation has come further. */
  AlertState reached(long hlc, Checkpoint checkpoint) {
    List<Checkpoint> all = new ArrayList<>(checkpoints);
    Checkpoint lastButOne = all.size() > 1 ? all.get(all.size() - 2) : all.get(0);
    boolean isNear =
        HlcTimestamp.micros(last().hlc()) - HlcTimestamp.micros(lastButOne.hlc()) < SPACING_MICROS;
    if (all.size() > 1 && isNear) {
      all.remove(all.size() - 1);
    }
    if (checkpoint.hlc() > all.get(all.size() - 1).hlc()) {
      all.add(checkpoint);
    }
    while (all.size() > MAX_CHECKPOINTS + 1) {
      all.remove(1);
    }
    return new AlertState(identity, statement, by, begin, all, hlc, mutedUntilMicros, notEvaluated);
  }

  /** Returns the same state with another end of being muted. */
  AlertState muted(long untilMicros) {
    return new AlertState(
        identity, statement, by, begin, checkpoints, reachedHlc, untilMicros, notEvaluated);
  }

  /** Returns the same state with a sentence about the range without evaluation. */
  AlertState missing(String sentence) {
    return new AlertState(
        identity, statement, by, begin, checkpoints, reachedHlc, mutedUntilMicros, sentence);
  }

  /** Whether a client created the alert. */
  boolean isOfClient() {
    return !statement.isEmpty();
  }

  StructValue fields() {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("identity", Value.of(identity));
    fields.put("statement", Value.of(statement));
    fields.put("by", Value.of(by));
    fields.put("begin", Value.of(HlcTimestamp.text(begin)));
    fields.put(
        "checkpoints",
        Value.of(String.join(" ", checkpoints.stream().map(Checkpoint::text).toList())));
    fields.put("reached", Value.of(HlcTimestamp.text(reachedHlc)));
    fields.put("mutedUntilMicros", Value.of(mutedUntilMicros));
    fields.put("notEvaluated", Value.of(notEvaluated));
    return new StructValue(fields);
  }

  static AlertState of(StructValue struct) {
    return new AlertState(
        text(struct, "identity"),
        text(struct, "statement"),
        text(struct, "by"),
        HlcTimestamp.parse(text(struct, "begin")),
        Arrays.stream(text(struct, "checkpoints").split(" ", -1)).map(Checkpoint::parse).toList(),
        HlcTimestamp.parse(text(struct, "reached")),
        struct.fields().get("mutedUntilMicros") instanceof LongValue micros ? micros.value() : 0,
        text(struct, "notEvaluated"));
  }

  private static String text(StructValue struct, String name) {
    if (struct.fields().get(name) instanceof StringValue text) {
      return text.value();
    }
    throw new IllegalArgumentException("the record of an alert has no " + name);
  }
}
