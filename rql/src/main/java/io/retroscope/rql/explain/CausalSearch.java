// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import io.retroscope.rql.cut.EventSource.View;
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
import org.jspecify.annotations.Nullable;

/**
 * A search backwards from a cut for what led to its witnesses: the earlier writes of the same
 * variables, the messages that their nodes received, the sends of these, and so on. It reads each
 * event once. Used by one thread, once.
 */
final class CausalSearch {
  /** The most events of an explanation. */
  static final int MAX_EVENTS = 20;

  /** The most events that are read. */
  static final int MAX_READ = 20_000;

  /** The events that are read for messages under way, even if all causes are found. */
  private static final int LEAST_READ = 2_000;

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
  private final List<Event> inFlight = new ArrayList<>();
  private final Set<String> nodes = new HashSet<>();
  private final Map<Witness, Event> latestReceipt = new LinkedHashMap<>();
  private final Map<Event, Event> sendOf = new HashMap<>();
  private boolean complete;
  private int read;

  /** The events of one node before a stamp that are still wanted. */
  private static final class Need {
    private final String node;
    private final long before;
    private final int depth;
    private final @Nullable Witness witness;
    private int receiptsLeft;
    private boolean wantsWrite = true;
    private boolean hasReceipt;

    Need(String node, long before, int depth, @Nullable Witness witness) {
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

    void receives() {
      hasReceipt = true;
      receiptsLeft = wantsWrite ? receiptsLeft - 1 : 0;
    }

    boolean isOpen() {
      return receiptsLeft > 0 || wantsWrite;
    }
  }

  /** A receipt whose send is wanted. */
  private record Open(Event receipt, int depth) {}

  CausalSearch(View view, Collection<Witness> witnesses, long cut, int depth) {
    this.view = view;
    this.witnesses =
        witnesses.stream().sorted(Comparator.comparingLong(Witness::since).reversed()).toList();
    this.cut = cut;
    for (Witness witness : this.witnesses) {
      nodes.add(witness.node());
      variables.add(witness.path());
      long before = witness.event().map(Event::hlc).orElse(cut + 1);
      needs.add(new Need(witness.node(), before, depth, witness));
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
    return causes.size() + witnesses.size() >= MAX_EVENTS;
  }

  private void add(Event event, Optional<Event> leadsTo) {
    if (!isFull()) {
      causes.putIfAbsent(event, new Cause(event, leadsTo));
    }
  }

  private void take(Event event) {
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
    List<Open> waiting = receipts.getOrDefault(send.id(), new ArrayList<>());
    List<Open> found =
        waiting.stream().filter(open -> Messages.isOf(event, open.receipt())).toList();
    for (Open open : found) {
      sendOf.put(open.receipt(), event);
      add(event, Optional.of(open.receipt()));
      if (open.depth() > 1) {
        needs.add(new Need(event.node(), event.hlc(), open.depth() - 1, null));
      }
    }
    waiting.removeAll(found);
    if (waiting.isEmpty()) {
      receipts.remove(send.id());
    }
    boolean arrived =
        received.getOrDefault(send.id(), List.of()).stream()
            .anyMatch(receipt -> Messages.isOf(event, receipt));
    boolean between =
        nodes.contains(event.node()) && (send.to().isEmpty() || nodes.contains(send.to()));
    if (!arrived && between && nodes.size() > 1) {
      inFlight.add(event);
    }
  }

  private void takeReceipt(Event event, Receive receive) {
    int depth = 0;
    for (Need need : needs) {
      if (need.receiptsLeft > 0 && need.node.equals(event.node()) && event.hlc() < need.before) {
        need.receives();
        depth = Math.max(depth, need.depth);
        if (need.witness != null) {
          latestReceipt.putIfAbsent(need.witness, event);
        }
      }
    }
    if (depth > 0) {
      add(event, Optional.empty());
      receipts.computeIfAbsent(receive.id(), id -> new ArrayList<>(1)).add(new Open(event, depth));
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
        add(event, Optional.empty());
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

  /** The messages between the nodes of witnesses that were not received up to the cut. */
  List<Event> inFlight() {
    return List.copyOf(inFlight);
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
