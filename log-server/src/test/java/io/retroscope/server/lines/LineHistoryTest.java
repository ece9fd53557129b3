// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.server.align.ClockAlignment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LineHistoryTest {
  private static final long START = 1_795_200_000_000_001L;
  private static final long NOW = START + 100_000_000;

  private final long seed = Long.getLong("retroscope.seed", 20261121);
  private final Random random = new Random(seed);
  private final List<Event> events = new ArrayList<>();
  private final Map<String, HybridLogicalClock> clocks = new HashMap<>();
  private final Map<String, Long> errors =
      new TreeMap<>(Map.of("a", 40_000L, "b", 0L, "c", -25_000L));

  /** For each line its causes. Lines are numbered in the order of their messages. */
  private final List<Set<Integer>> causes = new ArrayList<>();

  private final Map<String, Set<Integer>> known = new HashMap<>();
  private long trueMicros = START;

  private long reading(String node) {
    return trueMicros + errors.getOrDefault(node, 0L);
  }

  private HybridLogicalClock clock(String node) {
    return clocks.computeIfAbsent(
        node,
        n -> new HybridLogicalClock(() -> reading(n), Long.MAX_VALUE / 4, RemotePolicy.ACCEPT));
  }

  private long add(String node, long hlc, EventBody body) {
    String log = body instanceof EventBody.LogLine ? "app" : "net";
    events.add(new Event(node, log, hlc, reading(node), 0, Set.of(), body));
    return hlc;
  }

  private void line(String node) {
    Set<Integer> before = known.computeIfAbsent(node, n -> new TreeSet<>());
    causes.add(Set.copyOf(before));
    before.add(causes.size() - 1);
    long unused =
        add(
            node,
            clock(node).tick(),
            new EventBody.LogLine(String.valueOf(causes.size() - 1), Map.of()));
  }

  private void message(String from, String to, int number) {
    long stamp = add(from, clock(from).tick(), new EventBody.Send(to, "m" + number));
    trueMicros += 50 + random.nextInt(300);
    long unused = add(to, clock(to).observe(stamp), new EventBody.Receive(from, "m" + number));
    known.computeIfAbsent(to, n -> new TreeSet<>()).addAll(known.getOrDefault(from, Set.of()));
  }

  private void work(int steps) {
    List<String> nodes = List.copyOf(errors.keySet());
    for (int i = 0; i < steps; i++) {
      trueMicros += random.nextInt(2_000);
      String node = nodes.get(random.nextInt(nodes.size()));
      line(node);
      String peer = nodes.get(random.nextInt(nodes.size()));
      if (!peer.equals(node)) {
        message(node, peer, i);
        line(peer);
      }
    }
  }

  private List<AlignedLine> lines(ClockOffsets offsets, Map<String, List<String>> parameters) {
    List<AlignedLine> lines = new ArrayList<>();
    LineHistory.give(
        new InMemoryEventSource(events, offsets).open(),
        LineRequest.parse(parameters),
        NOW,
        lines::add);
    return lines;
  }

  private List<AlignedLine> lines(Map<String, List<String>> parameters) {
    return lines(ClockAlignment.of(events), parameters);
  }

  private static List<Integer> numbers(List<AlignedLine> lines) {
    return lines.stream().map(line -> Integer.parseInt(line.line().message())).toList();
  }

  @Test
  void give_skewedClocks_comeInTheirTrueOrderWhereTheUncertaintyLetsThem() {
    work(500);
    List<AlignedLine> lines = lines(Map.of());
    assertThat(numbers(lines)).hasSize(causes.size()).doesNotHaveDuplicates();
    assertThat(lines).noneMatch(AlignedLine::late);
    assertThat(lines).allMatch(line -> line.clock().equals(Optional.of("a")));
    int swapped = 0;
    List<Integer> numbers = numbers(lines);
    for (int i = 1; i < numbers.size(); i++) {
      swapped += numbers.get(i) < numbers.get(i - 1) ? 1 : 0;
    }
    // Raw times alone would differ by 65 ms, which is about 60 lines.
    assertThat(swapped).as("seed %d", seed).isLessThan(causes.size() / 20);
  }

  @Test
  void give_rawReadings_areAsRecorded() {
    work(50);
    Map<String, Long> readings = new HashMap<>();
    events.forEach(e -> readings.put(e.node() + e.hlc(), e.physicalMicros()));
    for (AlignedLine line : lines(Map.of())) {
      Event event = line.event();
      assertThat(event.physicalMicros()).isEqualTo(readings.get(event.node() + event.hlc()));
    }
  }

  /** The offsets change by up to 5 ms with every call, which is far worse than any estimator. */
  @Test
  void give_estimatesThatContradictCauseAndEffect_neverPutTheEffectFirst() {
    work(400);
    List<Integer> numbers = numbers(lines(new Jitter(5_000), Map.of()));
    assertThat(numbers).hasSize(causes.size());
    Map<Integer, Integer> places = new HashMap<>();
    for (int place = 0; place < numbers.size(); place++) {
      places.put(numbers.get(place), place);
    }
    for (int effect = 0; effect < causes.size(); effect++) {
      for (int cause : causes.get(effect)) {
        assertThat(places.get(cause))
            .as("line %d before %d, seed %d", cause, effect, seed)
            .isLessThan(places.get(effect));
      }
    }
  }

  @Test
  void give_noCauseKnown_isOrderedByAlignedTimeAndThenByStamp() {
    for (int i = 0; i < 300; i++) {
      trueMicros += random.nextInt(3);
      line(List.of("a", "b", "c").get(random.nextInt(3)));
    }
    ClockOffsets exact = new Exact();
    List<AlignedLine> lines = lines(exact, Map.of());
    for (int i = 1; i < lines.size(); i++) {
      AlignedLine before = lines.get(i - 1);
      AlignedLine after = lines.get(i);
      assertThat(after.time().micros()).isGreaterThanOrEqualTo(before.time().micros());
      if (after.time().micros() == before.time().micros()) {
        assertThat(after.event().hlc()).isGreaterThanOrEqualTo(before.event().hlc());
      }
    }
  }

  @Test
  void give_last_isTheEndOfAllHoweverFarBackItReaches() {
    work(100);
    trueMicros += 90_000_000;
    work(3);
    List<Integer> all = numbers(lines(Map.of()));
    for (int count : List.of(0, 1, 3, 20, all.size(), all.size() + 5)) {
      assertThat(numbers(lines(Map.of("last", List.of("" + count)))))
          .isEqualTo(all.subList(Math.max(0, all.size() - count), all.size()));
    }
    assertThat(numbers(lines(Map.of("last", List.of("2"), "node", List.of("c")))))
        .isEqualTo(lastTwoOf("c"));
  }

  private List<Integer> lastTwoOf(String node) {
    List<Integer> its = numbers(lines(Map.of("node", List.of(node))));
    return its.subList(its.size() - 2, its.size());
  }

  @Test
  void give_sinceAndUntil_countAlignedTime() {
    work(200);
    List<AlignedLine> all = lines(Map.of());
    long from = all.get(50).time().micros();
    long to = all.get(150).time().micros();
    assertThat(
            numbers(
                lines(
                    Map.of(
                        "since", List.of(HlcTimestamp.isoMicros(from)),
                        "until", List.of(HlcTimestamp.isoMicros(to))))))
        .isEqualTo(
            numbers(
                all.stream()
                    .filter(line -> line.time().micros() >= from && line.time().micros() <= to)
                    .toList()));
    assertThat(numbers(lines(Map.of("since", List.of(NOW - from + "us")))))
        .contains(numbers(all).get(50));
  }

  @Test
  void give_withoutReadings_isOrderedByStampOnNoClock() {
    events.add(line("b", 7));
    events.add(line("a", 7));
    events.add(line("c", 3));
    List<AlignedLine> lines = lines(ClockOffsets.UNKNOWN, Map.of());
    assertThat(lines).extracting(line -> line.event().node()).containsExactly("c", "a", "b");
    assertThat(lines).allMatch(line -> line.clock().isEmpty());
    assertThat(lines).allMatch(line -> line.time().uncertaintyMicros().isEmpty());
  }

  private static Event line(String node, long micros) {
    return new Event(node, "app", HlcTimestamp.pack(micros), new EventBody.LogLine("x", Map.of()));
  }

  @Test
  void give_namesThatNothingIsStoredOf_areRefusedWithThoseThatThereAre() {
    work(5);
    assertThatThrownBy(() -> lines(Map.of("node", List.of("d"))))
        .isInstanceOf(LineException.class)
        .hasMessage("nothing is stored for node d; there is a, b, c");
    assertThatThrownBy(() -> lines(Map.of("log", List.of("ap"))))
        .hasMessage("nothing is stored for log ap; there is app, net");
  }

  @Test
  void give_moreLinesThanAreHeld_stillComeEachOnce() {
    int count = LineMerge.MAX_HELD + 1_000;
    for (int i = 0; i < count; i++) {
      events.add(line("a", START + 10L * i));
    }
    List<AlignedLine> lines = lines(new Exact(), Map.of());
    assertThat(lines).extracting(line -> line.event().hlc()).hasSize(count).isSorted();
    assertThat(lines).noneMatch(AlignedLine::late);
  }

  /** The true offsets from a's clock. */
  private class Exact implements ClockOffsets {
    @Override
    public Optional<String> referenceNode() {
      return Optional.of("a");
    }

    @Override
    public Optional<Offset> offset(String node, long hlc) {
      long offset = errors.getOrDefault("a", 0L) - errors.getOrDefault(node, 0L);
      return Optional.of(new Offset(offset, OptionalLong.of(offset), OptionalLong.of(offset)));
    }
  }

  /** The true offsets with random errors. */
  private final class Jitter extends Exact {
    private final int mostMicros;

    Jitter(int mostMicros) {
      this.mostMicros = mostMicros;
    }

    @Override
    public Optional<Offset> offset(String node, long hlc) {
      return super.offset(node, hlc)
          .map(
              exact ->
                  new Offset(
                      exact.estimateMicros() + random.nextInt(2 * mostMicros) - mostMicros,
                      OptionalLong.empty(),
                      OptionalLong.empty()));
    }
  }
}
