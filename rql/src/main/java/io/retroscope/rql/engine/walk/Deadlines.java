// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.state.CutTimers;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The stamps at which runs that are still too short will have lasted long enough, and at which what
 * THEN expects is too late. Used by one thread.
 */
final class Deadlines {
  private final PriorityQueue<Deadline> deadlines =
      new PriorityQueue<>(
          Comparator.comparingLong(Deadline::hlc)
              .thenComparing(Deadline::question, Question.BY_NAME));

  private long lastHlc = HlcTimestamp.MIN_PACKED;

  /** A stamp of a question. By then a later run, or an earlier stamp, may have replaced it. */
  private record Deadline(long hlc, Question question) {}

  /** Schedules the question's deadline, unless it or an earlier stamp is scheduled already. */
  void await(Question question) {
    long next = question.deadline();
    if (next < question.awaited()) {
      question.setAwaited(next);
      deadlines.add(new Deadline(next, question));
    }
  }

  /** Lets runs count that have lasted long enough at a stamp below which all is known. */
  void reached(long hlc, WalkOutput output) {
    Question due = output.isFinished() ? null : poll(hlc);
    while (due != null) {
      output.reached(lastHlc);
      due.reached(lastHlc);
      await(due);
      due = output.isFinished() ? null : poll(hlc);
    }
    if (!output.isFinished()) {
      output.reached(hlc); // Otherwise the deadline of the last row is the end.
    }
  }

  /**
   * Removes and returns the question with the earliest deadline at or below a stamp, or returns
   * null.
   */
  private @Nullable Question poll(long hlc) {
    for (Deadline first = deadlines.peek(); first != null; first = deadlines.peek()) {
      if (first.hlc() > hlc) {
        return null;
      }
      deadlines.remove();
      if (first.hlc() == first.question().awaited()) {
        first.question().setAwaited(CutTimers.NEVER);
        lastHlc = first.hlc();
        return first.question();
      }
    }
    return null;
  }

  /** The packed deadline of the next question, or {@link CutTimers#NEVER}. */
  long next() {
    Deadline first = deadlines.peek();
    return first == null ? CutTimers.NEVER : first.hlc();
  }
}
