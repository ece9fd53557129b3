// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.Incompleteness.Contradicting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages whose receipts have a stamp at or below that of their send, which no clock that is
 * carried with messages gives out. Events may come in any order; a bounded number of messages waits
 * for its other end. Thread-safe.
 */
public final class MessageOrder {
  /*
   * An identity may be used for several messages. A receipt contradicts a send only if it has no
   * earlier send of its own, and the send no later receipt.
   */

  /** The most bytes of messages that are remembered; the oldest are forgotten. */
  static final long MAX_BYTES = 32L << 20;

  private static final long BYTES_OF_MESSAGE = 160;
  private static final long BYTES_OF_END = 48;

  /** With more ends, an identity does not distinguish messages. */
  private static final int MAX_ENDS = 64;

  private final long maxBytes;
  private final Map<String, Message> messages = new LinkedHashMap<>();
  private final Map<Pair, Count> counts = new HashMap<>();
  private long bytes;

  /** The direction of a message. */
  private record Pair(String sender, String receiver) {}

  /** The contradictions of a direction. */
  private static final class Count {
    private long number;
    private long fromHlc = Long.MAX_VALUE;
    private long toHlc = Long.MIN_VALUE;
  }

  private static final class Message {
    private final List<MessageEnd> sends = new ArrayList<>(1);
    private final List<MessageEnd> receipts = new ArrayList<>(1);
    private List<Pair> counted = List.of();
  }

  /** The messages of no events. */
  public MessageOrder() {
    this(MAX_BYTES);
  }

  MessageOrder(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Adds an event; only sends and receipts matter. */
  public synchronized void add(Event event) {
    boolean isSend = event.body() instanceof EventBody.Send;
    if (isSend || event.body() instanceof EventBody.Receive) {
      add(MessageEnd.of(event), isSend);
    }
  }

  /** Adds a row of a block; only sends and receipts matter. */
  public synchronized void add(EventBlock block, int row) {
    boolean isSend = block.kind(row) == EventKind.SEND;
    if (isSend || block.kind(row) == EventKind.RECEIVE) {
      int change = block.firstChange(row);
      String node = block.nodes().get(block.nodeIndex(row));
      add(new MessageEnd(block.text(change + 1), node, block.text(change), block.hlc(row)), isSend);
    }
  }

  private void add(MessageEnd end, boolean isSend) {
    Message message = messages.computeIfAbsent(end.id(), this::create);
    List<MessageEnd> ends = isSend ? message.sends : message.receipts;
    if (message.sends.size() + message.receipts.size() >= MAX_ENDS || ends.contains(end)) {
      return;
    }
    ends.add(end);
    bytes += BYTES_OF_END;
    if (!message.sends.isEmpty() && !message.receipts.isEmpty()) {
      count(message);
    }
    forget();
  }

  private Message create(String id) {
    bytes += BYTES_OF_MESSAGE + 2L * id.length();
    return new Message();
  }

  private void forget() {
    while (bytes > maxBytes && messages.size() > 1) {
      Map.Entry<String, Message> oldest = messages.entrySet().iterator().next();
      Message message = oldest.getValue();
      bytes -= BYTES_OF_MESSAGE + 2L * oldest.getKey().length();
      bytes -= BYTES_OF_END * (message.sends.size() + message.receipts.size());
      messages.remove(oldest.getKey());
    }
  }

  /** Counts the contradictions of a message again: a further end may resolve one. */
  private void count(Message message) {
    for (Pair pair : message.counted) {
      Count count = counts.get(pair);
      if (count != null && --count.number == 0) {
        counts.remove(pair);
      }
    }
    message.counted = List.of();
    for (MessageEnd receipt : message.receipts) {
      MessageEnd send = contradicted(message, receipt);
      if (send != null) {
        Pair pair = new Pair(send.node(), receipt.node());
        Count count = counts.computeIfAbsent(pair, direction -> new Count());
        count.number++;
        count.fromHlc = Math.min(count.fromHlc, receipt.hlc());
        count.toHlc = Math.max(count.toHlc, send.hlc());
        List<Pair> more = new ArrayList<>(message.counted);
        more.add(pair);
        message.counted = more;
      }
    }
  }

  /** The send that a receipt contradicts; null if there is none. */
  private static @Nullable MessageEnd contradicted(Message message, MessageEnd receipt) {
    MessageEnd found = null;
    for (MessageEnd send : message.sends) {
      if (send.agreesWith(receipt)) {
        if (send.hlc() < receipt.hlc()) {
          return null;
        }
        if (!isReceivedLater(message, send) && (found == null || send.hlc() < found.hlc())) {
          found = send;
        }
      }
    }
    return found;
  }

  private static boolean isReceivedLater(Message message, MessageEnd send) {
    return message.receipts.stream().anyMatch(send::canBeSendOf);
  }

  /** The contradictions so far, of each direction. */
  public synchronized List<Incompleteness> contradictions() {
    List<Incompleteness> found = new ArrayList<>();
    counts.forEach(
        (pair, count) ->
            found.add(
                new Contradicting(
                    pair.sender,
                    pair.receiver,
                    new HlcRange(count.fromHlc, count.toHlc),
                    count.number)));
    found.sort((a, b) -> a.sentence().compareTo(b.sentence()));
    return found;
  }
}
