// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import java.util.List;

/**
 * What live queries need of a block that is stored at another server. Immutable.
 *
 * @param node of its first event
 * @param logs of its events; those of starts and stops have no name
 * @param firstHlc packed, its lowest stamp
 * @param physicalMicros the clock reading of its last event; {@code Event.NO_PHYSICAL} if it has
 *     none, or if the server made the block of lines of several nodes
 */
public record BlockNotice(String node, List<String> logs, long firstHlc, long physicalMicros) {
  /** Copies the logs. */
  public BlockNotice {
    logs = List.copyOf(logs);
  }

  /** The notice of a block that has events. */
  public static BlockNotice of(EventBlock block) {
    List<String> nodes = block.nodes();
    long reading = nodes.size() == 1 ? block.physicalMicros(block.size() - 1) : Event.NO_PHYSICAL;
    return new BlockNotice(nodes.get(0), block.logs(), block.firstHlc(), reading);
  }
}
