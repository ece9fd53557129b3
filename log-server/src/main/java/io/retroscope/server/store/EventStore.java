package io.retroscope.server.store;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The durable store of events. What it has acknowledged survives a crash, and is there once however
 * often it was sent. Thread-safe.
 */
public final class EventStore implements AutoCloseable {
  private final Database database;
  private final StoreState state;
  private final StoreWriter writer;
  private final GroupCommit commit;
  private final AtomicBoolean closed = new AtomicBoolean();

  private EventStore(Database database, StoreOptions options, PhysicalClock clock) {
    this.database = database;
    this.state = new StoreState(database, options.cacheBytes());
    this.writer = new StoreWriter(state, database, clock, options.maxOffsetMicros());
    this.commit = new GroupCommit(writer, options.queueBytes());
  }

  /**
   * Opens the store in a directory, which is made if it does not exist.
   *
   * @param clock tells which stamps lie too far in the future
   * @throws StoreException if that is not possible, with one sentence that says why
   */
  public static EventStore open(Path directory, StoreOptions options, PhysicalClock clock) {
    Database database = Database.open(directory);
    try {
      return new EventStore(database, options, clock);
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

  /** Opens a view that nothing later changes. */
  public EventSource.View open(ClockOffsets clockOffsets) {
    return new StoreView(state, clockOffsets);
  }

  /** What is stored of every run of every node. */
  public Collection<Incarnation> incarnations() {
    return state.incarnations().values();
  }

  /** How far sources that keep their positions here have been read, by the sources' names. */
  public Map<String, SourcePosition> positions() {
    return state.positions();
  }

  /** What senders declared lost. */
  public List<LostBlocks> lost() {
    return state.lost();
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
    return new Figures(
        state.index().snapshot().size(),
        state.quarantinedCount(),
        state.lost().stream().mapToLong(LostBlocks::eventCount).sum(),
        commit.waitingCount(),
        state.cachedBytes(),
        database.sizeBytes());
  }

  /**
   * Figures for operators.
   *
   * @param lostEventCount events that senders declared lost
   * @param waitingCount submissions that wait to be written
   * @param cachedBytes of decoded blocks, counted in their encoded form
   * @param fileBytes of the database's sorted files
   */
  public record Figures(
      long blockCount,
      long quarantinedCount,
      long lostEventCount,
      long waitingCount,
      long cachedBytes,
      long fileBytes) {}

  /** Writes what waits, and lets go of the directory. */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    commit.close();
    try {
      writer.flush();
    } finally {
      database.close();
    }
  }
}
