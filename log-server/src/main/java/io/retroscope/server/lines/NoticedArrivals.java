// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.live.BlockNotice;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.PartitionException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The arrivals at several servers, of which notices come here. The events are read in the ranges of
 * the noticed blocks; those of a block that overlaps an earlier one of its node come again.
 */
public final class NoticedArrivals implements Arrivals {
  /** The time for which a partition that no server has is waited for. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final EventSource present;
  private final MonotonicClock clock;
  private final Set<NoticedArrivals> notified;
  private final List<BlockNotice> noticed = new ArrayList<>();
  private boolean leftBehind;
  private boolean isIncomplete;

  // Of the thread that takes.
  private final List<BlockNotice> wanted = new ArrayList<>();
  private Optional<String> unreadable = Optional.empty();
  private boolean isNoted = true;
  private long failedNanos;

  private NoticedArrivals(
      Set<NoticedArrivals> notified, EventSource present, MonotonicClock clock) {
    this.notified = notified;
    this.present = present;
    this.clock = clock;
  }

  /**
   * Begins to listen.
   *
   * @param notified those that are notified, in which it is until it is closed
   * @param present views that contain everything that was noticed
   */
  public static NoticedArrivals among(
      Set<NoticedArrivals> notified, EventSource present, MonotonicClock clock) {
    NoticedArrivals arrivals = new NoticedArrivals(notified, present, clock);
    notified.add(arrivals);
    return arrivals;
  }

  /** Notes that a block was stored. Any thread may call it. */
  public synchronized void noticed(BlockNotice block) {
    isIncomplete |= block.equals(BlockNotice.ANY);
    leftBehind |= noticed.size() == MAX_WAITING;
    if (!leftBehind && !isIncomplete) {
      noticed.add(block);
    }
  }

  @Override
  public void take(Consumer<Event> sink) {
    wanted.addAll(takeNoticed());
    if (wanted.size() > MAX_WAITING) {
      throw LineException.tooFast();
    }
    if (wanted.isEmpty()) {
      return;
    }
    try (EventSource.View view = present.open()) {
      Set<String> logs = LineHistory.logs(view, Set.of());
      Map<String, List<HlcRange>> own = new HashMap<>();
      for (BlockNotice block : wanted) {
        HlcRange range = new HlcRange(block.firstHlc(), block.lastHlc());
        block
            .nodes()
            .forEach(node -> own.computeIfAbsent(node, name -> new ArrayList<>()).add(range));
      }
      int count = 0;
      for (HlcRange range : ranges()) {
        count += pass(view.scan(logs, range), own, sink);
        if (count > MAX_WAITING) {
          throw LineException.tooFast();
        }
      }
      wanted.clear();
      unreadable = Optional.empty();
    } catch (PartitionException e) {
      await(e);
    }
  }

  private synchronized List<BlockNotice> takeNoticed() {
    if (leftBehind) {
      throw LineException.tooFast();
    }
    if (isIncomplete) {
      throw new LineException(
          "it is not known which lines were stored while a partition moved, so the output ends here:"
              + " request the lines again");
    }
    List<BlockNotice> taken = List.copyOf(noticed);
    noticed.clear();
    return taken;
  }

  /** The ranges of the wanted blocks, without overlaps. */
  private List<HlcRange> ranges() {
    wanted.sort(Comparator.comparingLong(BlockNotice::firstHlc));
    List<HlcRange> ranges = new ArrayList<>();
    long from = wanted.get(0).firstHlc();
    long to = HlcTimestamp.MIN_PACKED;
    for (BlockNotice block : wanted) {
      if (block.firstHlc() > to && to >= from) {
        ranges.add(new HlcRange(from, to));
        from = block.firstHlc();
      }
      to = Math.max(to, block.lastHlc());
    }
    ranges.add(new HlcRange(from, to));
    return ranges;
  }

  /** Passes on the events of nodes in their ranges, and returns their number. */
  private static int pass(
      Iterator<Event> events, Map<String, List<HlcRange>> own, Consumer<Event> sink) {
    int count = 0;
    while (events.hasNext() && count <= MAX_WAITING) {
      Event event = events.next();
      boolean isOrdered =
          event.body() instanceof EventBody.LogLine
              || event.body() instanceof EventBody.Send
              || event.body() instanceof EventBody.Receive;
      if (isOrdered
          && own.getOrDefault(event.node(), List.of()).stream()
              .anyMatch(range -> range.contains(event.hlc()))) {
        sink.accept(event);
        count++;
      }
    }
    return count;
  }

  private void await(PartitionException failure) {
    String reason = String.valueOf(failure.getMessage());
    if (unreadable.isEmpty()) {
      failedNanos = clock.nanos();
      isNoted = false;
      unreadable = Optional.of(reason);
    }
    if (clock.nanos() - failedNanos > PATIENCE_NANOS) {
      throw new LineException(reason);
    }
  }

  @Override
  public List<String> notes() {
    if (isNoted) {
      return List.of();
    }
    isNoted = true;
    return unreadable.map(reason -> "lines wait: " + reason).stream().toList();
  }

  @Override
  public void close() {
    notified.remove(this);
  }
}
