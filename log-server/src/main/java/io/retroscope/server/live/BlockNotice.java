// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.event.EventBlock;
import java.util.List;

/**
 * What live queries need of a block of one node that is stored at another server. Immutable.
 *
 * @param logs of its events; those of starts and stops have no name
 * @param firstHlc packed, its lowest stamp
 * @param physicalMicros the clock reading of its last event; {@code Event.NO_PHYSICAL} if it has
 *     none
 */
public record BlockNotice(String node, List<String> logs, long firstHlc, long physicalMicros) {
  /** Copies the logs. */
  public BlockNotice {
    logs = List.copyOf(logs);
  }

  /** The notice of a block of one node that has events. */
  public static BlockNotice of(EventBlock block) {
    return new BlockNotice(
        block.nodes().get(0),
        block.logs(),
        block.firstHlc(),
        block.physicalMicros(block.size() - 1));
  }
}
