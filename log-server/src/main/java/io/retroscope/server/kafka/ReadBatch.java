package io.retroscope.server.kafka;

import io.retroscope.event.EventBlock;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.Incarnation;
import io.retroscope.server.store.SourcePosition;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.Frame;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Records that were read and are stored together. Used by the reading thread. */
final class ReadBatch implements AutoCloseable {
  /** However small they are. */
  static final int MAX_RECORDS = 2_000;

  /** Of the most that may be charged: a record must still fit beside the ones before. */
  private static final int MEMORY_SHARE = 4;

  private final long maxBytes;
  private final Charge charge;
  private final List<Entry> entries = new ArrayList<>();
  private final Map<Integer, Reached> reached = new HashMap<>();
  private long bytes;

  /** The next offset of a partition, and the leader's epoch there; -1 if unknown. */
  record Reached(long next, int epoch) {}

  /** The frames of one record. */
  record Entry(int partition, Reached after, List<Frame> frames) {
    long offset() {
      return after.next() - 1;
    }

    /** The record's value as it came. */
    byte[] value() {
      ByteArrayOutputStream value = new ByteArrayOutputStream();
      frames.forEach(frame -> value.writeBytes(frame.bytes()));
      return value.toByteArray();
    }
  }

  /**
   * An empty batch.
   *
   * @param charge counts what is added, before it is decoded; closed with the batch
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
    bytes += entry.frames().stream().mapToLong(Frame::sizeBytes).sum();
    reached.put(entry.partition(), entry.after());
  }

  /** A partition has been read up to there, be there a record of ours or not. */
  void reached(int partition, Reached position) {
    reached.put(partition, position);
  }

  boolean isFull() {
    return bytes >= maxBytes || entries.size() >= MAX_RECORDS;
  }

  boolean isEmpty() {
    return reached.isEmpty();
  }

  List<Entry> entries() {
    return entries;
  }

  Submission submission(String sourcePrefix) {
    List<Frame> frames = new ArrayList<>();
    entries.forEach(entry -> frames.addAll(entry.frames()));
    return new Submission.Frames(frames, allPositions(sourcePrefix));
  }

  /** Only the positions, for what the store refuses is passed over. */
  Submission positions(String sourcePrefix) {
    return new Submission.Frames(List.of(), allPositions(sourcePrefix));
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

  private static SourcePosition position(String prefix, int partition, Reached at) {
    return new SourcePosition(prefix + partition, at.next(), at.epoch());
  }

  /** Notes what is stored now. */
  void noteIn(IngestState state) {
    for (Entry entry : entries) {
      for (Frame frame : entry.frames()) {
        if (frame.content() instanceof EventBlock block
            && block.heartbeat() != EventBlock.NO_HEARTBEAT) {
          state.progress.promised(entry.partition(), block.heartbeat());
          state.heard.add(new Incarnation.Name(block.node(), block.incarnation()));
        }
      }
    }
    reached.forEach((partition, at) -> state.progress.stored(partition, at.next()));
  }

  /** Its records are not needed any more. */
  @Override
  public void close() {
    charge.close();
  }
}
