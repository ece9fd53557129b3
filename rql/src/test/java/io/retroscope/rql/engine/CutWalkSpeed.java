// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.evaluation.QueryLimits;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A measurement of the staleness query relative to a plain loop over arrays in the same run.
 * Absolute figures depend on the machine; ratios are comparable. Arguments: nodes, events, rounds.
 */
public final class CutWalkSpeed {
  private final int nodes;
  private final int count;
  private final int[] nodeOf;
  private final long[] version;
  private final QueryEngine engine;

  private CutWalkSpeed(int nodes, int count) {
    this.nodes = nodes;
    this.count = count;
    this.nodeOf = new int[count];
    this.version = new long[count];
    Random random = new Random(7);
    long[] current = new long[nodes];
    List<Event> events = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int node = random.nextInt(nodes);
      nodeOf[i] = node;
      version[i] = ++current[node];
      Change set = new Change(Operation.SET, "r1", Value.of(version[i]));
      long hlc = HlcTimestamp.pack(1_000_000L + i);
      events.add(new Event("zk" + node, "setd", hlc, new EventBody.StateChange(List.of(set))));
    }
    this.engine =
        new QueryEngine(new InMemoryEventSource(events, ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
  }

  /** Prints cuts per second, the best of the rounds. */
  public static void main(String[] arguments) {
    int nodes = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 3;
    int count = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000_000;
    int rounds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 7;
    new CutWalkSpeed(nodes, count).measure(rounds, System.out);
  }

  private void measure(int rounds, PrintStream out) {
    double loop = best(rounds, this::plainLoop);
    report(out, "plain loop over arrays", loop, loop);
    String start = "SELECT r1, SPREAD(r1) AS staleness FROM setd WHEN ";
    for (String predicate :
        List.of(
            "EXISTS v1, v2 IN r1 : (v1 - v2 >= 1000000)",
            "SPREAD(r1) >= 1000000",
            "MAX(r1) - MIN(r1) >= 1000000 AND COUNT(r1) > 1",
            "EXISTS v1, v2 IN r1 : (v1 - v2 = 1000000)",
            "COUNT n IN NODES : (r1@n > 1000000) >= 1")) {
      PreparedQuery query = engine.prepare(start + predicate + ";");
      report(out, predicate, best(rounds, () -> engine.run(query, new NoRows())), loop);
    }
  }

  private static void report(PrintStream out, String what, double perSecond, double loop) {
    out.printf("%,15.0f cuts/s  1/%.1f of the loop  %s%n", perSecond, loop / perSecond, what);
  }

  private double best(int rounds, Runnable walk) {
    double best = 0;
    for (int i = 0; i < rounds; i++) {
      long start = System.nanoTime();
      walk.run();
      best = Math.max(best, count * 1e9 / (System.nanoTime() - start));
    }
    return best;
  }

  private void plainLoop() {
    long[] current = new long[nodes];
    long stale = 0;
    for (int i = 0; i < count; i++) {
      current[nodeOf[i]] = version[i];
      long min = current[0];
      long max = current[0];
      for (int n = 1; n < nodes; n++) {
        min = Math.min(min, current[n]);
        max = Math.max(max, current[n]);
      }
      stale += max - min >= 1_000_000 ? 1 : 0;
    }
    if (stale != 0) {
      throw new AssertionError("no cut is that stale");
    }
  }
}
