package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.CutTimers;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The stamps at which runs that are still too short will have lasted long enough. Used by one
 * thread.
 */
final class Deadlines {
  private final PriorityQueue<Deadline> deadlines =
      new PriorityQueue<>(
          Comparator.comparingLong(Deadline::hlc)
              .thenComparing(Deadline::question, Questions.BY_NAME));

  private long lastHlc = HlcTimestamp.MIN_PACKED;

  /** The stamp at which a question's run may qualify. By then a later run may have replaced it. */
  private record Deadline(long hlc, Question question) {}

  /** Schedules the question's deadline, unless it is scheduled already or the run has qualified. */
  void await(Question question) {
    if (question.run().isYoung() && !question.isAwaited()) {
      question.setAwaited(true);
      deadlines.add(new Deadline(question.run().deadline(), question));
    }
  }

  /** Lets runs count that have lasted long enough at a stamp below which all is known. */
  void reached(long hlc, WalkOutput output) {
    Question due = output.isFinished() ? null : poll(hlc);
    while (due != null) {
      output.reached(lastHlc);
      due.run().reached(hlc);
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
    Deadline first = deadlines.peek();
    if (first == null || first.hlc() > hlc) {
      return null;
    }
    deadlines.remove();
    first.question().setAwaited(false);
    lastHlc = first.hlc();
    return first.question();
  }

  /** The packed deadline of the next question, or {@link CutTimers#NEVER}. */
  long next() {
    Deadline first = deadlines.peek();
    return first == null ? CutTimers.NEVER : first.hlc();
  }
}
