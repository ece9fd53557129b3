// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.disk.DataDirectory;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.HistoryStart;
import io.retroscope.server.store.disk.OpenRocks.Mode;
import io.retroscope.server.store.disk.SourcePosition;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.disk.Table;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.LiveFileMetaData;

/**
 * A changed byte in the sorted files of each table, and in each other file of a data directory: the
 * start is refused, or everything works, and losses are named.
 */
@Timeout(600)
class TableDamageTest {
  private static final int BLOCKS = 60;
  private static final int FLIPS_PER_FILE = 2;

  @TempDir Path folder;

  private final Random random = new Random(Long.getLong("retroscope.seed", 20261127));

  @Test
  void flippedByte_inEachTable_isRefusedOrDoesNoHarm() throws IOException {
    Path whole = folder.resolve("whole");
    fill(whole);
    Map<String, List<String>> tables = sortedFiles(whole);
    assertThat(tables.keySet())
        .containsExactlyInAnyOrderElementsOf(
            StoreSchema.ALL.stream().map(Table::family).sorted().toList());
    Shown expected = shown(whole);
    Map<String, Set<String>> outcomes = new TreeMap<>();
    tables.forEach(
        (table, files) -> {
          for (String file : files) {
            for (int flip = 0; flip < FLIPS_PER_FILE; flip++) {
              // The first byte is in a block of data, which small files have at their beginning.
              Path copy = copyOf(whole);
              String what = table + ": " + flip(copy.resolve(file), flip == 0);
              String outcome = outcome(what, copy, expected);
              outcomes.computeIfAbsent(table, name -> new HashSet<>()).add(outcome);
              delete(copy);
            }
          }
        });
    System.out.println("a flipped byte in each table: " + outcomes);
    for (String refused :
        List.of("default", "lost", "incarnations", "lifetimes", "names", "reasons", "alerts")) {
      assertThat(outcomes.get(refused)).as(refused).contains("refused");
    }
    assertThat(outcomes.get("numbers")).contains("whole");
  }

  @Test
  void flippedByte_inEachOtherFile_isRefusedWithItsNameOrDoesNoHarm() throws IOException {
    Path whole = folder.resolve("whole");
    fill(whole);
    DataDirectory.addLoss(whole, "events stored before noon are lost");
    Files.writeString(whole.resolve("SUSPECTS"), "once " + "ab".repeat(32) + "\n");
    try (EventStore store = open(whole)) {
      store.rejected().keep("input", new byte[] {1, 2, 3}, "a test");
    }
    Shown expected = shown(whole);
    List<String> files;
    try (Stream<Path> all = Files.walk(whole)) {
      files =
          all.filter(file -> Files.isRegularFile(file) && !file.startsWith(whole.resolve("db")))
              .map(file -> whole.relativize(file).toString())
              .sorted()
              .toList();
    }
    assertThat(files)
        .contains("FORMAT", "SYNCED", "HISTORY", "LOSSES", "SUSPECTS", "DECODING")
        .anyMatch(file -> file.startsWith("rejected"));
    for (String file : files) {
      for (int bit : new int[] {0x01, 0x80}) {
        Path copy = copyOf(whole);
        String what = flip(copy.resolve(file), false, bit);
        try {
          String outcome = outcome(what, copy, expected);
          assertThat(outcome).as(what).isIn("whole", "refused");
        } finally {
          delete(copy);
        }
      }
    }
  }

  /** What a store shows. */
  private record Shown(
      Set<Long> events,
      List<String> nodes,
      int lost,
      int runs,
      int quarantined,
      int gaps,
      List<Incompleteness> reasons) {}

  private static Shown shown(Path data) {
    try (EventStore store = open(data)) {
      return shown(store);
    }
  }

  private static Shown shown(EventStore store) {
    try (View view = store.open(ClockOffsets.UNKNOWN);
        TimelineBlocks timeline = store.openTimeline(ClockOffsets.UNKNOWN)) {
      Set<Long> events = new HashSet<>();
      StoreFixture.events(view).forEach(event -> events.add(event.hlc()));
      List<String> nodes = new ArrayList<>();
      view.presences()
          .forEach(
              presence ->
                  presence
                      .from(HlcTimestamp.MIN_PACKED)
                      .forEachRemaining(stay -> nodes.add(presence.node() + stay)));
      for (TimelineBlocks.Part part : timeline.parts(HlcRange.ALL)) {
        var unused = part.summary().get();
      }
      return new Shown(
          events,
          nodes,
          store.lost().size(),
          store.incarnations().size(),
          store.quarantined().size(),
          view.gaps(HlcRange.ALL).size(),
          view.reasons(HlcRange.ALL).stream()
              .filter(Incompleteness.CutOff.class::isInstance)
              .toList());
    }
  }

  private static String outcome(String what, Path data, Shown expected) {
    try (EventStore store = open(data)) {
      Shown found = shown(store);
      assertThat(expected.events()).as(what).containsAll(found.events());
      boolean whole = expected.events().equals(found.events());
      if (whole) {
        assertThat(found).as(what).isEqualTo(expected);
      } else {
        assertThat(found.nodes()).as(what).isEqualTo(expected.nodes());
        assertThat(store.figures().damagedBlockCount()).as(what).isPositive();
      }
      resend(what, store, whole);
      return whole ? "whole" : "warned";
    } catch (StoreException e) {
      assertThat(e).as(what).hasMessageContaining(data.toString());
      assertThat(e.getMessage()).as(what).doesNotContain("Input length", "not opened");
      return "refused";
    }
  }

  /** Sends each block again, and a new one twice. */
  private static void resend(String what, EventStore store, boolean whole) {
    for (int number = 1; number <= BLOCKS; number++) {
      Receipt receipt = store.append(StoreFixture.frames(numbered(number))).join();
      if (whole) {
        assertThat(receipt.accepted()).as(what).isZero();
      }
    }
    EncodedFrame fresh = numbered(BLOCKS + 1);
    assertThat(store.append(StoreFixture.frames(fresh)).join().accepted()).as(what).isEqualTo(4);
    assertThat(store.append(StoreFixture.frames(fresh)).join().accepted()).as(what).isZero();
  }

  private static EventStore open(Path data) {
    return StoreFixture.open(data, 20);
  }

  /** Fills all tables, and makes sure that each has a sorted file. */
  private static void fill(Path data) {
    try (EventStore store = open(data)) {
      store.append(new Submission.Frames(List.of(numbered(1)), List.of(position(1)))).join();
      for (int number = 2; number <= BLOCKS - 10; number++) {
        store.append(StoreFixture.frames(numbered(number))).join();
      }
      StoreFixture.fill(store, 10_000_000, 10_000_040);
      StoreFixture.sealAll(store);
      for (int number = BLOCKS - 9; number <= BLOCKS; number++) {
        store.append(StoreFixture.frames(numbered(number))).join();
      }
      LostBlocks lost = new LostBlocks("b", "j", 1, 2, 3, hlc(1_000_000), hlc(2_000_000));
      store
          .append(StoreFixture.frames(new EncodedFrame(lost, EventBlockCodec.encode(lost))))
          .join();
      long future = StoreFixture.NOW_MICROS + 3_600_000_000L;
      store.append(StoreFixture.lines(set("q", "l", hlc(future), "x", 1))).join();
      Incompleteness cutOff = new Incompleteness.CutOff("a file is cut off");
      store
          .append(new Submission.Lines(List.of(), List.of(), List.of(), List.of(cutOff), 0))
          .join();
      store.putAlerts(Map.of("alert/far", Optional.of(new byte[] {'{', '}'})));
      new HistoryStart(0, HlcTimestamp.MIN_PACKED).write(data);
    }
    open(data).close(); // writes the content of the log to sorted files
    open(data).close();
  }

  private static SourcePosition position(long next) {
    return new SourcePosition("source", next, 0);
  }

  private static EncodedFrame numbered(int number) {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      long micros = 20_000_000L + number * 1_000_000L + i * 200_000L;
      events.add(set("a", "l", hlc(micros), "x" + i, number));
    }
    return block("i", number, events.get(3).hlc(), events);
  }

  private static Map<String, List<String>> sortedFiles(Path data) {
    Map<String, List<String>> files = new HashMap<>();
    try (Database database = Database.open(data, Mode.READ_ONLY)) {
      for (LiveFileMetaData file : database.liveFiles()) {
        files
            .computeIfAbsent(
                new String(file.columnFamilyName(), StandardCharsets.UTF_8),
                name -> new ArrayList<>())
            .add("db" + file.fileName());
      }
    }
    return files;
  }

  private String flip(Path file, boolean first) {
    return flip(file, first, 1 << random.nextInt(8));
  }

  private String flip(Path file, boolean first, int bit) {
    try {
      byte[] bytes = Files.readAllBytes(file);
      int at = first ? 0 : random.nextInt(bytes.length);
      bytes[at] ^= (byte) bit;
      Files.write(file, bytes);
      return "bit %d of byte %d of %s".formatted(bit, at, file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path copyOf(Path whole) {
    Path copy = folder.resolve("copy" + random.nextInt(Integer.MAX_VALUE));
    try (Stream<Path> files = Files.walk(whole)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, copy.resolve(whole.relativize(file).toString()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return copy;
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted((a, b) -> b.compareTo(a)).map(Path::toFile).forEach(file -> file.delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
