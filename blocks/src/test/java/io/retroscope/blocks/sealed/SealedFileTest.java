// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.blocks.RandomLog;
import io.retroscope.blocks.read.DecodedEvents;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.blocks.timeline.TimelineCodec;
import io.retroscope.blocks.zone.LongZone;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.WireWriter;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SealedFileTest {
  private static final byte[] SUMMARY = {1, 2, 3};

  @TempDir private Path folder;
  private Path whole;
  private final List<SealedBlock> blocks = new ArrayList<>();
  private final List<Long> ends = new ArrayList<>();

  @BeforeEach
  void write() throws IOException {
    whole = folder.resolve("whole.rtsf");
    try (SealedFileWriter writer = SealedFileWriter.create(whole)) {
      for (int i = 0; i < 3; i++) {
        Sealing sealing = new Sealing(RandomLog.LOG, writer.names(), RandomLog.TIES, 50);
        for (SealedBlock block : sealing.seal(new RandomLog(i, false).blocks(2 + i, 60, 20))) {
          writer.add(block);
          blocks.add(block);
          SealedFile.Entry entry = writer.entries().get(writer.entries().size() - 1);
          ends.add(end(entry));
        }
      }
      writer.finish(SUMMARY);
    }
  }

  private static long end(SealedFile.Entry entry) {
    return entry.position() + SealedFileFormat.FRAME_HEAD_BYTES + entry.length();
  }

  private static List<Event> events(SealedFile file) throws IOException {
    List<Event> events = new ArrayList<>();
    for (SealedFile.Entry entry : file.entries()) {
      events.addAll(DecodedEvents.of(file.read(entry)));
    }
    return events;
  }

  private List<Event> expected(int count) throws CorruptBlockException {
    List<Event> events = new ArrayList<>();
    for (SealedBlock block : blocks.subList(0, count)) {
      events.addAll(DecodedEvents.of(block));
    }
    return events;
  }

  @Test
  void open_wholeFile_hasItsBlocksZonesNamesAndSummary() throws IOException {
    try (SealedFile file = SealedFile.open(whole)) {
      assertThat(events(file)).isEqualTo(expected(blocks.size()));
      assertThat(file.entries()).extracting(SealedFile.Entry::log).containsOnly(RandomLog.LOG);
      assertThat(file.entries())
          .extracting(SealedFile.Entry::zone)
          .isEqualTo(blocks.stream().map(SealedBlock::zone).toList());
      assertThat(file.summary()).contains(SUMMARY);
      assertThat(file.unreadBytes()).isZero();
    }
  }

  @Test
  void open_fileCutAnywhere_hasTheBlocksBeforeTheCut() throws IOException {
    byte[] bytes = Files.readAllBytes(whole);
    Random random = new Random(5);
    Path cut = folder.resolve("cut.rtsf");
    int length = SealedFileFormat.HEADER_BYTES;
    while (length < bytes.length) {
      Files.write(cut, Arrays.copyOf(bytes, length));
      int count = 0;
      while (count < ends.size() && ends.get(count) <= length) {
        count++;
      }
      try (SealedFile file = SealedFile.open(cut)) {
        assertThat(events(file)).as("cut at " + length).isEqualTo(expected(count));
        assertThat(file.summary()).isEmpty();
      }
      length += 1 + random.nextInt(bytes.length / 50);
    }
  }

  @Test
  void open_fileThatWasNotFinished_hasAllItsBlocks() throws IOException {
    Path open = folder.resolve("open.rtsf");
    try (SealedFileWriter writer = SealedFileWriter.create(open)) {
      Sealing sealing = new Sealing(RandomLog.LOG, writer.names(), RandomLog.TIES, 50);
      List<SealedBlock> sealed = sealing.seal(new RandomLog(1, false).blocks(3, 60, 20));
      for (SealedBlock block : sealed) {
        writer.add(block);
      }
      // As after kill -9: nothing was closed.
      try (SealedFile file = SealedFile.open(open)) {
        assertThat(file.entries()).hasSameSizeAs(sealed);
        assertThat(file.unreadBytes()).isZero();
        assertThat(file.summary()).isEmpty();
      }
    }
  }

  @Test
  void read_damagedByte_isNoticedOrChangesNothing() throws IOException {
    byte[] bytes = Files.readAllBytes(whole);
    Path damaged = folder.resolve("damaged.rtsf");
    int noticed = 0;
    for (int at = 0; at < bytes.length; at += 1 + bytes.length / 400) {
      byte[] changed = bytes.clone();
      changed[at] ^= 0x41;
      Files.write(damaged, changed);
      try (SealedFile file = SealedFile.open(damaged)) {
        assertThat(events(file))
            .as("byte " + at)
            .isIn(expected(blocks.size()), expectedPrefix(file));
      } catch (CorruptBlockException e) {
        noticed++;
      }
    }
    assertThat(noticed).isGreaterThan(300);
  }

  /** What a file without its end may have. */
  private List<Event> expectedPrefix(SealedFile file) throws CorruptBlockException {
    return file.summary().isPresent() ? List.of() : expected(file.entries().size());
  }

  @Test
  void open_otherFiles_areRefused() throws IOException {
    Path other = folder.resolve("other");
    Files.writeString(other, "{\"node\":1}\n");
    assertThatThrownBy(() -> SealedFile.open(other))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("not a file of sealed blocks");
    Files.write(other, new byte[3]);
    assertThatThrownBy(() -> SealedFile.open(other)).isInstanceOf(CorruptBlockException.class);
    byte[] later = Files.readAllBytes(whole);
    later[4] = 9;
    Files.write(other, later);
    assertThatThrownBy(() -> SealedFile.open(other))
        .hasMessageContaining("version 9; this program reads 1");
    assertThatThrownBy(() -> SealedFileWriter.create(whole))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  /** A file of one block, of which each row sets x to a LONG, and of one with a log line. */
  private Path writeLongs() throws IOException {
    Path path = folder.resolve("longs.rtsf");
    try (SealedFileWriter writer = SealedFileWriter.create(path)) {
      for (boolean withLine : new boolean[] {false, true}) {
        EventBlockBuilder rows = new EventBlockBuilder();
        for (int i = 1; i <= 60; i++) {
          EventBody body =
              withLine && i == 30
                  ? new EventBody.LogLine("line", Map.of())
                  : new EventBody.StateChange(
                      List.of(new Change(Operation.SET, i % 2 == 0 ? "x" : "y", Value.of(i))));
          long micros = (withLine ? 2_000L : 1_000L) + i;
          rows.add(new Event("n" + i % 3, RandomLog.LOG, HlcTimestamp.pack(micros), body));
        }
        Sealing sealing = new Sealing(RandomLog.LOG, writer.names(), RandomLog.TIES, 500);
        for (SealedBlock block : sealing.seal(List.of(rows.build()))) {
          writer.add(block);
        }
      }
      writer.finish(SUMMARY);
    }
    return path;
  }

  private static String zone(SealedFile file, int index) throws IOException {
    SealedFile.Entry entry = file.entries().get(index);
    return file.longZone(entry).map(zone -> bytes(zone, entry, file)).orElse("none");
  }

  private static String bytes(LongZone zone, SealedFile.Entry entry, SealedFile file) {
    WireWriter out = new WireWriter();
    zone.write(out, entry.zone().firstHlc(), List.of("x", "y"), file.names().nodes());
    return zone.log() + new TreeSet<>(zone.written()) + Arrays.toString(out.toByteArray());
  }

  @Test
  void longZone_ofABlockOfLongs_isThatOfItsRows() throws IOException {
    try (SealedFile file = SealedFile.open(writeLongs())) {
      SealedFile.Entry first = file.entries().get(0);
      LongZone expected = LongZone.of(file.read(first).rows(), 8).orElseThrow();
      assertThat(expected.written()).containsExactlyInAnyOrder("x", "y");
      assertThat(zone(file, 0)).isEqualTo(bytes(expected, first, file));
      assertThat(zone(file, 1)).isEqualTo("none");
    }
  }

  @Test
  void longZone_damagedCutOrOfAnotherFrame_isNone() throws IOException {
    Path path = writeLongs();
    byte[] bytes = Files.readAllBytes(path);
    int from;
    String whole;
    try (SealedFile file = SealedFile.open(path)) {
      from = (int) end(file.entries().get(0));
      whole = zone(file, 0);
    }
    Path damaged = folder.resolve("damaged.rtsf");
    int to = from + SealedFileFormat.FRAME_HEAD_BYTES + 20;
    for (int at = from; at < to; at++) {
      byte[] changed = bytes.clone();
      changed[at] ^= 0x41;
      Files.write(damaged, changed);
      try (SealedFile file = SealedFile.open(damaged)) {
        assertThat(zone(file, 0)).as("byte " + at).isEqualTo("none");
      }
      Files.write(damaged, Arrays.copyOf(bytes, at));
      try (SealedFile file = SealedFile.open(damaged)) {
        assertThat(zone(file, 0)).as("cut at " + at).isEqualTo("none");
      }
    }
    assertThat(whole).isNotEqualTo("none");
  }

  private static String timeline(SealedFile file, int index) throws IOException {
    return file.timeline(file.entries().get(index))
        .map(bins -> bins.lanes().keySet() + " " + bins.variables().get("x").all().max(0))
        .orElse("none");
  }

  @Test
  void timeline_ofEachBlock_isThatOfItsRows() throws IOException {
    try (SealedFile file = SealedFile.open(writeLongs())) {
      for (SealedFile.Entry entry : file.entries()) {
        byte[] expected = TimelineCodec.encode(file.read(entry).rows(), entry.log(), file.names());
        TimelineBins of = TimelineCodec.decode(expected, file.names());
        TimelineBins read = file.timeline(entry).orElseThrow();
        assertThat(read.size()).isEqualTo(of.size());
        assertThat(read.nodeLevel()).isEqualTo(of.nodeLevel());
        for (int bin = 0; bin < of.size(); bin++) {
          assertThat(read.lanes().get("n1").events(bin))
              .isEqualTo(of.lanes().get("n1").events(bin));
          assertThat(read.lanes().get("n0").lines(bin)).isEqualTo(of.lanes().get("n0").lines(bin));
          assertThat(read.variables().get("x").all().writes(bin))
              .isEqualTo(of.variables().get("x").all().writes(bin));
        }
      }
    }
  }

  @Test
  void timeline_damagedCutOrOfAnotherFrame_isNone() throws IOException {
    Path path = writeLongs();
    byte[] bytes = Files.readAllBytes(path);
    Path damaged = folder.resolve("damaged.rtsf");
    int[] from = new int[2];
    try (SealedFile file = SealedFile.open(path)) {
      for (int i = 0; i < 2; i++) {
        from[i] = (int) end(file.entries().get(i));
        assertThat(timeline(file, i)).isNotEqualTo("none");
      }
    }
    // The second block has no zone before its bins, the first one has.
    int to = from[1] + SealedFileFormat.FRAME_HEAD_BYTES + 20;
    for (int at = from[1]; at < to; at++) {
      byte[] changed = bytes.clone();
      changed[at] ^= 0x41;
      Files.write(damaged, changed);
      try (SealedFile file = SealedFile.open(damaged)) {
        assertThat(timeline(file, 1)).as("byte " + at).isEqualTo("none");
      }
      Files.write(damaged, Arrays.copyOf(bytes, at));
      try (SealedFile file = SealedFile.open(damaged)) {
        assertThat(timeline(file, 1)).as("cut at " + at).isEqualTo("none");
      }
    }
    byte[] changed = bytes.clone();
    changed[from[0] + 1] ^= 0x41; // the length of the zone
    Files.write(damaged, changed);
    try (SealedFile file = SealedFile.open(damaged)) {
      assertThat(timeline(file, 0)).isEqualTo("none");
    }
  }
}
