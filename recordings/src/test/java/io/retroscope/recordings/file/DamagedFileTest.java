// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.compress.zstd.ZstdOutputStream;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.Bearing;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of compressed files of which a part is missing or wrong: the rest is read, and said so. */
class DamagedFileTest {
  private static final int LINES = 20_000;

  @TempDir Path folder;

  private static final class Collected implements EventConsumer {
    private final List<Event> events = new ArrayList<>();
    private final List<Incompleteness> reasons = new ArrayList<>();

    @Override
    public void event(Event event) {
      events.add(event);
    }

    @Override
    public void gap(Gap gap) {}

    @Override
    public void incomplete(Incompleteness reason) {
      reasons.add(reason);
    }
  }

  @Test
  void zstd_shortByAFewBytes_hasAllWholeBlocks() throws IOException {
    byte[] whole = zstd(lines(0, LINES));
    for (int missing : new int[] {1, 4, 5, 9, 700}) {
      Collected read = read("cut.zst", Arrays.copyOf(whole, whole.length - missing));
      assertThat(read.events).as("without %d bytes", missing).hasSizeGreaterThan(LINES * 4 / 5);
      assertIncomplete(read, "cut.zst: its compressed data is cut off after");
    }
  }

  @Test
  void zstd_cutAnywhere_isReadUpToThere() throws IOException {
    byte[] whole = zstd(lines(0, LINES));
    int before = 0;
    for (int length = 5; length < whole.length; length += whole.length / 40) {
      Collected read = read("cut.zst", Arrays.copyOf(whole, length));
      assertThat(read.events).hasSizeGreaterThanOrEqualTo(before);
      before = read.events.size();
      assertIncomplete(read, "cut off after");
    }
    assertThat(before).isGreaterThan(LINES / 2);
  }

  @Test
  void zstd_withAWrongChecksum_isReadAndNamed() throws IOException {
    byte[] whole = zstd(lines(0, LINES));
    whole[whole.length - 1] ^= 1;
    Collected read = read("wrong.zst", whole);
    assertThat(read.events).hasSize(LINES);
    assertIncomplete(read, "wrong.zst: its compressed data is damaged at byte");
  }

  @Test
  void zstd_withOtherBytesAfterIt_isReadAndNamed() throws IOException {
    byte[] whole = zstd(lines(0, LINES));
    Collected read = read("more.zst", joined(whole, "no frame".getBytes(StandardCharsets.UTF_8)));
    assertThat(read.events).hasSize(LINES);
    assertIncomplete(read, "more.zst: its compressed data is damaged at byte");
  }

  @Test
  void zstd_twoFrames_areOneFile() throws IOException {
    Collected read = read("two.zst", joined(zstd(lines(0, 10)), zstd(lines(10, 20))));
    assertThat(read.events).hasSize(20);
    assertThat(read.reasons).isEmpty();
  }

  @Test
  void gzip_withOtherBytesAfterAMember_isReadAndNamed() throws IOException {
    byte[] member = gzip(lines(0, 100));
    byte[] second = gzip(lines(100, 200));
    for (int kept : new int[] {1, 5, 9}) {
      Collected read = read("more.gz", joined(member, Arrays.copyOf(second, kept)));
      assertThat(read.events).hasSize(100);
      assertIncomplete(read, kept + " bytes after its compressed data are not read");
    }
    byte[] text = lines(100, 300).getBytes(StandardCharsets.UTF_8);
    Collected read = read("more.gz", joined(member, text));
    assertThat(read.events).hasSize(100);
    assertIncomplete(read, "bytes after its compressed data are not read");
  }

  @Test
  void gzip_membersAndPadding_areWhole() throws IOException {
    byte[] members = joined(gzip(lines(0, 10)), gzip(lines(10, 20)));
    Collected read = read("two.gz", joined(members, new byte[512]));
    assertThat(read.events).hasSize(20);
    assertThat(read.reasons).isEmpty();
  }

  @Test
  void gzip_damagedInside_isReadUpToThere() throws IOException {
    byte[] member = gzip(lines(0, LINES));
    Arrays.fill(member, member.length / 2, member.length / 2 + 64, (byte) 0xFF);
    Collected read = read("damaged.gz", member);
    assertThat(read.events).hasSizeBetween(100, LINES - 1);
    assertIncomplete(read, "damaged.gz: its compressed data is damaged at byte");
  }

  @Test
  void compressed_oneOtherByteAnywhere_isReadUpToThereAndNamed() throws IOException {
    String text = lines(0, 2_000);
    byte[] gzip = gzip(text);
    byte[] zstd = zstd(text);
    for (int seed = 0; seed < 60; seed++) {
      byte[] whole = seed % 2 == 0 ? gzip : zstd;
      byte[] wrong = whole.clone();
      int at = 40 + new Random(seed).nextInt(whole.length - 60);
      wrong[at] ^= 0x55;
      Collected read = read("wrong" + seed + (seed % 2 == 0 ? ".gz" : ".zst"), wrong);
      assertThat(read.events).as("seed %d, byte %d", seed, at).hasSizeLessThanOrEqualTo(2_000);
      assertIncomplete(read, "damaged");
    }
  }

  @Test
  void blocks_cutOffAnywhere_areReadUpToThere() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    List<Integer> ends = new ArrayList<>();
    for (int number = 1; number <= 3; number++) {
      EventBlockBuilder block = new EventBlockBuilder().incarnation("r", number);
      for (int i = 0; i < 10; i++) {
        long hlc = HlcTimestamp.pack(1_795_200_000_000_000L + number * 1_000L + i);
        block.add(new Event("a", "l", hlc, new EventBody.LogLine("text " + i, Map.of())));
      }
      bytes.write(EventBlockCodec.encode(block.promise(EventBlock.NO_HEARTBEAT, 0).build()));
      ends.add(bytes.size());
    }
    byte[] whole = bytes.toByteArray();
    for (int length = 20; length <= whole.length; length += 7) {
      int kept = length;
      Collected read = read("cut" + length + ".rtsb", Arrays.copyOf(whole, length));
      assertThat(read.events)
          .as("%d bytes", length)
          .hasSize(10 * (int) ends.stream().filter(end -> end <= kept).count());
      if (ends.contains(length)) {
        assertThat(read.reasons).isEmpty();
      } else {
        assertIncomplete(read, "it and what follows are left out");
      }
    }
  }

  private static void assertIncomplete(Collected read, String sentence) {
    assertThat(read.reasons)
        .anyMatch(reason -> reason.sentence().contains(sentence))
        .allMatch(reason -> Bearing.of(reason) == Bearing.UNDECIDES);
  }

  private Collected read(String name, byte[] content) throws IOException {
    Path file = Files.write(folder.resolve(name), content);
    Collected read = new Collected();
    EventFileSet.Settings settings = new EventFileSet.Settings(events -> ClockOffsets.UNKNOWN);
    new EventFileSet(List.of(file), settings).readAll(read);
    return read;
  }

  private static String lines(int from, int to) {
    StringBuilder lines = new StringBuilder();
    for (int i = from; i < to; i++) {
      lines.append(
          "{\"node\":\"n%d\",\"log\":\"l\",\"hlc\":\"%d.0\",\"set\":{\"v\":%d}}\n"
              .formatted(i % 3, 1_795_200_000_000_000L + i, i * 7919 % 1000));
    }
    return lines.toString();
  }

  private static byte[] zstd(String text) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new ZstdOutputStream(packed)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return packed.toByteArray();
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(packed)) {
      new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)).transferTo(out);
    }
    return packed.toByteArray();
  }

  private static byte[] joined(byte[] a, byte[] b) {
    byte[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }
}
