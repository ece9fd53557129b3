package io.retroscope.blocks;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.ValueType;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
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
  private final int maxVariables;
  private final TreeMap<String, Lane> lanes = new TreeMap<>();
  private final TreeMap<String, Extremes> variables = new TreeMap<>();
  private final TreeSet<String> uncounted = new TreeSet<>();
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

  /** The values that all nodes wrote to one variable, by bin. All of them are LONGs. */
  public static final class Extremes {
    final long[] writes;
    final long[] min;
    final long[] max;
    final long[] last;
    final long[] lastHlc;

    Extremes(int size) {
      writes = new long[size];
      min = new long[size];
      max = new long[size];
      last = new long[size];
      lastHlc = new long[size];
    }

    /** The number of writes in a bin; the other numbers have no meaning if it is 0. */
    public long writes(int bin) {
      return writes[bin];
    }

    /** The smallest value written in a bin. */
    public long min(int bin) {
      return min[bin];
    }

    /** The largest value written in a bin. */
    public long max(int bin) {
      return max[bin];
    }

    /** The value with the highest stamp in a bin; of several, the largest. */
    public long last(int bin) {
      return last[bin];
    }

    void add(int bin, long count, long low, long high, long latest, long latestHlc) {
      boolean isFirst = writes[bin] == 0;
      boolean isLater =
          latestHlc > lastHlc[bin] || (latestHlc == lastHlc[bin] && latest > last[bin]);
      min[bin] = isFirst ? low : Math.min(min[bin], low);
      max[bin] = isFirst ? high : Math.max(max[bin], high);
      if (isFirst || isLater) {
        last[bin] = latest;
        lastHlc[bin] = latestHlc;
      }
      writes[bin] += count;
    }
  }

  /**
   * Empty bins.
   *
   * @param firstBin the number of the first bin; bin 0 begins in 1970
   * @param maxVariables the number of variables that are counted; others are {@link #uncounted}
   */
  public TimelineBins(int level, long firstBin, int size, int maxVariables) {
    if (level < 0 || level > MAX_LEVEL || firstBin < 0 || size < 1 || size > MAX_SIZE) {
      throw new IllegalArgumentException(
          "level=%d firstBin=%d size=%d".formatted(level, firstBin, size));
    }
    this.level = level;
    this.firstBin = firstBin;
    this.size = size;
    this.maxVariables = maxVariables;
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

  /** The extremes of variables by their names. */
  public SortedMap<String, Extremes> variables() {
    return Collections.unmodifiableSortedMap(variables);
  }

  /** The variables with writes that their extremes do not include. */
  public Set<String> uncounted() {
    return Collections.unmodifiableSet(uncounted);
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
    names.forEach(uncounted::add);
  }

  Lane lane(String node) {
    return lanes.computeIfAbsent(node, name -> new Lane(size));
  }

  Extremes extremes(String variable) {
    return variables.computeIfAbsent(variable, name -> new Extremes(size));
  }

  private boolean takes(String variable) {
    boolean takes = variables.containsKey(variable) || variables.size() < maxVariables;
    if (!takes) {
      uncounted.add(variable);
    }
    return takes;
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
    int[] bins = new int[finer.size];
    for (int i = 0; i < bins.length; i++) {
      bins[i] = index((finer.firstBin + i) >>> (level - finer.level));
    }
    finer.lanes.forEach((node, part) -> addLane(node, part, bins));
    finer.variables.forEach((name, part) -> addExtremes(name, part, bins));
    uncounted.addAll(finer.uncounted);
    for (int i = 0; i < bins.length; i++) {
      if (bins[i] >= 0) {
        slowest[bins[i]] = Math.max(slowest[bins[i]], finer.slowest[i]);
        unmatched[bins[i]] += finer.unmatched[i];
      }
    }
  }

  private void addLane(String node, Lane part, int[] bins) {
    for (int i = 0; i < bins.length; i++) {
      if (bins[i] >= 0 && part.events[i] > 0) {
        Lane lane = lane(node);
        lane.events[bins[i]] += part.events[i];
        lane.sends[bins[i]] += part.sends[i];
        lane.receives[bins[i]] += part.receives[i];
        lane.lines[bins[i]] += part.lines[i];
      }
    }
  }

  private void addExtremes(String name, Extremes part, int[] bins) {
    for (int i = 0; i < bins.length; i++) {
      if (bins[i] >= 0 && part.writes[i] > 0 && takes(name)) {
        extremes(name)
            .add(bins[i], part.writes[i], part.min[i], part.max[i], part.last[i], part.lastHlc[i]);
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
    Messages messages = new Messages();
    for (EventBlock block : blocks) {
      boolean[] wanted = Arrival.wantedLogs(block, log);
      for (int row = 0; row < block.size() && !block.writesLongsOnly(); row++) {
        if (wanted[block.logIndex(row)] && block.kind(row) == EventKind.SEND) {
          messages.addSend(block, row);
        }
      }
    }
    for (EventBlock block : blocks) {
      boolean[] wanted = Arrival.wantedLogs(block, log);
      Adding adding = new Adding(block, messages);
      for (int row = 0; row < block.size(); row++) {
        int bin = index(binOf(block.hlc(row), level));
        if (bin >= 0 && wanted[block.logIndex(row)]) {
          if (block.writesLongsOnly()) {
            adding.addLong(row, bin);
          } else {
            adding.addRow(row, bin);
          }
        }
      }
    }
  }

  /** The addition of one block's rows, which finds each name once. */
  private final class Adding {
    private final EventBlock block;
    private final Messages messages;
    private final @Nullable Lane[] ownLanes;
    private final @Nullable Extremes[] ownExtremes;

    Adding(EventBlock block, Messages messages) {
      this.block = block;
      this.messages = messages;
      ownLanes = new Lane[block.nodes().size()];
      ownExtremes = new Extremes[block.variables().size()];
    }

    void addRow(int row, int bin) {
      EventKind kind = block.kind(row);
      if (kind == EventKind.HEARTBEAT) {
        return;
      }
      Lane lane = laneOf(block.nodeIndex(row));
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

    private Lane laneOf(int node) {
      Lane own = ownLanes[node];
      if (own == null) {
        own = lane(block.nodes().get(node));
        ownLanes[node] = own;
      }
      return own;
    }

    private void addWrites(int row, int bin) {
      for (int change = block.firstChange(row); change < block.endChange(row); change++) {
        int name = block.nameIndex(change);
        if (block.operation(change) == Operation.SET && block.type(change) == ValueType.LONG) {
          addWrite(row, change, bin);
        } else {
          uncounted.add(block.variables().get(name));
        }
      }
    }

    /** Adds a row that does nothing but set a LONG. */
    void addLong(int row, int bin) {
      laneOf(block.nodeIndex(row)).events[bin]++;
      addWrite(row, row, bin);
    }

    private void addWrite(int row, int change, int bin) {
      int name = block.nameIndex(change);
      Extremes own = extremesOf(name);
      if (own == null) {
        uncounted.add(block.variables().get(name));
      } else {
        long value = block.bits(change);
        own.add(bin, 1, value, value, value, block.hlc(row));
      }
    }

    /** The extremes of a variable; null if there are too many variables. */
    private @Nullable Extremes extremesOf(int name) {
      Extremes own = ownExtremes[name];
      if (own == null && takes(block.variables().get(name))) {
        own = extremes(block.variables().get(name));
        ownExtremes[name] = own;
      }
      return own;
    }
  }

  /** The sends of some blocks. */
  private static final class Messages {
    /** A message, as its ends name it. */
    private record Key(String from, String to, String id) {}

    private final Map<Key, Long> sends = new HashMap<>();

    void addSend(EventBlock block, int row) {
      if (block.body(row) instanceof EventBody.Send send) {
        // Of a message that was sent repeatedly, the first send.
        sends.merge(
            new Key(block.nodes().get(block.nodeIndex(row)), send.to(), send.id()),
            block.hlc(row),
            Math::min);
      }
    }

    /** The time that a received message took; {@link #NO_MESSAGE} if its send is not known. */
    long micros(EventBlock block, int row) {
      if (!(block.body(row) instanceof EventBody.Receive receive)) {
        return NO_MESSAGE;
      }
      String to = block.nodes().get(block.nodeIndex(row));
      Long sent = sends.get(new Key(receive.from(), to, receive.id()));
      if (sent == null) {
        // A sender may not have known the receiver.
        sent = sends.get(new Key(receive.from(), "", receive.id()));
      }
      return sent == null || sent > block.hlc(row)
          ? NO_MESSAGE
          : HlcTimestamp.micros(block.hlc(row)) - HlcTimestamp.micros(sent);
    }
  }
}
