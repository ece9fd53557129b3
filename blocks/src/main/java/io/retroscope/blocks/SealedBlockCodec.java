// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.PackedColumn;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The codec of sealed blocks.
 *
 * <p>Input is not trusted: damaged and unknown input results in a {@link CorruptBlockException},
 * and takes no more memory than the limits here allow. The format is described in {@code
 * docs/format/sealed-blocks.md}.
 */
public final class SealedBlockCodec {
  /*
   *   "RTSD" | version 1 | varint length of head | varint CRC-32C of head | head | sections
   *
   *   head:  log | zone | runs (node id, incarnation, zigzag sequence number before the first)
   *          | directory (kind, variable id if it is of a variable, length, CRC-32C)
   */

  /** The largest number of rows of a block. */
  public static final int MAX_ROWS = 1 << 16;

  /** The only version of the format so far. */
  public static final int VERSION = 1;

  private static final String MAGIC = "RTSD";
  private static final long CHECKSUM_MASK = 0xFFFFFFFFL;

  private SealedBlockCodec() {}

  /** The sections of a block that is being written, in order. */
  static final class Sections {
    private final WireWriter directory = new WireWriter();
    private final List<byte[]> bytes = new ArrayList<>();

    void add(Section.Kind kind, int variableId, WireWriter section) {
      byte[] content = section.toByteArray();
      directory.putByte(kind.code());
      if (kind.isOfVariable()) {
        directory.putVarint(variableId);
      }
      directory.putVarint(content.length);
      directory.putVarint(Section.checksum(content, 0, content.length) & CHECKSUM_MASK);
      bytes.add(content);
      section.clear();
    }
  }

  static byte[] encode(String log, RowBuffer rows, SealedZone zone, VariableSections variables) {
    if (rows.size() > MAX_ROWS) {
      throw new IllegalArgumentException(
          rows.size() + " events at one stamp; a sealed block holds at most " + MAX_ROWS);
    }
    Sections sections = new Sections();
    RowSections.write(rows, sections);
    variables.write(sections);
    WireWriter head = new WireWriter();
    head.putText(log);
    zone.write(head);
    RowSections.writeRuns(rows, head);
    head.putVarint(sections.bytes.size());
    head.putBytes(sections.directory.toByteArray());
    byte[] headBytes = head.toByteArray();
    WireWriter out = new WireWriter();
    MAGIC.chars().forEach(out::putByte);
    out.putByte(VERSION);
    out.putVarint(headBytes.length);
    out.putVarint(Section.checksum(headBytes, 0, headBytes.length) & CHECKSUM_MASK);
    out.putBytes(headBytes);
    return joined(out.toByteArray(), sections.bytes);
  }

  private static byte[] joined(byte[] beginning, List<byte[]> sections) {
    int length = beginning.length + sections.stream().mapToInt(section -> section.length).sum();
    byte[] all = Arrays.copyOf(beginning, length);
    int at = beginning.length;
    for (byte[] section : sections) {
      System.arraycopy(section, 0, all, at, section.length);
      at += section.length;
    }
    return all;
  }

  /**
   * Opens a block. Its sections are checked when they are read.
   *
   * @param bytes must not change afterwards
   * @param names the tables with which it was sealed
   * @throws CorruptBlockException if the head is damaged, or if the bytes are not a sealed block
   */
  public static SealedBlock open(byte[] bytes, StoreNames names) throws CorruptBlockException {
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    for (int i = 0; i < MAGIC.length(); i++) {
      if (in.getByte() != MAGIC.charAt(i)) {
        throw in.corrupt("not a sealed block");
      }
    }
    int version = in.getByte();
    if (version != VERSION) {
      throw in.corrupt("sealed block of version " + version + "; this program reads " + VERSION);
    }
    int length = in.getCount("bytes of a head");
    long checksum = in.getVarint();
    if (length > in.remaining()
        || checksum != (Section.checksum(bytes, in.position(), length) & CHECKSUM_MASK)) {
      throw in.corrupt("the checksum of the head does not match");
    }
    int end = in.position() + length;
    return readHead(new WireReader(bytes, in.position(), end, 0), end, bytes, names);
  }

  private static SealedBlock readHead(WireReader in, int end, byte[] bytes, StoreNames names)
      throws CorruptBlockException {
    String log = in.getText();
    SealedZone zone = SealedZone.read(in, names);
    List<SealedRun> runs = readRuns(in, names);
    Map<Section.Key, Section> sections = readDirectory(in, end, bytes.length, names);
    if (in.remaining() > 0) {
      throw in.corrupt(in.remaining() + " bytes too many in the head");
    }
    return new SealedBlock(bytes, names, log, zone, runs, sections);
  }

  private static List<SealedRun> readRuns(WireReader in, StoreNames names)
      throws CorruptBlockException {
    int count = in.getCount("runs");
    List<SealedRun> runs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int node = in.getBounded("id of a node", names.nodes().size() - 1);
      String incarnation = in.getText();
      if (incarnation.length() > Event.MAX_INCARNATION_LENGTH) {
        throw in.corrupt("an incarnation of " + incarnation.length() + " characters");
      }
      runs.add(new SealedRun(node, new Run(names.nodes().name(node), incarnation), in.getZigzag()));
    }
    return runs;
  }

  private static Map<Section.Key, Section> readDirectory(
      WireReader in, int firstStart, int end, StoreNames names) throws CorruptBlockException {
    int count = in.getCount("sections");
    Map<Section.Key, Section> sections = new HashMap<>();
    int start = firstStart;
    for (int i = 0; i < count; i++) {
      Section.Kind kind =
          Section.Kind.ofCode(in.getBounded("kind of section", Section.Kind.count() - 1));
      int variable =
          kind.isOfVariable() ? in.getBounded("id of a variable", names.variables().size() - 1) : 0;
      int length = in.getBounded("length of a section", end - start);
      Section section = new Section(kind, variable, start, length, (int) in.getVarint());
      if (sections.put(section.key(), section) != null) {
        throw in.corrupt("two sections " + section.key());
      }
      start += length;
    }
    if (start != end) {
      throw in.corrupt("sections of " + (start - firstStart) + " bytes, but " + (end - firstStart));
    }
    return sections;
  }

  /** A run of a block, with the sequence number from which those of its rows are counted. */
  record SealedRun(int nodeId, Run run, long sequenceBefore) {}

  /** The columns with one entry per row. */
  static final class RowSections {
    private RowSections() {}

    static void write(RowBuffer rows, Sections to) {
      int size = rows.size();
      long[] first = new long[size];
      long[] second = new long[size];
      WireWriter out = new WireWriter();
      for (int i = 0; i < size; i++) {
        first[i] = HlcTimestamp.micros(rows.hlc[i]);
        second[i] = HlcTimestamp.logical(rows.hlc[i]);
      }
      writePair(Section.Kind.STAMP, first, second, out, to);
      for (int i = 0; i < size; i++) {
        boolean known = rows.physical[i] != Event.NO_PHYSICAL;
        second[i] = known ? first[i] - rows.physical[i] : 0;
        first[i] = known ? 0 : 1;
      }
      writePair(Section.Kind.PHYSICAL, first, second, out, to);
      long[] previous = sequencesBefore(rows);
      for (int i = 0; i < size; i++) {
        boolean known = rows.sequence[i] != Event.NO_SEQUENCE;
        first[i] = known ? 0 : 1;
        second[i] = known ? rows.sequence[i] - previous[rows.run[i]] : 0;
        previous[rows.run[i]] = known ? rows.sequence[i] : previous[rows.run[i]];
      }
      writePair(Section.Kind.SEQUENCE, first, second, out, to);
      writeBytes(Section.Kind.KIND, rows, rows.kind, first, out, to);
      writeBytes(Section.Kind.MARKS, rows, rows.marks, first, out, to);
      for (int i = 0; i < size; i++) {
        first[i] = rows.run[i];
      }
      writeOne(Section.Kind.NODE, first, out, to);
    }

    private static void writePair(
        Section.Kind kind, long[] first, long[] second, WireWriter out, Sections to) {
      PackedColumn.write(first, first.length, out);
      PackedColumn.write(second, second.length, out);
      to.add(kind, 0, out);
    }

    private static void writeOne(Section.Kind kind, long[] values, WireWriter out, Sections to) {
      PackedColumn.write(values, values.length, out);
      to.add(kind, 0, out);
    }

    /** Writes the kinds or the marks. */
    private static void writeBytes(
        Section.Kind kind,
        RowBuffer rows,
        byte[] column,
        long[] values,
        WireWriter out,
        Sections to) {
      if (rows.holdsLongsOnly()) {
        PackedColumn.writeConstant(column[0], rows.size(), out);
        to.add(kind, 0, out);
        return;
      }
      for (int i = 0; i < values.length; i++) {
        values[i] = column[i];
      }
      writeOne(kind, values, out, to);
    }

    /** For each run, the number before its first one that is known. */
    private static long[] sequencesBefore(RowBuffer rows) {
      long[] before = new long[rows.runs().size()];
      for (int i = rows.size() - 1; i >= 0; i--) {
        if (rows.sequence[i] != Event.NO_SEQUENCE) {
          before[rows.run[i]] = rows.sequence[i] - 1;
        }
      }
      return before;
    }

    static void writeRuns(RowBuffer rows, WireWriter out) {
      long[] before = sequencesBefore(rows);
      out.putVarint(before.length);
      for (int i = 0; i < before.length; i++) {
        out.putVarint(rows.nodeIdOfRun(i));
        out.putText(rows.runs().get(i).incarnation());
        out.putZigzag(before[i]);
      }
    }
  }
}
