// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Value;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.state.CutOrigin;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.engine.run.CutRow;
import io.retroscope.rql.evaluation.EvaluationException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Items of slices as bytes. Input is not trusted. */
final class SliceBytes {
  /** To be increased with every change: both ends must be of one version. */
  static final int VERSION = 1;

  private static final int HOLDS = 0;
  private static final int STILL_HOLDS = 1;
  private static final int ENDS = 2;
  private static final int FAILS = 3;
  private static final int WARNS = 4;
  private static final int PROGRESS = 5;
  private static final int FINISHED = 6;

  private SliceBytes() {}

  static void checkVersion(int found, WireReader in) throws CorruptBlockException {
    if (found != VERSION) {
      throw in.corrupt("slices of version %d, not %d".formatted(found, VERSION));
    }
  }

  /**
   * Writes the items of one slice, in order, whose times are made elsewhere. Used by one thread.
   */
  static final class Writer {
    private Set<String> lastValued = Set.of();

    /** The bytes of some items. */
    byte[] bytes(List<SliceItem> items) {
      WireWriter out = new WireWriter();
      items.forEach(item -> write(item, out));
      return out.toByteArray();
    }

    private void write(SliceItem item, WireWriter out) {
      if (item instanceof SliceItem.Holds holds) {
        begin(HOLDS, holds, out);
        out.putByte(holds.atStart() ? 1 : 0);
        write(holds.row(), out);
      } else if (item instanceof SliceItem.StillHolds still) {
        begin(STILL_HOLDS, still, out);
        out.putVarint(still.cuts());
      } else if (item instanceof SliceItem.Ends ends) {
        begin(ENDS, ends, out);
        out.putByte(ends.momentary() ? 1 : 0);
        write(ends.time(), out);
        write(ends.row(), out);
      } else if (item instanceof SliceItem.Fails fails) {
        begin(FAILS, fails, out);
        write(fails.failure(), out);
      } else if (item instanceof SliceItem.Warns warns) {
        out.putByte(WARNS);
        out.putText(warns.warning().node());
        out.putLong(warns.warning().hlc());
        out.putText(warns.warning().what());
      } else if (item instanceof SliceItem.Progress progress) {
        out.putByte(PROGRESS);
        out.putVarint(progress.cuts());
        out.putLong(progress.hlc());
      } else if (item instanceof SliceItem.Finished finished) {
        out.putByte(FINISHED);
        out.putLong(finished.hlc());
        out.putVarint(finished.cuts());
        out.putLong(finished.lastCut());
        writeNodes(finished.valued(), out);
      }
    }

    private void begin(int kind, SliceItem.OfCut cut, WireWriter out) {
      out.putByte(kind);
      out.putLong(cut.hlc());
      writeNodes(cut.valued(), out);
    }

    /** Nodes that are those of the last item, as nearly always, are not sent again. */
    private void writeNodes(Set<String> nodes, WireWriter out) {
      boolean isSame = nodes == lastValued;
      out.putByte(isSame ? 0 : 1);
      if (!isSame) {
        out.putVarint(nodes.size());
        nodes.forEach(out::putText);
        lastValued = nodes;
      }
    }

    private static void write(SliceItem.MaybeRow row, WireWriter out) {
      out.putByte(row.failure() != null ? 2 : row.row() != null ? 1 : 0);
      if (row.failure() != null) {
        write(row.failure(), out);
      } else if (row.row() != null) {
        write(row.row(), out);
      }
    }

    private static void write(CutRow row, WireWriter out) {
      out.putLong(row.hlc());
      write(row.time(), out);
      out.putVarint(row.items().size());
      row.items().forEach(item -> ValueBytes.write(item, out));
      out.putByte(row.note().isPresent() ? 1 : 0);
      row.note().ifPresent(note -> write(note, out));
    }

    private static void write(Note note, WireWriter out) {
      out.putText(note.instrument());
      out.putVarint(note.note());
      out.putVarint(note.velocity());
      out.putVarint(note.lengthMicros());
      out.putLong(Double.doubleToRawLongBits(note.pan()));
    }

    private static void write(CutTime time, WireWriter out) {
      CutOrigin origin = ((SliceTimes.Readings) time.origin().clocks()).origin();
      out.putVarint(origin.nodes().size());
      for (int event = 0; event < origin.nodes().size(); event++) {
        out.putText(origin.nodes().get(event));
        out.putLong(origin.readingMicros(event));
      }
    }

    private static void write(EvaluationException failure, WireWriter out) {
      EvaluationException.Parts parts = failure.parts();
      Diagnostic diagnostic = parts.diagnostic();
      out.putText(diagnostic.code());
      out.putText(diagnostic.message());
      out.putVarint(diagnostic.range().start());
      out.putVarint(diagnostic.range().end());
      write(diagnostic.help(), out);
      out.putByte(parts.located() ? 1 : 0);
      write(parts.where(), out);
    }

    private static void write(Optional<String> text, WireWriter out) {
      out.putByte(text.isPresent() ? 1 : 0);
      text.ifPresent(out::putText);
    }
  }

  /** Reads the items of one slice, in order. Used by one thread. */
  static final class Reader {
    private final ClockOffsets clocks;
    private Set<String> lastValued = Set.of();

    /**
     * A reader before the first item.
     *
     * @param clocks those of the query's view, which make the times of all its cuts
     */
    Reader(ClockOffsets clocks) {
      this.clocks = clocks;
    }

    List<SliceItem> items(byte[] bytes) throws CorruptBlockException {
      WireReader in = new WireReader(bytes, 0, bytes.length, 0);
      List<SliceItem> items = new ArrayList<>();
      while (in.remaining() > 0) {
        items.add(item(in));
      }
      return items;
    }

    private SliceItem item(WireReader in) throws CorruptBlockException {
      int kind = in.getByte();
      if (kind == WARNS) {
        return new SliceItem.Warns(new EventWarning(in.getText(), in.getLong(), in.getText()));
      }
      if (kind == PROGRESS) {
        return new SliceItem.Progress(in.getVarint(), in.getLong());
      }
      long hlc = in.getLong();
      if (kind == FINISHED) {
        return new SliceItem.Finished(hlc, in.getVarint(), in.getLong(), nodes(in));
      }
      Set<String> valued = nodes(in);
      return switch (kind) {
        case HOLDS -> new SliceItem.Holds(hlc, flag(in), maybeRow(in), valued);
        case STILL_HOLDS -> new SliceItem.StillHolds(hlc, in.getVarint(), valued);
        case ENDS -> new SliceItem.Ends(hlc, flag(in), time(hlc, in), maybeRow(in), valued);
        case FAILS -> new SliceItem.Fails(hlc, failure(in), valued);
        default -> throw in.corrupt("an item of kind " + kind);
      };
    }

    private static boolean flag(WireReader in) throws CorruptBlockException {
      return in.getBounded("flag", 1) == 1;
    }

    private Set<String> nodes(WireReader in) throws CorruptBlockException {
      if (flag(in)) {
        int count = in.getCount("nodes");
        Set<String> nodes = new HashSet<>();
        for (int i = 0; i < count; i++) {
          nodes.add(in.getText());
        }
        lastValued = Set.copyOf(nodes);
      }
      return lastValued;
    }

    private SliceItem.MaybeRow maybeRow(WireReader in) throws CorruptBlockException {
      return switch (in.getBounded("row", 2)) {
        case 0 -> SliceItem.MaybeRow.NONE;
        case 1 -> new SliceItem.MaybeRow(row(in), null);
        default -> new SliceItem.MaybeRow(null, failure(in));
      };
    }

    private CutRow row(WireReader in) throws CorruptBlockException {
      long hlc = in.getLong();
      CutTime time = time(hlc, in);
      int count = in.getCount("items");
      List<Value> items = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        items.add(ValueBytes.read(in));
      }
      Optional<Note> note = flag(in) ? Optional.of(note(in)) : Optional.empty();
      return new CutRow(hlc, 0, time, items, note, new TreeSet<>());
    }

    private static Note note(WireReader in) throws CorruptBlockException {
      return new Note(
          in.getText(),
          in.getBounded("note", 127),
          in.getBounded("velocity", 127),
          in.getVarint(),
          Double.longBitsToDouble(in.getLong()));
    }

    private CutTime time(long hlc, WireReader in) throws CorruptBlockException {
      CutOrigin origin = new CutOrigin();
      int count = in.getCount("events of a cut");
      for (int i = 0; i < count; i++) {
        origin.add(in.getText(), in.getLong());
      }
      return origin.time(hlc, clocks);
    }

    private static EvaluationException failure(WireReader in) throws CorruptBlockException {
      String code = in.getText();
      String message = in.getText();
      int start = in.getBounded("start of a range", Integer.MAX_VALUE);
      int end = in.getBounded("end of a range", Integer.MAX_VALUE);
      if (end < start) {
        throw in.corrupt("a range that ends before it begins");
      }
      Diagnostic diagnostic = new Diagnostic(code, message, new SourceRange(start, end), text(in));
      return EvaluationException.of(new EvaluationException.Parts(diagnostic, flag(in), text(in)));
    }

    private static Optional<String> text(WireReader in) throws CorruptBlockException {
      return flag(in) ? Optional.of(in.getText()) : Optional.empty();
    }
  }
}
