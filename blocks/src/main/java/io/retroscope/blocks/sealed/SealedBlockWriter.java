// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import io.retroscope.blocks.read.SealedBlockReader;
import io.retroscope.blocks.read.Section;
import io.retroscope.blocks.zone.SealedSummary;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.PackedColumn;
import io.retroscope.event.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The writer of the blocks that {@link SealedBlockReader} opens. */
final class SealedBlockWriter {
  private SealedBlockWriter() {}

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
      directory.putVarint(
          Section.checksum(content, 0, content.length) & SealedBlockReader.CHECKSUM_MASK);
      bytes.add(content);
      section.clear();
    }
  }

  static byte[] encode(String log, RowBuffer rows, SealedSummary zone, VariableSections variables) {
    if (rows.size() > SealedSummary.MAX_ROWS) {
      throw new IllegalArgumentException(
          rows.size()
              + " events at one stamp; a sealed block holds at most "
              + SealedSummary.MAX_ROWS);
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
    SealedBlockReader.MAGIC.chars().forEach(out::putByte);
    out.putByte(SealedBlockReader.VERSION);
    out.putVarint(headBytes.length);
    out.putVarint(
        Section.checksum(headBytes, 0, headBytes.length) & SealedBlockReader.CHECKSUM_MASK);
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
