// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.align.StepGaps.Gap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The parts of a node's events that have arrived, and the places at which the node's clock was set
 * back: its readings fell from one event to the next. Not thread-safe.
 */
final class ReadingParts {
  /*
   * The events of a part arrive in the order of their stamps, but a part may arrive after a later
   * one: a server reads its stored events while new ones arrive, and a node that has started again
   * sends what the run before had not sent. From the last event of a part to the first one of the
   * next, more may arrive. A fall there is a fall for whoever asks; that of a start is reported at
   * once, and the others when the parts are complete.
   *
   * HAZARD: an event that arrives after a later one of its part is ignored.
   */

  /** The smallest decrease of the readings from one stamp to the next that counts as a step. */
  static final long LEAST_STEP_MICROS = 1_000;

  /** The most parts that are kept; the two oldest become one. */
  static final int MAX_PARTS = 64;

  private final List<Part> parts = new ArrayList<>();
  private boolean starts;

  /**
   * A fall of the readings.
   *
   * @param sizeMicros by how much
   * @param stampMicros the physical part of the last stamp before it
   * @param gap from the instant of the event before it to just before that of the event after it
   */
  record Fall(long sizeMicros, long stampMicros, Gap gap) {}

  /** Events with ascending stamps. */
  private static final class Part {
    private final long firstHlc;
    private final long firstReadingMicros;
    private final double firstTimeMicros;
    private long lastHlc;
    private long lastReadingMicros;
    private double lastTimeMicros;

    /** Whether the fall to the next part, if there is one, was reported. */
    private boolean isReported;

    Part(long hlc, long readingMicros, double timeMicros) {
      firstHlc = hlc;
      firstReadingMicros = readingMicros;
      firstTimeMicros = timeMicros;
      extend(hlc, readingMicros, timeMicros);
    }

    void extend(long hlc, long readingMicros, double timeMicros) {
      lastHlc = hlc;
      lastReadingMicros = readingMicros;
      lastTimeMicros = timeMicros;
    }

    Optional<Fall> fallTo(Part next) {
      return fallTo(next.firstReadingMicros, next.firstTimeMicros);
    }

    Optional<Fall> fallTo(long readingMicros, double timeMicros) {
      long sizeMicros = lastReadingMicros - readingMicros;
      return sizeMicros < LEAST_STEP_MICROS
          ? Optional.empty()
          : Optional.of(
              new Fall(
                  sizeMicros,
                  HlcTimestamp.micros(lastHlc),
                  new Gap(lastTimeMicros, Math.nextDown(timeMicros))));
    }
  }

  /** Notes that the next event is a start: more of the run before it may arrive. */
  void start() {
    starts = true;
  }

  /**
   * Adds an event with a reading.
   *
   * @return the falls that it shows, mostly none
   */
  List<Fall> add(long hlc, long readingMicros, double timeMicros) {
    boolean isStart = starts;
    starts = false;
    int at = parts.size() - 1;
    while (at >= 0 && parts.get(at).firstHlc > hlc) {
      at--;
    }
    if (at < 0) {
      return insert(0, new Part(hlc, readingMicros, timeMicros));
    }
    Part part = parts.get(at);
    if (hlc <= part.lastHlc) {
      return List.of();
    }
    boolean falls = part.lastReadingMicros - readingMicros >= LEAST_STEP_MICROS;
    List<Fall> found =
        falls && !part.isReported
            ? List.of(part.fallTo(readingMicros, timeMicros).orElseThrow())
            : List.of();
    if (!isStart) {
      part.extend(hlc, readingMicros, timeMicros);
      return found;
    }
    Part begun = new Part(hlc, readingMicros, timeMicros);
    begun.isReported = part.isReported;
    part.isReported |= falls;
    List<Fall> all = new ArrayList<>(insert(at + 1, begun));
    all.addAll(found);
    return all;
  }

  /** Inserts a part; returns the fall between two that become one, unless it was reported. */
  private List<Fall> insert(int at, Part part) {
    parts.add(at, part);
    if (parts.size() <= MAX_PARTS) {
      return List.of();
    }
    Part first = parts.get(0);
    Part second = parts.remove(1);
    Optional<Fall> between = first.isReported ? Optional.empty() : first.fallTo(second);
    first.extend(second.lastHlc, second.lastReadingMicros, second.lastTimeMicros);
    first.isReported = second.isReported;
    return between.stream().toList();
  }

  /**
   * Whether the readings fell, after one instant and not after another, from a part to the next.
   */
  boolean fallBetweenParts(double fromMicros, double toMicros) {
    for (int i = 1; i < parts.size(); i++) {
      Optional<Fall> fall = parts.get(i - 1).fallTo(parts.get(i));
      if (fall.isPresent() && fall.get().gap().meets(fromMicros, toMicros)) {
        return true;
      }
    }
    return false;
  }

  /** The parts are complete: returns the falls between them that were not returned before. */
  List<Fall> join() {
    List<Fall> falls = new ArrayList<>();
    for (int i = 1; i < parts.size(); i++) {
      Part part = parts.get(i - 1);
      Optional<Fall> fall = part.isReported ? Optional.empty() : part.fallTo(parts.get(i));
      part.isReported |= fall.isPresent();
      fall.ifPresent(falls::add);
    }
    return falls;
  }
}
