// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.rql.timeline.TileAddress;
import io.retroscope.rql.timeline.TileJson;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that queries over the sealed history of several stores have the answers of the same events
 * in memory, of which nothing is sealed, joined or passed over.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PartQueriesTest {
  private static final int PARTS = 3;
  private static final int NODES = 6;
  private static final int EVENTS = 8_000;
  private static final int BLOCK_EVENTS = 200;
  private static final long START_MICROS = 1_000_000;
  private static final long NOW_MICROS = 1_000_000_000;
  private static final SealLimits LIMITS = new SealLimits(600, 1_200, 600);

  private static final List<String> QUERIES =
      List.of(
          "SELECT x, SPREAD(x) AS s FROM l WHEN SPREAD(x) > %d EMIT INTERVALS;",
          "SELECT MIN(x) AS low FROM l WHEN MAX(x) - x@n1 > %d EMIT EDGES;",
          "SELECT x@n2, y@n3 FROM l WHEN x@n2 %% 97 = 0 AND SPREAD(x) > %d;",
          "SELECT x, y FROM l WHEN EXISTS n IN NODES : (x@n - y@n > 2 * %d) EMIT INTERVALS;");

  private final long seed = Long.getLong("retroscope.seed", 20261129);
  private final Random random = new Random(seed);
  private final PartThreads threads = new PartThreads();
  private final List<EventStore> stores = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private final List<EncodedFrame> frames = new ArrayList<>();
  private final List<EventBlockBuilder> builders = new ArrayList<>();
  private final int[] numbers = new int[NODES];

  @BeforeAll
  void store(@TempDir Path folder) {
    StoreOptions options = StoreOptions.DEFAULT.sealingBy(LIMITS);
    for (int i = 0; i < PARTS; i++) {
      stores.add(EventStore.open(folder.resolve("part" + i), options, () -> NOW_MICROS));
    }
    IntStream.range(0, NODES).forEach(node -> builders.add(new EventBlockBuilder()));
    long[] values = new long[NODES];
    long[] last = new long[NODES];
    Arrays.fill(last, HlcTimestamp.MIN_PACKED);
    long micros = START_MICROS;
    for (int i = 0; i < EVENTS; i++) {
      micros += random.nextInt(100) == 0 ? 500 : 1 + random.nextInt(3);
      int node = random.nextInt(NODES);
      values[node] += random.nextInt(1_000) == 0 ? 60 : 1;
      // Stamps of different nodes are equal now and then.
      long hlc = Math.max(last[node] + 1, HlcTimestamp.pack(micros / NODES * NODES, node % 2));
      last[node] = hlc;
      add(node, event(node, hlc, values[node]));
    }
    IntStream.range(0, NODES).filter(node -> builders.get(node).size() > 0).forEach(this::append);
    stores.forEach(PartQueriesTest::seal);
  }

  private Event event(int node, long hlc, long value) {
    String variable = random.nextInt(50) == 0 ? "y" : "x";
    Change change = new Change(Operation.SET, variable, Value.of(value));
    return new Event("n" + node, "l", hlc, new StateChange(List.of(change))).of("run");
  }

  private void add(int node, Event event) {
    events.add(event);
    builders.get(node).add(event);
    if (builders.get(node).size() == BLOCK_EVENTS) {
      append(node);
    }
  }

  private void append(int node) {
    EventBlock block = builders.get(node).incarnation("run", ++numbers[node]).build();
    builders.get(node).clear();
    EncodedFrame frame = new EncodedFrame(block, EventBlockCodec.encode(block));
    frames.add(frame);
    append(frame, stores.get(node % PARTS));
  }

  private static void append(EncodedFrame frame, EventStore store) {
    Receipt unused = store.append(new Submission.Frames(List.of(frame))).join();
  }

  private static void seal(EventStore store) {
    while (store.seal(HlcTimestamp.pack(NOW_MICROS)) > 0) {}
  }

  @AfterAll
  void close() {
    threads.close();
    stores.forEach(EventStore::close);
  }

  @Test
  void tile_ofSeveralStores_isThatOfOneStore(@TempDir Path folder) throws Exception {
    StoreOptions options = StoreOptions.DEFAULT.sealingBy(LIMITS);
    ResumingPart.Opener opener =
        (number, turn) -> number == 0 ? here(number) : new SentPart(here(number));
    try (EventStore one = EventStore.open(folder, options, () -> NOW_MICROS);
        MergedView merged = merged(opener)) {
      frames.forEach(frame -> append(frame, one));
      seal(one);
      for (int level : new int[] {13, 16, 20, 30}) {
        TileAddress address = new TileAddress(level, START_MICROS >> (level + 10));
        for (Set<String> variables : List.of(Set.<String>of(), Set.of("y"))) {
          assertThat(json(merged.tile(wanted(address, variables, 12))))
              .as("level %d, %s, seed %d", level, variables, seed)
              .isEqualTo(json(tile(one, address, variables)))
              .contains("\"n5\"");
        }
        assertThatThrownBy(() -> merged.tile(wanted(address, Set.of(), NODES - 1)))
            .isInstanceOf(TileMaker.TooLargeException.class)
            .hasMessageContaining("more than 5 pairs of a log and a node");
        assertThatThrownBy(() -> merged.tile(wanted(address, Set.of(), 1)))
            .isInstanceOf(TileMaker.TooLargeException.class);
      }
    }
  }

  private static TileRequest wanted(TileAddress address, Set<String> variables, int lanes) {
    return new TileRequest(
        address, Set.of(), variables, new TileMaker.Limits(20_000, 1 << 17, lanes));
  }

  private static Tile tile(EventStore store, TileAddress address, Set<String> variables) {
    try (TimelineBlocks blocks = store.openTimeline(ClockOffsets.UNKNOWN)) {
      return new TileMaker(blocks, address, new TileMaker.Limits(20_000, 1 << 17, 12))
          .make(Set.of(), variables);
    }
  }

  private static String json(Tile tile) {
    return new String(TileJson.bytes(tile), UTF_8);
  }

  private StoredPart here(int number) {
    return new StoredPart(
        new OpenViews(),
        () -> stores.get(number).open(ClockOffsets.UNKNOWN),
        Optional::empty,
        Optional.empty(),
        500);
  }

  private MergedView merged(ResumingPart.Opener opener) {
    List<PartView> views = new ArrayList<>();
    for (int i = 0; i < PARTS; i++) {
      views.add(new ResumingPart(i, opener));
    }
    return new MergedView(threads, views, ViewClocks.NONE);
  }

  private static List<String> answer(View view, String query) {
    return ClusterFixture.answer(new QueryEngine(() -> view, QueryLimits.DEFAULT), query);
  }

  @Test
  void explainAnalyze_storesHereOrElsewhere_countsTheBlocksOfAll() {
    long stored = stores.stream().mapToLong(store -> store.figures().blockCount()).sum();
    List<ResumingPart.Opener> openers =
        List.of((number, turn) -> here(number), (number, turn) -> new SentPart(here(number)));
    for (ResumingPart.Opener opener : openers) {
      String lines =
          answer(merged(opener), "EXPLAIN ANALYZE SELECT x FROM l WHEN x@n1 = -1;").toString();
      Matcher blocks = Pattern.compile("blocks: (\\d+) read, (\\d+) skipped").matcher(lines);
      assertThat(blocks.find()).as(lines).isTrue();
      long read = Long.parseLong(blocks.group(1));
      assertThat(read).as("seed %d", seed).isGreaterThan(PARTS);
      assertThat(read + Long.parseLong(blocks.group(2))).as("seed %d", seed).isEqualTo(stored);
    }
  }

  @Test
  void answer_storesHereOrElsewhere_isThatOfTheEventsInMemory() {
    int rows = 0;
    for (String query : QUERIES) {
      for (int limit : new int[] {10, 60, 100_000}) {
        String text = query.formatted(limit);
        List<String> expected =
            answer(new InMemoryEventSource(events, ClockOffsets.UNKNOWN).open(), text);
        rows += expected.size();
        assertThat(answer(merged((number, turn) -> here(number)), text))
            .as("seed %d, here: %s", seed, text)
            .isEqualTo(expected);
        ResumingPart.Opener partly =
            (number, turn) -> number == 0 ? new SentPart(here(number)) : here(number);
        assertThat(answer(merged(partly), text))
            .as("seed %d, one of them elsewhere: %s", seed, text)
            .isEqualTo(expected);
      }
    }
    assertThat(rows).as("seed %d", seed).isGreaterThan(100);
  }

  /** The state at the start of a slice, and its rows, come from each of the stores again. */
  @Test
  void answer_walkedInSlices_isThatOfTheEventsInMemory() {
    AtomicInteger others = new AtomicInteger();
    for (String query : QUERIES) {
      String text = query.formatted(10);
      List<String> expected =
          answer(new InMemoryEventSource(events, ClockOffsets.UNKNOWN).open(), text);
      List<ResumingPart.Opener> openers =
          List.of(
              (number, turn) -> here(number),
              (number, turn) -> number == 0 ? new SentPart(here(number)) : here(number));
      for (ResumingPart.Opener opener : openers) {
        MergedView view = merged(opener);
        View sliced =
            MergedViewTest.sliced(
                view,
                borders(),
                () -> {
                  others.incrementAndGet();
                  return view.another();
                });
        QueryEngine engine = new QueryEngine(() -> sliced, QueryLimits.DEFAULT.withWalkThreads(3));
        assertThat(ClusterFixture.answer(engine, text))
            .as("seed %d: %s", seed, text)
            .isEqualTo(expected);
      }
    }
    assertThat(others).as("slices of other threads").hasPositiveValue();
  }

  private long[] borders() {
    return IntStream.range(0, 5)
        .mapToLong(i -> events.get(random.nextInt(EVENTS)).hlc() + random.nextInt(2))
        .sorted()
        .distinct()
        .toArray();
  }

  /** Another server walks slices over the same stores; its answers may break off, or be refused. */
  @Test
  void answer_slicesWalkedByAnotherServer_isThatOfTheEventsInMemory() throws Exception {
    Slices slices = new Slices("topic", ends -> merged((number, turn) -> here(number)));
    Supplier<QueryEngine> engine = () -> new QueryEngine(this::nothing, QueryLimits.DEFAULT);
    AtomicInteger answers = new AtomicInteger();
    try (SliceServer server = new SliceServer(slices, engine);
        SliceServer refusing = new SliceServer(slices, engine)) {
      for (String query : QUERIES) {
        String text = query.formatted(10);
        List<String> expected =
            answer(new InMemoryEventSource(events, ClockOffsets.UNKNOWN).open(), text);
        for (int fault = 0; fault < 3; fault++) {
          server.breakOffAfter(fault == 0 ? Integer.MAX_VALUE : random.nextInt(20_000));
          assertThat(answerWith(server.host("topic"), text))
              .as("seed %d, %d: %s", seed, fault, text)
              .isEqualTo(expected);
        }
        assertThat(answerWith(refusing.host("another topic"), text)).isEqualTo(expected);
      }
      assertThat(refusing.answered()).as("refused slices").isZero();
      answers.set(server.answered());
    }
    assertThat(answers).as("slices of the other server").hasPositiveValue();
  }

  private View nothing() {
    throw new AssertionError("a slice is walked over the view of its query");
  }

  private List<String> answerWith(SliceHost host, String text) {
    MergedView view =
        new MergedView(
            threads,
            IntStream.range(0, PARTS)
                .<PartView>mapToObj(i -> new ResumingPart(i, (number, turn) -> here(number)))
                .toList(),
            ViewClocks.NONE,
            all -> List.of(host));
    View sliced = MergedViewTest.sliced(view, borders(), view::another);
    return ClusterFixture.answer(new QueryEngine(() -> sliced, QueryLimits.DEFAULT), text);
  }
}
