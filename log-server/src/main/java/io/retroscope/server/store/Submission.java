// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.store.disk.SourcePosition;
import io.retroscope.server.store.run.Incarnation;
import io.retroscope.server.store.zone.BlockZone;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The content of one request to the store, which is applied completely or not at all. */
public sealed interface Submission {
  /** The approximate amount of memory that it holds, in bytes. */
  long sizeBytes();

  /** Calls the visitor's method for this kind, and returns its result. */
  <R> R accept(Visitor<R> visitor);

  /**
   * An operation with one method for each kind, so that a new kind cannot be forgotten.
   *
   * @param <R> the type of the result
   */
  interface Visitor<R> {
    R frames(Frames frames);

    R lines(Lines lines);

    R quarantined(Quarantined quarantined);

    R removal(Removal removal);

    R trim(Trim trim);

    R sealing(Sealing sealing);

    R forget(Forget forget);

    R expiry(Expiry expiry);

    R probe(Probe probe);

    R alerts(Alerts alerts);
  }

  /**
   * Frames as a node sent them.
   *
   * @param positions the positions up to which the frames' sources have been read
   * @param reasons why the sources' events up to there are incomplete
   */
  record Frames(
      List<EncodedFrame> frames, List<SourcePosition> positions, List<Incompleteness> reasons)
      implements Submission {
    /** Copies the lists. */
    public Frames {
      frames = List.copyOf(frames);
      positions = List.copyOf(positions);
      reasons = List.copyOf(reasons);
    }

    /** Frames of sources that are complete as far as they were read. */
    public Frames(List<EncodedFrame> frames, List<SourcePosition> positions) {
      this(frames, positions, List.of());
    }

    /** Frames of a sender that keeps no position here. */
    public Frames(List<EncodedFrame> frames) {
      this(frames, List.of(), List.of());
    }

    @Override
    public long sizeBytes() {
      return frames.stream().mapToLong(EncodedFrame::sizeBytes).sum();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.frames(this);
    }
  }

  /**
   * The removal of blocks by retention.
   *
   * @param lastBlock the highest id of the removed blocks
   * @param hlc packed, the highest stamp in them
   */
  record Removal(long lastBlock, long hlc) implements Submission {
    @Override
    public long sizeBytes() {
      return 0;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.removal(this);
    }
  }

  /**
   * The removal of events up to a stamp.
   *
   * @param hlc packed, the last stamp that is removed
   * @param gone the zones of blocks with such events
   * @param rests the later rows of these blocks
   */
  record Trim(long hlc, List<BlockZone> gone, List<MadeBlock> rests) implements Submission {
    /** Copies the lists. */
    public Trim {
      gone = List.copyOf(gone);
      rests = List.copyOf(rests);
    }

    @Override
    public long sizeBytes() {
      return rests.stream().mapToLong(rest -> rest.bytes().length).sum();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.trim(this);
    }
  }

  /**
   * The replacement of blocks that arrived by sealed ones with the same events.
   *
   * @param arrivals the zones of the former
   * @param sealed with ids of some of the former
   * @param rests the later rows of arrivals that are sealed only in part
   */
  record Sealing(List<BlockZone> arrivals, List<SealedPart> sealed, List<MadeBlock> rests)
      implements Submission {
    /** Copies the lists. */
    public Sealing {
      arrivals = List.copyOf(arrivals);
      sealed = List.copyOf(sealed);
      rests = List.copyOf(rests);
    }

    @Override
    public long sizeBytes() {
      return sealed.stream()
              .mapToLong(part -> part.block.length + part.summary.length + part.timeline.length)
              .sum()
          + rests.stream().mapToLong(rest -> rest.bytes().length).sum();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.sealing(this);
    }
  }

  /** A sealed block as stored. */
  @SuppressWarnings("ArrayRecordComponent") // Handed over without copying; never compared.
  record SealedPart(BlockZone zone, byte[] block, byte[] summary, byte[] timeline) {}

  /**
   * The closing of all runs of a node that will not return.
   *
   * @param micros when that was decided, in microseconds since 1970
   */
  record Forget(String node, long micros) implements Submission {
    @Override
    public long sizeBytes() {
      return 0;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.forget(this);
    }
  }

  /**
   * The removal of the records that retention has left of nodes.
   *
   * @param forgotten runs that will not return
   * @param gone forgotten runs whose blocks no longer need to be known
   * @param nodes those whose lifetimes that ended before history begins are removed
   * @param micros when that was decided, in microseconds since 1970
   */
  record Expiry(
      List<Incarnation.Name> forgotten,
      List<Incarnation.Name> gone,
      List<String> nodes,
      long micros)
      implements Submission {
    /** Copies the lists. */
    public Expiry {
      forgotten = List.copyOf(forgotten);
      gone = List.copyOf(gone);
      nodes = List.copyOf(nodes);
    }

    @Override
    public long sizeBytes() {
      return 0;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.expiry(this);
    }
  }

  /**
   * An empty submission that is written and synced nevertheless, to prove that the store can be
   * written.
   */
  record Probe() implements Submission {
    @Override
    public long sizeBytes() {
      return 0;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.probe(this);
    }
  }

  /**
   * Changes of the records about alerts.
   *
   * @param records the new values by their keys; empty for a record that is removed
   */
  record Alerts(Map<String, Optional<byte[]>> records) implements Submission {
    /** Copies the map. */
    public Alerts {
      records = Map.copyOf(records);
    }

    @Override
    public long sizeBytes() {
      return records.entrySet().stream()
          .mapToLong(
              entry -> entry.getKey().length() + entry.getValue().map(v -> v.length).orElse(0))
          .sum();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.alerts(this);
    }
  }

  /**
   * A decoded frame and the bytes from which it was decoded, which are stored unchanged.
   *
   * @param bytes must not be modified
   * @param arrivedMicros the time that decides which stamps are too far in the future, in
   *     microseconds since 1970; {@link #NOW} for the time of the store's clock
   */
  @SuppressWarnings("ArrayRecordComponent") // Handed over without copying; never compared.
  record EncodedFrame(BlockFrame content, byte[] bytes, long arrivedMicros) {
    /** The time of the store's clock when the frame is stored. */
    public static final long NOW = -1;

    /** A frame that arrives when it is stored. */
    public EncodedFrame(BlockFrame content, byte[] bytes) {
      this(content, bytes, NOW);
    }

    /** The same frame with another time of arrival, in microseconds since 1970. */
    public EncodedFrame arrivedAt(long micros) {
      return new EncodedFrame(content, bytes, micros);
    }

    /** The approximate amount of memory that it holds, in bytes. */
    public long sizeBytes() {
      return bytes.length + (content instanceof EventBlock block ? block.memoryBytes() : 0);
    }
  }

  /**
   * Single events from sources without blocks.
   *
   * @param blocks events as columns, in the order of their stamps from block to block
   * @param lines all other events, in any order; only heartbeats if there are blocks
   * @param gaps the losses that the source reports
   * @param reasons other reasons that it states why its events may be incomplete
   * @param sizeBytes the approximate amount of memory that they take
   */
  record Lines(
      List<LineBlock> blocks,
      List<NumberedEvent> lines,
      List<Gap> gaps,
      List<Incompleteness> reasons,
      long sizeBytes)
      implements Submission {
    /** Copies the lists. */
    public Lines {
      blocks = List.copyOf(blocks);
      lines = List.copyOf(lines);
      gaps = List.copyOf(gaps);
      reasons = List.copyOf(reasons);
    }

    /** Events without columns. */
    public Lines(List<NumberedEvent> lines, List<Gap> gaps, long sizeBytes) {
      this(List.of(), lines, gaps, List.of(), sizeBytes);
    }

    /** All events as objects. */
    public List<NumberedEvent> events() {
      List<NumberedEvent> events = new ArrayList<>();
      blocks.forEach(block -> events.addAll(block.events()));
      events.addAll(lines);
      return events;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.lines(this);
    }
  }

  /**
   * Events of lines as the columns of a block. None is a heartbeat or has an incarnation. Their
   * stamps ascend; equal ones are of different nodes, in the natural order of their names.
   *
   * @param numbers the line of each row, counted from 1
   */
  @SuppressWarnings("ArrayRecordComponent") // Handed over without copying; never compared.
  record LineBlock(EventBlock rows, long[] numbers) {
    /** The largest number of rows. */
    public static final int MAX_EVENTS = MadeBlock.MAX_EVENTS;

    /** The rows as objects. */
    public List<NumberedEvent> events() {
      List<NumberedEvent> events = new ArrayList<>(rows.size());
      for (int row = 0; row < rows.size(); row++) {
        events.add(new NumberedEvent(numbers[row], rows.event(row)));
      }
      return events;
    }
  }

  /**
   * An event and its position in a text.
   *
   * @param number the line number, counted from 1; {@link #NO_NUMBER} for an event from a block
   */
  record NumberedEvent(long number, Event event) {
    /** The number of an event that is in no line. */
    public static final long NO_NUMBER = 0;
  }

  /**
   * Events that leave quarantine.
   *
   * @param blocks the ids of the quarantined blocks to search
   * @param keep whether the events are stored, whatever the server's clock reads, or deleted
   */
  record Quarantined(List<Long> blocks, QuarantineSelection selection, boolean keep)
      implements Submission {
    /** Copies the list. */
    public Quarantined {
      blocks = List.copyOf(blocks);
    }

    @Override
    public long sizeBytes() {
      return 0;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.quarantined(this);
    }
  }
}
