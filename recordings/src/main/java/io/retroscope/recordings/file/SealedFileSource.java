// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.blocks.merge.RowTest;
import io.retroscope.blocks.sealed.SealedFile;
import io.retroscope.blocks.zone.LongZone;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.BlockReads;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.cut.Sightings;
import io.retroscope.rql.cut.state.StartState;
import io.retroscope.rql.cut.state.StateBlocks;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.timeline.TimelineBlocks;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The events of a {@link SealedFile}, of which walks read the blocks that they need. Thread-safe.
 */
public final class SealedFileSource implements EventSource, Closeable {
  /** Offsets of which nothing is known. */
  static final Function<Iterable<Event>, ClockOffsets> NO_CLOCKS = events -> ClockOffsets.UNKNOWN;

  private final Path path;
  private final SealedFile file;
  private final FileSummary summary;
  private final Comparator<Run> ties;
  private final ClockOffsets clockOffsets;
  private final FileReads.Bounds bounds;
  private volatile @Nullable List<SealedFile.Entry> backwards;

  private SealedFileSource(
      Path path,
      SealedFile file,
      FileSummary summary,
      Function<Iterable<Event>, ClockOffsets> alignment,
      FileReads.Bounds bounds) {
    this.path = path;
    this.file = file;
    this.summary = summary;
    this.ties = SealedConversion.ties(summary.starts());
    this.bounds = bounds;
    this.clockOffsets = new LazyOffsets(() -> alignment.apply(() -> allRows().events()));
  }

  /** The size up to which a copy is read when it is opened: a fraction of a second. */
  static final long MAX_CHECKED_BYTES = 1L << 30;

  /**
   * Opens a file.
   *
   * @param alignment computes the clock offsets from all events, which come in the order of their
   *     stamps; called when an offset is first needed
   * @throws EventFileException if it is not a file of sealed blocks or its index is damaged
   * @throws IOException if it cannot be read
   */
  public static SealedFileSource open(Path path, Function<Iterable<Event>, ClockOffsets> alignment)
      throws IOException {
    return open(path, alignment, FileReads.Bounds.USUAL);
  }

  static SealedFileSource open(
      Path path, Function<Iterable<Event>, ClockOffsets> alignment, FileReads.Bounds bounds)
      throws IOException {
    SealedFile file;
    try {
      file = SealedFile.open(path);
    } catch (CorruptBlockException e) {
      throw damaged(path, e.position(), e);
    }
    try {
      Optional<byte[]> known = file.summary();
      FileSummary summary =
          known.isPresent() ? FileSummary.decode(known.get()) : summaryOfRows(path, file);
      return new SealedFileSource(path, file, summary, alignment, bounds);
    } catch (CorruptBlockException e) {
      file.close();
      throw damaged(path, e.position(), e);
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /**
   * Opens a copy of files that are there themselves, so that it is of use only if it is whole. A
   * copy of up to {@link #MAX_CHECKED_BYTES} is read for that; of a larger one only the index.
   *
   * @throws EventFileException if it is damaged
   * @throws IOException if it cannot be read
   */
  static SealedFileSource openWhole(Path path, Function<Iterable<Event>, ClockOffsets> alignment)
      throws IOException {
    SealedFileSource source = open(path, alignment);
    try {
      if (source.file.summary().isEmpty() || Files.size(path) <= MAX_CHECKED_BYTES) {
        source.file.checkWhole();
      }
      return source;
    } catch (CorruptBlockException e) {
      source.close();
      throw damaged(path, e.position(), e);
    }
  }

  /** The summary of a file that was cut short; losses that its input reported are not known. */
  private static FileSummary summaryOfRows(Path path, SealedFile file) {
    List<BlockSource> sources = new ArrayList<>();
    file.entries().forEach(entry -> sources.add(new SealedConversion.FileBlock(file, entry)));
    SummaryBuilder builder = new SummaryBuilder();
    builder.addAll(
        new ArrivalWindow(
            sources,
            SealedConversion.ALL_ROWS,
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            Comparator.comparing(Run::node).thenComparing(Run::incarnation)));
    return builder
        .build(Set.of(), Set.of())
        .and(
            new Incompleteness.CutOff(
                "%s was cut short: its last whole block is used, and %d bytes after it are not"
                    .formatted(path, file.unreadBytes())));
  }

  static EventFileException damaged(Path path, long position, CorruptBlockException e) {
    return new EventFileException(path + ": byte " + position + ": " + e.reason(), e);
  }

  @Override
  public View open() {
    return new FileView();
  }

  /**
   * The parts of a timeline: a block counts by the bins that are stored beside it, and is only read
   * if it has none.
   */
  public TimelineBlocks openTimeline() {
    return new FileTimeline(path, file, summary.gaps(), summary.reasons());
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  /** All rows; a heartbeat is a state change of its own log. */
  private ArrivalWindow allRows() {
    return window(
        entry -> true,
        (log, variable) -> true,
        HlcRange.ALL,
        SealedConversion.ALL_ROWS,
        new FileReads(file, bounds));
  }

  /** Passes on all events, losses and what else is incomplete. */
  void readAll(EventConsumer consumer) throws IOException {
    Iterator<Event> events = allRows().events();
    while (events.hasNext()) {
      consumer.event(asRecorded(events.next()));
    }
    for (Gap gap : summary.gaps()) {
      consumer.gap(gap);
    }
    for (Incompleteness reason : summary.reasons()) {
      consumer.incomplete(reason);
    }
  }

  private static Event asRecorded(Event event) {
    if (!event.log().equals(EventBatch.HEARTBEATS)
        || !(event.body() instanceof EventBody.StateChange change)
        || !(change.changes().get(0).value() instanceof Value.LongValue promise)) {
      return event;
    }
    return new Event(
        event.node(),
        event.incarnation(),
        "",
        event.hlc(),
        event.physicalMicros(),
        event.sequence(),
        event.marks(),
        new EventBody.Heartbeat(promise.value()));
  }

  private ArrivalWindow window(
      Predicate<SealedFile.Entry> entries,
      WantedVariables variables,
      HlcRange range,
      RowTest rows,
      FileReads reads) {
    List<BlockSource> sources = new ArrayList<>();
    for (SealedFile.Entry entry : file.entries()) {
      boolean overlaps =
          entry.zone().firstHlc() <= range.to() && entry.zone().lastHlc() >= range.from();
      if (overlaps && entries.test(entry)) {
        sources.add(new WantedBlock(entry, variables, reads));
      }
    }
    return new ArrivalWindow(sources, rows, range.from(), range.to(), ties);
  }

  /** The blocks in descending order of their last stamps. */
  private List<SealedFile.Entry> entriesBackwards() {
    List<SealedFile.Entry> known = backwards;
    if (known == null) {
      known =
          file.entries().stream()
              .sorted(
                  Comparator.comparingLong((SealedFile.Entry entry) -> entry.zone().lastHlc())
                      .reversed())
              .toList();
      backwards = known;
    }
    return known;
  }

  /** The blocks of the file by their zones. */
  private final class FileBlocks implements StateBlocks<SealedFile.Entry> {
    private final FileReads reads;
    private final Map<List<Integer>, List<String>> names = new HashMap<>();

    FileBlocks(FileReads reads) {
      this.reads = reads;
    }

    @Override
    public long firstHlc(SealedFile.Entry entry) {
      return entry.zone().firstHlc();
    }

    @Override
    public long lastHlc(SealedFile.Entry entry) {
      return entry.zone().lastHlc();
    }

    @Override
    public long number(SealedFile.Entry entry) {
      return entry.position();
    }

    @Override
    public boolean mayHoldLives(SealedFile.Entry entry, long before, Predicate<String> node) {
      return FileView.isOfNodes(entry) && any(entry, node);
    }

    @Override
    public boolean mayHoldWrites(SealedFile.Entry entry, long before, Writes test) {
      return entry.zone().holds(EventKind.STATE_CHANGE)
          && test.matter(
              entry.log(),
              names.computeIfAbsent(entry.zone().variables(), this::named),
              entry.zone().lastHlc(),
              node -> any(entry, node));
    }

    private List<String> named(List<Integer> variables) {
      return variables.stream().map(file.names().variables()::name).toList();
    }

    private boolean any(SealedFile.Entry entry, Predicate<String> test) {
      return entry.zone().nodes().stream().mapToObj(file.names().nodes()::name).anyMatch(test);
    }

    @Override
    public EventBlock read(SealedFile.Entry entry) {
      EventBlock rows = new WantedBlock(entry, (log, variable) -> true, reads).read();
      if (rows == null) {
        throw new AssertionError("a block without rows");
      }
      return rows;
    }

    @Override
    public BlockSource source(SealedFile.Entry entry) {
      return new WantedBlock(entry, (log, variable) -> true, reads);
    }
  }

  private interface WantedVariables {
    boolean test(String log, String variable);
  }

  /** A block of which a walk needs some variables. */
  private final class WantedBlock implements BlockSource {
    private final SealedFile.Entry entry;
    private final WantedVariables variables;
    private final FileReads reads;

    WantedBlock(SealedFile.Entry entry, WantedVariables variables, FileReads reads) {
      this.entry = entry;
      this.variables = variables;
      this.reads = reads;
    }

    @Override
    public long firstHlc() {
      return entry.zone().firstHlc();
    }

    @Override
    public long lastHlc() {
      return entry.zone().lastHlc();
    }

    @Override
    public @Nullable EventBlock read() {
      try {
        EventBlock rows = reads.read(entry).rows(variable -> variables.test(entry.log(), variable));
        return rows.isEmpty() ? null : rows;
      } catch (CorruptBlockException e) {
        throw damaged(path, entry.position(), e);
      } catch (IOException e) {
        throw unreadable(e);
      }
    }

    @Override
    public @Nullable LongZone longZone() {
      try {
        return reads.longZone(entry).orElse(null);
      } catch (IOException e) {
        throw unreadable(e);
      }
    }

    private UncheckedIOException unreadable(IOException e) {
      return new UncheckedIOException(path + " cannot be read any more: " + e.getMessage(), e);
    }
  }

  private final class FileView implements View {
    private final FileReads reads = new FileReads(file, bounds);
    private @Nullable List<Sighting> arrivals;

    @Override
    public List<LogDescription> logs() {
      return summary.logs();
    }

    @Override
    public boolean mayHold(String log) {
      return summary.logs().stream().anyMatch(known -> known.name().equals(log));
    }

    @Override
    public List<NodeDescription> nodes() {
      return summary.nodes();
    }

    @Override
    public Optional<HlcRange> extent() {
      return summary.nodes().stream()
          .map(node -> new HlcRange(node.firstHlc(), node.lastHlc()))
          .reduce((a, b) -> new HlcRange(Math.min(a.from(), b.from()), Math.max(a.to(), b.to())));
    }

    @Override
    public Iterator<Event> scan(Set<String> logs, HlcRange range) {
      return scan(logs, (log, variable) -> true, range).events();
    }

    @Override
    public ArrivalWindow scan(Interest interest, HlcRange range) {
      return scan(interest.logs(), interest::follows, range);
    }

    private ArrivalWindow scan(Set<String> logs, WantedVariables variables, HlcRange range) {
      return window(
          entry -> logs.contains(entry.log()) || isOfNodes(entry),
          variables,
          range,
          RowTest.ofLogs(logs),
          reads);
    }

    private static boolean isOfNodes(SealedFile.Entry entry) {
      return entry.log().isEmpty()
          && (entry.zone().holds(EventKind.START) || entry.zone().holds(EventKind.STOP));
    }

    /** Reads back from the stamp, unless what walks read together comes in its order. */
    @Override
    public ArrivalWindow stateBefore(Interest interest, long hlc) {
      if (reads.isShared()) {
        return View.super.stateBefore(interest, hlc);
      }
      List<SealedFile.Entry> before =
          entriesBackwards().stream().filter(entry -> entry.zone().firstHlc() < hlc).toList();
      return new StartState<>(interest, hlc, new FileBlocks(reads), ties).rows(before);
    }

    @Override
    public Iterator<Sighting> sightings(HlcRange range) {
      return new Sightings(summary.stays(), range);
    }

    @Override
    public Collection<Presence> presences() {
      return List.copyOf(summary.stays());
    }

    @Override
    public Optional<BlockReads> blockReads() {
      return Optional.of(reads);
    }

    @Override
    public List<Sighting> arrivals() {
      List<Sighting> known = arrivals == null ? View.super.arrivals() : arrivals;
      arrivals = known;
      return known;
    }

    @Override
    public List<Gap> gaps(HlcRange range) {
      return summary.gaps().stream().filter(gap -> gap.range().overlaps(range)).toList();
    }

    @Override
    public List<Overlap> overlaps(HlcRange range) {
      return Overlap.with(summary.reasons(), summary.overlaps(), range);
    }

    @Override
    public List<Incompleteness> reasons(HlcRange range) {
      return summary.reasons().stream()
          .filter(reason -> !(reason instanceof Incompleteness.Overlapping))
          .toList();
    }

    @Override
    public ClockOffsets clockOffsets() {
      return clockOffsets;
    }

    @Override
    public void close() {}
  }
}
