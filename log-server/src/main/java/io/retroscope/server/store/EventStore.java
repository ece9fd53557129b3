package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The durable store of events. What it has acknowledged survives a crash, and is there once however
 * often it was sent. Thread-safe.
 */
public final class EventStore implements AutoCloseable {
  private static final int MAX_REJECTED_COUNT = 1_000;
  private static final int QUARANTINED_BLOCKS_PER_WRITE = 64;
  private static final long MAX_REJECTED_BYTES = 256L << 20;

  private final Path directory;
  private final Database database;
  private final PhysicalClock clock;
  private final StoreState state;
  private final StoreWriter writer;
  private final GroupCommit commit;
  private final RejectedInput rejected;
  private final SuspectInputs suspects;
  private final MemoryBudget memory;
  private final AtomicBoolean closed = new AtomicBoolean();

  private EventStore(
      Path directory,
      Database database,
      LogSync sync,
      StoreOptions options,
      PhysicalClock clock,
      Metrics metrics) {
    this.directory = directory;
    this.database = database;
    this.clock = clock;
    Damage damage = new Damage(DataDirectory.losses(directory));
    this.state = new StoreState(directory, database, damage, options);
    this.writer =
        new StoreWriter(
            state,
            database,
            new MarkedSync(database, sync, SyncedMarker.open(directory), metrics),
            clock,
            options.maxOffsetMicros());
    this.rejected = new RejectedInput(directory, MAX_REJECTED_COUNT, MAX_REJECTED_BYTES);
    this.suspects = new SuspectInputs(directory, rejected);
    this.memory = options.memory();
    this.commit = new GroupCommit(writer, options.memory(), metrics);
  }

  /**
   * Opens the store in a directory, which is made if it does not exist.
   *
   * @param clock tells which stamps lie too far in the future
   * @throws StoreException if that is not possible, with one sentence that says why
   */
  public static EventStore open(Path directory, StoreOptions options, PhysicalClock clock) {
    return open(directory, options, clock, Metrics.unread());
  }

  /**
   * Opens the store in a directory as above.
   *
   * @param metrics for its counts and times
   */
  public static EventStore open(
      Path directory, StoreOptions options, PhysicalClock clock, Metrics metrics) {
    return open(directory, options, clock, metrics, LogSync.REAL);
  }

  /** With another way to sync, for tests of its failure. */
  static EventStore open(
      Path directory, StoreOptions options, PhysicalClock clock, Metrics metrics, LogSync sync) {
    Database database = Recovery.open(directory, options.recover(), clock);
    try {
      return new EventStore(directory, database, sync, options, clock, metrics);
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  /**
   * Hands in events.
   *
   * @return completes once they are durable; or with a {@link StoreConflictException} or {@link
   *     StoreException}, and then nothing of the submission is acknowledged
   * @throws StoreBusyException if too much waits to be stored already
   */
  public CompletableFuture<Receipt> append(Submission submission) {
    return commit.submit(submission);
  }

  /**
   * Hands in events of which the memory is charged already.
   *
   * @param charge is enlarged if it is too small; the caller closes it after the answer
   * @return as {@link #append(Submission)}
   * @throws StoreBusyException if too much waits to be stored already
   */
  public CompletableFuture<Receipt> append(Submission submission, MemoryBudget.Charge charge) {
    return commit.submit(submission, charge);
  }

  /** What everything in this process that holds memory for this store charges. */
  public MemoryBudget memory() {
    return memory;
  }

  /**
   * Writes and syncs something that means nothing.
   *
   * @return completes once that is done, as {@link #append} does
   */
  public CompletableFuture<Receipt> probe() {
    return commit.submit(new Submission.Probe());
  }

  /**
   * Adds a backup to a folder of backups while events arrive; {@link StoreMaintenance#restore}
   * makes a store of it.
   *
   * @throws StoreException if that is not possible
   */
  public void backup(Path backups) {
    database.backup(backups);
    StoreMaintenance.markBackups(backups);
  }

  /**
   * Removes what a rule lets go, and frees its room. It may take long; one thread at a time.
   *
   * @return the number of blocks that were removed
   * @throws StoreException if they cannot be removed
   */
  public int retain(Retention rule) {
    BlockIndex.Snapshot index = state.published().index();
    int count = rule.removableCount(blocks(index));
    if (count == 0) {
      return 0;
    }
    long lastBlock = 0;
    long hlc = HlcTimestamp.MIN_PACKED;
    for (int i = 0; i < count; i++) {
      lastBlock = Math.max(lastBlock, index.zone(i).id());
      hlc = Math.max(hlc, index.zone(i).lastHlc());
    }
    carry(new Submission.Removal(lastBlock, hlc), "retention failed");
    database.freeThrough(lastBlock);
    return count;
  }

  /** What is kept aside because it is stamped too far in the future, in order of arrival. */
  public List<QuarantinedEvents> quarantined() {
    return state.published().quarantined().stream()
        .flatMap(zone -> zone.nodes().stream())
        .map(
            part ->
                new QuarantinedEvents(
                    part.node(), part.eventCount(), part.firstHlc(), part.lastHlc()))
        .toList();
  }

  /**
   * Quarantined events of one node that arrived together.
   *
   * @param firstHlc packed, the lowest stamp
   * @param lastHlc packed, the highest stamp
   */
  public record QuarantinedEvents(String node, long eventCount, long firstHlc, long lastHlc) {}

  /**
   * Stores quarantined events, whatever the clock says. Those that contradict what is stored stay
   * where they are.
   *
   * @return as accepted those stored, as duplicates those that were stored already, as quarantined
   *     those that contradict
   * @throws StoreException if it is not possible; what was released so far stays so
   */
  public Receipt releaseQuarantined(QuarantineSelection selection) {
    return takeFromQuarantine(selection, true);
  }

  /**
   * Deletes quarantined events.
   *
   * @return as accepted how many
   * @throws StoreException if it is not possible; what was deleted so far stays so
   */
  public Receipt purgeQuarantined(QuarantineSelection selection) {
    return takeFromQuarantine(selection, false);
  }

  private Receipt takeFromQuarantine(QuarantineSelection selection, boolean keep) {
    List<Long> ids =
        state.published().quarantined().stream()
            .filter(selection::reaches)
            .map(BlockZone::id)
            .toList();
    Receipt receipt = Receipt.NOTHING;
    try {
      for (int from = 0; from < ids.size(); from += QUARANTINED_BLOCKS_PER_WRITE) {
        int to = Math.min(ids.size(), from + QUARANTINED_BLOCKS_PER_WRITE);
        receipt =
            receipt.plus(
                commit
                    .submit(new Submission.Quarantined(ids.subList(from, to), selection, keep))
                    .join());
      }
    } catch (CompletionException e) {
      throw new StoreException("the quarantine could not be changed: " + e.getMessage(), e);
    }
    return receipt;
  }

  /**
   * Closes all runs of a node for good: it will not come back. Its events stay.
   *
   * @return the runs that this closed
   */
  public List<Incarnation> forget(String node) {
    List<Incarnation> open =
        state.published().runs().of(node).stream().filter(run -> !run.isForgotten()).toList();
    carry(new Submission.Forget(node), "the node cannot be forgotten");
    return open;
  }

  /**
   * Closes the runs of which retention has removed everything, and frees what is left of those that
   * were closed long ago. It may take long; one thread at a time.
   *
   * @param heard whether a run is heard from
   */
  public void expire(Predicate<Incarnation.Name> heard) {
    Optional<HistoryStart> begin = state.historyStart();
    if (begin.isPresent()) {
      new Leftovers(state.published(), state.lifetimes().snapshot(), begin.get().hlc())
          .changes(clock.micros(), heard)
          .forEach(change -> carry(change, "retention failed"));
    }
  }

  private void carry(Submission submission, String failure) {
    try {
      Receipt unused = commit.submit(submission).join();
    } catch (CompletionException e) {
      throw new StoreException(failure + ": " + e.getMessage(), e);
    }
  }

  private Retention.Blocks blocks(BlockIndex.Snapshot index) {
    return new Retention.Blocks() {
      @Override
      public int count() {
        return index.size();
      }

      @Override
      public long lastHlc(int i) {
        return index.zone(i).lastHlc();
      }

      @Override
      public long fileBytes() {
        return database.sizeBytes();
      }
    };
  }

  /** Rewrites all files while events arrive, so that what was removed takes no room. */
  public void compact() {
    database.compact();
  }

  /** Sums over what is stored now. */
  public StoreTotals totals() {
    BlockIndex.Snapshot index = state.published().index();
    StoreTotals.Sum sum = new StoreTotals.Sum();
    for (int i = 0; i < index.size(); i++) {
      sum.add(index.zone(i));
    }
    return sum.totals(database.sizeBytes(), database.sequence());
  }

  /** Where inputs are kept that can never be stored. */
  public RejectedInput rejected() {
    return rejected;
  }

  /** What guards against inputs that end the process. */
  public SuspectInputs suspects() {
    return suspects;
  }

  /** The thread that writes. */
  public Thread writingThread() {
    return commit.thread();
  }

  /** The reason why nothing can be stored now, in one sentence; empty if nothing hinders. */
  public Optional<String> writeTrouble() {
    return commit.trouble();
  }

  /** What was stored and cannot be read any more, in one sentence; empty if nothing is known. */
  public Optional<String> damage() {
    return state.damage().summary();
  }

  /** Opens a view that nothing later changes. */
  public EventSource.View open(ClockOffsets clockOffsets) {
    return open(clockOffsets, Map::of);
  }

  /**
   * Opens a view that nothing later changes.
   *
   * @param heldMicros asked for {@link EventSource.View#heldMicros}, when that is
   */
  public EventSource.View open(ClockOffsets clockOffsets, Supplier<Map<String, Long>> heldMicros) {
    return new StoreView(state, clockOffsets, heldMicros);
  }

  /** What is stored of every run of every node. */
  public Collection<Incarnation> incarnations() {
    return state.published().runs().all().values();
  }

  /** How far sources that keep their positions here have been read, by the sources' names. */
  public Map<String, SourcePosition> positions() {
    return state.published().positions();
  }

  /** What senders declared lost. */
  public List<LostBlocks> lost() {
    return state.published().lost();
  }

  /** From now on the listener hears of what is stored. */
  public void addListener(StoreListener listener) {
    state.addListener(listener);
  }

  /** The listener hears of nothing any more. */
  public void removeListener(StoreListener listener) {
    state.removeListener(listener);
  }

  /** Figures for operators. */
  public Figures figures() {
    StoreState.Published published = state.published();
    return new Figures(
        published.index().size(),
        published.quarantined().stream()
            .flatMap(zone -> zone.nodes().stream())
            .mapToLong(BlockZone.NodeZone::eventCount)
            .sum(),
        published.lost().stream()
            .mapToLong(LostBlocks::eventCount)
            .reduce(0, (a, b) -> a + b < 0 ? Long.MAX_VALUE : a + b),
        commit.waitingCount(),
        commit.waitingBytes(),
        state.cachedBytes(),
        database.sizeBytes(),
        state.damage().blockCount(),
        freeBytes(),
        writer.forgetting().refusedCount());
  }

  /** Room on the disk in bytes, 0 if that cannot be found out. */
  private long freeBytes() {
    try {
      return Files.getFileStore(directory).getUsableSpace();
    } catch (IOException e) {
      return 0;
    }
  }

  /**
   * Figures for operators.
   *
   * @param lostEventCount events that senders declared lost
   * @param waitingCount submissions that wait to be written
   * @param waitingBytes of memory that they take, with the ones that are being written
   * @param cachedBytes of memory that decoded blocks take
   * @param fileBytes of the database's sorted files
   * @param refusedCount blocks that closed runs have sent since the start
   * @param damagedBlockCount blocks that were found to be damaged and are left out of answers
   * @param freeBytes room on the disk; 0 if that cannot be found out
   */
  public record Figures(
      long blockCount,
      long quarantinedCount,
      long lostEventCount,
      long waitingCount,
      long waitingBytes,
      long cachedBytes,
      long fileBytes,
      long damagedBlockCount,
      long freeBytes,
      long refusedCount) {}

  /** Writes what waits, and lets go of the directory. */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    commit.close();
    try {
      writer.close();
    } finally {
      state.close();
      database.close();
    }
  }
}
