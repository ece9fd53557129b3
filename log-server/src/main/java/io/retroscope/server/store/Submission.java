package io.retroscope.server.store;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.EventSource.Gap;
import java.util.List;

/** What one request hands to the store: applied as a whole or not at all. */
public sealed interface Submission {
  /** Roughly how much memory it holds, in bytes. */
  long sizeBytes();

  /**
   * Frames as a node sent them.
   *
   * @param positions up to where the frames' sources have been read with them
   */
  record Frames(List<Frame> frames, List<SourcePosition> positions) implements Submission {
    /** Copies the lists. */
    public Frames {
      frames = List.copyOf(frames);
      positions = List.copyOf(positions);
    }

    /** Of a sender that keeps no position here. */
    public Frames(List<Frame> frames) {
      this(frames, List.of());
    }

    @Override
    public long sizeBytes() {
      return frames.stream().mapToLong(Frame::sizeBytes).sum();
    }
  }

  /**
   * Retention lets blocks go.
   *
   * @param lastBlock the highest id of them
   * @param hlc packed, the highest stamp in them
   */
  record Removal(long lastBlock, long hlc) implements Submission {
    @Override
    public long sizeBytes() {
      return 0;
    }
  }

  /** A node will not come back. */
  record Forget(String node) implements Submission {
    @Override
    public long sizeBytes() {
      return 0;
    }
  }

  /**
   * Retention lets go what is left of nodes.
   *
   * @param forgotten runs that will not come back
   * @param gone forgotten runs whose blocks need not be known any more
   * @param lifetimes that ended before history begins
   */
  record Expiry(
      List<Incarnation.Name> forgotten,
      List<Incarnation.Name> gone,
      List<StoreSchema.LifetimeStart> lifetimes)
      implements Submission {
    /** Copies the lists. */
    public Expiry {
      forgotten = List.copyOf(forgotten);
      gone = List.copyOf(gone);
      lifetimes = List.copyOf(lifetimes);
    }

    @Override
    public long sizeBytes() {
      return 0;
    }
  }

  /** Nothing to store, but written and synced all the same: proof that the store can. */
  record Probe() implements Submission {
    @Override
    public long sizeBytes() {
      return 0;
    }
  }

  /**
   * A decoded frame and the bytes it came from, which are stored as they are.
   *
   * @param bytes not changed by anybody
   */
  @SuppressWarnings("ArrayRecordComponent") // A hand-over without copying; never compared.
  record Frame(BlockFrame content, byte[] bytes) {
    /** Roughly how much memory it holds, in bytes. */
    public long sizeBytes() {
      return bytes.length + (content instanceof EventBlock block ? block.memoryBytes() : 0);
    }
  }

  /**
   * Single events, from sources that know no blocks.
   *
   * @param lines in any order
   * @param gaps what the source knows to be lost
   * @param sizeBytes of memory that they take, roughly
   */
  record Lines(List<Line> lines, List<Gap> gaps, long sizeBytes) implements Submission {
    /** Copies the lists. */
    public Lines {
      lines = List.copyOf(lines);
      gaps = List.copyOf(gaps);
    }
  }

  /**
   * An event and its place in a text.
   *
   * @param number the line, counted from 1; {@link #NO_NUMBER} for an event from a block
   */
  record Line(long number, Event event) {
    /** Stands for no line. */
    public static final long NO_NUMBER = 0;
  }

  /**
   * Events leave the quarantine.
   *
   * @param blocks the ids of the quarantined blocks to look at
   * @param keep whether the events are stored, whatever the server's clock says, or deleted
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
  }
}
