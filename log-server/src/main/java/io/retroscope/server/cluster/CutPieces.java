// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Cuts events that are ordered by stamp into pieces. Used by one thread. */
final class CutPieces {
  /** The usual size. */
  static final int EVENTS = 4_096;

  /** The number of events of a block, which bounds its size as that of a block in the store. */
  private static final int MAX_BLOCK_EVENTS = 4_096;

  private final Iterator<Event> events;
  private final int size;
  private int number;
  private @Nullable Event pending;

  /**
   * Pieces of events.
   *
   * @param events ordered by stamp, each with its incarnation if that is known
   * @param size the number of events from which on a piece takes no further stamp
   */
  CutPieces(Iterator<Event> events, int size) {
    this.events = events;
    this.size = size;
  }

  /** Returns the next piece; null after the last one. */
  @Nullable Piece next() {
    Map<String, List<Event>> runs = new LinkedHashMap<>();
    int count = 0;
    long first = 0;
    long last = 0;
    for (Event event = take(); event != null; event = take()) {
      if (count >= size && event.hlc() != last) {
        pending = event;
        break;
      }
      first = count == 0 ? event.hlc() : first;
      runs.computeIfAbsent(event.incarnation(), run -> new ArrayList<>()).add(event);
      last = event.hlc();
      count++;
    }
    if (count == 0) {
      return null;
    }
    List<PieceBlock> blocks = new ArrayList<>();
    runs.forEach(
        (run, own) -> addBlocks(run, own, block -> blocks.add(new PieceBlock.Decoded(block))));
    return new Piece(++number, first, last, blocks);
  }

  private @Nullable Event take() {
    Event next = pending;
    pending = null;
    return next != null || !events.hasNext() ? next : events.next();
  }

  /** Adds blocks of the events of one run, which are ordered by stamp. */
  static void addBlocks(String run, List<Event> events, Consumer<EventBlock> consumer) {
    for (int from = 0; from < events.size(); from += MAX_BLOCK_EVENTS) {
      int to = Math.min(events.size(), from + MAX_BLOCK_EVENTS);
      addBlock(run, events.subList(from, to), consumer);
    }
  }

  /** Adds a block that can be encoded; a few large events may need two. */
  private static void addBlock(String run, List<Event> events, Consumer<EventBlock> consumer) {
    EventBlock block;
    try {
      EventBlockBuilder builder = new EventBlockBuilder(events.size()).incarnation(run, 0);
      events.forEach(builder::add);
      block = builder.buildAsAdded();
      if (block.memoryBytes() > EventBlockCodec.MAX_PAYLOAD_BYTES / 2 && events.size() > 1) {
        throw new IllegalStateException("the block may be too large to be sent");
      }
    } catch (IllegalArgumentException | IllegalStateException e) {
      if (events.size() == 1) {
        throw e;
      }
      addBlock(run, events.subList(0, events.size() / 2), consumer);
      addBlock(run, events.subList(events.size() / 2, events.size()), consumer);
      return;
    }
    consumer.accept(block);
  }
}
