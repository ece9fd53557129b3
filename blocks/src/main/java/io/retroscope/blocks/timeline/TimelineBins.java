// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.timeline;

import io.retroscope.blocks.Arrival;
import io.retroscope.blocks.timeline.TimelineVariable.Extremes;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.ValueType;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts of one log's events, and extremes of its variables, per bin of time. Bins of level {@code
 * n} are 2^n microseconds long and begin at multiples of that, so bins can be merged to those of
 * any higher level. Used by one thread.
 */
public final class TimelineBins {
  /** The largest number of bins. */
  public static final int MAX_SIZE = 1_024;

  /** The level of the longest bins: {@link #MAX_SIZE} of them cover all stamps. */
  public static final int MAX_LEVEL = Long.SIZE - HlcTimestamp.LOGICAL_BITS - 10;

  /** The value of {@link #slowest} in bins without a message of which both ends are known. */
  public static final long NO_MESSAGE = -1;

  private final int level;
  private final long firstBin;
  private final int size;
  private final Limits limits;
  private final TreeMap<String, Lane> lanes = new TreeMap<>();
  private final TreeMap<String, TimelineVariable> variables = new TreeMap<>();
  private final TreeSet<String> uncounted = new TreeSet<>();
  private int series;
  private @Nullable TimelineBins nodesApart;
  final long[] slowest;
  final long[] unmatched;

  /** The counts of one node's events, by bin. Starts and stops count as events only. */
  public static final class Lane {
    final long[] events;
    final long[] sends;
    final long[] receives;
    final long[] lines;

    Lane(int size) {
      events = new long[size];
      sends = new long[size];
      receives = new long[size];
      lines = new long[size];
    }

    /** The number of events in a bin, of all kinds except heartbeats. */
    public long events(int bin) {
      return events[bin];
    }

    /** The number of sends in a bin. */
    public long sends(int bin) {
      return sends[bin];
    }

    /** The number of receives in a bin. */
    public long receives(int bin) {
      return receives[bin];
    }

    /** The number of log lines in a bin. */
    public long lines(int bin) {
      return lines[bin];
    }
  }

  /**
   * The limits of the counts of variables.
   *
   * @param variables the number of variables; others are {@link #uncounted}
   * @param series the number of pairs of a variable and a node that have extremes of their own;
   *     writes of others count for all nodes together
   * @param wanted the only variables that are looked at; all if empty
   */
  public record Limits(int variables, int series, Set<String> wanted) {
    /** Everything. */
    public static final Limits NONE = new Limits(Integer.MAX_VALUE, Integer.MAX_VALUE, Set.of());

    /** Copies the set. */
    public Limits {
      wanted = Set.copyOf(wanted);
    }

    boolean want(String variable) {
      return wanted.isEmpty() || wanted.contains(variable);
    }
  }

  /**
   * Empty bins.
   *
   * @param firstBin the number of the first bin; bin 0 begins in 1970
   */
  public TimelineBins(int level, long firstBin, int size, Limits limits) {
    if (level < 0 || level > MAX_LEVEL || firstBin < 0 || size < 1 || size > MAX_SIZE) {
      throw new IllegalArgumentException(
          "level=%d firstBin=%d size=%d".formatted(level, firstBin, size));
    }
    this.level = level;
    this.firstBin = firstBin;
    this.size = size;
    this.limits = limits;
    slowest = new long[size];
    unmatched = new long[size];
    Arrays.fill(slowest, NO_MESSAGE);
  }

  /** The number of the bin with a stamp. */
  public static long binOf(long hlc, int level) {
    return HlcTimestamp.micros(hlc) >>> level;
  }

  /** The binary logarithm of a bin's length in microseconds. */
  public int level() {
    return level;
  }

  long firstBin() {
    return firstBin;
  }

  /** The number of bins. */
  public int size() {
    return size;
  }

  /** The counts of nodes by their names. */
  public SortedMap<String, Lane> lanes() {
    return Collections.unmodifiableSortedMap(lanes);
  }

  /** The extremes of variables by their names. All of their values are LONGs. */
  public SortedMap<String, TimelineVariable> variables() {
    return Collections.unmodifiableSortedMap(variables);
  }

  /** The number of pairs of a variable and a node that have extremes of their own. */
  public int series() {
    return series;
  }

  /** The variables with writes that their extremes do not include. */
  public Set<String> uncounted() {
    return Collections.unmodifiableSet(uncounted);
  }

  /** Adds the extremes of each node in bins of the same or a higher level over the same time. */
  void tellApart(TimelineBins nodes) {
    nodesApart = nodes;
  }

  /**
   * The level from which on {@link #add(TimelineBins)} adds the extremes of each node, as far as
   * they are known.
   */
  public int nodeLevel() {
    return nodesApart == null ? level : nodesApart.level;
  }

  /**
   * The longest time in microseconds from a send to its receive in a bin, by stamps; {@link
   * #NO_MESSAGE} if there is none. A message counts in the bin of its receive.
   */
  public long slowest(int bin) {
    return slowest[bin];
  }

  /** The number of receives in a bin whose sends are not known. */
  public long unmatched(int bin) {
    return unmatched[bin];
  }

  /** Adds names of variables of which some writes were not added. */
  public void addUncounted(Iterable<String> names) {
    names.forEach(this::addUncounted);
  }

  private void addUncounted(String variable) {
    if (limits.want(variable)) {
      uncounted.add(variable);
    }
  }

  Lane lane(String node) {
    return lanes.computeIfAbsent(node, name -> new Lane(size));
  }

  TimelineVariable variable(String name) {
    return variables.computeIfAbsent(name, any -> new TimelineVariable(size));
  }

  /** Whether a variable is counted; a new one if there is room. */
  private boolean takes(String variable) {
    boolean takes =
        variables.containsKey(variable)
            || (limits.want(variable) && variables.size() < limits.variables());
    if (!takes) {
      addUncounted(variable);
    }
    return takes;
  }

  /** The extremes for the writes of a node to a variable that is counted. */
  private Extremes extremes(String variable, String node) {
    TimelineVariable of = variable(variable);
    if (!of.has(node)) {
      if (series >= limits.series()) {
        return of.others();
      }
      series++;
    }
    return of.node(node);
  }

  /**
   * Adds bins of the same or a lower level; those outside these bins are left out.
   *
   * @throws IllegalArgumentException if their level is higher
   */
  public void add(TimelineBins finer) {
    if (finer.level > level) {
      throw new IllegalArgumentException("level " + finer.level + " into level " + level);
    }
    int[] bins = bins(finer);
    finer.lanes.forEach((node, part) -> addLane(node, part, bins));
    TimelineBins apart = finer.nodesApart;
    if (apart == null || apart.level > level) {
      finer.variables.forEach((name, part) -> addVariable(name, part, bins));
    } else {
      int[] ofApart = bins(apart);
      finer.variables.forEach(
          (name, part) -> {
            TimelineVariable nodes = apart.variables.get(name);
            addVariable(name, nodes == null ? part : nodes, nodes == null ? bins : ofApart);
          });
    }
    addUncounted(finer.uncounted);
    for (int i = 0; i < bins.length; i++) {
      if (bins[i] >= 0) {
        slowest[bins[i]] = Math.max(slowest[bins[i]], finer.slowest[i]);
        unmatched[bins[i]] += finer.unmatched[i];
      }
    }
  }

  /** The indices here of other bins; -1 for those outside. */
  private int[] bins(TimelineBins finer) {
    int[] bins = new int[finer.size];
    for (int i = 0; i < bins.length; i++) {
      bins[i] = index((finer.firstBin + i) >>> (level - finer.level));
    }
    return bins;
  }

  private void addLane(String node, Lane part, int[] bins) {
    Lane lane = null;
    for (int i = 0; i < bins.length; i++) {
      if (bins[i] >= 0 && part.events[i] > 0) {
        lane = lane == null ? lane(node) : lane;
        lane.events[bins[i]] += part.events[i];
        lane.sends[bins[i]] += part.sends[i];
        lane.receives[bins[i]] += part.receives[i];
        lane.lines[bins[i]] += part.lines[i];
      }
    }
  }

  private void addVariable(String name, TimelineVariable part, int[] bins) {
    part.nodes()
        .forEach((node, extremes) -> addExtremes(name, extremes, bins, () -> extremes(name, node)));
    Extremes others = part.othersOrNull();
    if (others != null) {
      addExtremes(name, others, bins, () -> variable(name).others());
    }
  }

  private void addExtremes(String name, Extremes part, int[] bins, Supplier<Extremes> to) {
    Extremes sum = null;
    for (int i = 0; i < bins.length; i++) {
      if (bins[i] >= 0 && part.writes[i] > 0) {
        if (sum == null) {
          if (!takes(name)) {
            return;
          }
          sum = to.get();
        }
        sum.add(part, i, bins[i]);
      }
    }
  }

  /** The index of a bin, or -1 if it is not one of these. */
  private int index(long bin) {
    return bin < firstBin || bin - firstBin >= size ? -1 : (int) (bin - firstBin);
  }

  /**
   * Adds the events of a log. A message counts if both ends are in the blocks, and name each other;
   * that its send is outside these bins does not matter.
   */
  public void add(List<EventBlock> blocks, String log) {
    MessageTimes messages = new MessageTimes();
    for (EventBlock block : blocks) {
      boolean[] wanted = Arrival.wantedLogs(block, log);
      for (int row = 0; row < block.size() && !block.writesLongsOnly(); row++) {
        if (wanted[block.logIndex(row)] && block.kind(row) == EventKind.SEND) {
          messages.addSend(block, row);
        }
      }
    }
    for (EventBlock block : blocks) {
      PairRows pairs = areAllIn(block, log) ? PairRows.of(block) : null;
      if (pairs != null) {
        addLongs(block, pairs);
        continue;
      }
      boolean[] wanted = Arrival.wantedLogs(block, log);
      Rows rows = new Rows(block);
      for (int row = 0; row < block.size(); row++) {
        int bin = index(binOf(block.hlc(row), level));
        if (bin >= 0 && wanted[block.logIndex(row)]) {
          rows.add(row, bin, messages);
        }
      }
    }
  }

  /** Whether all rows of a block are of a log, and in these bins. */
  private boolean areAllIn(EventBlock block, String log) {
    return !block.isEmpty()
        && block.logs().equals(List.of(log))
        && index(binOf(block.firstHlc(), level)) >= 0
        && index(binOf(block.lastHlc(), level)) >= 0;
  }

  /** Adds rows that set LONGs, those of one pair of a node and a variable after the other. */
  private void addLongs(EventBlock block, PairRows pairs) {
    for (int pair : pairs.pairs()) {
      String node = block.nodes().get(pairs.node(pair));
      String variable = block.variables().get(pairs.name(pair));
      Extremes extremes = takes(variable) ? extremes(variable, node) : null;
      pairs.count(pair, level, firstBin, lane(node), extremes);
    }
  }

  /** The rows of a block, whose names are looked up once. */
  private final class Rows {
    private final EventBlock block;
    private final @Nullable Lane[] lanes;

    /** By variable and node. */
    private final @Nullable Extremes[][] extremes;

    private final boolean[] isLeftOut;
    private final boolean[] hasOtherTypes;

    Rows(EventBlock block) {
      this.block = block;
      int variableCount = block.variables().size();
      lanes = new Lane[block.nodes().size()];
      extremes = new Extremes[variableCount][];
      isLeftOut = new boolean[variableCount];
      hasOtherTypes = new boolean[variableCount];
    }

    void add(int row, int bin, MessageTimes messages) {
      EventKind kind = block.kind(row);
      if (kind == EventKind.HEARTBEAT) {
        return;
      }
      Lane lane = lane(block.nodeIndex(row));
      lane.events[bin]++;
      switch (kind) {
        case SEND -> lane.sends[bin]++;
        case LOG_LINE -> lane.lines[bin]++;
        case RECEIVE -> {
          lane.receives[bin]++;
          long micros = messages.micros(block, row);
          slowest[bin] = Math.max(slowest[bin], micros);
          unmatched[bin] += micros == NO_MESSAGE ? 1 : 0;
        }
        case STATE_CHANGE -> addWrites(row, bin);
        case START, STOP, HEARTBEAT -> {}
      }
    }

    private Lane lane(int node) {
      Lane known = lanes[node];
      if (known == null) {
        known = TimelineBins.this.lane(block.nodes().get(node));
        lanes[node] = known;
      }
      return known;
    }

    private void addWrites(int row, int bin) {
      for (int change = block.firstChange(row); change < block.endChange(row); change++) {
        int variable = block.nameIndex(change);
        boolean isLong =
            block.operation(change) == Operation.SET && block.type(change) == ValueType.LONG;
        if (!isLong) {
          if (!hasOtherTypes[variable]) {
            hasOtherTypes[variable] = true;
            addUncounted(block.variables().get(variable));
          }
        } else if (!isLeftOut[variable]) {
          Extremes of = extremes(variable, block.nodeIndex(row));
          if (of != null) {
            long value = block.bits(change);
            of.add(bin, 1, value, value, value, block.hlc(row));
          }
        }
      }
    }

    private @Nullable Extremes extremes(int variable, int node) {
      @Nullable Extremes[] ofNodes = extremes[variable];
      if (ofNodes == null) {
        isLeftOut[variable] = !takes(block.variables().get(variable));
        if (isLeftOut[variable]) {
          return null;
        }
        ofNodes = new Extremes[lanes.length];
        extremes[variable] = ofNodes;
      }
      Extremes known = ofNodes[node];
      if (known == null) {
        known =
            TimelineBins.this.extremes(block.variables().get(variable), block.nodes().get(node));
        ofNodes[node] = known;
      }
      return known;
    }
  }
}
