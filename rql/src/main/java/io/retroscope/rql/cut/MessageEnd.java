// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;

/**
 * One end of a message: its send or a receipt of it. Immutable.
 *
 * @param id the identity of the message, which nodes may use for several messages
 * @param node the node that recorded the end
 * @param peer the node at the other end; empty if it is not recorded
 * @param hlc packed
 */
public record MessageEnd(String id, String node, String peer, long hlc) {
  /** The end that an event records. */
  public static MessageEnd of(Event event) {
    if (event.body() instanceof Send send) {
      return new MessageEnd(send.id(), event.node(), send.to(), event.hlc());
    }
    if (event.body() instanceof Receive receive) {
      return new MessageEnd(receive.id(), event.node(), receive.from(), event.hlc());
    }
    throw new IllegalArgumentException("no end of a message: " + event);
  }

  /** Whether this send and a receipt agree on identity and nodes, whatever their stamps are. */
  public boolean agreesWith(MessageEnd receipt) {
    return id.equals(receipt.id)
        && (peer.isEmpty() || peer.equals(receipt.node))
        && (receipt.peer.isEmpty() || receipt.peer.equals(node));
  }

  /** Whether this can be the send of a receipt: both agree, and it has the lower stamp. */
  public boolean canBeSendOf(MessageEnd receipt) {
    return hlc < receipt.hlc && agreesWith(receipt);
  }
}
