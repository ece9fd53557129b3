// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Blocks of lines of one node, whose stamps ascend in each block. If the lines do not name their
 * runs, a store finds these from each block alone: a line belongs to the start before it.
 */
final class LineBlocks {
  /** The starts and stops that a block repeats: far more than a node has runs at a time. */
  private static final int MAX_REPEATED = 1_000;

  private static final Comparator<Event> BY_STAMP = Comparator.comparingLong(Event::hlc);

  private final String run;
  private final Consumer<EventBlock> consumer;

  private LineBlocks(String run, Consumer<EventBlock> consumer) {
    this.run = run;
    this.consumer = consumer;
  }

  /**
   * Adds the blocks of lines.
   *
   * @param run its name; empty if the lines do not name it
   * @param lines in their order
   */
  static void add(String run, List<Event> lines, Consumer<EventBlock> consumer) {
    LineBlocks blocks = new LineBlocks(run, consumer);
    if (!run.isEmpty() || lines.stream().noneMatch(LineBlocks::isStart)) {
      blocks.add(lines.stream());
    } else if (isAscending(lines)) {
      blocks.addAscending(lines);
    } else {
      blocks.addByStarts(lines);
    }
  }

  private static boolean isStart(Event event) {
    return event.body() instanceof EventBody.Start;
  }

  /** Whether no line is below the one before, so that the last start before each is its own. */
  private static boolean isAscending(List<Event> lines) {
    for (int i = 1; i < lines.size(); i++) {
      if (lines.get(i).hlc() < lines.get(i - 1).hlc()) {
        return false;
      }
    }
    return true;
  }

  private void add(Stream<Event> lines) {
    CutPieces.addBlocks(run, lines.sorted(BY_STAMP).toList(), consumer);
  }

  /** Each block repeats the starts and stops before it, which show whether runs overlap. */
  private void addAscending(List<Event> lines) {
    Deque<Event> before = new ArrayDeque<>();
    CutPieces.addBlocks(
        run,
        lines,
        block -> {
          consumer.accept(following(before, block));
          block.events().stream()
              .filter(event -> isStart(event) || event.body() instanceof EventBody.Stop)
              .forEach(before::add);
          while (before.size() > MAX_REPEATED) {
            before.remove();
          }
        });
  }

  private void addByStarts(List<Event> lines) {
    int from = 0;
    for (int i = 1; i <= lines.size(); i++) {
      if (i == lines.size() || isStart(lines.get(i))) {
        List<Event> part = lines.subList(from, i);
        if (isStart(part.get(0))) {
          addFrom(part.get(0), part.subList(1, part.size()));
        } else {
          add(part.stream());
        }
        from = i;
      }
    }
  }

  /** Lines below a start are of an earlier run. Each block of the others repeats the start. */
  private void addFrom(Event start, List<Event> lines) {
    add(lines.stream().filter(line -> line.hlc() < start.hlc()));
    List<Event> own =
        lines.stream().filter(line -> line.hlc() >= start.hlc()).sorted(BY_STAMP).toList();
    if (own.isEmpty()) {
      add(Stream.of(start));
    } else {
      CutPieces.addBlocks(run, own, block -> consumer.accept(following(List.of(start), block)));
    }
  }

  private EventBlock following(Collection<Event> before, EventBlock block) {
    List<Event> events = new ArrayList<>(before);
    events.addAll(block.events());
    EventBlockBuilder builder = new EventBlockBuilder(events.size()).incarnation(run, 0);
    events.forEach(builder::add);
    return builder.buildAsAdded();
  }
}
