// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.compress.zstd.ZstdOutputStream;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventFileSetTest {
  @TempDir private Path folder;
  private final List<String> notes = new ArrayList<>();
  private ConvertedCopies copies = new ConvertedCopies(Path.of(""));
  private InputStream standardInput = InputStream.nullInputStream();

  @BeforeEach
  void setCopies() {
    copies = new ConvertedCopies(folder.resolve("cache"));
  }

  private static String lines(int from, int to) {
    StringBuilder lines = new StringBuilder();
    for (int i = from; i < to; i++) {
      lines.append(
          "{\"node\":\"n%d\",\"log\":\"l\",\"hlc\":%d,\"set\":{\"x\":%d}}\n"
              .formatted(i % 2, 1_000 + i, i));
    }
    return lines.toString();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes(text));
    }
    return out.toByteArray();
  }

  private static byte[] zstd(String text) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream zstd = new ZstdOutputStream(out)) {
      zstd.write(bytes(text));
    }
    return out.toByteArray();
  }

  private Path write(String name, byte[] bytes) throws IOException {
    return Files.write(folder.resolve(name), bytes);
  }

  private LazyEventSource source(long maxMemoryBytes, Path... files) throws IOException {
    EventFileSet.Listener listener =
        new EventFileSet.Listener() {
          @Override
          public void progress(String name, long readBytes, long totalBytes, long events) {}

          @Override
          public void note(String sentence) {
            notes.add(sentence);
          }

          @Override
          public void end() {}
        };
    return new EventFileSet(
            List.of(files),
            new EventFileSet.Settings(
                events -> ClockOffsets.UNKNOWN,
                EventFile.ClockText.NONE,
                listener,
                Optional.of(copies),
                standardInput,
                maxMemoryBytes,
                InputSettings.DEFAULT))
        .source();
  }

  /** The number of events, and then the warnings. */
  private List<Object> read(long maxMemoryBytes, Path... files) throws IOException {
    try (LazyEventSource source = source(maxMemoryBytes, files);
        EventSource.View view = source.open()) {
      List<Event> events = new ArrayList<>();
      view.scan(Set.of("l"), HlcRange.ALL).forEachRemaining(events::add);
      assertThat(events).extracting(Event::hlc).isSorted();
      List<Object> found = new ArrayList<>(List.of(events.size()));
      view.warnings(HlcRange.ALL).stream()
          .map(sentence -> sentence.replace(folder.toString(), ""))
          .forEach(found::add);
      return found;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 500, 1 << 20})
  void open_filesOfAllKinds_areCombined(long maxMemoryBytes) throws IOException {
    write("b.ndjson", bytes(lines(0, 100)));
    write("a.ndjson.gz", gzip(lines(50, 150)));
    write("c.zst", zstd(lines(150, 180)));
    write(".hidden", bytes("nothing"));
    standardInput = new ByteArrayInputStream(bytes(lines(300, 310)));

    assertThat(read(maxMemoryBytes, folder, EventInput.STANDARD_INPUT)).containsExactly(190);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1 << 20})
  void open_lastLineThatIsCut_isAWarning(long maxMemoryBytes) throws IOException {
    String text = lines(0, 20);
    Path cut = write("cut.ndjson", bytes(text.substring(0, text.length() - 9)));
    byte[] whole = gzip(lines(100, 3_000));
    Path gzip = write("cut.gz", Arrays.copyOf(whole, whole.length / 2));
    byte[] packed = zstd(lines(3_000, 9_000));
    Path zstd = write("cut.zst", Arrays.copyOf(packed, packed.length - 5));

    assertThat(read(maxMemoryBytes, cut))
        .containsExactly(19, "/cut.ndjson:20: the last line is cut off and was left out");
    assertThat(read(maxMemoryBytes, gzip))
        .hasSizeGreaterThanOrEqualTo(2)
        .anySatisfy(
            sentence ->
                assertThat(sentence.toString())
                    .startsWith("/cut.gz: its compressed data is cut off after ")
                    .endsWith(" bytes; the events before are used"));
    assertThat(read(maxMemoryBytes, zstd))
        .hasSizeGreaterThanOrEqualTo(2)
        .anySatisfy(
            sentence ->
                assertThat(sentence.toString())
                    .startsWith("/cut.zst: its compressed data is cut off after "));
  }

  @Test
  void open_brokenLine_namesFileAndLine() throws IOException {
    Path broken = write("broken.ndjson", bytes(lines(0, 3) + "{\"node\":1}\n" + lines(3, 4)));
    Path packed =
        write("packed.gz", gzip(lines(0, 3_000) + "{\"node\":1}\n" + lines(3_000, 3_001)));

    for (long memory : new long[] {0, 1 << 20}) {
      assertThatThrownBy(() -> read(memory, broken))
          .isInstanceOf(EventFileException.class)
          .hasMessage(broken + ":4: field \"node\" must be a string");
      assertThatThrownBy(() -> read(memory, packed))
          .isInstanceOf(EventFileException.class)
          .hasMessage(packed + ":3001: field \"node\" must be a string");
      assertThatThrownBy(() -> read(memory, write("text.log", bytes("hello\n"))))
          .isInstanceOf(EventFileException.class)
          .hasMessageContaining("text.log: is a text of unknown form");
    }
    assertThat(leftInCache()).isEmpty();
    assertThatThrownBy(() -> read(0, folder.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void open_fileThatGrowsTooMuch_isRefused() throws IOException {
    Path bomb = folder.resolve("bomb.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(bomb), 1 << 16)) {
      byte[] blank = new byte[1 << 20];
      Arrays.fill(blank, (byte) ' ');
      blank[blank.length - 1] = '\n';
      for (int i = 0; i < 80; i++) {
        out.write(blank);
      }
    }
    assertThatThrownBy(() -> read(1 << 20, bomb))
        .isInstanceOf(EventFileException.class)
        .hasMessage(
            bomb
                + ": grows to more than 250 times its size, which logs do not: decompress it first");
  }

  @Test
  void open_beforeTheFirstUse_readsNothing() throws IOException {
    Path broken = write("broken.ndjson", bytes("no JSON\n"));
    try (LazyEventSource source = source(0, broken);
        EventSource.View view = source.open()) {
      assertThat(view.clockOffsets()).isNotNull();
    }
    assertThat(copies.copies()).isEmpty();
  }

  @Test
  void open_largeFileAgain_usesItsCopyUntilItChanges() throws IOException {
    Path file = write("events.ndjson", bytes(lines(0, 500)));
    assertThat(read(0, file)).containsExactly(500);
    assertThat(notes).singleElement().asString().contains("retroscope cache clear");
    List<ConvertedCopies.Copy> first = copies.copies();
    assertThat(first).hasSize(1);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(first.get(0).file())))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copies.folder())))
        .isEqualTo("rwx------");

    assertThat(read(0, file)).containsExactly(500);
    assertThat(notes).hasSize(1);
    // The copy is an input like others.
    assertThat(read(0, first.get(0).file())).containsExactly(500);
    assertThat(read(0, first.get(0).file(), write("more", bytes(lines(500, 600)))))
        .containsExactly(600);

    FileTime time = Files.getLastModifiedTime(file);
    Files.write(file, bytes(lines(0, 500).replace("n1", "n7"))); // as many bytes
    Files.setLastModifiedTime(file, time);
    assertThat(copies.find(ConvertedCopies.key(List.of(file), ""))).isEmpty();
  }

  @Test
  void open_sealedFileCutShort_usesItsWholeBlocksAndSaysSo() throws IOException {
    read(0, write("events.ndjson", bytes(lines(0, 20_000))));
    byte[] whole = Files.readAllBytes(copies.copies().get(0).file());
    Path cut = write("cut.rtsf", Arrays.copyOf(whole, whole.length * 2 / 3));

    List<Object> found = read(0, cut);
    assertThat((int) found.get(0)).isBetween(1, 19_999);
    assertThat(found.get(1)).asString().startsWith("/cut.rtsf was cut short: ");
  }

  @Test
  void open_damagedCopy_isMadeAgain() throws IOException {
    Path file = write("events.ndjson", bytes(lines(0, 500)));
    assertThat(read(0, file)).containsExactly(500);
    Files.writeString(copies.copies().get(0).file(), "damaged");
    assertThat(read(0, file)).containsExactly(500);
  }

  @Test
  void open_copyWithAFlippedByteOrCutShort_isMadeAgain() throws IOException {
    Path file = write("events.ndjson", bytes(lines(0, 500)));
    assertThat(read(0, file)).containsExactly(500);
    byte[] whole = Files.readAllBytes(copies.copies().get(0).file());
    for (int at = 0; at < whole.length; at += 1 + whole.length / 60) {
      byte[] flipped = whole.clone();
      flipped[at] ^= 1;
      Files.write(copies.copies().get(0).file(), flipped);
      assertThat(read(0, file)).as("byte %d of %d", at, whole.length).containsExactly(500);
      Files.write(copies.copies().get(0).file(), Arrays.copyOf(whole, at));
      assertThat(read(0, file)).as("cut at %d of %d", at, whole.length).containsExactly(500);
    }
  }

  @Test
  void keep_moreThanFits_removesTheOneNotUsedForLongest() throws IOException {
    Path one = write("one.ndjson", bytes(lines(0, 2_000)));
    Path two = write("two.ndjson", bytes(lines(0, 2_001)));
    Path three = write("three.ndjson", bytes(lines(0, 2_002)));
    read(0, one);
    long size = copies.copies().get(0).bytes();
    copies = new ConvertedCopies(copies.folder(), size * 5 / 2);
    read(0, two);
    String keyOfOne = ConvertedCopies.key(List.of(one), "");
    for (ConvertedCopies.Copy copy : copies.copies()) {
      boolean isOne = copy.file().toString().contains(keyOfOne);
      Files.setLastModifiedTime(
          copy.file(), FileTime.from(Instant.ofEpochSecond(isOne ? 2_000 : 1_000)));
    }
    read(0, three);

    assertThat(copies.copies()).hasSize(2);
    assertThat(copies.find(keyOfOne)).isPresent();
    assertThat(copies.find(ConvertedCopies.key(List.of(two), ""))).isEmpty();
    assertThat(copies.clear()).hasSize(2);
    assertThat(leftInCache()).isEmpty();
  }

  @Test
  void draft_leftByAKilledProcess_isRemoved() throws IOException {
    Path file = write("events.ndjson", bytes(lines(0, 100)));
    Files.createDirectories(copies.folder());
    Files.writeString(copies.folder().resolve("aa.4194999.part"), "left");
    Files.writeString(copies.folder().resolve("aa.4194999.part.runs"), "left");
    read(0, file);
    assertThat(leftInCache()).hasSize(1);
  }

  @Test
  void open_folderThatCannotBeWritten_convertsElsewhere() throws IOException {
    Path file = write("events.ndjson", bytes(lines(0, 100)));
    copies = new ConvertedCopies(write("occupied", bytes("a file")).resolve("cache"));
    assertThat(read(0, file)).containsExactly(100);
    assertThat(notes).singleElement().asString().startsWith("no copy is kept, because ");
  }

  private List<Path> leftInCache() throws IOException {
    if (!Files.isDirectory(copies.folder())) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(copies.folder())) {
      return files.toList();
    }
  }
}
