// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.MomentaryVariables;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The stored log lines. Used by one thread. */
public final class LineHistory {
  /**
   * The largest distance between an aligned time and the physical part of its stamp: stamps further
   * ahead of a clock are refused by default.
   */
  static final long REACH_MICROS = 60_000_000;

  /**
   * The range that is first searched for the last lines; further ranges are longer by a constant
   * factor.
   */
  private static final long FIRST_RANGE_MICROS = 1_000_000;

  private static final int RANGE_FACTOR = 8;

  /** The number of names in a message. */
  private static final int MAX_NAMED = 20;

  private final EventSource.View view;
  private final LineRequest request;
  private final long nowMicros;
  private final long nowNanos;

  /**
   * The lines of a view.
   *
   * @param nowMicros the time that "ago" refers to
   * @param nowNanos the time from which lines are held back
   */
  LineHistory(EventSource.View view, LineRequest request, long nowMicros, long nowNanos) {
    this.view = view;
    this.request = request;
    this.nowMicros = nowMicros;
    this.nowNanos = nowNanos;
  }

  /**
   * Passes all lines of a request to a sink, in order.
   *
   * @param nowMicros the time that "ago" refers to
   * @param sink receives a line and returns whether it wants more
   * @return sentences about levels of lines that cannot be judged
   * @throws LineException if the request cannot be answered
   */
  public static List<String> give(
      EventSource.View view, LineRequest request, long nowMicros, Predicate<AlignedLine> sink) {
    checkNames("node", request.nodes(), view.nodes().stream().map(Catalog.NodeDescription::name));
    checkNames("log", request.logs(), view.logs().stream().map(Catalog.LogDescription::name));
    LineMerge merge = new LineHistory(view, request, nowMicros, 0).begin(sink);
    boolean more = true;
    for (Optional<AlignedLine> line = all(merge); more && line.isPresent(); line = all(merge)) {
      more = sink.test(line.get());
    }
    return merge.notes();
  }

  private static void checkNames(String kind, Set<String> wanted, Stream<String> known) {
    List<String> names = known.toList();
    for (String name : wanted) {
      if (!names.contains(name)) {
        throw new LineException(
            "nothing is stored for "
                + kind
                + " "
                + name
                + (names.isEmpty()
                    ? ""
                    : "; there is "
                        + String.join(", ", names.subList(0, Math.min(MAX_NAMED, names.size())))
                        + (names.size() > MAX_NAMED ? " and more" : "")));
      }
    }
  }

  private static Optional<AlignedLine> all(LineMerge merge) {
    return merge.poll(Long.MAX_VALUE, 0);
  }

  /**
   * Passes on the lines whose position is certain.
   *
   * @return holds the others, and accepts later events
   */
  LineMerge begin(Predicate<AlignedLine> sink) {
    Optional<HlcRange> extent = view.extent();
    if (extent.isEmpty()) {
      return newMerge();
    }
    HlcRange wanted = range(request, nowMicros);
    HlcRange range = new HlcRange(Math.max(wanted.from(), extent.get().from()), wanted.to());
    return request.last().isPresent()
        ? beginWithLast(
            range, Math.min(range.to(), extent.get().to()), request.last().getAsInt(), sink)
        : walk(range, sink);
  }

  private static HlcRange range(LineRequest request, long nowMicros) {
    return new HlcRange(
        request
            .since()
            .map(t -> stamp(t.at(nowMicros) - REACH_MICROS))
            .orElse(HlcTimestamp.MIN_PACKED),
        request
            .until()
            .map(t -> stamp(t.at(nowMicros) + REACH_MICROS))
            .orElse(HlcTimestamp.MAX_PACKED));
  }

  /**
   * Warnings that an answer must contain: parts of the range that are damaged or no longer stored.
   * More may be known after the lines have been read.
   */
  public static List<String> warnings(EventSource.View view, LineRequest request, long nowMicros) {
    return view.warnings(range(request, nowMicros));
  }

  private LineMerge beginWithLast(
      HlcRange range, long end, int count, Predicate<AlignedLine> sink) {
    long length = FIRST_RANGE_MICROS;
    while (true) {
      long from = Math.max(range.from(), stamp(HlcTimestamp.micros(end) - length));
      ArrayDeque<AlignedLine> last = new ArrayDeque<>();
      LineMerge merge = walk(new HlcRange(from, range.to()), line -> keep(line, last, count));
      if (from == range.from() || last.size() + merge.heldCount() >= count) {
        for (int held = merge.heldCount(); held > count; held--) {
          Optional<AlignedLine> unused = all(merge);
        }
        while (last.size() + merge.heldCount() > count) {
          last.remove();
        }
        boolean more = true;
        while (more && !last.isEmpty()) {
          more = sink.test(last.remove());
        }
        return merge;
      }
      length *= RANGE_FACTOR;
    }
  }

  private static boolean keep(AlignedLine line, ArrayDeque<AlignedLine> last, int count) {
    last.add(line);
    if (last.size() > count) {
      last.remove();
    }
    return true;
  }

  private LineMerge walk(HlcRange range, Predicate<AlignedLine> sink) {
    LineMerge merge = newMerge();
    boolean more = true;
    Iterator<Event> events = view.scan(logs(view, request.logs()), range);
    while (more && events.hasNext()) {
      Event event = events.next();
      merge.add(event, nowNanos);
      long horizon = HlcTimestamp.micros(event.hlc()) - REACH_MICROS;
      Optional<AlignedLine> line = merge.poll(horizon, nowNanos - 1);
      while (more && line.isPresent()) {
        more = sink.test(line.get());
        line = merge.poll(horizon, nowNanos - 1);
      }
    }
    return merge;
  }

  private LineMerge newMerge() {
    return new LineMerge(request, view.clockOffsets(), nowMicros);
  }

  /**
   * The logs with lines and those with messages, which are needed to order a cause before its
   * effect.
   *
   * @param wanted the only logs whose lines are wanted; empty for all
   */
  static Set<String> logs(EventSource.View view, Set<String> wanted) {
    return view.logs().stream()
        .filter(
            log ->
                log.variables().contains(MomentaryVariables.SEND)
                    || log.variables().contains(MomentaryVariables.RECEIVE)
                    || (log.variables().contains(MomentaryVariables.MESSAGE)
                        && (wanted.isEmpty() || wanted.contains(log.name()))))
        .map(Catalog.LogDescription::name)
        .collect(Collectors.toSet());
  }

  private static long stamp(long micros) {
    return HlcTimestamp.pack(Math.max(0, Math.min(HlcTimestamp.MAX_MICROS, micros)));
  }
}
