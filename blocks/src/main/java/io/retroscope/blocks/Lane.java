package io.retroscope.blocks;

import io.retroscope.event.EventBlock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** A sequence of blocks of which each begins after the one before ends. Used by one thread. */
final class Lane {
  private final List<EventBlock> blocks = new ArrayList<>();
  private final List<Integer> numbers = new ArrayList<>();
  private final String log;
  private long lastHlc;

  private int at;
  private EventBlock block;
  private boolean[] wantedLogs = new boolean[0];
  private int row;
  private long hlc;
  private boolean ended;

  private Lane(String log, EventBlock first, int number) {
    this.log = log;
    block = first;
    append(first, number);
  }

  private void append(EventBlock next, int number) {
    blocks.add(next);
    numbers.add(number);
    lastHlc = next.lastHlc();
  }

  /** Distributes blocks over as few lanes as possible, and moves each lane to its first row. */
  static List<Lane> of(List<EventBlock> blocks, String log) {
    List<Integer> sorted = new ArrayList<>();
    for (int i = 0; i < blocks.size(); i++) {
      if (!blocks.get(i).isEmpty()) {
        sorted.add(i);
      }
    }
    sorted.sort(Comparator.comparingLong(i -> blocks.get(i).firstHlc()));
    List<Lane> lanes = new ArrayList<>();
    PriorityQueue<Lane> byEnd = new PriorityQueue<>(Comparator.comparingLong(lane -> lane.lastHlc));
    for (int number : sorted) {
      EventBlock block = blocks.get(number);
      Lane free = byEnd.peek();
      if (free != null && free.lastHlc < block.firstHlc()) {
        byEnd.remove();
        free.append(block, number);
        byEnd.add(free);
      } else {
        Lane lane = new Lane(log, block, number);
        lanes.add(lane);
        byEnd.add(lane);
      }
    }
    lanes.forEach(Lane::open);
    return lanes;
  }

  /** Whether there is no row. */
  boolean isEnded() {
    return ended;
  }

  /** The packed stamp of the present row. */
  long hlc() {
    return hlc;
  }

  /** The index of the present row in its block. */
  int row() {
    return row;
  }

  /** The index of the present block among those that were distributed. */
  int number() {
    return numbers.get(at);
  }

  private void open() {
    wantedLogs = Arrival.wantedLogs(block, log);
    row = -1;
    advance();
  }

  /** Moves to the next row that is wanted. */
  void advance() {
    while (true) {
      while (++row < block.size()) {
        if (Arrival.isWanted(block, wantedLogs, row)) {
          hlc = block.hlc(row);
          return;
        }
      }
      if (++at == blocks.size()) {
        ended = true;
        return;
      }
      block = blocks.get(at);
      wantedLogs = Arrival.wantedLogs(block, log);
      row = -1;
    }
  }
}
