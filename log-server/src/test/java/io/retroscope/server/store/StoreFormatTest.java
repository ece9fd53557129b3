// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.numbered;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.disk.SourcePosition;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.run.Incarnation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** Tests that the bytes on disk equal recorded ones, because data directories outlive programs. */
@Timeout(60)
class StoreFormatTest {
  /** Rewritten with {@code -Dgolden.update}; a difference is a change of the format. */
  private static final Path ENTRIES = Path.of("src/test/resources/store/entries.txt");

  @TempDir Path directory;

  @Test
  void entries_ofKnownSubmissions_areTheRecordedBytes() throws Exception {
    fill(directory);
    List<String> entries = entries(directory.resolve("db"));
    if (Boolean.getBoolean("golden.update")) {
      Files.write(ENTRIES, entries);
    }
    assertThat(entries).isEqualTo(Files.readAllLines(ENTRIES));
  }

  @Test
  void open_recordedDirectory_hasAllThatWasStored() throws IOException {
    unzip("format-1.zip", directory);
    for (int reopened = 0; reopened < 2; reopened++) {
      try (EventStore store = StoreFixture.open(directory);
          View view = store.open(ClockOffsets.UNKNOWN)) {
        assertThat(view.scan(Set.of("l", "m"), HlcRange.ALL))
            .toIterable()
            .extracting(Event::hlc)
            .containsExactly(hlc(5), hlc(8), hlc(10), hlc(11), hlc(40));
        assertThat(view.gaps(HlcRange.ALL)).extracting(Gap::eventCount).containsExactly(3L, 7L);
        assertThat(store.figures().quarantinedCount()).isEqualTo(1);
        assertThat(store.positions())
            .containsEntry("kafka/t/id/0", new SourcePosition("kafka/t/id/0", 42, 3));
        assertThat(view.extent()).contains(new HlcRange(hlc(5), hlc(41)));
        assertThat(store.incarnations()).anyMatch(Incarnation::isStopped);
      }
    }
  }

  @Test
  void open_crashWhileTheFormatWasWritten_opens() throws IOException {
    Files.writeString(directory.resolve("FORMAT.new"), "retrosc");

    StoreFixture.open(directory).close();
    assertThat(directory.resolve("FORMAT")).hasContent(StoreSchema.FORMAT + "\n");
    assertThat(directory.resolve("FORMAT.new")).doesNotExist();
  }

  /** Adds entries to each of the tables. */
  private static void fill(Path directory) {
    Event start = new Event("a", "", hlc(5), new EventBody.Start("i", hlc(4), "", Spill.COMPLETE));
    Event stop = new Event("a", "", hlc(40), new EventBody.Stop());
    LostBlocks lost = new LostBlocks("a", "i", 2, 2, 3, hlc(9), hlc(12));
    try (EventStore store = StoreFixture.open(directory)) {
      store
          .append(
              new Submission.Frames(
                  List.of(
                      block("i", 1, hlc(9), List.of(start, set("a", "l", hlc(8), "x", 1))),
                      new EncodedFrame(lost, EventBlockCodec.encode(lost)),
                      block("i", 3, hlc(41), List.of(stop))),
                  List.of(new SourcePosition("kafka/t/id/0", 42, 3))))
          .join();
      store
          .append(
              lines(
                  numbered(1, set("b", "l", hlc(10), "x", 1)),
                  numbered(9, set("b", "m", hlc(11), "y", 2)),
                  set("b", "l", hlc(NOW_MICROS + 61_000_000), "x", 3)))
          .join();
    }
  }

  /** All entries as {@code family key value} in hexadecimal digits, in order. */
  private static List<String> entries(Path database) throws RocksDBException {
    RocksDB.loadLibrary();
    List<ColumnFamilyDescriptor> families = new ArrayList<>();
    try (Options options = new Options()) {
      for (byte[] family : RocksDB.listColumnFamilies(options, database.toString())) {
        families.add(new ColumnFamilyDescriptor(family));
      }
    }
    List<String> entries = new ArrayList<>();
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (DBOptions options = new DBOptions();
        RocksDB rocks = RocksDB.openReadOnly(options, database.toString(), families, handles)) {
      for (ColumnFamilyHandle family : handles) {
        String name = new String(family.getName(), StandardCharsets.UTF_8);
        try (RocksIterator iterator = rocks.newIterator(family)) {
          for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
            HexFormat hex = HexFormat.of();
            entries.add(
                name + " " + hex.formatHex(iterator.key()) + " " + hex.formatHex(iterator.value()));
          }
        }
      }
      handles.forEach(ColumnFamilyHandle::close);
    }
    return entries;
  }

  private static void unzip(String resource, Path directory) throws IOException {
    try (InputStream bytes = StoreFormatTest.class.getResourceAsStream("/store/" + resource);
        ZipInputStream zip = new ZipInputStream(Objects.requireNonNull(bytes))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path file = directory.resolve(entry.getName());
        if (entry.isDirectory()) {
          Files.createDirectories(file);
        } else {
          Files.createDirectories(file.getParent());
          Files.copy(zip, file);
        }
      }
    }
  }
}
