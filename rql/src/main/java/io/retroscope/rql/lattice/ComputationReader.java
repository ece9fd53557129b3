// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.recorder.Recorder;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.MessageEnd;
import io.retroscope.rql.cut.MomentaryVariables;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.cut.walk.LocalWalk;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.lattice.Computation.Message;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the states of some nodes, and of the messages of all nodes in all logs. Used by one
 * thread, once.
 */
final class ComputationReader implements LocalWalk.Listener {
  private static final long BYTES_OF_MESSAGE = 160;

  private final View view;
  private final List<String> nodes;
  private final Set<Reference.Variable> variables;
  private final long maxBytes;
  private final WorkMeter work;
  private final Doubts doubts;
  private final Consumer<String> warnings;

  private final CutState state;
  private final List<VariableColumn> columns;
  private final Map<String, NodeTrace> traces = new HashMap<>();
  private final MessageEnds ends = new MessageEnds();
  private final List<Message> messages = new ArrayList<>();
  private final EventWarning.Made warned = new EventWarning.Made();
  private final int[] nothing;
  private long bytes;
  private long eventsRead;

  /**
   * Creates a reader.
   *
   * @param nodes of the computation, in natural order; at least one
   * @param maxBytes the estimated size in bytes beyond which reading ends
   * @param doubts receives the reasons why the computation is incomplete
   * @param warnings receives sentences about events
   */
  ComputationReader(
      View view,
      List<String> nodes,
      Set<Reference.Variable> variables,
      long maxBytes,
      WorkMeter work,
      Doubts doubts,
      Consumer<String> warnings) {
    this.view = view;
    this.nodes = nodes;
    this.variables = variables;
    this.maxBytes = maxBytes;
    this.work = work;
    this.doubts = doubts;
    this.warnings = warnings;
    this.state = new CutState(new LinkedHashSet<>(nodes));
    this.columns = variables.stream().map(v -> state.follow(v.log(), v.name())).toList();
    this.nothing = new int[nodes.size()];
    for (int node = 0; node < nodes.size(); node++) {
      traces.put(nodes.get(node), new NodeTrace(nodes.get(node), node, nothing));
    }
  }

  /** Returns the computation; empty if it exceeds the limit. */
  Optional<Computation> read(HlcRange range) {
    Interest interest = new MessagesAndValues(view, variables);
    LocalWalk walk = new LocalWalk(state, interest, this);
    if (range.from() > HlcTimestamp.MIN_PACKED) {
      walk.start(view, range.from());
      reportShares(range.from());
    }
    for (String node : nodes) {
      trace(node).begin(values(node));
    }
    walk.walk(view, range);
    eventsRead = walk.eventsRead();
    if (bytes() > maxBytes) {
      return Optional.empty();
    }
    orderContradictions();
    findEarlierSends(interest, range.from());
    reportMissing();
    return Optional.of(
        new Computation(
            nodes, nodes.stream().map(node -> trace(node).states()).toList(), messages));
  }

  /** The estimated size of the events read. */
  long bytes() {
    return bytes + ends.bytes();
  }

  /** The number of events read from storage. */
  long eventsRead() {
    return eventsRead;
  }

  private NodeTrace trace(String node) {
    return traces.computeIfAbsent(node, name -> new NodeTrace(name, -1, nothing));
  }

  private @Nullable Value[] values(String node) {
    return values(state.nodes().find(node));
  }

  private @Nullable Value[] values(int node) {
    @Nullable Value[] values = new Value[columns.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = columns.get(i).at(node);
    }
    return values;
  }

  @Override
  public void earlier(EventBlock block, int row) {
    ofRecorder(block, row);
  }

  @Override
  public boolean before(EventBlock block, int row) {
    work.add(1);
    String node = block.nodes().get(block.nodeIndex(row));
    ofRecorder(block, row);
    reportShare(trace(node));
    if (block.isMarked(row, EventMark.UNORDERED)) {
      doubts.ofMessages(
          "node %s: a stamp that it received at %s was refused, so the order of that message is not known"
              .formatted(node, new HlcTimestamp(block.hlc(row))));
    }
    if (block.isMarked(row, EventMark.REPAIR) && nodes.contains(node)) {
      doubts.ofStates(
          "node %s: the event at %s repeats a value that was dropped"
              .formatted(node, new HlcTimestamp(block.hlc(row))));
    }
    switch (block.kind(row)) {
      case RECEIVE -> receive(trace(node), MessageEnd.of(block.event(row)));
      case STATE_CHANGE, LOG_LINE, SEND, HEARTBEAT, START, STOP -> {}
    }
    return bytes() <= maxBytes;
  }

  @Override
  public void changed(int node, long hlc) {
    bytes += trace(nodes.get(node)).add(values(node), hlc);
  }

  @Override
  public void after(EventBlock block, int row) {
    switch (block.kind(row)) {
      case SEND -> {
        MessageEnd send = MessageEnd.of(block.event(row));
        NodeTrace sender = trace(send.node());
        bytes += sender.end(true, send);
        ends.sent(sender.send(send));
      }
      case STATE_CHANGE, LOG_LINE, RECEIVE, HEARTBEAT, START, STOP -> {}
    }
  }

  @Override
  public void warning(EventWarning warning) {
    if (warned.add(warning)) {
      warnings.accept(warning.sentence());
    }
  }

  private void receive(NodeTrace node, MessageEnd receipt) {
    bytes += node.end(false, receipt);
    List<MessageEnds.Sent> sends = ends.of(receipt);
    if (sends.isEmpty()) {
      ends.unmatched(receipt);
    } else if (sends.size() > 1) {
      doubts.ofMessages(
          "node %s: the message \"%s\" that it received has %d sends"
              .formatted(node.name(), receipt.id(), sends.size()));
    } else if (!sends.get(0).end().node().equals(node.name())) {
      MessageEnds.Sent send = sends.get(0);
      bytes += node.receive(send) + BYTES_OF_MESSAGE;
      messages.add(message(send.end(), receipt));
    }
  }

  private static Message message(MessageEnd send, MessageEnd receipt) {
    return new Message(send.node(), receipt.node(), receipt.id(), send.hlc(), receipt.hlc());
  }

  /** Uses the messages whose receipts have stamps at or below those of their sends. */
  private void orderContradictions() {
    if (!ends.hasUnmatched()) {
      return;
    }
    MessageReplay replay = new MessageReplay(traces.values());
    if (replay.contradictions().isEmpty()) {
      return;
    }
    if (!replay.order(nodes.size())) {
      doubts.ofMessages("messages contradict each other: each was received before it was sent");
    }
    for (MessageReplay.Contradiction one : replay.contradictions()) {
      ends.contradicted(one.receipt());
      messages.add(message(one.send(), one.receipt()));
    }
    messages.sort(Comparator.comparingLong(Message::received));
  }

  /** Follows what nodes say about the messages that they record. */
  private void ofRecorder(EventBlock block, int row) {
    switch (block.kind(row)) {
      case START, STOP -> trace(block.nodes().get(block.nodeIndex(row))).share(null);
      case STATE_CHANGE -> {
        if (block.logs().get(block.logIndex(row)).equals(Recorder.OWN_LOG)) {
          follow(block.event(row));
        }
      }
      case LOG_LINE, SEND, RECEIVE, HEARTBEAT -> {}
    }
  }

  private void follow(Event event) {
    for (EventBody.Change change : ((EventBody.StateChange) event.body()).changes()) {
      if (change.variable().equals(Recorder.MESSAGES)) {
        Double share = change.value() instanceof Value.DoubleValue number ? number.value() : null;
        trace(event.node()).share(share);
      }
    }
  }

  /** A node may send and receive messages in the range without any other event. */
  private void reportShares(long from) {
    for (NodeDescription node : view.nodes()) {
      if (node.lastHlc() >= from && traces.containsKey(node.name())) {
        reportShare(trace(node.name()));
      }
    }
  }

  private void reportShare(NodeTrace node) {
    Double share = node.unreportedShare();
    if (share != null) {
      doubts.ofMessages(
          share == 0
              ? "node %s: its messages carry the clock but are not recorded".formatted(node.name())
              : "node %s: only a sample of its messages is recorded, a share of %s"
                  .formatted(node.name(), share));
    }
  }

  /** A message that was sent before the range bounds nothing, because each cut contains it. */
  private void findEarlierSends(Interest interest, long from) {
    if (!ends.hasUnmatched() || from == HlcTimestamp.MIN_PACKED) {
      return;
    }
    Iterator<Event> events =
        view.scan(interest, new HlcRange(HlcTimestamp.MIN_PACKED, from - 1)).events();
    while (events.hasNext() && ends.hasUnmatched()) {
      work.add(1);
      eventsRead++;
      Event event = events.next();
      if (event.body() instanceof EventBody.Send) {
        ends.sentEarlier(MessageEnd.of(event));
      }
    }
  }

  private void reportMissing() {
    for (MessageEnd end : ends.unmatched()) {
      doubts.ofMessages(
          "%s: the send of the message \"%s\", which node %s received at %s, is not recorded"
              .formatted(
                  end.peer().isEmpty() ? "a node" : "node " + end.peer(),
                  end.id(),
                  end.node(),
                  new HlcTimestamp(end.hlc())));
    }
  }

  /** The interest in followed values, and in the messages of all nodes in all logs. */
  private static final class MessagesAndValues implements Interest {
    private final Set<Reference.Variable> followed;
    private final Set<String> logs;

    MessagesAndValues(View view, Set<Reference.Variable> followed) {
      this.followed = followed;
      this.logs = view.logs().stream().map(LogDescription::name).collect(Collectors.toSet());
    }

    @Override
    public Set<String> logs() {
      return logs;
    }

    @Override
    public boolean follows(String log, String variable) {
      return variable.equals(MomentaryVariables.SEND)
          || variable.equals(MomentaryVariables.RECEIVE)
          || (log.equals(Recorder.OWN_LOG) && variable.equals(Recorder.MESSAGES))
          || followed.contains(new Reference.Variable(log, variable));
    }

    @Override
    public boolean counts(String node) {
      return true;
    }

    @Override
    public boolean usesAges() {
      return false;
    }

    @Override
    public boolean isCancelled() {
      return false;
    }
  }
}
