package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** When runs that are too young to count will have lasted long enough. Used by one thread. */
final class Deadlines {
  private final PriorityQueue<Deadline> deadlines =
      new PriorityQueue<>(
          Comparator.comparingLong(Deadline::hlc)
              .thenComparing(Deadline::question, Questions.BY_NAME));

  private long lastHlc = HlcTimestamp.MIN_PACKED;

  /** When a question's run may qualify; a later run of it may have taken the place by then. */
  private record Deadline(long hlc, Question question) {}

  /** Notes when the question's run will have lasted long enough, unless it is noted or has. */
  void await(Question question) {
    if (question.run().isYoung() && !question.isAwaited()) {
      question.setAwaited(true);
      deadlines.add(new Deadline(question.run().deadline(), question));
    }
  }

  /** Takes the question whose deadline was the first up to a stamp; null if there is none. */
  @Nullable Question poll(long hlc) {
    Deadline first = deadlines.peek();
    if (first == null || first.hlc() > hlc) {
      return null;
    }
    deadlines.remove();
    first.question().setAwaited(false);
    lastHlc = first.hlc();
    return first.question();
  }

  /** The deadline of the question that was taken last, packed. */
  long lastHlc() {
    return lastHlc;
  }
}
