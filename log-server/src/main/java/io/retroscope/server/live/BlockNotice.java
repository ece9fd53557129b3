// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import java.util.List;

/**
 * What live queries need of a block that is stored at another server. Immutable.
 *
 * @param nodes of its events, that of the first one first
 * @param logs of its events; those of starts and stops have no name
 * @param firstHlc packed, its lowest stamp
 * @param lastHlc packed, its highest stamp
 * @param physicalMicros the clock reading of its last event; {@code Event.NO_PHYSICAL} if it has
 *     none, or if the server made the block of lines of several nodes
 */
public record BlockNotice(
    List<String> nodes, List<String> logs, long firstHlc, long lastHlc, long physicalMicros) {
  /** Of blocks that no server remembers, which may be of any log and stamp. */
  public static final BlockNotice ANY =
      new BlockNotice(
          List.of(""),
          List.of(""),
          HlcTimestamp.MIN_PACKED,
          HlcTimestamp.MAX_PACKED,
          Event.NO_PHYSICAL);

  /** Copies the lists. */
  public BlockNotice {
    nodes = List.copyOf(nodes);
    logs = List.copyOf(logs);
  }

  /** The notice of a block that has events. */
  public static BlockNotice of(EventBlock block) {
    List<String> nodes = block.nodes();
    long reading = nodes.size() == 1 ? block.physicalMicros(block.size() - 1) : Event.NO_PHYSICAL;
    return new BlockNotice(nodes, block.logs(), block.firstHlc(), block.lastHlc(), reading);
  }
}
