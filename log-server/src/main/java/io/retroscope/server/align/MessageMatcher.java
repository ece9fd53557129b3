// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Matches sends and receives by message id, whichever arrives first. Remembers a bounded number of
 * ids, the newest ones. Not thread-safe.
 */
final class MessageMatcher {
  /** The number of ends above which an id is ambiguous, so that one id cannot fill the memory. */
  static final int MAX_ENDS = 64;

  private static final End[] NONE = {};

  private final int maxMessages;
  private final LinkedHashMap<String, Ends> messages = new LinkedHashMap<>();

  /**
   * One end of a message.
   *
   * @param node index of the node
   * @param peer the other node's name as recorded in the event, empty if unknown
   * @param hlc packed, the event's stamp
   * @param physicalMicros the node's reading at the event, in microseconds since 1970
   */
  record End(int node, String name, String peer, long hlc, long physicalMicros) {
    private boolean isSameEvent(End other) {
      return node == other.node && hlc == other.hlc;
    }
  }

  /** Receives the matched pairs. */
  interface Matches {
    /** Called for a message from one node to another. */
    void matched(End send, End receive);

    /** Called if a matched pair turns out to be no evidence because its id is ambiguous. */
    void revoked(End send, End receive);
  }

  /** A matcher that remembers up to this many ids, 1 or more. */
  MessageMatcher(int maxMessages) {
    this.maxMessages = maxMessages;
  }

  /** Adds a send. */
  void send(String id, End send, Matches matches) {
    Ends ends = ends(id);
    if (ends.ambiguous || contains(ends.sends, send)) {
      return;
    }
    for (End receive : ends.receives) {
      if (fits(send, receive) && ends.sendOf(receive) != null) {
        ends.forEachMatch(matches::revoked);
        giveUp(ends);
        return;
      }
    }
    ends.sends = plus(ends.sends, send);
    for (End receive : ends.receives) {
      if (fits(send, receive)) {
        matches.matched(send, receive);
      }
    }
    limit(ends);
  }

  /** Adds a receive. */
  void receive(String id, End receive, Matches matches) {
    Ends ends = ends(id);
    if (ends.ambiguous || contains(ends.receives, receive)) {
      return;
    }
    End found = ends.sendOf(receive);
    if (found != null && ends.hasOtherSendOf(receive, found)) {
      giveUp(ends);
      return;
    }
    ends.receives = plus(ends.receives, receive);
    if (found != null) {
      matches.matched(found, receive);
    }
    limit(ends);
  }

  private void limit(Ends ends) {
    if (ends.sends.length + ends.receives.length > MAX_ENDS) {
      giveUp(ends);
    }
  }

  private static boolean contains(End[] ends, End end) {
    for (End other : ends) {
      if (end.isSameEvent(other)) {
        return true;
      }
    }
    return false;
  }

  private static End[] plus(End[] ends, End end) {
    End[] more = Arrays.copyOf(ends, ends.length + 1);
    more[ends.length] = end;
    return more;
  }

  private void giveUp(Ends ends) {
    ends.ambiguous = true;
    ends.sends = NONE;
    ends.receives = NONE;
  }

  private Ends ends(String id) {
    Ends ends = messages.get(id);
    if (ends == null) {
      ends = new Ends();
      messages.put(id, ends);
      if (messages.size() > maxMessages) {
        Map.Entry<String, Ends> eldest = messages.entrySet().iterator().next();
        messages.remove(eldest.getKey());
      }
    }
    return ends;
  }

  /** Whether the two could be the ends of one message: a cause has the lower stamp. */
  private static boolean fits(End send, End receive) {
    return send.hlc < receive.hlc
        && (receive.peer.isEmpty() || receive.peer.equals(send.name))
        && (send.peer.isEmpty() || send.peer.equals(receive.name));
  }

  /** The number of ids that are remembered. */
  int size() {
    return messages.size();
  }

  /** The known ends of one id. */
  private static final class Ends {
    private End[] sends = NONE;
    private End[] receives = NONE;
    private boolean ambiguous;

    /** The first send that may belong to a receive. */
    private @Nullable End sendOf(End receive) {
      for (End send : sends) {
        if (fits(send, receive)) {
          return send;
        }
      }
      return null;
    }

    private boolean hasOtherSendOf(End receive, End found) {
      for (End send : sends) {
        if (!send.equals(found) && fits(send, receive)) {
          return true;
        }
      }
      return false;
    }

    private void forEachMatch(BiConsumer<End, End> action) {
      for (End send : sends) {
        for (End receive : receives) {
          if (fits(send, receive)) {
            action.accept(send, receive);
          }
        }
      }
    }
  }
}
