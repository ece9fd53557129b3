// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.Submission.NumberedEvent;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.HistoryStart;
import io.retroscope.server.store.disk.MarkedSync;
import io.retroscope.server.store.disk.SourcePosition;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.disk.StoreSchema.BlockNumber;
import io.retroscope.server.store.disk.StoreSchema.LostRange;
import io.retroscope.server.store.run.Incarnation;
import io.retroscope.server.store.run.RunOverlaps;
import io.retroscope.server.store.run.StoreConflictException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Applies submissions to the store, one at a time: known parts are skipped, and new parts become
 * one atomic change. Used by the writing thread only.
 */
final class StoreWriter implements AutoCloseable {
  /**
   * The longest time for which the sightings of heartbeats without events may be in memory only.
   */
  static final long LIFETIME_FLUSH_MICROS = 200_000;

  /** From a reopening that failed to the next one, which reads the whole log again. */
  static final long REOPEN_PAUSE_MICROS = 5_000_000;

  private static final Comparator<Event> BY_STAMP_AND_NODE =
      Comparator.comparingLong(Event::hlc).thenComparing(Event::node, NaturalOrder.INSTANCE);

  private final StoreState state;
  private final Database database;
  private final MarkedSync sync;
  private final PhysicalClock clock;

  /** See {@link EncodedFrame#arrivedMicros}; of the frames being applied. */
  private long arrivedMicros = EncodedFrame.NOW;

  private final long maxOffsetMicros;
  private final LifetimeLog lifetimes;
  private final Forgetting forgetting;

  /**
   * Positions from changes that no acknowledgement promised to keep; they are written with the next
   * change.
   */
  private final Map<String, SourcePosition> unwrittenPositions = new HashMap<>();

  private long lastFlushMicros;
  private long reopenFailedMicros = -REOPEN_PAUSE_MICROS;
  private boolean needsSync;

  StoreWriter(
      StoreState state,
      Database database,
      MarkedSync sync,
      PhysicalClock clock,
      long maxOffsetMicros) {
    this.state = state;
    this.database = database;
    this.sync = sync;
    this.clock = clock;
    this.maxOffsetMicros = maxOffsetMicros;
    this.lifetimes = new LifetimeLog(state.lifetimes());
    this.forgetting = new Forgetting(state);
  }

  /**
   * Applies a submission; {@link #sync} makes it durable and visible.
   *
   * @throws StoreConflictException if it contradicts stored data; nothing has changed then
   */
  Receipt apply(Submission submission) {
    sync.check();
    if (database.isFull()) {
      reopen();
    }
    try (Changes changes = new Changes(database, Optional.of(state.memory()))) {
      Receipt receipt = submission.accept(new Application(changes));
      state.memory().reserve(changes);
      commit(changes);
      return receipt;
    }
  }

  /** Opens a database again whose disk was full, but not at each submission if that fails. */
  private void reopen() {
    database.checkRoom();
    if (Math.abs(clock.micros() - reopenFailedMicros) < REOPEN_PAUSE_MICROS) {
      throw new StoreException("the disk was full, and the store cannot be opened again yet");
    }
    try {
      database.reopen();
    } catch (StoreException e) {
      reopenFailedMicros = clock.micros();
      if (database.isReadable() && database.isReadOnly()) {
        state.renew(); // Views that are opened from now on can read what was opened.
      }
      throw e;
    }
    state.renew();
  }

  /** The application of a submission, which adds to the changes of one batch. */
  private final class Application implements Submission.Visitor<Receipt> {
    private final Changes changes;

    Application(Changes changes) {
      this.changes = changes;
    }

    @Override
    public Receipt frames(Submission.Frames frames) {
      Receipt receipt = applyFrames(frames.frames(), changes);
      frames.positions().forEach(changes::reached);
      state.stated().add(frames.reasons(), changes);
      return receipt;
    }

    @Override
    public Receipt lines(Submission.Lines lines) {
      return applyLines(lines, changes);
    }

    @Override
    public Receipt quarantined(Submission.Quarantined quarantined) {
      return new QuarantineExit(state, changes, event -> noteEvent(event, changes))
          .apply(quarantined);
    }

    @Override
    public Receipt removal(Submission.Removal removal) {
      state.beginHistoryAt(new HistoryStart(removal.lastBlock(), removal.hlc()), changes);
      return Receipt.NOTHING;
    }

    @Override
    public Receipt trim(Submission.Trim trim) {
      state.trim(trim, changes);
      return Receipt.NOTHING;
    }

    @Override
    public Receipt sealing(Submission.Sealing sealing) {
      state.seal(sealing, changes);
      return Receipt.NOTHING;
    }

    @Override
    public Receipt forget(Submission.Forget forget) {
      forgetting.forget(forget, changes);
      return Receipt.NOTHING;
    }

    @Override
    public Receipt expiry(Submission.Expiry expiry) {
      forgetting.expire(expiry, lifetimes, changes);
      return Receipt.NOTHING;
    }

    @Override
    public Receipt alerts(Submission.Alerts alerts) {
      alerts
          .records()
          .forEach(
              (key, value) -> {
                if (value.isPresent()) {
                  changes.put(StoreSchema.ALERTS, key, value.get());
                } else {
                  changes.delete(StoreSchema.ALERTS, key);
                }
              });
      changes.makeDurable();
      return Receipt.NOTHING;
    }

    @Override
    public Receipt probe(Submission.Probe probe) {
      changes.makeDurable();
      return Receipt.NOTHING;
    }
  }

  private Receipt applyLines(Submission.Lines submission, Changes changes) {
    ColumnLines columns =
        new ColumnLines(state, changes, (node, hlc) -> run(node, "", hlc, changes));
    Receipt receipt =
        columns.store(submission.blocks(), latestStamp())
            ? new Receipt(columns.eventCount(), 0, 0).plus(applyLines(submission.lines(), changes))
            : applyLines(submission.events(), changes);
    if (!submission.gaps().isEmpty()) {
      new ReportedLosses(state.appliedLost()).add(submission.gaps(), changes);
    }
    state.stated().add(submission.reasons(), changes);
    new LineRuns(submission).addTo(state, changes);
    return receipt;
  }

  Forgetting forgetting() {
    return forgetting;
  }

  /**
   * Makes everything applied so far durable and visible. On a full disk it does not try: a log that
   * RocksDB could not write cannot be synced either, and no failed sync is ever repeated. What was
   * applied before the disk was full is safe once the database has been opened again.
   *
   * @throws StoreException if it is not durable
   */
  void sync() {
    if (needsSync) {
      database.checkNotFull();
      sync.sync();
      needsSync = false;
    }
    state.publish();
  }

  /** Writes everything that is in memory only. */
  @Override
  public void close() {
    try (sync) {
      if (!database.isFull() && !sync.isBroken()) {
        flush();
      }
    } catch (StoreException e) {
      // Nothing was promised for what is in memory only, and no event is.
      if (!database.isFull()) {
        throw e;
      }
    }
  }

  private void flush() {
    try (Changes changes = new Changes(database)) {
      for (Incarnation run : state.appliedRuns().all().values()) {
        changes.incarnations().put(run.name(), run);
      }
      changes.positions().putAll(unwrittenPositions);
      changes.putPositions();
      changes.putIncarnations();
      lifetimes.putInto(changes);
      changes.write();
      lifetimes.written();
    }
    sync.sync();
  }

  private Receipt applyFrames(List<EncodedFrame> frames, Changes changes) {
    try {
      Receipt receipt = Receipt.NOTHING;
      for (int from = 0; from < frames.size(); ) {
        int to = from + 1;
        while (to < frames.size()
            && frames.get(to).arrivedMicros() == frames.get(from).arrivedMicros()) {
          to++;
        }
        arrivedMicros = frames.get(from).arrivedMicros();
        receipt = receipt.plus(applyFramesOfOneTime(frames.subList(from, to), changes));
        from = to;
      }
      return receipt;
    } finally {
      arrivedMicros = EncodedFrame.NOW;
    }
  }

  private Receipt applyFramesOfOneTime(List<EncodedFrame> frames, Changes changes) {
    Receipt receipt = Receipt.NOTHING;
    List<NumberedEvent> loose = new ArrayList<>();
    for (EncodedFrame frame : frames) {
      if (frame.content() instanceof LostBlocks lost) {
        receipt = receipt.plus(applyLost(lost, changes));
      } else if (frame.content() instanceof EventBlock block) {
        if (block.number() == 0 && !block.isEmpty()) {
          block
              .events()
              .forEach(
                  event ->
                      loose.add(
                          new NumberedEvent(NumberedEvent.NO_NUMBER, promised(event, block))));
        } else {
          receipt = receipt.plus(applyBlock(block, frame.bytes(), changes));
        }
      }
    }
    if (!loose.isEmpty()) {
      receipt = receipt.plus(applyLines(loose, changes));
      frames.forEach(frame -> addRuns(frame.content(), changes));
    }
    return receipt;
  }

  /** Adds the runs of events that were lines, each block by itself whatever comes with it. */
  private void addRuns(BlockFrame frame, Changes changes) {
    if (frame instanceof EventBlock block && block.number() == 0) {
      List<NumberedEvent> events =
          block.events().stream()
              .map(event -> new NumberedEvent(NumberedEvent.NO_NUMBER, event))
              .toList();
      new LineRuns(new Submission.Lines(events, List.of(), 0)).addTo(state, changes);
    }
  }

  /** A heartbeat of a block that is made by a server has the promise of the block. */
  private static Event promised(Event event, EventBlock block) {
    return event.body() instanceof EventBody.Heartbeat && block.promiseMicros() > 0
        ? new Event(
            event.node(),
            event.incarnation(),
            event.log(),
            event.hlc(),
            event.physicalMicros(),
            event.sequence(),
            event.marks(),
            new EventBody.Heartbeat(block.promiseMicros()))
        : event;
  }

  private Receipt applyBlock(EventBlock block, byte[] bytes, Changes changes) {
    Incarnation incarnation =
        changes.incarnation(
            new Incarnation.Name(block.node(), block.incarnation()), state.appliedRuns());
    Receipt receipt = new Receipt(block.size(), 0, 0);
    if (!block.isEmpty()) {
      BlockNumber number = new BlockNumber(incarnation.name(), block.number());
      byte[] checksum = StoreSchema.checksum(bytes);
      if (isStored(number, checksum, incarnation, changes)
          || wasStored(block, incarnation, changes)) {
        receipt = new Receipt(0, block.size(), 0);
        if (incarnation.isForgotten()) {
          return receipt;
        }
      } else {
        forgetting.check(incarnation);
        receipt = storeBlock(block, bytes, incarnation, changes);
        changes.addNumber(number, checksum);
      }
    }
    if (block.heartbeat() != EventBlock.NO_HEARTBEAT && block.heartbeat() <= latestStamp()) {
      forgetting.check(incarnation);
      incarnation.promise(block.number(), block.heartbeat());
      incarnation.promisedWithin(block.heartbeat(), block.promiseMicros());
      incarnation.assigned(block.lastSequence(), block.heartbeat());
      changes.sighted(block.node(), block.heartbeat(), block.promiseMicros());
    } else if (block.heartbeat() != EventBlock.NO_HEARTBEAT) {
      incarnation.promisedTooFarAhead();
    }
    return receipt;
  }

  private boolean isStored(BlockNumber number, byte[] checksum, Incarnation run, Changes changes) {
    if (!run.knows(number.number()) && !run.isForgotten()) {
      return false; // Each stored block is one that its run knows, unless that was forgotten.
    }
    byte[] inThisChange = changes.numbers().get(number);
    Optional<byte[]> stored =
        inThisChange == null
            ? database.get(StoreSchema.NUMBERS, number)
            : Optional.of(inThisChange);
    if (stored.isPresent() && !Arrays.equals(stored.get(), checksum)) {
      Incarnation.Name name = number.incarnation();
      throw new StoreConflictException(
          "block %d of node \"%s\", incarnation \"%s\", is already stored with different content"
              .formatted(number.number(), name.node(), name.incarnation()));
    }
    return stored.isPresent();
  }

  /**
   * Whether a block whose checksum is forgotten was stored, as the ranges of its run show.
   *
   * @throws StoreConflictException if an event of it is not stored
   */
  private boolean wasStored(EventBlock block, Incarnation run, Changes changes) {
    if (!run.knows(block.number())
        || run.isGone()
        || Stream.concat(state.appliedLost().stream(), changes.lost().stream())
            .anyMatch(lost -> LostRange.of(lost).holds(block))) {
      return false; // A block that was declared lost may arrive nevertheless.
    }
    long begin = state.historyStart().map(HistoryStart::hlc).orElse(HlcTimestamp.MIN_PACKED);
    KnownBlocks known = new KnownBlocks(state, changes, HlcTimestamp.MIN_PACKED);
    Deduplicator.requireStored(block, known, begin);
    return true;
  }

  private Receipt storeBlock(
      EventBlock block, byte[] bytes, Incarnation incarnation, Changes changes) {
    incarnation.cover(block.number(), block.number());
    long latest = latestStamp();
    KnownBlocks known = new KnownBlocks(state, changes, latest + 1);
    List<Event> fresh = Deduplicator.freshEvents(block, known);
    int good = rowsUpTo(block, latest);
    if (good == block.size() && fresh.size() == good) {
      changes.addBlock(state.nextBlockId(), block, bytes);
    } else {
      keep(fresh, latest, changes);
    }
    if (good > 0) {
      incarnation.seen(block.hlc(0), block.hlc(good - 1));
      for (int row = 0; row < good && !block.writesLongsOnly(); row++) {
        noteLifecycle(incarnation, block, row);
      }
    }
    incarnation.numbered(block);
    return new Receipt(
        fresh.size(), block.size() - fresh.size(), fresh.size() - countUpTo(fresh, latest));
  }

  private void noteLifecycle(Incarnation incarnation, EventBlock block, int row) {
    EventKind kind = block.kind(row);
    if (kind == EventKind.START) {
      incarnation.started(block.hlc(row), (EventBody.Start) block.body(row));
      RunOverlaps.runBefore(incarnation, state.appliedRuns().of(block.node()))
          .ifPresent(incarnation::follow);
    } else if (kind == EventKind.STOP) {
      incarnation.stopped(block.hlc(row), block.number());
    }
  }

  private Receipt applyLost(LostBlocks lost, Changes changes) {
    Incarnation incarnation =
        changes.incarnation(
            new Incarnation.Name(lost.node(), lost.incarnation()), state.appliedRuns());
    if (database.get(StoreSchema.LOST, LostRange.of(lost)).isEmpty()) {
      forgetting.check(incarnation);
      incarnation.cover(lost.firstNumber(), lost.lastNumber());
      changes.addLost(lost);
    }
    return Receipt.NOTHING;
  }

  private Receipt applyLines(List<NumberedEvent> lines, Changes changes) {
    List<NumberedEvent> events = new ArrayList<>(lines.size());
    List<Event> heartbeats = new ArrayList<>();
    for (NumberedEvent line : lines) {
      if (line.event().body() instanceof EventBody.Heartbeat) {
        heartbeats.add(line.event());
      } else {
        events.add(line);
      }
    }
    long latest = latestStamp();
    Deduplicator.Outcome outcome =
        new Deduplicator(new KnownBlocks(state, changes, latest + 1)).sortStrictly(events);
    List<Event> fresh = outcome.fresh();
    fresh.sort(BY_STAMP_AND_NODE);
    int good = keep(fresh, latest, changes);
    fresh.subList(0, good).forEach(event -> noteEvent(event, changes));
    fresh.subList(good, fresh.size()).forEach(event -> run(event, changes).promisedTooFarAhead());
    fresh.forEach(event -> run(event, changes).numbered(event.sequence(), event.hlc()));
    heartbeats.forEach(event -> noteHeartbeat(event, changes));
    return new Receipt(
        fresh.size() + heartbeats.size(), outcome.duplicateCount(), fresh.size() - good);
  }

  /**
   * Stores events; those with stamps too far in the future go into quarantine.
   *
   * @return the number of the other events, which come first
   */
  private int keep(List<Event> sorted, long latest, Changes changes) {
    int good = countUpTo(sorted, latest);
    long now = HlcTimestamp.pack(Math.max(0, arrivalMicros()));
    MadeBlock.of(
        sorted.subList(good, sorted.size()), block -> block.quarantine(state, changes, now));
    MadeBlock.of(sorted.subList(0, good), block -> block.store(state, changes));
    return good;
  }

  private void noteEvent(Event event, Changes changes) {
    Incarnation incarnation = run(event, changes);
    incarnation.seen(event.hlc(), event.hlc());
    incarnation.promiseOfLine(event.hlc());
    if (event.body() instanceof EventBody.Start start) {
      incarnation.started(event.hlc(), start);
    } else if (event.body() instanceof EventBody.Stop) {
      incarnation.stopped(event.hlc(), 0);
    }
  }

  private void noteHeartbeat(Event event, Changes changes) {
    if (event.hlc() <= latestStamp()) {
      long promise = ((EventBody.Heartbeat) event.body()).promiseMicros();
      Incarnation incarnation = run(event, changes);
      // The last heartbeat of an exported run may be above its stop, and must not revive it.
      if (!incarnation.isStopped()) {
        incarnation.seen(event.hlc(), event.hlc());
        incarnation.promiseOfLine(event.hlc());
      }
      if (promise > 0) {
        incarnation.promisedWithin(event.hlc(), promise);
      }
      changes.sighted(event.node(), event.hlc(), promise);
    } else {
      run(event, changes).promisedTooFarAhead();
    }
  }

  private Incarnation run(String node, String incarnation, long hlc, Changes changes) {
    return changes.incarnation(node, incarnation, hlc, state.appliedRuns());
  }

  private Incarnation run(Event event, Changes changes) {
    return run(event.node(), event.incarnation(), event.hlc(), changes);
  }

  /** The highest stamp that is accepted. */
  private long latestStamp() {
    long micros = Math.min(arrivalMicros() + maxOffsetMicros, HlcTimestamp.MAX_MICROS);
    return HlcTimestamp.pack(Math.max(0, micros), HlcTimestamp.MAX_LOGICAL);
  }

  /** The time at which the events being applied arrived. */
  private long arrivalMicros() {
    return arrivedMicros == EncodedFrame.NOW ? clock.micros() : arrivedMicros;
  }

  private static int rowsUpTo(EventBlock block, long hlc) {
    int rows = block.size();
    while (rows > 0 && block.hlc(rows - 1) > hlc) {
      rows--;
    }
    return rows;
  }

  private static int countUpTo(List<Event> sorted, long hlc) {
    int count = sorted.size();
    while (count > 0 && sorted.get(count - 1).hlc() > hlc) {
      count--;
    }
    return count;
  }

  private void commit(Changes changes) {
    List<EventBlock> blocks = changes.blocks().stream().map(Changes.NewBlock::block).toList();
    lifetimes.sighted(blocks, changes.sightings());
    long now = clock.micros();
    boolean durable = changes.isDurable();
    if (durable || Math.abs(now - lastFlushMicros) > LIFETIME_FLUSH_MICROS) {
      lastFlushMicros = now;
      unwrittenPositions.forEach(changes.positions()::putIfAbsent);
      changes.putPositions();
      changes.putIncarnations();
      lifetimes.putInto(changes);
      changes.write();
      lifetimes.written();
      unwrittenPositions.clear();
      needsSync |= durable;
    } else {
      unwrittenPositions.putAll(changes.positions());
    }
    state.apply(changes);
  }
}
