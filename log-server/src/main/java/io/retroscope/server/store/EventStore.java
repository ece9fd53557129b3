// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.disk.DataDirectory;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.MarkedSync;
import io.retroscope.server.store.disk.MarkedSync.LogSync;
import io.retroscope.server.store.disk.Recovery;
import io.retroscope.server.store.disk.SourcePosition;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.disk.SyncedMarker;
import io.retroscope.server.store.run.Incarnation;
import io.retroscope.server.store.run.StoreConflictException;
import io.retroscope.server.store.zone.BlockIndex;
import io.retroscope.server.store.zone.BlockZone;
import io.retroscope.server.store.zone.Damage;
import io.retroscope.server.store.zone.Quarantine;
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
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * The durable store of events. Acknowledged events survive a crash, and are stored exactly once
 * however often they are sent. Thread-safe.
 */
public final class EventStore
    implements AlertRecords, EventIntake, QuarantineAccess, AutoCloseable {
  /** The longest time in which the backlog is written when the store closes. */
  private static final long MAX_END_MILLIS = 30_000;

  private static final long NOTHING_TRIMMED = -1;
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
  private final Sealer sealer;

  /**
   * Held while blocks are selected and removed or replaced, so that the selection is still valid.
   */
  private final Object replacing = new Object();

  /**
   * The highest id of the trimmed blocks whose space is not freed; guarded by {@link #replacing}.
   */
  private long trimmedThrough = NOTHING_TRIMMED;

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
    this.sealer = new Sealer(state, options, change -> carry(change, "blocks cannot be sealed"));
  }

  /**
   * Opens the store in a directory, which is created if it does not exist.
   *
   * @param clock decides which stamps are too far in the future
   * @throws StoreException if that is not possible; the message is one sentence with the reason
   */
  public static EventStore open(Path directory, StoreOptions options, PhysicalClock clock) {
    return open(directory, options, clock, Metrics.unread());
  }

  /** Opens the store in a directory, with the registry for its counts and latencies. */
  public static EventStore open(
      Path directory, StoreOptions options, PhysicalClock clock, Metrics metrics) {
    return open(directory, options, clock, metrics, LogSync.REAL);
  }

  /** Opens the store with a different way to sync, for tests of a failing sync. */
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
   * Submits events.
   *
   * @return completes once they are durable, or with a {@link StoreConflictException} or {@link
   *     StoreException}, after which no part of the submission is acknowledged
   * @throws StoreBusyException if the backlog is full
   */
  public CompletableFuture<Receipt> append(Submission submission) {
    return commit.submit(submission);
  }

  /**
   * Submits events whose memory has been charged already.
   *
   * @param charge is enlarged if it is too small; the caller closes it after the answer
   * @return as {@link #append(Submission)}
   * @throws StoreBusyException if the backlog is full
   */
  @Override
  public CompletableFuture<Receipt> append(Submission submission, MemoryBudget.Charge charge) {
    return commit.submit(submission, charge);
  }

  /** The budget to which everything in this process charges its memory for this store. */
  public MemoryBudget memory() {
    return memory;
  }

  /**
   * Writes and syncs an empty record.
   *
   * @return completes once that is done, as for {@link #append}
   */
  public CompletableFuture<Receipt> probe() {
    return commit.submit(new Submission.Probe());
  }

  @Override
  public void putAlerts(Map<String, Optional<byte[]>> records) {
    carry(new Submission.Alerts(records), "the records of alerts cannot be written");
  }

  @Override
  public void readAlerts(String prefix, String first, BiPredicate<String, byte[]> visitor) {
    database.forEachFrom(
        StoreSchema.ALERTS,
        first,
        (key, value) -> key.startsWith(prefix) && visitor.test(key, value));
  }

  /**
   * Adds a backup to a folder of backups while events arrive. {@link StoreMaintenance#restore}
   * creates a store from it.
   *
   * @throws StoreException if that is not possible
   */
  public void backup(Path backups) {
    database.backup(backups);
    StoreMaintenance.markBackups(backups);
  }

  /**
   * Removes the blocks that a rule selects, and frees their space. It may take long; call it from
   * one thread at a time.
   *
   * @return the number of blocks that were removed
   * @throws StoreException if they cannot be removed
   */
  public int retain(Retention rule) {
    List<BlockZone> removed;
    synchronized (replacing) {
      removed = new RetentionUnits(state.published().index(), database.sizeBytes()).select(rule);
      if (removed.isEmpty()) {
        return 0;
      }
      long hlc = removed.stream().mapToLong(BlockZone::lastHlc).max().orElseThrow();
      carry(new Submission.Removal(lastId(removed), hlc), "retention failed");
    }
    database.freeThrough(lastId(removed));
    return removed.size();
  }

  /**
   * Removes all events up to a stamp, unless history begins later already. Views that are open keep
   * them. What remains depends on nothing but the stored events, so that it is the same in all
   * stores of them. A damaged block remains, because its later events may be readable elsewhere.
   *
   * @param hlc packed
   * @throws StoreException if they cannot be removed; a repetition removes the rest
   */
  public void trim(long hlc) {
    synchronized (replacing) {
      if (state.historyStart().filter(start -> start.hlc() > hlc).isPresent()) {
        return;
      }
      HistoryTrim trim = new HistoryTrim(state, hlc);
      for (Optional<Submission.Trim> part = trim.next(); part.isPresent(); part = trim.next()) {
        part.get().gone().forEach(zone -> trimmedThrough = Math.max(trimmedThrough, zone.id()));
        carry(part.get(), "retention failed");
      }
    }
  }

  /** Whether there are events up to a stamp. */
  public boolean reachesBackTo(long hlc) {
    BlockIndex.Snapshot index = state.published().index();
    for (int i = 0; i < index.size(); i++) {
      if (index.firstHlc(i) <= hlc) {
        return true;
      }
    }
    return false;
  }

  /** Frees the space of trimmed events, except what open views keep. It may take long. */
  public void freeTrimmed() {
    long through;
    synchronized (replacing) {
      through = trimmedThrough;
      trimmedThrough = NOTHING_TRIMMED;
    }
    if (through != NOTHING_TRIMMED) {
      database.freeThrough(through);
    }
  }

  private static long lastId(List<BlockZone> ordered) {
    return ordered.get(ordered.size() - 1).id();
  }

  /**
   * Replaces a batch of the oldest blocks by sealed blocks with the same events, which take less
   * space and memory. It may take long, and must not be called from the writing thread.
   *
   * @param horizon packed; only blocks that end at or below it are replaced
   * @return the number of blocks that were replaced; 0 if too few wait
   * @throws StoreException if they cannot be replaced
   */
  public int seal(long horizon) {
    synchronized (replacing) {
      return sealer.seal(horizon);
    }
  }

  @Override
  public List<QuarantinedEvents> quarantined() {
    return state.published().quarantined().stream()
        .flatMap(zone -> zone.block().nodes().stream())
        .map(
            part ->
                new QuarantinedEvents(
                    part.node(), part.eventCount(), part.firstHlc(), part.lastHlc()))
        .toList();
  }

  @Override
  public Receipt releaseQuarantined(QuarantineSelection selection) {
    return takeFromQuarantine(selection, true);
  }

  @Override
  public Receipt purgeQuarantined(QuarantineSelection selection) {
    return takeFromQuarantine(selection, false);
  }

  private Receipt takeFromQuarantine(QuarantineSelection selection, boolean keep) {
    List<Long> ids =
        state.published().quarantined().stream()
            .map(Quarantine.Zone::block)
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
   * Closes all runs of a node permanently because the node will not return. Its events are kept.
   *
   * @return the runs that this call closed
   */
  public List<Incarnation> forget(String node) {
    List<Incarnation> open =
        state.published().runs().of(node).stream().filter(run -> !run.isForgotten()).toList();
    carry(new Submission.Forget(node, clock.micros()), "the node cannot be forgotten");
    return open;
  }

  /**
   * Closes the runs whose events retention has removed completely, and frees what remains of those
   * that were closed long ago. It may take long; call it from one thread at a time.
   *
   * @param heard whether a run still sends
   */
  public void expire(Predicate<Incarnation.Name> heard) {
    leftovers(heard).forEach(this::expire);
  }

  /**
   * What {@link #expire(Predicate)} would close and free, as changes of limited size. It may take
   * long.
   */
  public List<Submission.Expiry> leftovers(Predicate<Incarnation.Name> heard) {
    return state
        .historyStart()
        .map(begin -> new Leftovers(state.published(), state.lifetimes().snapshot(), begin.hlc()))
        .map(left -> left.changes(clock.micros(), heard))
        .orElse(List.of());
  }

  /** Closes runs and frees what remains of others, unless they were heard from since. */
  public void expire(Submission.Expiry change) {
    carry(change, "retention failed");
  }

  /** The number of ranges of lifetimes in memory; all others are in the database only. */
  long lifetimesInMemory() {
    return state.lifetimes().snapshot().recentCount();
  }

  private void carry(Submission submission, String failure) {
    try {
      Receipt unused = commit.submit(submission).join();
    } catch (CompletionException e) {
      Throwable reason = e.getCause() == null ? e : e.getCause();
      throw new StoreException(failure + ": " + reason.getMessage(), e);
    }
  }

  /** Rewrites all files while events arrive, so that removed events occupy no space. */
  public void compact() {
    database.compact();
  }

  /** The totals over all stored events. */
  public StoreTotals totals() {
    BlockIndex.Snapshot index = state.published().index();
    StoreTotals.Sum sum = new StoreTotals.Sum();
    for (int i = 0; i < index.size(); i++) {
      sum.add(index.zone(i));
    }
    return sum.totals(database.sizeBytes(), database.sequence());
  }

  /** The folder of inputs that can never be stored. */
  public RejectedInput rejected() {
    return rejected;
  }

  /** The guard against inputs that end the process. */
  @Override
  public SuspectInputs suspects() {
    return suspects;
  }

  /** The writing thread. */
  public Thread writingThread() {
    return commit.thread();
  }

  /** The reason why nothing can be stored at present, in one sentence; empty if storing works. */
  public Optional<String> writeTrouble() {
    return commit.trouble();
  }

  /** The known damage to stored data in one sentence; empty if none is known. */
  public Optional<String> damage() {
    return state.damage().summary();
  }

  /**
   * The losses of acknowledged events that starts with {@code --recover} recorded, one sentence
   * each, until the operator deletes their file.
   */
  public List<String> losses() {
    return state.damage().losses();
  }

  /** Opens a view that no later change affects. */
  public EventSource.View open(ClockOffsets clockOffsets) {
    return open(clockOffsets, Map::of);
  }

  /**
   * Opens a view that no later change affects; {@code heldMicros} supplies {@link
   * EventSource.View#heldMicros} when that is called.
   */
  public EventSource.View open(ClockOffsets clockOffsets, Supplier<Map<String, Long>> heldMicros) {
    return new StoreView(state, clockOffsets, heldMicros);
  }

  /** Opens the parts of a timeline, which no later change affects. */
  public TimelineBlocks openTimeline(ClockOffsets clockOffsets) {
    return new StoreView(state, clockOffsets, Map::of);
  }

  /** The stored state of every run of every node. */
  public Collection<Incarnation> incarnations() {
    return state.published().runs().all().values();
  }

  /** The positions of sources that keep their positions in this store, by the sources' names. */
  public Map<String, SourcePosition> positions() {
    return state.published().positions();
  }

  /** The blocks that senders declared lost. */
  public List<LostBlocks> lost() {
    return state.published().lost();
  }

  /** Registers a listener for events that are stored from now on. */
  public void addListener(StoreListener listener) {
    state.addListener(listener);
  }

  /** Removes a listener; it is not called for later changes. */
  public void removeListener(StoreListener listener) {
    state.removeListener(listener);
  }

  /** The store's figures for operators. */
  public Figures figures() {
    StoreState.Published published = state.published();
    return new Figures(
        published.index().size(),
        published.index().sealedCount(),
        published.quarantinedCount(),
        published.lostEventCount(),
        commit.waitingCount(),
        commit.waitingBytes(),
        state.cachedBytes(),
        database.sizeBytes(),
        state.damage().blockCount(),
        freeBytes(),
        writer.forgetting().refusedCount());
  }

  /** The sum of counts, or the largest number if the sum is larger. */
  public static long saturatedSum(LongStream counts) {
    return counts.reduce(0, (a, b) -> a + b < 0 ? Long.MAX_VALUE : a + b);
  }

  /** Free space on the disk in bytes, 0 if unknown. */
  private long freeBytes() {
    try {
      return Files.getFileStore(directory).getUsableSpace();
    } catch (IOException e) {
      return 0;
    }
  }

  /**
   * The store's figures for operators.
   *
   * @param sealedBlockCount those of the blocks that are sealed; the others wait for it
   * @param lostEventCount events that senders declared lost
   * @param waitingCount submissions in the backlog
   * @param waitingBytes memory of the backlog, including the submissions being written
   * @param cachedBytes memory of decoded blocks
   * @param fileBytes size of the database's sorted files
   * @param refusedCount blocks from closed runs that were refused since the start
   * @param damagedBlockCount blocks that were found to be damaged and are left out of answers
   * @param freeBytes free space on the disk; 0 if unknown
   */
  public record Figures(
      long blockCount,
      long sealedBlockCount,
      long quarantinedCount,
      long lostEventCount,
      long waitingCount,
      long waitingBytes,
      long cachedBytes,
      long fileBytes,
      long damagedBlockCount,
      long freeBytes,
      long refusedCount) {
    /** Those of no store. */
    public static final Figures NONE = new Figures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** The figures of two stores on one disk. */
    public Figures plus(Figures other) {
      return new Figures(
          blockCount + other.blockCount,
          sealedBlockCount + other.sealedBlockCount,
          quarantinedCount + other.quarantinedCount,
          saturatedSum(LongStream.of(lostEventCount, other.lostEventCount)),
          waitingCount + other.waitingCount,
          waitingBytes + other.waitingBytes,
          cachedBytes + other.cachedBytes,
          fileBytes + other.fileBytes,
          damagedBlockCount + other.damagedBlockCount,
          Math.max(freeBytes, other.freeBytes),
          refusedCount + other.refusedCount);
    }

    /** The events that answers lack. */
    public Doubts doubts() {
      return new Doubts(quarantinedCount, lostEventCount);
    }
  }

  /**
   * Events that answers lack.
   *
   * @param quarantined the number of events in quarantine
   * @param lost the number of events that senders declared lost
   */
  public record Doubts(long quarantined, long lost) {}

  /**
   * Writes the backlog, and releases the directory.
   *
   * @throws StoreException if the disk does not answer: then the directory remains in use until
   *     another call succeeds or the process ends
   */
  @Override
  public void close() {
    close(MAX_END_MILLIS);
  }

  /** Closes it, with a limit for the time in which the backlog is written. */
  void close(long maxMillis) {
    // The writing thread may use the database until it has ended.
    commit.close(maxMillis);
    if (closed.getAndSet(true)) {
      return;
    }
    try {
      writer.close();
    } finally {
      state.close();
      database.close();
    }
  }
}
