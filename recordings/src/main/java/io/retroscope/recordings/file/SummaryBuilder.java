// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.PerBlock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.MessageOrder;
import io.retroscope.rql.cut.MomentaryVariables;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.OpenStarts;
import io.retroscope.rql.cut.RunSpan;
import io.retroscope.rql.cut.SequenceGaps;
import io.retroscope.rql.cut.StampsAhead;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the {@link FileSummary} of events that come in the order of their stamps. Used by one
 * thread.
 */
final class SummaryBuilder {
  private final Map<String, OneNode> nodes = new TreeMap<>(NaturalOrder.INSTANCE);
  private final Map<Run, OneRun> runs = new LinkedHashMap<>();
  private final Map<String, OneLog> logs = new TreeMap<>();

  /** The runs with sequence numbers, in the order of the first of these. */
  private final Set<OneRun> numbered = new LinkedHashSet<>();

  private final MessageOrder order = new MessageOrder();
  private final StampsAhead ahead = new StampsAhead();
  private boolean mayRepeat;

  private static final class OneLog {
    private final Set<String> variables = new TreeSet<>();
    private long eventCount;
  }

  private static final class OneNode {
    private final NodeStays stays;
    private final StampsAhead.Node stamps;
    private final OpenStarts starts;
    private long eventCount;
    private long firstHlc;
    private long lastHlc;

    /** The stamp of its last event that is no heartbeat. */
    private long eventHlc = Long.MIN_VALUE;

    OneNode(String name, StampsAhead.Node stamps, long firstHlc) {
      stays = new NodeStays(name);
      this.stamps = stamps;
      starts = new OpenStarts(name);
      this.firstHlc = firstHlc;
    }
  }

  /** A run of a node, with the last of its sequence numbers that follow each other. */
  private static final class OneRun {
    private final Run run;
    private final OneNode node;
    private final SequenceGaps sequences;
    private final long startHlc;
    private long endHlc;
    private long eventCount;
    private String predecessor = "";
    private long first;
    private long last;
    private long firstHlc;
    private long lastHlc;

    OneRun(Run run, OneNode node, long startHlc) {
      this.run = run;
      this.node = node;
      this.startHlc = startHlc;
      sequences = new SequenceGaps(run.node(), SequenceGaps.State.EMPTY);
    }

    void seen(long number, long hlc) {
      if (last > 0 && number == last + 1) {
        last = number;
        lastHlc = hlc;
        return;
      }
      endNumbers();
      first = number;
      last = number;
      firstHlc = hlc;
      lastHlc = hlc;
    }

    void endNumbers() {
      if (last > 0) {
        sequences.seen(first, last, firstHlc, lastHlc);
        last = 0;
      }
    }
  }

  /** A block with its names resolved once. */
  private final class Names {
    private final EventBlock block;
    private final @Nullable OneRun[] ofNodes;
    private final @Nullable OneLog[] ofLogs;
    private final boolean[] isHeartbeat;
    private final boolean[] isNoted;
    private boolean hasMessages;

    Names(EventBlock block) {
      this.block = block;
      ofNodes = new OneRun[block.nodes().size()];
      ofLogs = new OneLog[block.logs().size()];
      isHeartbeat = new boolean[ofLogs.length];
      isNoted = new boolean[block.variables().size()];
      for (int i = 0; i < ofLogs.length; i++) {
        String log = block.logs().get(i);
        isHeartbeat[i] = log.equals(EventBatch.HEARTBEATS);
        if (!isHeartbeat[i] && !log.isEmpty()) {
          ofLogs[i] = logs.computeIfAbsent(log, name -> new OneLog());
        }
      }
    }

    OneRun run(int row) {
      int index = block.nodeIndex(row);
      OneRun known = ofNodes[index];
      if (known == null) {
        long hlc = block.hlc(row);
        String name = block.nodes().get(index);
        OneNode node = nodes.computeIfAbsent(name, n -> new OneNode(n, ahead.node(n), hlc));
        known =
            runs.computeIfAbsent(
                new Run(name, block.incarnation(index)), run -> new OneRun(run, node, hlc));
        ofNodes[index] = known;
      }
      return known;
    }
  }

  /**
   * Whether two events of a node have one stamp, so that they may be one event, given twice, or
   * contradict each other.
   */
  boolean mayRepeat() {
    return mayRepeat;
  }

  /** Adds the rows of all further windows. */
  void addAll(ArrivalWindow window) {
    PerBlock<Names> names = new PerBlock<>(Names::new);
    while (window.next()) {
      for (int i = 0; i < window.size(); i++) {
        add(names.of(window, i), window.row(i));
      }
    }
  }

  private void add(Names names, int row) {
    EventBlock block = names.block;
    OneRun run = names.run(row);
    OneNode node = run.node;
    EventKind kind = block.kind(row);
    long hlc = block.hlc(row);
    int log = block.logIndex(row);
    boolean isHeartbeat = names.isHeartbeat[log];
    long assured =
        isHeartbeat
            ? EventSource.assuredMicros(block.bits(block.firstChange(row)))
            : Sighting.UNCHANGED;
    node.stays.see(hlc, assured);
    node.stamps.add(hlc, block.physicalMicros(row));
    node.lastHlc = hlc;
    node.eventCount += isHeartbeat ? 0 : 1;
    mayRepeat |= run.endHlc == hlc && run.eventCount > 0;
    if (!isHeartbeat) {
      mayRepeat |= node.eventHlc == hlc;
      node.eventHlc = hlc;
    }
    run.eventCount++;
    run.endHlc = hlc;
    if (!isHeartbeat && run.run.incarnation().isEmpty()) {
      node.starts.add(kind, hlc, started(block, row));
    }
    if (kind == EventKind.START) {
      EventBody.Start start = (EventBody.Start) block.body(row);
      numbered.add(run);
      run.endNumbers();
      run.sequences.started(hlc, start.incarnation());
      run.predecessor += start.predecessor();
    }
    long number = block.sequence(row);
    if (number != Event.NO_SEQUENCE) {
      if (run.first == 0) {
        numbered.add(run);
      }
      run.seen(number, hlc);
    }
    if (kind == EventKind.SEND || kind == EventKind.RECEIVE) {
      order.add(block, row);
    }
    OneLog own = names.ofLogs[log];
    if (own != null) {
      own.eventCount++;
      addVariables(names, row, own.variables);
    }
  }

  private static String started(EventBlock block, int row) {
    return block.kind(row) == EventKind.START
        ? ((EventBody.Start) block.body(row)).incarnation()
        : "";
  }

  private static void addVariables(Names names, int row, Set<String> variables) {
    EventBlock block = names.block;
    int first = block.firstChange(row);
    switch (block.kind(row)) {
      case STATE_CHANGE -> addNames(names, first, block.endChange(row), false, variables);
      case LOG_LINE -> {
        if (!names.hasMessages) {
          variables.add(MomentaryVariables.MESSAGE);
          names.hasMessages = true;
        }
        addNames(names, first + 1, block.endChange(row), true, variables);
      }
      case SEND -> variables.add(MomentaryVariables.SEND);
      case RECEIVE -> variables.add(MomentaryVariables.RECEIVE);
      case HEARTBEAT, START, STOP -> {} // without variables
    }
  }

  /** Adds each name of a block once; a field of a log line may not be a variable. */
  private static void addNames(
      Names names, int from, int to, boolean areFields, Set<String> variables) {
    for (int change = from; change < to; change++) {
      int index = names.block.nameIndex(change);
      if (!names.isNoted[index]) {
        String name = names.block.variables().get(index);
        if (!areFields || MomentaryVariables.isVariable(name)) {
          variables.add(name);
          names.isNoted[index] = true;
        }
      }
    }
  }

  /**
   * The summary.
   *
   * @param losses that the file reports
   */
  FileSummary build(Collection<Gap> losses, Collection<Incompleteness> reasons) {
    List<LogDescription> logList = new ArrayList<>();
    logs.forEach(
        (name, log) ->
            logList.add(new LogDescription(name, List.copyOf(log.variables), log.eventCount)));
    List<NodeDescription> nodeList = new ArrayList<>();
    List<NodeStays> stays = new ArrayList<>();
    nodes.forEach(
        (name, node) -> {
          nodeList.add(new NodeDescription(name, node.eventCount, node.firstHlc, node.lastHlc));
          stays.add(node.stays);
        });
    Map<Run, Long> starts = new HashMap<>();
    List<RunSpan> spans = new ArrayList<>();
    List<Gap> gaps = new ArrayList<>(losses);
    for (OneRun run : numbered) {
      run.endNumbers();
      for (Gap gap : run.sequences.gaps()) {
        gap.of(run.run.incarnation()).without(losses).ifPresent(gaps::add);
      }
    }
    for (OneRun run : runs.values()) {
      String incarnation = run.run.incarnation();
      if (!incarnation.isEmpty()) {
        starts.put(run.run, run.startHlc);
        HlcRange range = new HlcRange(run.startHlc, run.endHlc);
        spans.add(new RunSpan(run.run.node(), incarnation, range, run.predecessor));
      }
    }
    List<Overlap> overlaps = new ArrayList<>(RunSpan.overlaps(spans));
    nodes.values().forEach(node -> overlaps.addAll(node.starts.overlaps()));
    Set<Incompleteness> all = new LinkedHashSet<>(reasons);
    all.addAll(order.contradictions());
    all.addAll(ahead.ranges());
    return new FileSummary(logList, nodeList, stays, starts, gaps, overlaps, List.copyOf(all));
  }
}
