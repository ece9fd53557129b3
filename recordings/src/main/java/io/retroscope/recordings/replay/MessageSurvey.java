// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.replay;

import io.retroscope.event.EventBody;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A first pass over readings, which finds the messages between nodes and the lowest stamp of each
 * receive. Used by one thread.
 */
public final class MessageSurvey {
  /*
   * The replayed clock gives event j of a node the stamp
   *
   *     s(j) = max(reading(j), s(j - 1) + 1, stamp of the send + 1 if j is a receive).
   *
   * Only the ends of messages depend on other nodes. What happens between two ends of one node is a
   * function of the first end's stamp s: max(s + count, floor), where floor is the highest of
   * reading(i) + (number of events from i to the second end). So one pass keeps two numbers for each
   * end, whatever the number of events between them, and the stamps of the ends follow in a
   * topological order.
   */

  /** The most ends of messages, which are in memory. */
  public static final int MAX_ENDS = 8_000_000;

  /** About the memory of one end, with its share of the identities. */
  private static final int BYTES_PER_END = 200;

  /** The most messages that are named because they contradict each other. */
  private static final int MAX_NAMED = 10;

  private static final int NONE = -1;

  private final int maxEnds;
  private final Map<String, Integer> nodeIndex = new HashMap<>();
  private final List<Node> nodes = new ArrayList<>();

  /** The last send of each identity; the ones before are linked by {@link Ends#previousSend}. */
  private final Map<String, Integer> sends = new HashMap<>();

  private final Ends ends = new Ends();
  private final List<String> files = new ArrayList<>();
  private final List<String> ids = new ArrayList<>();
  private final List<String> peers = new ArrayList<>();
  private int receiveCount;
  private long messageCount;
  private long droppedCount;
  private final List<String> warnings = new ArrayList<>();

  /** A node's progress: while ends are read, and again while they are stamped. */
  private static final class Node {
    private final String name;
    private int firstEnd = NONE;
    private int lastEnd = NONE;
    private long count;
    private long floor = Long.MIN_VALUE;

    /** The next end to stamp, and the stamp before it. */
    private int next;

    private long stamp = Long.MIN_VALUE;

    Node(String name) {
      this.name = name;
    }
  }

  /** The columns of the ends. */
  private static final class Ends {
    private int size;
    private int[] node = new int[16];
    private int[] nextOfNode = new int[16];
    private int[] previousSend = new int[16];

    /** The send of a receive, or {@link #NONE}. */
    private int[] cause = new int[16];

    private boolean[] isReceive = new boolean[16];
    private long[] count = new long[16];
    private long[] floor = new long[16];
    private long[] micros = new long[16];
    private long[] line = new long[16];
    private long[] stamp = new long[16];

    int add() {
      if (size == node.length) {
        int more = size * 2;
        node = Arrays.copyOf(node, more);
        nextOfNode = Arrays.copyOf(nextOfNode, more);
        previousSend = Arrays.copyOf(previousSend, more);
        cause = Arrays.copyOf(cause, more);
        isReceive = Arrays.copyOf(isReceive, more);
        count = Arrays.copyOf(count, more);
        floor = Arrays.copyOf(floor, more);
        micros = Arrays.copyOf(micros, more);
        line = Arrays.copyOf(line, more);
        stamp = Arrays.copyOf(stamp, more);
      }
      nextOfNode[size] = NONE;
      previousSend[size] = NONE;
      cause[size] = NONE;
      stamp[size] = Long.MIN_VALUE;
      return size++;
    }
  }

  /** A survey that has seen nothing. */
  public MessageSurvey() {
    this((int) Math.min(MAX_ENDS, Runtime.getRuntime().maxMemory() / BYTES_PER_END));
  }

  MessageSurvey(int maxEnds) {
    this.maxEnds = maxEnds;
  }

  /**
   * Adds a reading.
   *
   * @throws TooManyMessagesException if its messages are too many for memory
   */
  public void add(ClockReading reading) {
    Node node = node(reading.node());
    long floor = reading.packed();
    for (EventBody body : reading.bodies()) {
      node.count++;
      node.floor = Math.max(floor, node.floor == Long.MIN_VALUE ? floor : node.floor + 1);
      if (body instanceof EventBody.Send send) {
        int end = addEnd(node, reading, send.id(), send.to());
        ends.previousSend[end] = sends.getOrDefault(send.id(), NONE);
        sends.put(send.id(), end);
      } else if (body instanceof EventBody.Receive receive) {
        int end = addEnd(node, reading, receive.id(), receive.from());
        ends.isReceive[end] = true;
        receiveCount++;
      }
    }
  }

  private Node node(String name) {
    Integer known = nodeIndex.get(name);
    if (known == null) {
      known = nodes.size();
      nodeIndex.put(name, known);
      nodes.add(new Node(name));
    }
    return nodes.get(known);
  }

  private int addEnd(Node node, ClockReading reading, String id, String peer) {
    if (ends.size == maxEnds) {
      throw new TooManyMessagesException(
          "more than %d messages are sent and received: give fewer files, or RETROSCOPE_JAVA_OPTS=-Xmx... more memory"
              .formatted(maxEnds / 2));
    }
    int end = ends.add();
    ends.node[end] = nodeIndex.getOrDefault(node.name, 0);
    ends.count[end] = node.count;
    ends.floor[end] = node.floor;
    ends.micros[end] = reading.micros();
    ends.line[end] = reading.line();
    files.add(reading.file());
    ids.add(id);
    peers.add(peer);
    if (node.lastEnd == NONE) {
      node.firstEnd = end;
    } else {
      ends.nextOfNode[node.lastEnd] = end;
    }
    node.lastEnd = end;
    node.count = 0;
    node.floor = Long.MIN_VALUE;
    return end;
  }

  /** The names of all nodes. */
  public java.util.Set<String> nodes() {
    return java.util.Collections.unmodifiableSet(nodeIndex.keySet());
  }

  /** Finds the messages, and the lowest stamp of each receive. */
  public Messages solve() {
    long ambiguous = 0;
    for (int end = 0; end < ends.size; end++) {
      if (ends.isReceive[end]) {
        int cause = sendOf(end);
        ends.cause[end] = Math.max(cause, NONE);
        ambiguous += cause < NONE ? 1 : 0;
        messageCount += cause >= 0 ? 1 : 0;
      }
    }
    if (ambiguous > 0) {
      warnings.add(
          "%d messages are left out of the order of derived stamps, because several nodes sent one of the same id"
              .formatted(ambiguous));
    }
    stampAll();
    long[] bounds = new long[receiveCount];
    int at = 0;
    for (int end = 0; end < ends.size; end++) {
      if (ends.isReceive[end]) {
        bounds[at++] = bound(end);
      }
    }
    if (droppedCount > MAX_NAMED) {
      warnings.add("%,d messages in all are left out for this reason".formatted(droppedCount));
    }
    return new Messages(bounds, messageCount, List.copyOf(warnings));
  }

  private long bound(int receive) {
    int cause = ends.cause[receive];
    return cause == NONE
        ? Messages.NO_CAUSE
        : cause == DROPPED ? Messages.DROPPED : ends.stamp[cause] + 1;
  }

  /** The cause of a receive that was dropped, because it closes a cycle. */
  private static final int DROPPED = -3;

  /**
   * The send of a receive. A message that its node sent several times was sent first.
   *
   * @return {@link #NONE} if there is none; less if several nodes sent it
   */
  private int sendOf(int receive) {
    int found = NONE;
    for (int end = sends.getOrDefault(ids.get(receive), NONE);
        end != NONE;
        end = ends.previousSend[end]) {
      if (!fit(end, receive)) {
        continue;
      }
      if (found != NONE && ends.node[found] != ends.node[end]) {
        return NONE - 1;
      }
      found = end;
    }
    return found;
  }

  private boolean fit(int send, int receive) {
    String to = peers.get(send);
    String from = peers.get(receive);
    return ends.node[send] != ends.node[receive]
        && (!nodeIndex.containsKey(to) || nodeIndex.get(to) == ends.node[receive])
        && (!nodeIndex.containsKey(from) || nodeIndex.get(from) == ends.node[send]);
  }

  private void stampAll() {
    int left = ends.size;
    int[] waiting =
        new int[ends.size]; // the first node that waits for a send, linked by nextWaiting
    Arrays.fill(waiting, NONE);
    int[] nextWaiting = new int[nodes.size()];
    int[] ready = new int[nodes.size()];
    int readyCount = 0;
    for (int i = 0; i < ready.length; i++) {
      nodes.get(i).next = nodes.get(i).firstEnd;
      ready[readyCount++] = i;
    }
    while (left > 0) {
      while (readyCount > 0) {
        int index = ready[--readyCount];
        Node node = nodes.get(index);
        while (node.next != NONE && isReady(node.next)) {
          int end = node.next;
          stamp(node, end);
          left--;
          for (int other = waiting[end]; other != NONE; other = nextWaiting[other]) {
            ready[readyCount++] = other;
          }
          waiting[end] = NONE;
        }
        if (node.next != NONE) {
          int cause = ends.cause[node.next];
          nextWaiting[index] = waiting[cause];
          waiting[cause] = index;
        }
      }
      if (left > 0) {
        ready[readyCount++] = breakCycle(waiting, nextWaiting);
      }
    }
  }

  private boolean isReady(int end) {
    int cause = ends.cause[end];
    return cause < 0 || ends.stamp[cause] != Long.MIN_VALUE;
  }

  private void stamp(Node node, int end) {
    long stamp = ends.floor[end];
    if (node.stamp != Long.MIN_VALUE) {
      stamp = Math.max(stamp, node.stamp + ends.count[end]);
    }
    int cause = ends.cause[end];
    if (cause >= 0) {
      stamp = Math.max(stamp, ends.stamp[cause] + 1);
    }
    ends.stamp[end] = stamp;
    node.stamp = stamp;
    node.next = ends.nextOfNode[end];
  }

  /**
   * Drops the message of a cycle that the clocks contradict most; returns the node that need no
   * longer wait.
   */
  private int breakCycle(int[] waiting, int[] nextWaiting) {
    int index = 0;
    while (nodes.get(index).next == NONE) {
      index++;
    }
    boolean[] seen = new boolean[nodes.size()];
    while (!seen[index]) {
      seen[index] = true;
      index = nodeOfCause(index);
    }
    int worst = index;
    for (int at = nodeOfCause(index); at != index; at = nodeOfCause(at)) {
      worst = contradiction(at) > contradiction(worst) ? at : worst;
    }
    int receive = nodes.get(worst).next;
    int send = ends.cause[receive];
    drop(receive, send);
    unlink(waiting, nextWaiting, send, worst);
    return worst;
  }

  private int nodeOfCause(int node) {
    return ends.node[ends.cause[nodes.get(node).next]];
  }

  /** How much later than its receive a message was sent, by the clocks. */
  private long contradiction(int node) {
    int receive = nodes.get(node).next;
    return ends.micros[ends.cause[receive]] - ends.micros[receive];
  }

  private void drop(int receive, int send) {
    ends.cause[receive] = DROPPED;
    messageCount--;
    if (warnings.size() < MAX_NAMED) {
      warnings.add(
          "message \"%s\" is received at %s before it was sent at %s, by the order of the other messages: it is left out of the order of derived stamps"
              .formatted(ids.get(receive), place(receive), place(send)));
    }
    droppedCount++;
  }

  private String place(int end) {
    return ClockReading.place(files.get(end), ends.line[end]);
  }

  private static void unlink(int[] waiting, int[] nextWaiting, int send, int node) {
    if (waiting[send] == node) {
      waiting[send] = nextWaiting[node];
      return;
    }
    for (int at = waiting[send]; at != NONE; at = nextWaiting[at]) {
      if (nextWaiting[at] == node) {
        nextWaiting[at] = nextWaiting[node];
        return;
      }
    }
  }
}
