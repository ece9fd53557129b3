// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.server.store.run.StoreConflictException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A block that the server created, and its bytes. */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record MadeBlock(EventBlock block, byte[] bytes) {
  /** The largest number of events in a block that the server creates. */
  static final int MAX_EVENTS = 4096;

  /**
   * Creates blocks of events, separate for each incarnation.
   *
   * @throws StoreConflictException if an event is too large for any block
   */
  static void of(List<Event> sorted, Consumer<MadeBlock> consumer) {
    Map<String, List<Event>> runs = new LinkedHashMap<>();
    sorted.forEach(
        event -> runs.computeIfAbsent(event.incarnation(), run -> new ArrayList<>()).add(event));
    runs.forEach(
        (run, own) -> {
          for (int from = 0; from < own.size(); from += MAX_EVENTS) {
            of(run, own.subList(from, Math.min(own.size(), from + MAX_EVENTS)), consumer);
          }
        });
  }

  /** Creates blocks of the rows of a stored block that are above a stamp. */
  static void above(long hlc, EventBlock block, Consumer<MadeBlock> consumer) {
    List<Event> later = new ArrayList<>();
    for (int row = block.firstAt(hlc + 1); row < block.size(); row++) {
      later.add(block.event(row).of(block.incarnation(block.nodeIndex(row))));
    }
    of(later, consumer);
  }

  void store(StoreState state, Changes changes) {
    changes.addBlock(state.nextBlockId(), block, bytes);
  }

  /**
   * Puts the block into quarantine. No node has sent it, so that its heartbeat is free for the time
   * of its arrival.
   *
   * @param arrivedHlc packed, the server's clock
   */
  void quarantine(StoreState state, Changes changes, long arrivedHlc) {
    EventBlockBuilder builder =
        new EventBlockBuilder(block.size())
            .incarnation(block.incarnation(), 0)
            .promise(arrivedHlc, 0);
    block.events().forEach(builder::add);
    changes.quarantine(state.nextBlockId(), builder.build());
  }

  private static void of(String run, List<Event> events, Consumer<MadeBlock> consumer) {
    MadeBlock made;
    try {
      EventBlockBuilder builder = new EventBlockBuilder(events.size()).incarnation(run, 0);
      events.forEach(builder::add);
      EventBlock block = builder.build();
      made = new MadeBlock(block, EventBlockCodec.encode(block));
    } catch (IllegalArgumentException | IllegalStateException e) {
      // A few large events may fit into two blocks of half the size.
      if (events.size() == 1) {
        throw new StoreConflictException(
            "an event of node \"" + events.get(0).node() + "\" is too large: " + e.getMessage());
      }
      of(run, events.subList(0, events.size() / 2), consumer);
      of(run, events.subList(events.size() / 2, events.size()), consumer);
      return;
    }
    consumer.accept(made);
  }
}
