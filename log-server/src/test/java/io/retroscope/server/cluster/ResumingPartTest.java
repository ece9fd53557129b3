// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.EventSource.BlockCount;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.server.cluster.PartView.Scan;
import io.retroscope.server.live.PartitionException;
import io.retroscope.server.store.disk.StoreException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Tests of reading a partition whose servers fail, and of the pieces in which it is read. */
class ResumingPartTest {
  private static final Selection LOG = Selection.all(Set.of("l"));
  private static final Scan ALL = new Scan(Scan.Kind.EVENTS, LOG, HlcRange.ALL);

  private final long seed = Long.getLong("retroscope.seed", 20261128);
  private final Random random = new Random(seed);

  /** Events of two nodes, many with equal stamps. */
  private List<Event> events(int count) {
    List<Event> events = new ArrayList<>();
    long micros = 1_000;
    for (int i = 0; i < count; i++) {
      micros += random.nextInt(2);
      Change change = new Change(Operation.SET, "x", Value.of(i));
      events.add(
          new Event(
                  "n" + random.nextInt(2),
                  "l",
                  HlcTimestamp.pack(micros),
                  new StateChange(List.of(change)))
              .of("run"));
    }
    return events;
  }

  private static byte[] sent(List<Event> events, int pieceEvents) throws IOException {
    CutPieces pieces = new CutPieces(events.iterator(), pieceEvents);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PieceFormat.write(
        new PieceFeed() {
          @Override
          public Piece next() {
            return pieces.next();
          }

          @Override
          public void close() {}
        },
        bytes);
    return bytes.toByteArray();
  }

  private static List<Event> received(PieceFeed feed) throws IOException {
    List<Event> events = new ArrayList<>();
    for (Piece piece = feed.next(); piece != null; piece = feed.next()) {
      for (PieceBlock block : piece.blocks()) {
        events.addAll(block.rows(LOG).events());
      }
    }
    return events;
  }

  private static int size(Piece piece) throws CorruptBlockException {
    int size = 0;
    for (PieceBlock block : piece.blocks()) {
      size += block.rows(LOG).size();
    }
    return size;
  }

  /** A server that sends the events after a stamp, and breaks off after some bytes. */
  private record BreakingPart(List<Event> events, int pieceEvents, int bytes, long removedHlc)
      implements PartView {
    BreakingPart(List<Event> events, int pieceEvents, int bytes) {
      this(events, pieceEvents, bytes, Long.MIN_VALUE);
    }

    @Override
    public Facts facts() {
      return Facts.none(removedHlc, removedHlc / 1_000);
    }

    @Override
    public Doubts doubts(HlcRange range) {
      throw new StoreException("the server is gone");
    }

    @Override
    public List<Presence> presences() {
      return List.of();
    }

    @Override
    public boolean mayWrite(String node, Set<String> logs) {
      return true;
    }

    @Override
    public Tile tile(TileRequest wanted) {
      throw new StoreException("the server is gone");
    }

    @Override
    public BlockCount blockCount() {
      return new BlockCount(0, 0);
    }

    @Override
    public PieceFeed scan(Scan scan) {
      List<Event> own =
          events.stream().filter(event -> scan.range().contains(event.hlc())).toList();
      try {
        byte[] all = sent(own, pieceEvents);
        return PieceFormat.read(
            new ByteArrayInputStream(Arrays.copyOf(all, Math.min(bytes, all.length))), scan);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public PartView another() {
      return this;
    }

    @Override
    public void close() {}
  }

  @Test
  void pieces_anySize_splitNoStamp() throws IOException {
    List<Event> events = events(500);
    for (int size : new int[] {1, 2, 7, 100, 1_000}) {
      PieceFeed feed = PieceFormat.read(new ByteArrayInputStream(sent(events, size)), ALL);
      long last = Long.MIN_VALUE;
      int count = 0;
      for (Piece piece = feed.next(); piece != null; piece = feed.next()) {
        assertThat(piece.firstHlc()).as("seed %d, size %d", seed, size).isGreaterThan(last);
        last = piece.lastHlc();
        count += size(piece);
      }
      assertThat(count).isEqualTo(events.size());
    }
  }

  @Test
  void pieces_cutOffAnywhere_areNeverTakenForComplete() throws IOException {
    byte[] all = sent(events(60), 5);
    for (int length = 0; length < all.length; length++) {
      PieceFeed feed = PieceFormat.read(new ByteArrayInputStream(Arrays.copyOf(all, length)), ALL);
      assertThatThrownBy(() -> received(feed))
          .as("%d bytes", length)
          .isInstanceOf(EOFException.class);
    }
  }

  @Test
  void scan_serversBreakOff_continuesAfterTheLastWholePiece() throws IOException {
    for (int round = 0; round < 50; round++) {
      List<Event> events = events(200);
      int length = sent(events, 5).length;
      Deque<PartView> servers = new ArrayDeque<>();
      for (int i = 0; i < 5; i++) {
        servers.add(new BreakingPart(events, 1 + random.nextInt(9), random.nextInt(length)));
      }
      PartView last = new BreakingPart(events, 4, Integer.MAX_VALUE);
      try (PartView part =
          new ResumingPart(3, (partition, turn) -> servers.isEmpty() ? last : servers.remove())) {
        assertThat(received(part.scan(ALL))).as("seed %d", seed).isEqualTo(events);
      }
    }
  }

  /** A damaged block is replaced by an empty one while a piece is read. */
  @Test
  void scan_damageAppearsMeanwhile_continuesAtAWholeCopy() throws IOException {
    List<Event> events = events(100);
    AtomicInteger reads = new AtomicInteger();
    Supplier<Optional<String>> damage =
        () -> reads.incrementAndGet() < 4 ? Optional.empty() : Optional.of("a block is damaged");
    List<Event> damaged = events.subList(0, 40);
    Deque<PartView> servers =
        new ArrayDeque<>(
            List.of(
                new StoredPart(
                    new OpenViews(),
                    () -> MergedViewTest.sliced(damaged),
                    damage,
                    Optional.empty(),
                    10),
                new BreakingPart(events, 4, Integer.MAX_VALUE)));
    try (PartView part = new ResumingPart(3, (partition, turn) -> servers.remove())) {
      assertThat(received(part.scan(ALL)))
          .as("seed %d", seed)
          .containsExactlyInAnyOrderElementsOf(events);
    }
    assertThat(servers).isEmpty();
  }

  @Test
  void doubts_ofADamagedStore_areThoseOfAWholeCopy() {
    PartView damaged =
        new StoredPart(
            new OpenViews(),
            () -> MergedViewTest.sliced(List.of()),
            () -> Optional.of("a block is damaged"),
            Optional.empty(),
            10);
    assertThatThrownBy(() -> damaged.doubts(HlcRange.ALL))
        .isInstanceOf(StoreException.class)
        .hasMessage("a block is damaged");
  }

  @Test
  void scan_noServerIsLeft_givesThePiecesBeforeAndNamesPartitionAndRange() throws IOException {
    List<Event> events = events(100);
    BreakingPart first = new BreakingPart(events, 5, sent(events, 5).length / 2);
    Deque<PartView> servers = new ArrayDeque<>(List.of(first));
    PartView part =
        new ResumingPart(
            3,
            (partition, turn) -> {
              if (servers.isEmpty()) {
                throw new PartitionException("no server has it");
              }
              return servers.remove();
            });
    PieceFeed feed = part.scan(ALL);
    Piece before = feed.next();
    assertThat(before).isNotNull();
    assertThatThrownBy(() -> received(feed))
        .isInstanceOf(PartitionException.class)
        .hasMessageContaining("partition 3 cannot be read from ")
        .hasMessageContaining(" to the end")
        .hasMessageContaining("no server has it");
  }

  /** Otherwise the answer would be without the removed events, and not say so. */
  @Test
  void scan_retentionHasRemovedWhatIsStillToBeRead_endsWithASentence() throws IOException {
    List<Event> events = events(100);
    int half = sent(events, 5).length / 2;
    long first = events.get(0).hlc();
    long last = events.get(99).hlc();
    assertThat(received(resumed(events, half, first).scan(ALL)))
        .as("seed %d: what is removed had been read", seed)
        .isEqualTo(events);
    PieceFeed feed = resumed(events, half, last - 1).scan(ALL);
    assertThat(feed.next()).isNotNull();
    assertThatThrownBy(() -> received(feed))
        .isInstanceOf(PartitionException.class)
        .hasMessageContaining("partition 3 cannot be read from ")
        .hasMessageContaining("retention has removed events up to");
  }

  /** A part whose first server breaks off, and whose second has removed its events meanwhile. */
  private static PartView resumed(List<Event> events, int bytes, long removedHlc) {
    PartView first = new BreakingPart(events, 5, bytes);
    List<Event> left = events.stream().filter(event -> event.hlc() > removedHlc).toList();
    PartView second = new BreakingPart(left, 5, Integer.MAX_VALUE, removedHlc);
    return new ResumingPart(3, (partition, turn) -> turn == 0 ? first : second);
  }

  /** Otherwise the slices of a query would not fit together. */
  @Test
  void hasEventsOf_otherRecordsOrRemovals_isFalse() {
    List<PartView> parts =
        List.of(
            new BreakingPart(List.of(), 5, 0, 10_000), new BreakingPart(List.of(), 5, 0, 20_000));
    PartThreads threads = new PartThreads();
    try (MergedView view = new MergedView(threads, parts, ViewClocks.NONE)) {
      assertThat(view.hasEventsOf(wanted(10, 20, 10_000, 20_000))).isTrue();
      assertThat(view.hasEventsOf(wanted(10, 20, 15_000, 20_000))).as("less removed").isFalse();
      assertThat(view.hasEventsOf(wanted(10, 20, 10_000, 19_000))).as("more removed").isFalse();
      assertThat(view.hasEventsOf(wanted(10, 19, 10_000, 20_000))).as("more records").isFalse();
      assertThat(view.hasEventsOf(wanted(11, 20, 10_000, 20_000))).as("fewer records").isFalse();
    } finally {
      threads.close();
    }
  }

  private static SliceOpening wanted(
      long firstEnd, long secondEnd, long firstRemoved, long secondRemoved) {
    Map<Integer, SliceOpening.Content> parts = new LinkedHashMap<>();
    parts.put(0, new SliceOpening.Content(firstEnd, firstRemoved));
    parts.put(1, new SliceOpening.Content(secondEnd, secondRemoved));
    return new SliceOpening("t", parts, new byte[0]);
  }

  @Test
  void scan_serversThatAlwaysBreakOff_endsWithASentence() throws IOException {
    List<Event> events = events(10);
    PartView part = new ResumingPart(3, (partition, turn) -> new BreakingPart(events, 5, 2));
    PieceFeed feed = part.scan(ALL);
    assertThatThrownBy(() -> received(feed)).isInstanceOf(PartitionException.class);
    assertThatThrownBy(() -> part.doubts(HlcRange.ALL))
        .isInstanceOf(PartitionException.class)
        .hasMessageContaining("the server is gone");
  }

  /** Otherwise each would close what the other has just opened. */
  @Test
  void scan_twoThatFailAtTheSameServer_continueAtOneOther() throws IOException {
    List<Event> events = events(100);
    PartView first = new BreakingPart(events, 5, sent(events, 5).length / 2);
    PartView whole = new BreakingPart(events, 5, Integer.MAX_VALUE);
    AtomicInteger opened = new AtomicInteger();
    try (PartView part =
        new ResumingPart(
            3,
            (partition, turn) -> {
              assertThat(turn).isEqualTo(opened.getAndIncrement());
              return turn == 0 ? first : whole;
            })) {
      PieceFeed one = part.scan(ALL);
      PieceFeed other = part.scan(ALL);
      Piece ofOne = one.next();
      Piece ofOther = other.next();
      assertThat(ofOne).isNotNull();
      assertThat(ofOther).isNotNull();
      int rest = events.size() - size(ofOne);
      assertThat(received(one)).hasSize(rest);
      assertThat(received(other)).hasSize(rest);
    }
    assertThat(opened).hasValue(2);
  }

  /** A query that has ended must not look for another server. */
  @Test
  void close_whileAPieceIsAwaited_opensNoOtherServer() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    AtomicInteger opened = new AtomicInteger();
    PieceFeed standing =
        new PieceFeed() {
          @Override
          public Piece next() throws IOException {
            reading.countDown();
            while (closed.getCount() > 0) {
              Thread.onSpinWait();
            }
            throw new IOException("closed");
          }

          @Override
          public void close() {
            closed.countDown();
          }
        };
    try (PartThreads threads = new PartThreads();
        PartView part = new ResumingPart(3, (partition, turn) -> standing(standing, opened))) {
      PieceFeed begun = threads.begun(part.scan(ALL));
      reading.await();
      begun.close();
    }
    assertThat(opened).hasValue(1);
  }

  private static PartView standing(PieceFeed feed, AtomicInteger opened) {
    opened.incrementAndGet();
    BreakingPart other = new BreakingPart(List.of(), 1, 0);
    return (PartView)
        Proxy.newProxyInstance(
            PartView.class.getClassLoader(),
            new Class<?>[] {PartView.class},
            (proxy, method, arguments) ->
                method.getName().equals("scan") ? feed : method.invoke(other, arguments));
  }
}
