// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.disk.SourcePosition;
import io.retroscope.server.store.run.Incarnation;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A batch of records that are stored together. Used by the reading thread. */
final class ReadBatch implements AutoCloseable {
  /** The largest number of records, whatever their size. */
  static final int MAX_RECORDS = 2_000;

  /**
   * The fraction of the largest possible charge that a batch uses: a record must still fit after
   * earlier ones.
   */
  private static final int MEMORY_SHARE = 4;

  private final long maxBytes;
  private final Charge charge;
  private final List<Entry> entries = new ArrayList<>();
  private final Map<Integer, Reached> reached = new HashMap<>();
  private final List<Incompleteness> reasons = new ArrayList<>();
  private long bytes;

  /** The next offset of a partition, and the leader's epoch there; -1 if unknown. */
  record Reached(long next, int epoch) {}

  /** The frames of one record. */
  record Entry(int partition, Reached after, List<EncodedFrame> frames) {
    long offset() {
      return after.next() - 1;
    }

    /** The record's value as received. */
    byte[] value() {
      ByteArrayOutputStream value = new ByteArrayOutputStream();
      frames.forEach(frame -> value.writeBytes(frame.bytes()));
      return value.toByteArray();
    }
  }

  /**
   * An empty batch.
   *
   * @param charge is enlarged for each record before it is decoded; closed with the batch
   */
  ReadBatch(long maxBytes, Charge charge) {
    this.maxBytes = Math.min(maxBytes, charge.maxBytes() / MEMORY_SHARE);
    this.charge = charge;
  }

  Charge charge() {
    return charge;
  }

  void add(Entry entry) {
    entries.add(entry);
    bytes += entry.frames().stream().mapToLong(EncodedFrame::sizeBytes).sum();
    reached.put(entry.partition(), entry.after());
  }

  /** A partition has been read up to a position, whether or not its records contain blocks. */
  void reached(int partition, Reached position) {
    reached.put(partition, position);
  }

  /** Why events up to the positions are incomplete, which is stored with them. */
  void state(Incompleteness reason) {
    reasons.add(reason);
  }

  boolean isFull() {
    return bytes >= maxBytes || entries.size() + reasons.size() >= MAX_RECORDS;
  }

  boolean isEmpty() {
    return reached.isEmpty();
  }

  List<Entry> entries() {
    return entries;
  }

  Submission submission(String sourcePrefix) {
    List<EncodedFrame> frames = new ArrayList<>();
    entries.forEach(entry -> frames.addAll(entry.frames()));
    return new Submission.Frames(frames, allPositions(sourcePrefix), reasons);
  }

  /** A submission of only the positions, because records that the store refuses are skipped. */
  Submission positions(String sourcePrefix) {
    return new Submission.Frames(List.of(), allPositions(sourcePrefix), reasons);
  }

  /** A submission of only the reasons; to store one twice changes nothing. */
  Submission reasonsAlone() {
    return new Submission.Frames(List.of(), List.of(), reasons);
  }

  private List<SourcePosition> allPositions(String sourcePrefix) {
    return reached.entrySet().stream()
        .map(each -> position(sourcePrefix, each.getKey(), each.getValue()))
        .toList();
  }

  static Submission submission(String sourcePrefix, Entry entry) {
    return new Submission.Frames(
        entry.frames(), List.of(position(sourcePrefix, entry.partition(), entry.after())));
  }

  /** A submission of the position after a record that is refused, and of the reason. */
  static Submission refusal(String sourcePrefix, Entry entry, Incompleteness reason) {
    return new Submission.Frames(
        List.of(),
        List.of(position(sourcePrefix, entry.partition(), entry.after())),
        List.of(reason));
  }

  private static SourcePosition position(String prefix, int partition, Reached at) {
    return new SourcePosition(prefix + partition, at.next(), at.epoch());
  }

  /** Notes the progress once the batch is stored. */
  void noteIn(IngestState state) {
    for (Entry entry : entries) {
      for (EncodedFrame frame : entry.frames()) {
        if (frame.content() instanceof EventBlock block
            && block.heartbeat() != EventBlock.NO_HEARTBEAT) {
          state.progress.promised(entry.partition(), block.heartbeat());
          state.heard.add(new Incarnation.Name(block.node(), block.incarnation()));
        }
      }
    }
    reached.forEach((partition, at) -> state.progress.stored(partition, at.next()));
  }

  /** Releases the memory of the records. */
  @Override
  public void close() {
    charge.close();
  }
}
