// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import io.retroscope.event.WireReader;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.BoundPlan;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a process that walks a slice for a query of another one:
 *
 * <pre>
 *   version (1 byte) | batches | 0 (4) | cuts, passed cuts, events, passed blocks (8 each)
 *   batch:  length (4) | items
 * </pre>
 *
 * <p>An answer without its end is broken. Input is not trusted.
 */
public final class SliceAnswer {
  /** A batch is passed on as soon as it has more than a few bytes; one row may have many. */
  private static final int MAX_BATCH_BYTES = 1 << 28;

  private SliceAnswer() {}

  /** A walk of a slice whose items are sent as they come. Used by one thread, once. */
  public static final class Sending extends SliceFeed {
    private final DataOutputStream out;
    private final SliceBytes.Writer writer = new SliceBytes.Writer();
    private @Nullable IOException failure;
    private WalkFigures figures = WalkFigures.NONE;

    /**
     * Begins an answer.
     *
     * @throws IOException if it cannot be sent
     */
    public Sending(OutputStream out) throws IOException {
      this.out = new DataOutputStream(out);
      this.out.writeByte(SliceBytes.VERSION);
      this.out.flush();
    }

    /**
     * Walks a slice.
     *
     * @param plan one of its own, whose range has the slice and begins before it
     * @param view all events of the query
     * @return whether it was walked to its end; false if the answer cannot be sent any more
     */
    public boolean walk(BoundPlan plan, HlcRange slice, EventSource.View view) {
      SliceWalk walk = new SliceWalk(plan, slice, false, SliceTimes.elsewhere(), this);
      try {
        return walk.run(view, false);
      } catch (WorkMeter.CancelledException e) {
        return false;
      } finally {
        figures = walk.figures();
      }
    }

    @Override
    void pass(List<SliceItem> items, long bytes) {
      if (failure == null) {
        try {
          byte[] batch = writer.bytes(items);
          out.writeInt(batch.length);
          out.write(batch);
          out.flush();
        } catch (IOException e) {
          failure = e;
        }
      }
    }

    /**
     * Ends the answer with the cost of the walk.
     *
     * @param isWhole that of {@link #walk}
     * @throws IOException if it could not be sent, usually because it is not wanted any more
     */
    public void end(boolean isWhole) throws IOException {
      end(isWhole, figures);
    }

    void end(boolean isWhole, WalkFigures figures) throws IOException {
      flush();
      if (failure != null) {
        throw failure;
      }
      if (!isWhole) {
        throw new IOException("the walk of the slice was ended");
      }
      out.writeInt(0);
      out.writeLong(figures.cuts());
      out.writeLong(figures.passedCuts());
      out.writeLong(figures.eventsRead());
      out.writeLong(figures.blocksPassed());
      out.flush();
    }

    @Override
    boolean isAwaited() {
      return false;
    }

    @Override
    boolean isCancelled() {
      return failure != null;
    }

    @Override
    boolean isStopped() {
      return failure != null;
    }
  }

  /**
   * Receives an answer.
   *
   * @param clocks those of the query's view
   * @return the cost of the walk
   * @throws IOException if it is broken; the items before are right
   */
  static WalkFigures receive(InputStream from, ClockOffsets clocks, Consumer<SliceItem> items)
      throws IOException {
    DataInputStream in = new DataInputStream(from);
    byte[] version = bytes(in, 1);
    SliceBytes.checkVersion(version[0], new WireReader(version, 0, 1, 0));
    SliceBytes.Reader reader = new SliceBytes.Reader(clocks);
    for (int length = in.readInt(); length != 0; length = in.readInt()) {
      if (length < 0 || length > MAX_BATCH_BYTES) {
        throw new IOException("a batch of %d bytes".formatted(length));
      }
      reader.items(bytes(in, length)).forEach(items);
    }
    return new WalkFigures(in.readLong(), in.readLong(), in.readLong(), in.readLong());
  }

  private static byte[] bytes(DataInputStream in, int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("the answer ended early");
    }
    return bytes;
  }
}
