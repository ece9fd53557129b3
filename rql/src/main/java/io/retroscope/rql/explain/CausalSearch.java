// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.MessageEnd;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A search backwards from a cut for what led to its witnesses: the earlier writes of the same
 * variables, the messages that their nodes received, the sends of these, and so on. It reads each
 * event once. Used by one thread, once.
 */
final class CausalSearch {
  /** The most events of an explanation. */
  static final int MAX_EVENTS = 20;

  /** The most messages under way that are part of it, and of those that are remembered. */
  private static final int MAX_IN_FLIGHT = 5;

  private static final int MAX_RELATED_IN_FLIGHT = 3;
  private static final int MAX_UNRECEIVED = 1_000;

  /** The most witnesses and causes: room is left for messages under way, and what followed. */
  private static final int MAX_CAUSES = MAX_EVENTS - Sequel.MAX_EVENTS;

  /** The most events that are read. */
  static final int MAX_READ = 20_000;

  /** The events that are read for messages under way, even if all causes are found. */
  private static final int LEAST_READ = 2_000;

  /** The most events that led to no latest receipt, so that those that did always have room. */
  private static final int MAX_LESS_RELEVANT = 5;

  /** The receipts that are followed at the node of a witness; at another node only the latest. */
  private static final int RECEIPTS_OF_WITNESS = 3;

  private final View view;
  private final List<Witness> witnesses;
  private final long cut;
  private final Set<String> variables = new HashSet<>();
  private final List<Need> needs = new ArrayList<>();
  private final Map<String, List<Open>> receipts = new HashMap<>();
  private final Map<String, List<Event>> received = new HashMap<>();
  private final Map<Event, Cause> causes = new LinkedHashMap<>();
  private final List<Event> unreceived = new ArrayList<>();
  private final Silences silences;
  private final Set<String> nodes = new HashSet<>();
  private final Map<Witness, Event> latestReceipt = new LinkedHashMap<>();
  private final Map<Event, Event> sendOf = new HashMap<>();
  private int lessRelevant;
  private boolean complete;
  private int read;

  /** The events of one node before a stamp that are still wanted. */
  private static final class Need {
    private final String node;
    private final long before;
    private final int depth;
    private final @Nullable Witness witness;
    private int receiptsLeft;
    private final boolean isRelevant;
    private boolean wantsWrite = true;
    private boolean hasReceipt;

    Need(String node, long before, int depth, @Nullable Witness witness, boolean isRelevant) {
      this.isRelevant = isRelevant;
      this.node = node;
      this.before = before;
      this.depth = depth;
      this.witness = witness;
      this.receiptsLeft = depth == 0 ? 0 : witness == null ? 1 : RECEIPTS_OF_WITNESS;
    }

    /** What the node received before it wrote the variable last led to that write. */
    void endsAtWrite() {
      wantsWrite = false;
      receiptsLeft = hasReceipt ? 0 : Math.min(1, receiptsLeft);
    }

    /** Takes a receipt; returns whether it is the latest one of a node that matters. */
    boolean receives() {
      boolean isLatest = isRelevant && !hasReceipt;
      hasReceipt = true;
      receiptsLeft = wantsWrite ? receiptsLeft - 1 : 0;
      return isLatest;
    }

    boolean isOpen() {
      return receiptsLeft > 0 || wantsWrite;
    }
  }

  /** A receipt whose send is wanted. */
  private record Open(Event receipt, int depth, boolean isRelevant) {}

  CausalSearch(View view, Collection<Witness> witnesses, long cut, int depth) {
    this.view = view;
    this.witnesses =
        witnesses.stream().sorted(Comparator.comparingLong(Witness::since).reversed()).toList();
    this.cut = cut;
    this.silences = new Silences(cut);
    for (Witness witness : this.witnesses) {
      nodes.add(witness.node());
      variables.add(witness.path());
      long before = witness.event().map(Event::hlc).orElse(cut + 1);
      needs.add(new Need(witness.node(), before, depth, witness, true));
    }
  }

  /** Reads the events. */
  void run() {
    BackwardEvents events = new BackwardEvents(view, cut, MAX_READ);
    Event event = events.next();
    while (event != null && !(isDone() && events.taken() > LEAST_READ)) {
      take(event);
      event = events.next();
    }
    complete = events.isExhausted();
    read = events.taken();
  }

  private boolean isDone() {
    return isFull() || (needs.stream().noneMatch(Need::isOpen) && receipts.isEmpty());
  }

  private boolean isFull() {
    return causes.size() + witnesses.size() >= MAX_CAUSES;
  }

  private void add(Event event, Optional<Event> leadsTo, boolean isRelevant) {
    if (!isFull() && (isRelevant || lessRelevant < MAX_LESS_RELEVANT)) {
      boolean isNew = causes.putIfAbsent(event, new Cause(event, leadsTo)) == null;
      lessRelevant += isNew && !isRelevant ? 1 : 0;
    }
  }

  private void take(Event event) {
    if (nodes.contains(event.node())) {
      silences.add(event);
    }
    if (event.body() instanceof Send send) {
      takeSend(event, send);
    } else if (event.body() instanceof Receive receive) {
      received.computeIfAbsent(receive.id(), id -> new ArrayList<>(1)).add(event);
      takeReceipt(event, receive);
    } else {
      takeWrite(event);
    }
  }

  private void takeSend(Event event, Send send) {
    MessageEnd sent = MessageEnd.of(event);
    List<Open> waiting = receipts.getOrDefault(send.id(), new ArrayList<>());
    List<Open> found =
        waiting.stream().filter(open -> sent.canBeSendOf(MessageEnd.of(open.receipt()))).toList();
    for (Open open : found) {
      sendOf.put(open.receipt(), event);
      add(event, Optional.of(open.receipt()), open.isRelevant());
      if (open.depth() > 1) {
        needs.add(new Need(event.node(), event.hlc(), open.depth() - 1, null, open.isRelevant()));
      }
    }
    waiting.removeAll(found);
    if (waiting.isEmpty()) {
      receipts.remove(send.id());
    }
    boolean arrived =
        received.getOrDefault(send.id(), List.of()).stream()
            .anyMatch(receipt -> sent.canBeSendOf(MessageEnd.of(receipt)));
    if (!arrived && !send.to().equals(event.node()) && unreceived.size() < MAX_UNRECEIVED) {
      unreceived.add(event);
    }
  }

  private void takeReceipt(Event event, Receive receive) {
    int depth = 0;
    boolean isRelevant = false;
    for (Need need : needs) {
      if (need.receiptsLeft > 0 && need.node.equals(event.node()) && event.hlc() < need.before) {
        isRelevant |= need.receives();
        depth = Math.max(depth, need.depth);
        if (need.witness != null) {
          latestReceipt.putIfAbsent(need.witness, event);
        }
      }
    }
    if (depth > 0) {
      add(event, Optional.empty(), isRelevant);
      receipts
          .computeIfAbsent(receive.id(), id -> new ArrayList<>(1))
          .add(new Open(event, depth, isRelevant));
    }
  }

  /** Takes the latest earlier write of a variable of the witnesses, and starts and stops. */
  private void takeWrite(Event event) {
    for (Need need : needs) {
      if (need.wantsWrite
          && need.node.equals(event.node())
          && event.hlc() < need.before
          && concerns(event, need)) {
        need.endsAtWrite();
        add(event, Optional.empty(), need.witness != null);
      }
    }
  }

  private boolean concerns(Event event, Need need) {
    if (event.body() instanceof EventBody.StateChange change) {
      return change.changes().stream()
          .map(c -> event.log() + "." + c.variable())
          .anyMatch(
              path ->
                  need.witness == null
                      ? variables.contains(path)
                      : need.witness.path().equals(path));
    }
    return event.body() instanceof EventBody.Start || event.body() instanceof EventBody.Stop;
  }

  /** The causes, in the order of their stamps. */
  List<Cause> causes() {
    Set<Event> own = new HashSet<>();
    witnesses.forEach(witness -> witness.event().ifPresent(own::add));
    return causes.values().stream()
        .filter(cause -> !own.contains(cause.event()))
        .sorted(Comparator.comparingLong(cause -> cause.event().hlc()))
        .toList();
  }

  /** The latest message that the node of a witness received before it; empty if none was found. */
  Optional<Event> latestReceipt(Witness witness) {
    return Optional.ofNullable(latestReceipt.get(witness));
  }

  /** The send of a receipt; empty if none was found. */
  Optional<Event> sendOf(Event receipt) {
    return Optional.ofNullable(sendOf.get(receipt));
  }

  /**
   * The messages to nodes of witnesses that were not received up to the cut, the latest first.
   * Those that are under way for the longest are preferred, and most are from nodes of witnesses
   * and causes.
   */
  List<Event> inFlight() {
    Set<String> related = new HashSet<>(nodes);
    causes.keySet().forEach(event -> related.add(event.node()));
    List<Event> found = unreceived.stream().filter(e -> isToWitness((Send) e.body())).toList();
    Set<Event> chosen = new HashSet<>();
    choose(found, event -> related.contains(event.node()), MAX_RELATED_IN_FLIGHT, chosen);
    choose(found, event -> true, MAX_IN_FLIGHT, chosen);
    return found.stream().filter(chosen::contains).toList();
  }

  private static void choose(
      List<Event> latestFirst, Predicate<Event> wanted, int most, Set<Event> chosen) {
    for (int i = latestFirst.size() - 1; i >= 0 && chosen.size() < most; i--) {
      if (wanted.test(latestFirst.get(i))) {
        chosen.add(latestFirst.get(i));
      }
    }
  }

  private boolean isToWitness(Send send) {
    // Without a known receiver, only receipts of others say that such messages have any.
    return send.to().isEmpty() ? nodes.size() > 1 && hasReceipts() : nodes.contains(send.to());
  }

  /** The last events of witnesses' nodes that have been unusually silent up to the cut. */
  List<Event> silent() {
    return silences.found();
  }

  /** Whether a received message was found, of whatever node. */
  boolean hasReceipts() {
    return !received.isEmpty();
  }

  /** Whether all events before the cut were read, so that nothing else is recorded. */
  boolean isComplete() {
    return complete;
  }

  /** The number of events read. */
  int read() {
    return read;
  }

  /** The packed stamp of the cut. */
  long cut() {
    return cut;
  }

  /** Whether a variable is one of the witnesses'. */
  boolean isNamed(String variable) {
    return witnesses.stream().anyMatch(witness -> witness.variable().equals(variable));
  }
}
