// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A run of a made-up replicated service with five nodes, which may have some of twenty bugs. The
 * cause of a bug does not occur in a run without it. In a run with the bug it occurs once, and in
 * nineteen of twenty such runs an error follows, whose code several bugs share.
 */
final class SimulatedService {
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final long STEP_MICROS = 1_000;
  private static final int NODES = 5;

  /** The bugs, with a pattern of the traits that name the cause. */
  enum Bug {
    ELECTION_WHILE_REBALANCING(
        "EXISTS n IN NODES : \\((role@n = 'candidate' AND rebalancing@n|rebalancing@n AND role@n ="
            + " 'candidate')\\)"),
    TWO_LEADERS("COUNT n IN NODES : \\(role@n = 'leader'\\) >= 2"),
    TWO_HOLDERS("COUNT n IN NODES : \\(holds@n\\) >= 2"),
    DEEP_QUEUE("MAX\\(depth\\) >= "),
    SILENT_NODE("Silence\\(\\w+\\)@n4 >= "),
    OLD_CONFIGURATION("COUNT\\(DISTINCT config\\) >= 2 FOR "),
    VERSION_FALLS("version@n < Prev\\(version\\)@n"),
    LONG_COMPACTION("SOMETIMES compacting@n FOR "),
    MAINTENANCE_OF_LEADER(
        "EXISTS n IN NODES : \\(.*(mode@n = 'maintenance'.*role@n = 'leader'|role@n ="
            + " 'leader'.*mode@n = 'maintenance')"),
    TWO_SNAPSHOTS("COUNT n IN NODES : \\(snapshotting@n\\) >= 2"),
    PAUSED_AND_COMPACTING(
        "EXISTS n IN NODES : \\((paused@n|compacting@n)\\)\\) AND \\(EXISTS n IN NODES :"
            + " \\((paused@n|compacting@n)\\)"),
    LOST_MESSAGE("a message of log net is sent and not received"),
    SLOW_MESSAGE("a message of log net takes at least"),
    APPLIED_BEFORE_COMMITTED("committed@n < applied@n"),
    OBSERVER("role@n\\d? = 'observer'"),
    UNUSUAL_CODE("code@n\\d? = 'E42'"),
    READY_BEFORE_LOADED("SOMETIMES ready@n NOT AFTER loaded@n"),
    LITTLE_MEMORY("MIN\\(memory\\) <= "),
    REPLICAS_APART("SPREAD\\(version\\) >= "),
    LATE_TOPOLOGY("Changed\\(topology\\) FROM \\w+ ON TIME LAST ");

    private final String cause;

    Bug(String cause) {
      this.cause = cause;
    }

    /** A pattern of the text of the cause. */
    String cause() {
      return cause;
    }
  }

  /** Something that happens at a step. */
  private record Due(int step, Runnable action) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
      return Integer.compare(step, other.step);
    }
  }

  private final Random random;
  private final int length;
  private final Set<Bug> bugs;
  private final Consumer<Event> sink;
  private final Map<Bug, Integer> places = new EnumMap<>(Bug.class);
  private final Set<Bug> failures = EnumSet.noneOf(Bug.class);
  private final Queue<Due> due = new PriorityQueue<>();
  private final long[] versions = new long[NODES];
  private int step;
  private int silentUntil;
  private int leader;
  private int holder;
  private int working;
  private int message;
  private long config = 1;
  private long depth = 20;
  private long memory = 60;

  /**
   * A run.
   *
   * @param length the number of events, about
   * @param bugs that the run has
   */
  SimulatedService(Random random, int length, Set<Bug> bugs, Consumer<Event> sink) {
    this.random = random;
    this.length = length;
    this.bugs = bugs;
    this.sink = sink;
    for (Bug bug : bugs) {
      places.put(bug, length / 5 + random.nextInt(length / 3));
    }
  }

  /** Runs it; returns the bugs that made it fail. */
  Set<Bug> run() {
    begin();
    while (step < length) {
      while (!due.isEmpty() && due.element().step() <= step) {
        due.remove().action().run();
      }
      usual();
      places.entrySet().removeIf(this::happens);
    }
    while (!due.isEmpty()) {
      due.remove().action().run();
    }
    set(0, "group", "topology", bugs.contains(Bug.LATE_TOPOLOGY) ? 3 : 2);
    return failures;
  }

  private void begin() {
    for (int node = 0; node < NODES; node++) {
      boolean isEarly = bugs.contains(Bug.READY_BEFORE_LOADED) && node == 2;
      set(node, "group", isEarly ? "ready" : "loaded", true);
      set(node, "group", isEarly ? "loaded" : "ready", true);
      set(node, "group", "role", node == 0 ? "leader" : "follower");
      set(node, "group", "mode", "normal");
      set(node, "group", "config", config);
      set(node, "lease", "holds", node == 0);
      set(node, "store", "version", 0);
    }
    set(0, "group", "topology", 1);
    later(length / 3, () -> set(0, "group", "topology", 2));
    for (int i = 0; i < 12; i++) {
      if (random.nextInt(10) < 1 + i % 6) {
        set(random.nextInt(NODES), "flags", "flag" + i, random.nextBoolean());
      }
    }
  }

  private boolean happens(Map.Entry<Bug, Integer> planned) {
    Bug bug = planned.getKey();
    boolean isFree = working == 0 && step > silentUntil;
    if (step < planned.getValue() || !isFree) {
      return false;
    }
    cause(bug);
    if (random.nextInt(20) > 0) {
      failures.add(bug);
      String code = "F" + List.of(Bug.values()).indexOf(bug) % 3;
      later(length / 8 + random.nextInt(100), () -> say("code", code));
    }
    return true;
  }

  private void usual() {
    if (step % 40 == 0) {
      for (int node = 0; node < NODES; node++) {
        set(node, "store", "beat", step);
      }
    }
    switch (random.nextInt(30)) {
      case 0, 1, 2, 3, 4, 5 -> replicate();
      case 6, 7, 8, 9 -> {
        depth = between(5, depth + random.nextInt(9) - 4, 60);
        set(random.nextInt(NODES), "queue", "depth", depth);
      }
      case 10, 11, 12 -> {
        memory = between(30, memory + random.nextInt(9) - 4, 90);
        set(random.nextInt(NODES), "queue", "memory", memory);
      }
      case 13, 14, 15, 16, 17 -> send(1 + random.nextInt(40));
      case 18, 19, 20 -> commit(random.nextInt(NODES), false);
      case 21 -> say("code", "E" + (1 + random.nextInt(2)));
      default -> rare();
    }
  }

  private static long between(long least, long value, long most) {
    return Math.max(least, Math.min(value, most));
  }

  private void rare() {
    if (working > 0 || step <= silentUntil || random.nextInt(8) > 0) {
      set(random.nextInt(NODES), "store", "reads", random.nextInt(100_000));
      return;
    }
    int node = random.nextInt(NODES);
    switch (random.nextInt(8)) {
      case 0 -> elect(node);
      case 1 -> during(node, "work", "rebalancing", 60);
      case 2 -> during(node, "work", "compacting", 90);
      case 3 -> during(node, "work", "paused", 40);
      case 4 -> during(node, "work", "snapshotting", 80);
      case 5 -> maintain(node);
      case 6 -> configure(30);
      default -> handOver(node);
    }
  }

  private void elect(int node) {
    if (node != leader) {
      set(leader, "group", "role", "follower");
      set(node, "group", "role", "candidate");
      set(node, "group", "role", "leader");
      leader = node;
    }
  }

  private void maintain(int node) {
    if (node != leader) {
      set(node, "group", "mode", random.nextBoolean() ? "maintenance" : "degraded");
      working++;
      later(
          50,
          () -> {
            set(node, "group", "mode", "normal");
            working--;
          });
    }
  }

  private void configure(int spread) {
    config++;
    long next = config;
    working++;
    for (int node = 0; node < NODES; node++) {
      int at = node;
      later(node == NODES - 1 ? spread : 1 + node, () -> set(at, "group", "config", next));
    }
    later(spread + 1, () -> working--);
  }

  private void handOver(int node) {
    if (node != holder) {
      set(holder, "lease", "holds", false);
      set(node, "lease", "holds", true);
      holder = node;
    }
  }

  private void replicate() {
    int slowest = 0;
    for (int node = 1; node < NODES; node++) {
      slowest = versions[node] < versions[slowest] ? node : slowest;
    }
    int node = random.nextInt(3) > 0 ? slowest : leader;
    if (versions[node] < versions[slowest] + 4) {
      set(node, "store", "version", ++versions[node]);
    }
  }

  private void commit(int node, boolean isWrong) {
    long index = step;
    set(node, "apply", isWrong ? "applied" : "committed", index);
    set(node, "apply", isWrong ? "committed" : "applied", index);
  }

  private void during(int node, String log, String variable, int steps) {
    working++;
    set(node, log, variable, true);
    later(
        10 + random.nextInt(steps),
        () -> {
          set(node, log, variable, false);
          working--;
        });
  }

  private void send(int steps) {
    int from = random.nextInt(NODES);
    int to = (from + 1 + random.nextInt(NODES - 1)) % NODES;
    String id = String.valueOf(message++);
    record(from, "net", new EventBody.Send(name(to), id));
    if (steps > 0) {
      later(steps, () -> record(to, "net", new EventBody.Receive(name(from), id)));
    }
  }

  private void cause(Bug bug) {
    int node = (leader + 1 + random.nextInt(NODES - 1)) % NODES;
    switch (bug) {
      case ELECTION_WHILE_REBALANCING -> {
        set(node, "work", "rebalancing", true);
        elect(node);
        set(node, "work", "rebalancing", false);
      }
      case TWO_LEADERS -> {
        set(node, "group", "role", "leader");
        set(node, "group", "role", "follower");
      }
      case TWO_HOLDERS -> {
        int other = (holder + 1) % NODES;
        set(other, "lease", "holds", true);
        set(other, "lease", "holds", false);
      }
      case DEEP_QUEUE -> set(node, "queue", "depth", 70 + random.nextInt(40));
      case SILENT_NODE -> silentUntil = step + 700;
      case OLD_CONFIGURATION -> configure(600);
      case VERSION_FALLS -> {
        set(node, "store", "version", versions[node] - 1);
        set(node, "store", "version", versions[node]);
      }
      case LONG_COMPACTION -> {
        set(node, "work", "compacting", true);
        working++;
        later(
            400,
            () -> {
              set(node, "work", "compacting", false);
              working--;
            });
      }
      default -> causeOther(bug, node);
    }
  }

  private void causeOther(Bug bug, int node) {
    switch (bug) {
      case MAINTENANCE_OF_LEADER -> {
        set(leader, "group", "mode", "maintenance");
        set(leader, "group", "mode", "normal");
      }
      case TWO_SNAPSHOTS -> {
        during(node, "work", "snapshotting", 10);
        during((node + 1) % NODES, "work", "snapshotting", 10);
      }
      case PAUSED_AND_COMPACTING -> {
        during(node, "work", "compacting", 10);
        during((node + 1) % NODES, "work", "paused", 10);
      }
      case LOST_MESSAGE -> send(0);
      case SLOW_MESSAGE -> send(500);
      case APPLIED_BEFORE_COMMITTED -> commit(node, true);
      case OBSERVER -> {
        set(node, "group", "role", "observer");
        set(node, "group", "role", "follower");
      }
      case UNUSUAL_CODE -> say("code", "E42");
      case LITTLE_MEMORY -> set(node, "queue", "memory", random.nextInt(9));
      case REPLICAS_APART -> {
        versions[leader] += 30;
        set(leader, "store", "version", versions[leader]);
      }
      default -> {} // It happens at the beginning or the end.
    }
  }

  private void later(int steps, Runnable action) {
    due.add(new Due(step + steps, action));
  }

  private void say(String field, String value) {
    record(
        random.nextInt(NODES),
        "errors",
        new EventBody.LogLine("error", Map.of(field, Value.of(value))));
  }

  private void set(int node, String log, String variable, Object value) {
    Value set =
        value instanceof Boolean yes
            ? Value.of(yes)
            : value instanceof Number number
                ? Value.of(number.longValue())
                : Value.of(String.valueOf(value));
    EventBody.Change change = new EventBody.Change(EventBody.Operation.SET, variable, set);
    record(node, log, new EventBody.StateChange(List.of(change)));
  }

  private void record(int node, String log, EventBody body) {
    if (node == 3 && step < silentUntil) {
      return;
    }
    long hlc = HlcTimestamp.pack(START_MICROS + step * STEP_MICROS, 0);
    sink.accept(new Event(name(node), log, hlc, body));
    step++;
  }

  private static String name(int node) {
    return "n" + (node + 1);
  }
}
