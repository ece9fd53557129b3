// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import io.retroscope.event.EventBlock;
import io.retroscope.event.LostBlocks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The backlog of a sink: in memory up to a limit, then on disk up to another limit, then declared
 * lost, oldest first. Thread-safe; all methods except those documented as waiting return quickly.
 */
final class Outbox {
  /*
   * From oldest to newest: in flight, memory, spill. A frame enters memory if the spill is empty
   * and there is room, otherwise the spill. The oldest segment moves to memory when memory is
   * empty, and its file is deleted once all of it is settled. A discarded frame is replaced, at its
   * place in the queue, by a notice of loss; neighbouring notices are merged, so they need no
   * separate bound.
   *
   * Only the newest bare heartbeat is kept, and only until a block with events arrives, whose
   * promise supersedes it.
   */
  private static final System.Logger LOGGER = System.getLogger(Outbox.class.getName());

  private static final long CLOSING_PAUSE_MILLIS = 50;

  private final long maxMemoryBytes;
  private final @Nullable SpillFiles spill;
  private final LongSupplier nanos;

  private final List<Parcel> inFlight = new ArrayList<>();
  private final ArrayDeque<Parcel> memory = new ArrayDeque<>();
  private long memoryBytes;
  private boolean segmentInMemory;
  private boolean spillFails;
  private @Nullable EventBlock heartbeat;
  private boolean closing;

  /**
   * The incarnation of the last offered block, and the number up to which its blocks are settled.
   */
  private String lastIncarnation = "";

  private long lastNumber;
  private long settledNumber;

  private long lostEvents;
  private long lostBlocks;

  Outbox(long maxMemoryBytes, @Nullable SpillFiles spill, LongSupplier nanos) {
    this.maxMemoryBytes = maxMemoryBytes;
    this.spill = spill;
    this.nanos = nanos;
  }

  /** Adds a block, and makes room for it if necessary. */
  void offer(EventBlock block) {
    if (block.isEmpty()) {
      offerHeartbeat(block);
      return;
    }
    Parcel parcel = encoded(block);
    synchronized (this) {
      heartbeat = null;
      lastIncarnation = block.incarnation();
      lastNumber = block.number();
      settledNumber = lastNumber == 1 ? 0 : settledNumber;
      boolean fits = memoryBytes + parcel.length() <= maxMemoryBytes;
      if (spill != null && (!spill.isEmpty() || !fits)) {
        spillOver(spill, parcel);
      } else {
        append(parcel);
        shrinkMemory();
      }
      notifyAll();
    }
  }

  private synchronized void offerHeartbeat(EventBlock block) {
    heartbeat = block;
    notifyAll();
  }

  /** Encodes a block. A block that exceeds a frame is lost, but its number is declared. */
  private Parcel encoded(EventBlock block) {
    try {
      return Parcel.of(block);
    } catch (IllegalArgumentException e) {
      LOGGER.log(System.Logger.Level.WARNING, "cannot send " + block, e);
      synchronized (this) {
        countLost(Parcel.standIn(block));
      }
      return Parcel.of(Parcel.standIn(block));
    }
  }

  private void append(Parcel parcel) {
    Parcel last = memory.peekLast();
    if (parcel.isLost() && last != null && last.isLost() && joins(last, parcel)) {
      memoryBytes -= memory.removeLast().length();
      append(Parcel.of(Parcel.join(last.ifLost(), parcel.ifLost())));
      return;
    }
    memory.addLast(parcel);
    memoryBytes += parcel.length();
  }

  private static boolean joins(Parcel first, Parcel next) {
    return Parcel.canJoin(first.ifLost(), next.ifLost());
  }

  private void spillOver(SpillFiles files, Parcel parcel) {
    try {
      while (!files.hasRoom(parcel.length()) && !files.isEmpty()) {
        loseOldestSegment(files);
      }
      files.append(parcel);
      spillFails = false;
    } catch (IOException e) {
      if (!spillFails) {
        spillFails = true;
        LOGGER.log(
            System.Logger.Level.WARNING, "cannot spill to disk; events are lost until it works", e);
      }
      lose(parcel.ifLost(), parcel.isLost());
    }
  }

  /**
   * Deletes the oldest segment. Its frames are declared lost unless they are in memory, where they
   * are settled.
   */
  private void loseOldestSegment(SpillFiles files) {
    if (segmentInMemory) {
      segmentInMemory = false;
    } else {
      SpillSegment.Content oldest = readToLose(files);
      for (Parcel parcel : oldest.parcels()) {
        lose(parcel.ifLost(), parcel.isLost());
      }
      oldest.lost().forEach(lost -> lose(lost, false));
    }
    files.deleteOldest();
  }

  private static SpillSegment.Content readToLose(SpillFiles files) {
    try {
      return files.readOldest();
    } catch (IOException e) {
      return files.abandonOldest(String.valueOf(e));
    }
  }

  private void lose(LostBlocks blocks, boolean counted) {
    if (!counted) {
      countLost(blocks);
    }
    append(Parcel.of(blocks));
  }

  private void countLost(LostBlocks blocks) {
    lostEvents += blocks.eventCount();
    lostBlocks += blocks.lastNumber() - blocks.firstNumber() + 1;
  }

  /** Turns the oldest blocks in memory into notices until the rest fits. */
  private void shrinkMemory() {
    ArrayDeque<Parcel> notices = new ArrayDeque<>();
    while (memoryBytes > maxMemoryBytes && memory.size() > 1) {
      Parcel oldest = memory.removeFirst();
      memoryBytes -= oldest.length();
      if (!oldest.isLost()) {
        countLost(oldest.ifLost());
      }
      Parcel before = notices.peekLast();
      boolean joins = before != null && joins(before, oldest);
      LostBlocks notice =
          joins ? Parcel.join(notices.removeLast().ifLost(), oldest.ifLost()) : oldest.ifLost();
      notices.addLast(Parcel.of(notice));
    }
    while (!notices.isEmpty()) {
      memoryBytes += notices.getLast().length();
      memory.addFirst(notices.removeLast());
    }
  }

  /**
   * The parcels to send next, in flight until settled: those still in flight, otherwise the oldest
   * up to a size. Waits until there is one.
   *
   * @return empty if the timeout has elapsed, or the outbox is closing and empty
   */
  synchronized List<Parcel> take(int maxBytes, long maxWaitNanos) throws InterruptedException {
    long start = nanos.getAsLong();
    while (isIdle() && heartbeat == null && !closing) {
      long left = maxWaitNanos - (nanos.getAsLong() - start);
      if (left <= 0) {
        return List.of();
      }
      wait(Math.max(1, left / 1_000_000));
    }
    if (inFlight.isEmpty()) {
      refill();
      long bytes = 0;
      while (!memory.isEmpty()
          && (inFlight.isEmpty() || bytes + memory.getFirst().length() <= maxBytes)) {
        Parcel parcel = memory.removeFirst();
        memoryBytes -= parcel.length();
        bytes += parcel.length();
        inFlight.add(parcel);
      }
    }
    return List.copyOf(inFlight);
  }

  private void refill() {
    SpillFiles files = spill;
    if (files == null || !memory.isEmpty()) {
      return;
    }
    if (segmentInMemory) {
      segmentInMemory = false;
      files.deleteOldest();
    }
    while (memory.isEmpty() && !files.isEmpty()) {
      SpillSegment.Content oldest = readToSend(files);
      oldest.parcels().forEach(this::append);
      if (memory.isEmpty()) {
        files.deleteOldest();
      } else {
        segmentInMemory = true;
      }
      oldest.lost().forEach(lost -> lose(lost, false));
    }
  }

  private static SpillSegment.Content readToSend(SpillFiles files) {
    try {
      return files.readOldest();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the spill: " + e.getMessage(), e);
    }
  }

  /** The newest bare heartbeat, if nothing else is queued; it is sent at most once. */
  synchronized @Nullable Parcel takeHeartbeat() {
    EventBlock newest = heartbeat;
    if (newest == null || !memory.isEmpty() || (spill != null && hasUnread(spill))) {
      return null;
    }
    heartbeat = null;
    return Parcel.ofHeartbeat(newest);
  }

  private boolean hasUnread(SpillFiles files) {
    return !files.isEmpty() && !segmentInMemory;
  }

  /** Removes the first parcels in flight, which were delivered. */
  synchronized void delivered(int count) {
    List<Parcel> arrived = inFlight.subList(0, count);
    arrived.forEach(this::note);
    arrived.clear();
    settle();
  }

  private void note(Parcel settled) {
    if (settled.ifLost().incarnation().equals(lastIncarnation)) {
      settledNumber = Math.max(settledNumber, settled.ifLost().lastNumber());
    }
  }

  /**
   * Removes the first parcel in flight, which was permanently refused.
   *
   * @param declareLost whether its number must still be declared lost
   */
  synchronized void refused(boolean declareLost) {
    Parcel refused = inFlight.remove(0);
    if (!refused.isLost()) {
      countLost(refused.ifLost());
    }
    if (declareLost && !refused.isLost()) {
      inFlight.add(0, Parcel.of(refused.ifLost()));
    } else {
      note(refused);
    }
    settle();
  }

  private void settle() {
    if (inFlight.isEmpty() && memory.isEmpty() && segmentInMemory && spill != null) {
      segmentInMemory = false;
      spill.deleteOldest();
    }
    notifyAll();
  }

  /** Waits between two attempts, but only briefly while closing. */
  synchronized void pause(long millis) throws InterruptedException {
    long start = nanos.getAsLong();
    long left = millis;
    while (left > 0) {
      wait(left);
      long whole = closing ? Math.min(millis, CLOSING_PAUSE_MILLIS) : millis;
      left = whole - (nanos.getAsLong() - start) / 1_000_000;
    }
  }

  /**
   * Waits until every block offered so far is settled; false if one was lost or the timeout
   * elapsed.
   */
  synchronized boolean flush(long timeoutNanos) {
    long start = nanos.getAsLong();
    long target = lastNumber;
    long lostBefore = lostBlocks;
    while (settledNumber < target) {
      long left = timeoutNanos - (nanos.getAsLong() - start);
      if (left <= 0) {
        return false;
      }
      try {
        wait(Math.max(1, left / 1_000_000));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return lostBlocks == lostBefore;
  }

  private boolean isIdle() {
    return inFlight.isEmpty() && memory.isEmpty() && (spill == null || spill.isEmpty());
  }

  /** Starts closing, which ends pauses and waits for more blocks. */
  synchronized void startClosing() {
    closing = true;
    notifyAll();
  }

  /** Whether no block has been lost so far or will be lost on close. */
  synchronized boolean isKept() {
    return spill != null && lostBlocks == 0;
  }

  /** Leaves undelivered blocks on disk for the next process, or counts them as lost. */
  synchronized void close() {
    List<Parcel> left = new ArrayList<>(inFlight);
    left.addAll(memory);
    inFlight.clear();
    memory.clear();
    memoryBytes = 0;
    SpillFiles files = spill;
    // The file of a segment in memory contains everything in memory except the notices of loss.
    boolean onDisk = files != null && segmentInMemory && files.keepsOldest();
    for (Parcel parcel : left) {
      if (files == null) {
        if (!parcel.isLost()) {
          countLost(parcel.ifLost());
        }
      } else if (!onDisk || parcel.isLost()) {
        spillOver(files, parcel);
      }
    }
    closeSpill();
    notifyAll();
  }

  private void closeSpill() {
    try {
      if (spill != null) {
        spill.close();
      }
    } catch (IOException e) {
      LOGGER.log(System.Logger.Level.WARNING, "cannot close the spill", e);
    }
  }

  synchronized long lostEventCount() {
    return lostEvents;
  }

  /** The size of the queue in memory, in bytes. */
  synchronized long memoryBytes() {
    return memoryBytes;
  }

  /** The bytes waiting on disk. */
  synchronized long spilledBytes() {
    return spill == null ? 0 : spill.totalBytes();
  }
}
