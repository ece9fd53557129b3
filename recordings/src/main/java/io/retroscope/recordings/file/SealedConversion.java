// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.blocks.merge.RowTest;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.sealed.SealedFile;
import io.retroscope.blocks.sealed.SealedFileWriter;
import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.EventLine;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * The conversion of events in any order into a {@link SealedFile}, in bounded memory. Used by one
 * thread.
 */
public final class SealedConversion implements EventConsumer, Closeable {
  /*
   * Events gather in a batch. When it is full, those up to the end of the batch before are sealed,
   * so events may be late by a whole batch. As long as none is later, the file that is written is
   * the result, and its blocks are read no more.
   *
   * The first event that is later begins another sorted run in the same file. At the end, the runs
   * are merged into a second file, and the first one is deleted. A merge has one block of each run
   * in memory that overlaps others: MAX_RUNS bounds them.
   */

  /** The number of sorted runs that are merged at once, with a block of each in memory. */
  static final int MAX_RUNS = 512;

  /** Only events of one stamp, which are sealed together, can be so many. */
  private static final long MAX_PENDING_ROWS = 4L * EventBatch.MAX_ROWS;

  /** A bound on reported losses, as within one text. */
  private static final int MAX_GAPS = 100_000;

  private static final int MAX_REASONS = 1_000;

  static final RowTest ALL_ROWS =
      new RowTest() {
        @Override
        public IntPredicate in(EventBlock block) {
          return row -> true;
        }

        @Override
        public boolean takesAll(EventBlock block) {
          return true;
        }
      };

  private final Path target;
  private final int blockRows;
  private final int batchRows;
  private SealedFileWriter out;
  private EventBatch batch;
  private Map<String, List<EventBlock>> pending = new LinkedHashMap<>();
  private SummaryBuilder summary = new SummaryBuilder();
  private final Map<Run, Long> starts = new HashMap<>();
  private final Comparator<Run> ties = ties(starts);
  private final Set<Gap> losses = new LinkedHashSet<>();
  private final Set<Incompleteness> reasons = new LinkedHashSet<>();

  /** The packed stamp up to which the present run is sealed. */
  private long sealedTo = Long.MIN_VALUE;

  /** The packed stamp up to which the next full batch seals. */
  private long batchEnd = Long.MIN_VALUE;

  private int runCount = 1;
  private boolean finished;

  /**
   * A conversion into a new file.
   *
   * @param target does not exist yet; beside it, a file with the same name and {@code .runs} exists
   *     for a time if the events are not in order
   * @throws IOException if it cannot be written
   */
  public SealedConversion(Path target) throws IOException {
    this(target, Sealing.ROWS, EventBatch.MAX_ROWS);
  }

  SealedConversion(Path target, int blockRows, int batchRows) throws IOException {
    this.target = target;
    this.blockRows = blockRows;
    this.batchRows = batchRows;
    this.batch = new EventBatch(batchRows);
    this.out = SealedFileWriter.create(target);
  }

  /** The order of runs whose events have equal stamps. */
  static Comparator<Run> ties(Map<Run, Long> starts) {
    return Comparator.comparing(Run::node, NaturalOrder.INSTANCE)
        .thenComparingLong(run -> starts.getOrDefault(run, 0L));
  }

  @Override
  public void line(EventLine line) throws IOException {
    makeRoom();
    checkLog(line.log());
    batch.add(line);
  }

  @Override
  public void event(Event event) throws IOException {
    makeRoom();
    checkLog(event.log());
    if (!event.incarnation().isEmpty()) {
      starts.merge(new Run(event.node(), event.incarnation()), event.hlc(), Math::min);
    }
    batch.add(event);
  }

  private static void checkLog(String log) {
    if (!log.isEmpty() && log.charAt(0) == 0 && log.equals(EventBatch.HEARTBEATS)) {
      throw new EventFileException("a log's name must not be that of the heartbeats within files");
    }
  }

  @Override
  public void gap(Gap gap) {
    if (losses.add(gap) && losses.size() > MAX_GAPS) {
      throw new EventFileException("the files report more than " + MAX_GAPS + " losses");
    }
  }

  @Override
  public void incomplete(Incompleteness reason) {
    if (reasons.size() < MAX_REASONS) {
      reasons.add(reason);
    }
  }

  private void makeRoom() throws IOException {
    if (batch.isFull()) {
      takeBatch();
    }
  }

  private void takeBatch() throws IOException {
    Map<String, List<EventBlock>> blocks = batch.take();
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (List<EventBlock> own : blocks.values()) {
      for (EventBlock block : own) {
        first = Math.min(first, block.firstHlc());
        last = Math.max(last, block.lastHlc());
      }
    }
    if (first <= sealedTo) {
      seal(Long.MAX_VALUE);
      sealedTo = Long.MIN_VALUE;
      batchEnd = Long.MIN_VALUE;
      runCount++;
    }
    blocks.forEach(
        (log, own) -> pending.computeIfAbsent(log, name -> new ArrayList<>()).addAll(own));
    // The events of one stamp are sealed together: there may be more of the batch's first one.
    long to = first == batchEnd ? batchEnd - 1 : batchEnd;
    if (batchEnd > Long.MIN_VALUE && to > sealedTo) {
      seal(to);
    }
    batchEnd = Math.max(batchEnd, last);
    checkPending(last);
  }

  private void checkPending(long last) {
    long rows = 0;
    for (List<EventBlock> own : pending.values()) {
      for (EventBlock block : own) {
        rows += block.size();
      }
    }
    if (rows > MAX_PENDING_ROWS) {
      throw new EventFileException(
          "more than 65536 events have the stamp %s, which is more than a block holds"
              .formatted(HlcTimestamp.text(last)));
    }
  }

  /** Seals the pending events up to a stamp. */
  private void seal(long to) throws IOException {
    long from = sealedTo == Long.MIN_VALUE ? sealedTo : sealedTo + 1;
    if (runCount == 1) {
      List<BlockSource> sources = new ArrayList<>();
      pending.values().forEach(own -> own.forEach(block -> sources.add(BlockSource.of(block))));
      summary.addAll(new ArrivalWindow(sources, ALL_ROWS, from, to, ties));
    }
    for (Map.Entry<String, List<EventBlock>> log : pending.entrySet()) {
      Sealing sealing = new Sealing(log.getKey(), out.names(), ties, blockRows);
      List<SealedBlock> blocks;
      try {
        blocks = sealing.seal(log.getValue(), from, to);
      } catch (IllegalArgumentException e) {
        throw new EventFileException("the events cannot be converted: " + e.getMessage(), e);
      }
      for (SealedBlock block : blocks) {
        out.add(block);
      }
      log.getValue().removeIf(block -> block.lastHlc() <= to);
    }
    pending.values().removeIf(List::isEmpty);
    sealedTo = to;
  }

  /**
   * Completes the file.
   *
   * @throws IOException if it cannot be written
   */
  public void finish() throws IOException {
    takeBatch();
    seal(Long.MAX_VALUE);
    if (runCount > 1 || summary.mayRepeat()) {
      mergeRuns();
    }
    out.finish(summary.build(losses, reasons).encode());
    finished = true;
  }

  private void mergeRuns() throws IOException {
    if (runCount > MAX_RUNS) {
      throw new EventFileException(
          "the events are too far out of order to be merged ("
              + runCount
              + " sorted runs): sort the lines by \"hlc\" first");
    }
    Path runs = runsFile(target);
    out.finish(new byte[0]); // an index, so that the blocks need not be looked for
    out.close();
    Files.deleteIfExists(runs);
    Files.move(target, runs);
    try (SealedFile file = SealedFile.open(runs)) {
      out = SealedFileWriter.create(target);
      begin();
      merge(file);
    } finally {
      Files.deleteIfExists(runs);
    }
  }

  /** The file that exists while runs are merged. */
  static Path runsFile(Path target) {
    return target.resolveSibling(target.getFileName() + ".runs");
  }

  private void begin() {
    batch = new EventBatch(batchRows);
    pending = new LinkedHashMap<>();
    summary = new SummaryBuilder();
    sealedTo = Long.MIN_VALUE;
    batchEnd = Long.MIN_VALUE;
    runCount = 1;
  }

  private void merge(SealedFile file) throws IOException {
    List<BlockSource> sources = new ArrayList<>();
    for (SealedFile.Entry entry : file.entries()) {
      sources.add(new FileBlock(file, entry));
    }
    Iterator<Event> events =
        new ArrivalWindow(sources, ALL_ROWS, Long.MIN_VALUE, Long.MAX_VALUE, ties).events();
    StampClash.Check check = new StampClash.Check();
    while (events.hasNext()) {
      Event event = events.next();
      // The same event may be in several files.
      if (check.isNew(event)) {
        makeRoom();
        batch.add(event);
      }
    }
    takeBatch();
    seal(Long.MAX_VALUE);
  }

  /** A block of a file in a merge. */
  record FileBlock(SealedFile file, SealedFile.Entry entry) implements BlockSource {
    @Override
    public long firstHlc() {
      return entry.zone().firstHlc();
    }

    @Override
    public long lastHlc() {
      return entry.zone().lastHlc();
    }

    @Override
    public EventBlock read() {
      try {
        return file.read(entry).rows();
      } catch (CorruptBlockException e) {
        throw new EventFileException(
            "byte " + entry.position() + " of the converted copy: " + e.reason(), e);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Closes the file, and deletes it if it was not finished. */
  @Override
  public void close() throws IOException {
    out.close();
    if (!finished) {
      Files.deleteIfExists(target);
      Files.deleteIfExists(runsFile(target));
    }
  }
}
