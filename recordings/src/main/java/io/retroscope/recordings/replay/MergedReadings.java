// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.replay;

import io.retroscope.rql.cut.Incompleteness;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The readings of several sources, merged by their times; those of each source keep their order.
 * Files of one node, such as rotated logs, so become one sequence. A source is opened when its
 * first time is reached. Used by one thread.
 */
public final class MergedReadings implements ReadingSource {
  private final PriorityQueue<Cursor> cursors = new PriorityQueue<>();
  private final List<Incompleteness> reasons = new ArrayList<>();

  /** A source that can be opened. */
  public interface Opening {
    /** A time that no reading of the source precedes by much, in microseconds. */
    long firstMicros();

    /** Opens it. */
    ReadingSource open() throws IOException;
  }

  /** A source with its next reading. */
  private static final class Cursor implements Comparable<Cursor> {
    private final int index;
    private final Opening opening;
    private long highestMicros;
    private @Nullable ReadingSource source;
    private @Nullable ClockReading next;

    Cursor(int index, Opening opening) {
      this.index = index;
      this.opening = opening;
      highestMicros = opening.firstMicros();
    }

    @Override
    public int compareTo(Cursor other) {
      int byTime = Long.compare(highestMicros, other.highestMicros);
      return byTime == 0 ? Integer.compare(index, other.index) : byTime;
    }
  }

  /** A merge of sources; of readings with equal times, those of an earlier source come first. */
  public MergedReadings(List<? extends Opening> openings) {
    for (int i = 0; i < openings.size(); i++) {
      cursors.add(new Cursor(i, openings.get(i)));
    }
  }

  @Override
  public @Nullable ClockReading next() throws IOException {
    while (!cursors.isEmpty()) {
      Cursor cursor = cursors.remove();
      ReadingSource source = cursor.source;
      ClockReading reading = cursor.next;
      if (source == null) {
        source = cursor.opening.open();
        cursor.source = source;
      }
      ClockReading after = source.next();
      cursor.next = after;
      if (after != null) {
        cursor.highestMicros = Math.max(cursor.highestMicros, after.micros());
        cursors.add(cursor);
      } else {
        reasons.addAll(source.reasons());
        source.close();
      }
      if (reading != null) {
        return reading;
      }
    }
    return null;
  }

  @Override
  public List<Incompleteness> reasons() {
    return reasons;
  }

  @Override
  public void close() throws IOException {
    for (Cursor cursor : cursors) {
      if (cursor.source != null) {
        cursor.source.close();
      }
    }
    cursors.clear();
  }
}
