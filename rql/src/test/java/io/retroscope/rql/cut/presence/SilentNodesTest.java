// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Heartbeat;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.cut.walk.CutListener;
import io.retroscope.rql.cut.walk.CutWalker;
import io.retroscope.rql.cut.walk.EventWarning;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests the silent nodes that a walk reports against a naive search through all sightings up to a
 * stamp. {@code -Doracle.seed} replays one case.
 */
class SilentNodesTest {
  private static final long SECOND = 1_000_000;
  private static final long FIRST = 1_780_000_000 * SECOND;
  private static final long IDLE = SECOND;
  private static final int CASES = 500;

  /** Rules that pass over all cuts, or over none. */
  private static final List<QuietRule> RULES =
      List.of(() -> QuietRule.FALSE, () -> QuietRule.UNKNOWN);

  private final Reported reported = new Reported();

  @Test
  void walk_overOneView_reportsTheNodesThatAreSilentAtEachStamp() {
    for (long seed : seeds(CASES)) {
      Random random = new Random(seed);
      List<Event> events = events(random);
      long start = random.nextBoolean() ? HlcTimestamp.MIN_PACKED : stamp(events, random);
      long end = Math.max(start, random.nextInt(4) == 0 ? stamp(events, random) : last(events));
      Reported reports = new Reported();
      reports.rule = random.nextInt(3) == 0 ? null : RULES.get(random.nextInt(2));
      long first = start == HlcTimestamp.MIN_PACKED ? events.get(0).hlc() : start;
      walker(reports, first, start).advance(view(events), end);
      compare(seed, reports, events, Math.max(first, start), end, random);
      reported.add(reports);
    }
    if (Long.getLong("oracle.seed") == null) {
      assertThat(reported.changes.size()).as("changes").isGreaterThan(CASES);
      assertThat(reported.passed).as("cuts passed over").isGreaterThan(CASES);
    }
  }

  @Test
  void walk_overGrowingViews_reportsTheNodesThatAreSilentAtEachStamp() {
    for (long seed : seeds(CASES)) {
      Random random = new Random(seed);
      List<Event> events = events(random);
      Reported reports = new Reported();
      reports.rule = random.nextInt(3) == 0 ? null : RULES.get(random.nextInt(2));
      long first = events.get(0).hlc();
      CutWalker walker = walker(reports, first, first);
      long watermark = first;
      while (watermark < last(events)) {
        long until =
            Math.min(
                last(events),
                watermark
                    + HlcTimestamp.pack(FIRST + random.nextInt(3_000_000))
                    - HlcTimestamp.pack(FIRST));
        watermark = until;
        String early = "n" + (1 + random.nextInt(6));
        walker.advance(
            view(events.stream().filter(e -> e.hlc() <= until || e.node().equals(early)).toList()),
            until);
      }
      compare(seed, reports, events, first, last(events), random);
      reported.add(reports);
    }
    if (Long.getLong("oracle.seed") == null) {
      assertThat(reported.changes.size()).as("changes").isGreaterThan(CASES);
      assertThat(reported.passed).as("cuts passed over").isGreaterThan(CASES);
    }
  }

  @Test
  void advance_overManyCutsWithoutAChange_reportsNothing() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      events.add(write("n" + i % 3, FIRST + i * 10_000L, i));
    }
    CutWalker walker = walker(reported, events.get(0).hlc(), HlcTimestamp.MIN_PACKED);
    walker.advance(view(events), last(events));
    assertThat(reported.changes).isEmpty();
    assertThat(reported.cuts).hasSize(5_000);
  }

  @Test
  void advance_toANodeThatReturnsWithinAStretch_reportsBothStamps() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      boolean isAway = 100 < i && i < 400;
      events.add(write(isAway ? "a" : i % 2 == 0 ? "a" : "b", FIRST + i * 10_000L, i));
      if (!isAway) {
        events.add(beat(events.get(events.size() - 1).node(), FIRST + i * 10_000L + 1, 100_000));
      }
    }
    reported.rule = () -> QuietRule.FALSE;
    CutWalker walker = walker(reported, events.get(0).hlc(), HlcTimestamp.MIN_PACKED);
    walker.advance(view(events), last(events));
    long since = HlcTimestamp.pack(FIRST + 990_001);
    assertThat(reported.passed).isGreaterThan(450);
    assertThat(reported.changes)
        .containsExactly(
            Map.entry(HlcTimestamp.pack(FIRST + 1_990_002), List.of(new SilentNode("b", since))),
            Map.entry(HlcTimestamp.pack(FIRST + 4_010_000), List.of()));
  }

  private static List<Long> seeds(int cases) {
    Long one = Long.getLong("oracle.seed");
    List<Long> seeds = new ArrayList<>();
    for (long seed = 0; seed < cases && one == null; seed++) {
      seeds.add(seed);
    }
    return one == null ? seeds : List.of(one);
  }

  private static void compare(
      long seed, Reported reports, List<Event> events, long from, long to, Random random) {
    List<Long> stamps = new ArrayList<>(reports.changes.keySet());
    reports.changes.keySet().forEach(stamp -> stamps.add(stamp - 1));
    for (int i = 0; i < 40; i++) {
      stamps.add(stamp(events, random) + random.nextInt(3) - 1);
      long span = HlcTimestamp.micros(to) - HlcTimestamp.micros(from);
      stamps.add(
          HlcTimestamp.pack(HlcTimestamp.micros(from) + (long) (random.nextDouble() * span)));
    }
    for (long stamp : stamps) {
      if (from <= stamp && stamp <= to) {
        assertThat(reports.at(stamp))
            .as(() -> "-Doracle.seed=" + seed + ": at " + after(stamp) + " over " + text(events))
            .isEqualTo(naive(events, stamp));
      }
    }
    reports.cuts.forEach(
        (cut, nodes) ->
            assertThat(nodes)
                .as(() -> "-Doracle.seed=" + seed + ": at the cut " + after(cut))
                .isEqualTo(naive(events, cut)));
  }

  private static String text(List<Event> events) {
    StringBuilder text = new StringBuilder();
    for (Event event : events) {
      text.append("%n%s %s ".formatted(after(event.hlc()), event.node()))
          .append(event.body() instanceof Heartbeat beat ? beat.promiseMicros() : "x");
    }
    return text.toString();
  }

  private static String after(long hlc) {
    return "%,d us + %d".formatted(HlcTimestamp.micros(hlc) - FIRST, HlcTimestamp.logical(hlc));
  }

  /** The silent nodes at a stamp, from all sightings up to there. */
  private static List<SilentNode> naive(List<Event> events, long hlc) {
    Map<String, List<Event>> sightings = new TreeMap<>(NaturalOrder.INSTANCE);
    events.stream()
        .filter(event -> event.hlc() <= hlc)
        .forEach(e -> sightings.computeIfAbsent(e.node(), node -> new ArrayList<>()).add(e));
    List<SilentNode> silent = new ArrayList<>();
    sightings.forEach(
        (node, own) -> {
          long last = own.get(own.size() - 1).hlc();
          if (micros(last, hlc) > naiveLimit(own)) {
            silent.add(new SilentNode(node, last));
          }
        });
    return silent;
  }

  private static long naiveLimit(List<Event> own) {
    long promise = 0;
    long longest = 0;
    for (int i = 0; i < own.size(); i++) {
      long gap = i == 0 ? 0 : micros(own.get(i - 1).hlc(), own.get(i).hlc());
      if (gap > Math.max(100_000, 3 * promise)) {
        longest = Math.max(longest, gap);
        promise = 0; // A promise that is broken does not hold any more.
      }
      promise = own.get(i).body() instanceof Heartbeat beat ? beat.promiseMicros() : promise;
    }
    long many = own.stream().map(Event::hlc).distinct().count() < 3 ? 0 : 10 * longest;
    return promise > 0 ? Math.max(IDLE, 3 * promise) : Math.max(10 * SECOND, many);
  }

  private static long micros(long from, long to) {
    return HlcTimestamp.micros(to) - HlcTimestamp.micros(from);
  }

  private static long stamp(List<Event> events, Random random) {
    return events.get(random.nextInt(events.size())).hlc();
  }

  private static long last(List<Event> events) {
    return events.get(events.size() - 1).hlc();
  }

  private static View view(List<Event> events) {
    return new InMemoryEventSource(events, ClockOffsets.UNKNOWN).open();
  }

  /** Events of nodes that promise heartbeats, that do not, and that change their promises. */
  private static List<Event> events(Random random) {
    List<Event> events = new ArrayList<>();
    int nodes = 1 + random.nextInt(6);
    for (int n = 1; n <= nodes; n++) {
      boolean beats = random.nextInt(3) > 0;
      boolean varies = random.nextInt(3) == 0;
      long promise = promise(random);
      long micros = FIRST + random.nextInt(5_000_000);
      int count = 1 + random.nextInt(30);
      for (int i = 0; i < count; i++) {
        promise = varies ? promise(random) : promise;
        boolean isBeat = beats && random.nextInt(3) > 0;
        events.add(
            isBeat ? beat("n" + n, micros, promise) : write("n" + n, micros, random.nextInt(9)));
        long[] steps = {50_000, 300_000, 1_500_000, 4_000_000, 30_000_000};
        micros += 1 + (long) (random.nextDouble() * steps[random.nextInt(random.nextInt(5) + 1)]);
      }
    }
    events.sort(Comparator.comparingLong(Event::hlc));
    return events;
  }

  private static long promise(Random random) {
    return new long[] {0, 50_000, 300_000, 1_000_000, 5_000_000}[random.nextInt(5)];
  }

  private static Event write(String node, long micros, long number) {
    Change set = new Change(Operation.SET, "x", Value.of(number));
    return new Event(node, "t", HlcTimestamp.pack(micros), new StateChange(List.of(set)));
  }

  private static Event beat(String node, long micros, long promise) {
    EventBody beat = new Heartbeat(promise);
    return new Event(node, "", HlcTimestamp.pack(micros), beat);
  }

  private static CutWalker walker(Reported listener, long start, long readsFrom) {
    CutState state = new CutState(Set.of());
    state.follow("t", "x");
    CutWalker walker =
        new CutWalker(
            new CutBatch(state),
            Set.of("t"),
            false,
            readsFrom,
            start,
            CutTimers.NONE,
            null,
            listener);
    walker.follow(new SilentNodes(new SilenceLimits(IDLE), state::counts));
    return walker;
  }

  /** What a walk reports. */
  private static final class Reported implements CutListener {
    private final TreeMap<Long, List<SilentNode>> changes = new TreeMap<>();
    private final TreeMap<Long, List<SilentNode>> cuts = new TreeMap<>();
    private List<SilentNode> now = List.of();
    private @Nullable QuietRule rule;
    private long passed;
    private long position = HlcTimestamp.MIN_PACKED;

    void add(Reported other) {
      changes.putAll(other.changes);
      passed += other.passed;
    }

    List<SilentNode> at(long hlc) {
      Map.Entry<Long, List<SilentNode>> last = changes.floorEntry(hlc);
      return last == null ? List.of() : last.getValue();
    }

    @Override
    public void silent(long hlc, List<SilentNode> nodes) {
      assertThat(hlc).as("stamp of a change").isGreaterThan(position);
      assertThat(changes.put(hlc, nodes)).isNull();
      now = nodes;
    }

    @Override
    public boolean start(long hlc) {
      cuts.put(hlc, now);
      return true;
    }

    @Override
    public boolean cut(long hlc) {
      cuts.put(hlc, now);
      position = hlc;
      return true;
    }

    @Override
    public boolean passed(long count, long events, long lastCut, long hlc) {
      passed += count;
      position = hlc;
      return true;
    }

    @Override
    public @Nullable QuietRule quietRule() {
      return rule;
    }

    @Override
    public boolean reached(long hlc) {
      return true;
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void warning(EventWarning warning) {}
  }
}
