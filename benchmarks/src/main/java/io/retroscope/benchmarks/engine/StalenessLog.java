// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * A log of versions that a leader writes and its followers apply after a delay. Delays are
 * log-normal with occasional slow periods: the spread is mostly 0 or 1, and much larger in bursts.
 * Immutable.
 */
public final class StalenessLog {
  /** The number of versions by which a node may lag without being stale. */
  static final int ALLOWED_SPREAD = 12;

  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final int WRITE_EVERY_MICROS = 1_000;
  private static final double MEDIAN_DELAY_MICROS = 300;
  private static final double DELAY_SIGMA = 0.5;

  /**
   * The length of a slow period of a follower, in versions; one starts every ten thousand versions.
   */
  private static final int SLOW_VERSIONS = 16;

  private static final double SLOW_CHANCE = 1e-4;

  private final int nodeCount;
  private final List<Write> writes;

  /** A version that a node has from an instant on. */
  private record Write(long micros, int node, long version) {}

  /** A log of nodes {@code zk0} to the last one, in which the first is the leader. */
  public StalenessLog(int nodeCount, int eventCount, long seed) {
    this.nodeCount = nodeCount;
    Random random = new Random(seed);
    List<Write> unordered = new ArrayList<>();
    long[] applied = new long[nodeCount];
    long[] slowUntil = new long[nodeCount];
    for (long version = 1; unordered.size() < eventCount; version++) {
      long written = START_MICROS + version * WRITE_EVERY_MICROS;
      unordered.add(new Write(written, 0, version));
      for (int node = 1; node < nodeCount; node++) {
        if (random.nextDouble() < SLOW_CHANCE) {
          slowUntil[node] = written + SLOW_VERSIONS * WRITE_EVERY_MICROS;
        }
        double delay = MEDIAN_DELAY_MICROS * Math.exp(DELAY_SIGMA * random.nextGaussian());
        long at = Math.max(written + (long) delay, slowUntil[node]);
        applied[node] = Math.max(applied[node] + 1, at);
        unordered.add(new Write(applied[node], node, version));
      }
    }
    unordered.sort(Comparator.comparingLong(Write::micros).thenComparingInt(Write::node));
    writes = List.copyOf(unordered.subList(0, eventCount));
  }

  /** The events, in order. */
  public List<Event> events() {
    Columns columns = columns();
    List<Event> events = new ArrayList<>(writes.size());
    for (int i = 0; i < writes.size(); i++) {
      events.add(columns.event(i));
    }
    return events;
  }

  /** The stamps, nodes and versions as arrays, for a loop without any engine. */
  public Columns columns() {
    long[] micros = new long[writes.size()];
    int[] nodes = new int[writes.size()];
    long[] versions = new long[writes.size()];
    for (int i = 0; i < writes.size(); i++) {
      micros[i] = writes.get(i).micros;
      nodes[i] = writes.get(i).node;
      versions[i] = writes.get(i).version;
    }
    return new Columns(nodeCount, micros, nodes, versions);
  }

  /** The log as arrays, in order. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Columns(int nodeCount, long[] micros, int[] nodes, long[] versions) {
    /** One write as an event. */
    public Event event(int i) {
      Change set = new Change(Operation.SET, "r1", Value.of(versions[i]));
      return new Event(
          "zk" + nodes[i],
          "setd",
          HlcTimestamp.pack(micros[i]),
          new EventBody.StateChange(List.of(set)));
    }

    /** The number of cuts that are staler than allowed; writes at one stamp are one cut. */
    public int countStale() {
      long[] current = new long[nodeCount];
      int known = 0;
      int stale = 0;
      for (int i = 0; i < micros.length; i++) {
        known += current[nodes[i]] == 0 ? 1 : 0;
        current[nodes[i]] = versions[i];
        if (i + 1 < micros.length && micros[i + 1] == micros[i]) {
          continue;
        }
        stale += spread(current, known) > ALLOWED_SPREAD ? 1 : 0;
      }
      return stale;
    }

    /** The spread between the nodes that have a version. */
    private long spread(long[] current, int known) {
      long min = Long.MAX_VALUE;
      long max = 0;
      for (long version : current) {
        max = Math.max(max, version);
        min = Math.min(min, version == 0 && known < nodeCount ? Long.MAX_VALUE : version);
      }
      return max - min;
    }
  }
}
