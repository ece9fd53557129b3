// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.blocks.merge.BlockSet;
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
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.server.live.PartitionException;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.MergeableView;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.StoredBlock;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.disk.StoreException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the stored blocks of several partitions have the rows of one store. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PartBlocksTest {
  private static final int PARTS = 3;
  private static final int NODES = 7;
  private static final int EVENTS = 4_000;
  private static final long NOW_MICROS = 1_000_000_000;
  private static final SealLimits SMALL_BLOCKS = new SealLimits(64, 512, 64);

  /** The walk of a query that uses one of the variables. */
  private static final Interest X =
      new Selection(Set.of("l"), Map.of("l", Set.of("y", "z")), false);

  private final long seed = Long.getLong("retroscope.seed", 20261128);
  private final Random random = new Random(seed);
  private final PartThreads threads = new PartThreads();
  private final List<EventStore> parts = new ArrayList<>();
  private EventStore one;

  @BeforeAll
  void store(@TempDir Path folder) {
    StoreOptions options = StoreOptions.DEFAULT.sealingBy(SMALL_BLOCKS);
    one = EventStore.open(folder.resolve("one"), options, () -> NOW_MICROS);
    for (int i = 0; i < PARTS; i++) {
      parts.add(EventStore.open(folder.resolve("part" + i), options, () -> NOW_MICROS));
    }
    List<EncodedFrame> frames = new ArrayList<>();
    List<EventBlockBuilder> builders = new ArrayList<>();
    int[] numbers = new int[NODES];
    IntStream.range(0, NODES).forEach(node -> builders.add(new EventBlockBuilder()));
    long micros = 1_000_000;
    long[] last = new long[NODES];
    Arrays.fill(last, HlcTimestamp.MIN_PACKED);
    for (int i = 0; i < EVENTS; i++) {
      micros += random.nextInt(50) == 0 ? 5_000 : random.nextInt(2);
      int node = random.nextInt(NODES);
      long hlc = Math.max(HlcTimestamp.pack(micros), last[node] + 1);
      last[node] = hlc;
      builders.get(node).add(event(node, hlc, i));
      if (random.nextInt(20) == 0) {
        frames.add(frame(builders.get(node), ++numbers[node]));
        builders.set(node, new EventBlockBuilder());
      }
      if (i == EVENTS / 2 || i == EVENTS - 1) {
        append(frames);
        frames.clear();
      }
      if (i == EVENTS / 2) {
        seal(micros);
      }
    }
  }

  private Event event(int node, long hlc, int number) {
    Change change =
        new Change(Operation.SET, "xyz".substring(number % 3, number % 3 + 1), Value.of(number));
    String log = random.nextInt(4) == 0 ? "m" : "l";
    return new Event("n" + node, log, hlc, new StateChange(List.of(change)));
  }

  private static EncodedFrame frame(EventBlockBuilder builder, int number) {
    EventBlock block = builder.incarnation("run", number).build();
    return new EncodedFrame(block, EventBlockCodec.encode(block));
  }

  private void append(List<EncodedFrame> frames) {
    Receipt unused = one.append(new Submission.Frames(List.copyOf(frames))).join();
    for (int i = 0; i < PARTS; i++) {
      String suffix = Integer.toString(i);
      List<EncodedFrame> own =
          frames.stream()
              .filter(frame -> partOf((EventBlock) frame.content()).equals(suffix))
              .toList();
      unused = parts.get(i).append(new Submission.Frames(own)).join();
    }
  }

  private static String partOf(EventBlock block) {
    return Integer.toString(Integer.parseInt(block.nodes().get(0).substring(1)) % PARTS);
  }

  private void seal(long micros) {
    for (EventStore store : parts) {
      while (store.seal(HlcTimestamp.pack(micros)) > 0) {}
    }
  }

  @AfterAll
  void close() {
    threads.close();
    one.close();
    parts.forEach(EventStore::close);
  }

  /** The part as it is here; after a number of reads it is found to be damaged. */
  private StoredPart here(int number, int reads) {
    AtomicInteger left = new AtomicInteger(reads);
    Supplier<Optional<String>> damage =
        () -> left.getAndDecrement() > 0 ? Optional.empty() : Optional.of("a block is damaged");
    return new StoredPart(
        new OpenViews(),
        () -> parts.get(number).open(ClockOffsets.UNKNOWN),
        damage,
        Optional.empty(),
        100);
  }

  private StoredPart here(int number) {
    return here(number, Integer.MAX_VALUE);
  }

  /** The part as another server sends it. */
  private PartView sent(int number) {
    return new SentPart(here(number));
  }

  /** The part as another server sends it, which breaks off after a number of pieces. */
  private PartView breaking(int number, int pieces) {
    PartView whole = sent(number);
    return (PartView)
        Proxy.newProxyInstance(
            PartView.class.getClassLoader(),
            new Class<?>[] {PartView.class},
            (proxy, method, arguments) -> {
              Object result = method.invoke(whole, arguments);
              return method.getName().equals("scan")
                  ? new BreakingFeed((PieceFeed) result, new AtomicInteger(pieces))
                  : result;
            });
  }

  private record BreakingFeed(PieceFeed whole, AtomicInteger left) implements PieceFeed {
    @Override
    public @Nullable Piece next() throws IOException {
      if (left.getAndDecrement() == 0) {
        throw new IOException("the server is gone");
      }
      return whole.next();
    }

    @Override
    public void close() {
      whole.close();
    }
  }

  /** The opener of a part, which is here or elsewhere each time, and never for long. */
  private ResumingPart.Opener moving() {
    return (number, turn) ->
        random.nextBoolean()
            ? here(number, 3 + random.nextInt(60))
            : breaking(number, 1 + random.nextInt(10));
  }

  private List<String> rows(ResumingPart.Opener opener, HlcRange range) {
    List<PartView> views = new ArrayList<>();
    for (int i = 0; i < PARTS; i++) {
      views.add(new ResumingPart(i, opener));
    }
    try (View merged = new MergedView(threads, views, ViewClocks.NONE)) {
      return rows(merged, range);
    }
  }

  /** The writes that the walk uses. */
  private static List<String> rows(View view, HlcRange range) {
    List<String> rows = new ArrayList<>();
    view.scan(X, range)
        .events()
        .forEachRemaining(
            event -> {
              if (event.body().toString().contains("variable=x")) {
                rows.add(event.hlc() + " " + event.node() + " " + event.body());
              }
            });
    return rows;
  }

  private List<String> expected(HlcRange range) {
    try (View view = one.open(ClockOffsets.UNKNOWN)) {
      return rows(view, range);
    }
  }

  private HlcRange someRange() {
    long a = HlcTimestamp.pack(1_000_000 + random.nextInt(500_000));
    long b = HlcTimestamp.pack(1_000_000 + random.nextInt(500_000));
    return new HlcRange(Math.min(a, b), Math.max(a, b));
  }

  @Test
  void scan_partsHereOrSent_hasTheRowsOfOneStore() {
    assertThat(expected(HlcRange.ALL)).hasSizeGreaterThan(EVENTS / 6);
    for (int round = 0; round < 8; round++) {
      HlcRange range = round == 0 ? HlcRange.ALL : someRange();
      List<String> expected = expected(range);
      assertThat(rows((number, turn) -> here(number), range))
          .as("seed %d, here", seed)
          .isEqualTo(expected);
      assertThat(rows((number, turn) -> sent(number), range))
          .as("seed %d, sent", seed)
          .isEqualTo(expected);
      assertThat(rows((number, turn) -> number == 0 ? sent(number) : here(number), range))
          .as("seed %d, one of them sent", seed)
          .isEqualTo(expected);
    }
  }

  @Test
  void scan_partsFailWhileTheyAreRead_hasTheRowsOfOneStore() {
    for (int round = 0; round < 20; round++) {
      HlcRange range = round % 2 == 0 ? HlcRange.ALL : someRange();
      assertThat(rows(moving(), range))
          .as("seed %d, round %d", seed, round)
          .isEqualTo(expected(range));
    }
  }

  @Test
  void scan_noServerIsLeft_namesThePartitionAndTheRangeThatIsLeft() {
    AtomicInteger opened = new AtomicInteger();
    ResumingPart.Opener once =
        (number, turn) -> {
          if (opened.incrementAndGet() > PARTS) {
            throw new PartitionException("no server has it");
          }
          return here(number, number == 1 ? 40 : Integer.MAX_VALUE);
        };
    assertThatThrownBy(() -> rows(once, HlcRange.ALL))
        .isInstanceOf(PartitionException.class)
        .hasMessageContaining("partition 1 cannot be read from ")
        .hasMessageContaining(" to the end")
        .hasMessageNotContaining("the beginning")
        .hasMessageContaining("no server has it");
  }

  /** A walk reads zones outside the merge, which alone can continue elsewhere. */
  @Test
  void zones_theStoreFails_areUnknownAndTheMergeContinues() {
    seal(NOW_MICROS);
    try (ResumingPart part =
        new ResumingPart(0, (number, turn) -> turn == 0 ? here(number, 1) : here(number))) {
      BlockSet before = part.blocks(X, HlcRange.ALL).orElseThrow();
      assertThat(before.sources()).hasSizeGreaterThan(5);
      assertThat(before.sources()).allMatch(block -> block.longZone() == null);
      BlockSet after = part.blocks(X, HlcRange.ALL).orElseThrow();
      assertThat(after.sources()).anyMatch(block -> block.read() != null);
    }
  }

  /** Blocks of a closed view may have been sealed since, which would be recorded as damage. */
  @Test
  void read_afterTheEnd_isRefused() throws IOException {
    StoredPart part = here(0);
    PieceFeed feed = part.scan(scan());
    assertThat(feed.next()).isNotNull();
    feed.close();
    assertThatThrownBy(feed::next).isInstanceOf(StoreException.class);
    part.close();
    assertThatThrownBy(() -> part.scan(scan())).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> part.doubts(HlcRange.ALL)).isInstanceOf(StoreException.class);
  }

  /** Otherwise each event would be decoded and encoded again on its way. */
  @Test
  void pieces_ofSealedBlocks_areSentAsTheyAreStored() throws IOException {
    seal(NOW_MICROS);
    for (int number = 0; number < PARTS; number++) {
      try (View view = parts.get(number).open(ClockOffsets.UNKNOWN);
          StoredPart part = here(number);
          PieceFeed feed = part.scan(scan())) {
        int sealed = 0;
        for (Piece piece = feed.next(); piece != null; piece = feed.next()) {
          sealed +=
              (int) piece.blocks().stream().filter(PieceBlock.Sealed.class::isInstance).count();
        }
        long stored =
            ((MergeableView) view)
                .stored(X, HlcRange.ALL).stream().filter(block -> block.isSealed()).count();
        assertThat(sealed).as("seed %d", seed).isGreaterThan(5).isEqualTo((int) stored);
      }
    }
  }

  /** The walk of a slice cuts blocks, of which each has many rows outside of it. */
  @Test
  void pieces_ofBlocksThatReachBeyondTheRange_areSentAsTheyAreStored() throws IOException {
    seal(NOW_MICROS);
    try (View view = parts.get(0).open(ClockOffsets.UNKNOWN);
        StoredPart part = here(0)) {
      Selection logs = Selection.all(Set.of("l"));
      long whole = 0;
      for (StoredBlock block : ((MergeableView) view).stored(logs, HlcRange.ALL)) {
        if (block.isSealed() && block.firstHlc() + 1 < block.lastHlc()) {
          HlcRange within = new HlcRange(block.firstHlc() + 1, block.lastHlc() - 1);
          whole += sealed(part, new PartView.Scan(PartView.Scan.Kind.BLOCKS, logs, within));
          assertThat(sealed(part, new PartView.Scan(PartView.Scan.Kind.EVENTS, logs, within)))
              .as("seed %d", seed)
              .isZero();
        }
      }
      assertThat(whole).as("seed %d", seed).isGreaterThan(5);
    }
  }

  private static long sealed(StoredPart part, PartView.Scan scan) throws IOException {
    long sealed = 0;
    try (PieceFeed feed = part.scan(scan)) {
      for (Piece piece = feed.next(); piece != null; piece = feed.next()) {
        sealed += piece.blocks().stream().filter(PieceBlock.Sealed.class::isInstance).count();
      }
    }
    return sealed;
  }

  @Test
  void pieces_ofStoredBlocks_splitNoStampAndAreNotTakenForCompleteIfCutOff() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (StoredPart part = here(0);
        PieceFeed feed = part.scan(scan())) {
      PieceFormat.write(feed, bytes);
    }
    byte[] all = bytes.toByteArray();
    long last = Long.MIN_VALUE;
    PieceFeed whole = PieceFormat.read(new ByteArrayInputStream(all), scan());
    int pieces = 0;
    for (Piece piece = whole.next(); piece != null; piece = whole.next()) {
      assertThat(piece.firstHlc()).as("seed %d", seed).isGreaterThan(last);
      last = piece.lastHlc();
      pieces++;
    }
    assertThat(pieces).isGreaterThan(5);
    for (int round = 0; round < 50; round++) {
      PieceFeed cut =
          PieceFormat.read(new ByteArrayInputStream(all, 0, random.nextInt(all.length)), scan());
      assertThatThrownBy(() -> readAll(cut)).as("seed %d", seed).isInstanceOf(IOException.class);
    }
  }

  private static PartView.Scan scan() {
    return new PartView.Scan(PartView.Scan.Kind.EVENTS, Selection.all(Set.of("l")), HlcRange.ALL);
  }

  @Test
  void pieces_ofSomeVariables_leaveOutTheOthers() throws IOException {
    seal(NOW_MICROS);
    try (StoredPart part = here(0)) {
      Selection x = (Selection) X;
      int all = sentBytes(part, Selection.all(x.logs()));
      assertThat(sentBytes(part, x)).as("seed %d", seed).isLessThan(all - all / 10);
    }
  }

  private static int sentBytes(StoredPart part, Selection selection) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PieceFeed feed =
        part.scan(new PartView.Scan(PartView.Scan.Kind.EVENTS, selection, HlcRange.ALL))) {
      PieceFormat.write(feed, bytes);
    }
    return bytes.size();
  }

  private static void readAll(PieceFeed feed) throws IOException {
    while (feed.next() != null) {}
  }
}
