// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.zone.SealedSummary;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.event.EventMark;
import io.retroscope.event.PackedColumn;
import io.retroscope.event.WireReader;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A block of one log's events in the order of their stamps, with the starts and stops of nodes.
 * Each method decodes the sections that it needs, and no others. Immutable and thread-safe.
 */
public final class SealedBlock {
  private static final int MAX_MARKS = 1 << EventMark.values().length;
  private static final int MAX_KIND = Section.OF_NODE | (EventKind.values().length - 1);

  private final byte[] bytes;
  private final StoreNames names;
  private final String log;
  private final SealedSummary zone;
  private final List<SealedRun> runs;
  private final Map<Section.Key, Section> sections;
  private final @Nullable KeptColumns kept;
  private final Allocation allocation;

  SealedBlock(
      byte[] bytes,
      StoreNames names,
      String log,
      SealedSummary zone,
      List<SealedRun> runs,
      Map<Section.Key, Section> sections) {
    this(bytes, names, log, zone, runs, sections, null, Allocation.NEW);
  }

  private SealedBlock(
      byte[] bytes,
      StoreNames names,
      String log,
      SealedSummary zone,
      List<SealedRun> runs,
      Map<Section.Key, Section> sections,
      @Nullable KeptColumns kept,
      Allocation allocation) {
    this.bytes = bytes;
    this.names = names;
    this.log = log;
    this.zone = zone;
    this.runs = runs;
    this.sections = sections;
    this.kept = kept;
    this.allocation = allocation;
  }

  /**
   * Returns the same block, which keeps the columns that all rows have once they are decoded. Used
   * by one thread.
   */
  public SealedBlock keepingColumns() {
    return new SealedBlock(
        bytes, names, log, zone, runs, sections, new KeptColumns(), Allocation.NEW);
  }

  /** The encoded block; must not be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /**
   * The encoded block without changes of other variables, as far as it has those by themselves: a
   * reader who passes the same test to {@link #rows(Predicate)} gets the same rows.
   */
  public byte[] bytes(Predicate<String> wanted) throws CorruptBlockException {
    boolean complete = !isAll(Section.Kind.MARKS, 0);
    List<Section> kept =
        sections.values().stream()
            .filter(
                section ->
                    complete
                        || section.kind() != Section.Kind.VARIABLE
                        || wanted.test(names.variables().name(section.variableId())))
            .sorted(Comparator.comparingInt(Section::start))
            .toList();
    return kept.size() == sections.size()
        ? bytes
        : new SealedCopy(bytes, log, zone, runs).with(kept);
  }

  /** Where decoded columns get their arrays from. */
  Allocation allocation() {
    return allocation;
  }

  /** The names to which the sections refer. */
  StoreNames names() {
    return names;
  }

  /** The log of the rows. */
  public String log() {
    return log;
  }

  /** The summary. */
  public SealedSummary zone() {
    return zone;
  }

  /** The number of rows. */
  public int rowCount() {
    return zone.rowCount();
  }

  /** The runs that have rows, in the order of their indexes. */
  public List<Run> runs() {
    return runs.stream().map(SealedRun::run).toList();
  }

  /**
   * The packed stamps of the rows, ascending.
   *
   * @throws CorruptBlockException if the section is damaged; likewise in all methods below
   */
  public long[] stamps() throws CorruptBlockException {
    return kept == null ? decodeStamps() : kept.stamps(this::decodeStamps);
  }

  private long[] decodeStamps() throws CorruptBlockException {
    PackedColumn[] parts = columns(Section.Kind.STAMP, 2);
    long[] stamps = allocation.longs(rowCount());
    boolean valid;
    if (parts[1].isConstant()) {
      long logical = parts[1].at(0);
      valid = logical >= 0 && logical <= HlcTimestamp.MAX_LOGICAL;
      valid = valid && parts[0].decodeStamps(stamps, (int) logical);
    } else {
      long[] logical = new long[stamps.length];
      parts[0].decode(stamps);
      parts[1].decode(logical);
      valid = combine(stamps, logical);
    }
    if (!valid) {
      throw corrupt(Section.Kind.STAMP, "a stamp is too large or lower than the one before");
    }
    return stamps;
  }

  /** Makes packed stamps from microseconds; returns whether they are valid and ascend. */
  private static boolean combine(long[] micros, long[] logical) {
    long outside = 0;
    long previous = Long.MIN_VALUE;
    for (int row = 0; row < micros.length; row++) {
      long now = micros[row];
      outside |= now | (HlcTimestamp.MAX_MICROS - now);
      outside |= logical[row] | (HlcTimestamp.MAX_LOGICAL - logical[row]);
      long stamp = HlcTimestamp.fromWire(now << HlcTimestamp.LOGICAL_BITS | logical[row]);
      outside |= stamp < previous ? -1 : 0;
      previous = stamp;
      micros[row] = stamp;
    }
    return outside >= 0;
  }

  /** The sequence numbers of the rows, or {@link Event#NO_SEQUENCE}. */
  long[] sequences(int[] rowRuns, PackedColumn[] parts) {
    long[] unknown = new long[rowRuns.length];
    parts[0].decode(unknown);
    long[] sequences = new long[rowRuns.length];
    parts[1].decode(sequences);
    long[] last = runs.stream().mapToLong(SealedRun::sequenceBefore).toArray();
    for (int row = 0; row < sequences.length; row++) {
      int run = rowRuns[row];
      if (unknown[row] == 0) {
        last[run] += sequences[row];
        sequences[row] = last[run];
      } else {
        sequences[row] = Event.NO_SEQUENCE;
      }
    }
    return sequences;
  }

  /** The codes of the rows' kinds, plus {@link Section#OF_NODE}. */
  long[] kinds() throws CorruptBlockException {
    return readOne(Section.Kind.KIND, MAX_KIND + 1);
  }

  long[] marks() throws CorruptBlockException {
    return readOne(Section.Kind.MARKS, MAX_MARKS);
  }

  /**
   * The rows as columns, in order. The starts and stops of nodes are left out unless the block's
   * log has the empty name, so that each is in one of the logs that were sealed together.
   */
  public EventBlock rows() throws CorruptBlockException {
    return rows(variable -> true);
  }

  /**
   * Like {@link #rows()}, but without changes of other variables, and without state changes of
   * which nothing remains then. Such a block decodes only the sections that it needs. A block that
   * has marks is complete.
   */
  public EventBlock rows(Predicate<String> wanted) throws CorruptBlockException {
    return new SealedRows(this, wanted).block();
  }

  /**
   * Like {@link #rows()}, for counting rows: log lines may have an empty message and no fields, so
   * that their texts need not be decoded.
   */
  public EventBlock rowsForCounts() throws CorruptBlockException {
    return zone.holdsLines()
        ? new SealedRows(this, variable -> true).withoutContents().block()
        : rows();
  }

  /**
   * Like {@link #rows(Predicate)}, in arrays that are used again when the block is {@linkplain
   * ColumnMemory#release released}; it must not be read afterwards.
   *
   * @return null if the changes are not all columns of values that are neither sets nor structs, so
   *     that it takes much longer to decode the rows than to walk them
   */
  public @Nullable EventBlock columns(Predicate<String> wanted, ColumnMemory memory)
      throws CorruptBlockException {
    SealedBlock lending = new SealedBlock(bytes, names, log, zone, runs, sections, null, memory);
    try {
      EventBlock columns = new SealedRows(lending, wanted).columns();
      if (columns != null) {
        memory.lendTo(columns);
      }
      return columns;
    } finally {
      memory.takeBack();
    }
  }

  /** The sections with changes. */
  List<Section> changeSections() {
    return sections.values().stream()
        .filter(
            section ->
                switch (section.kind()) {
                  case VARIABLE, RARE, DETAILS -> true;
                  case STAMP, NODE, PHYSICAL, SEQUENCE, KIND, MARKS -> false;
                })
        .toList();
  }

  Changes changes(Section section) throws CorruptBlockException {
    return switch (section.kind()) {
      case RARE -> readChanges(section, names.variables().size());
      case DETAILS -> readChanges(section, Changes.FIELD_NAMES);
      case VARIABLE -> readChanges(section, 0);
      case STAMP, NODE, PHYSICAL, SEQUENCE, KIND, MARKS ->
          throw new AssertionError("no changes: " + section);
    };
  }

  private Changes readChanges(Section section, int nameCount) throws CorruptBlockException {
    WireReader in = section.open(bytes);
    Changes changes = Changes.read(in, rowCount(), nameCount);
    requireEnd(in);
    return changes;
  }

  /** The columns of a section with one or two entries per row, checked but not decoded. */
  PackedColumn[] columns(Section.Kind kind, int count) throws CorruptBlockException {
    return kept == null
        ? readColumns(kind, count)
        : kept.columns(kind, () -> readColumns(kind, count));
  }

  private PackedColumn[] readColumns(Section.Kind kind, int count) throws CorruptBlockException {
    WireReader in = section(kind).open(bytes);
    PackedColumn[] columns = new PackedColumn[count];
    for (int i = 0; i < count; i++) {
      columns[i] = PackedColumn.read(in, rowCount());
    }
    requireEnd(in);
    return columns;
  }

  /** Whether all entries of a section's only column are equal to a number. */
  boolean isAll(Section.Kind kind, long number) throws CorruptBlockException {
    PackedColumn column = columns(kind, 1)[0];
    return column.isConstant() && column.at(0) == number;
  }

  /** The changes of a dense variable if each sets a LONG; otherwise null. */
  @Nullable PackedChanges longs(Section section) throws CorruptBlockException {
    WireReader in = section.open(bytes);
    PackedChanges changes = PackedChanges.read(in, rowCount());
    if (changes != null) {
      requireEnd(in);
    }
    return changes;
  }

  /** The indexes of the rows' runs. */
  public int[] runIndexes() throws CorruptBlockException {
    return kept == null ? decodeRunIndexes() : kept.runIndexes(this::decodeRunIndexes);
  }

  private int[] decodeRunIndexes() throws CorruptBlockException {
    int[] indexes = allocation.ints(rowCount());
    if (!columns(Section.Kind.NODE, 1)[0].decode(indexes, runs.size())) {
      throw corrupt(Section.Kind.NODE, "a run that is not among the " + runs.size());
    }
    return indexes;
  }

  private long[] readOne(Section.Kind kind, long limit) throws CorruptBlockException {
    WireReader in = section(kind).open(bytes);
    long[] values = new long[rowCount()];
    PackedColumn.read(in, rowCount()).decode(values);
    requireEnd(in);
    for (long value : values) {
      if (value < 0 || value >= limit) {
        throw corrupt(kind, value + " where " + limit + " is the limit");
      }
    }
    return values;
  }

  private Section section(Section.Kind kind) throws CorruptBlockException {
    Section section = sections.get(new Section.Key(kind, 0));
    if (section == null) {
      throw new CorruptBlockException(0, "a sealed block without the section " + kind);
    }
    return section;
  }

  private CorruptBlockException corrupt(Section.Kind kind, String reason)
      throws CorruptBlockException {
    return new CorruptBlockException(section(kind).start(), "section " + kind + ": " + reason);
  }

  private static void requireEnd(WireReader in) throws CorruptBlockException {
    if (in.remaining() > 0) {
      throw in.corrupt(in.remaining() + " bytes too many in a section");
    }
  }
}
