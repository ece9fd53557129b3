// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.memory.OverBudgetException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

/**
 * An asynchronous reader of one request's body, which occupies no thread while it waits. Its
 * callbacks run one after the other.
 */
final class BodyReader implements Runnable {
  /** The time during which a body may arrive at any rate. */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The average rate that is required after that. */
  private static final long MIN_BYTES_PER_SECOND = 1_000;

  /** The number of times that a body waits for memory before it is refused. */
  private static final int MAX_WAITS = 20;

  private static final long WAIT_MILLIS = 100;

  private final Request request;
  private final long maxBytes;
  private final MonotonicClock clock;
  private final Consumer<RequestBody> whenRead;
  private final Consumer<ProblemException> whenRefused;
  private final Charge charge;
  private final long begunNanos;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(0);
  private int waits;
  private boolean ended;

  /** Received, but not charged yet. */
  private Content.Chunk pending = Content.Chunk.EMPTY;

  /**
   * A reader that has not begun.
   *
   * @param maxBytes the size of the longest body
   * @param whenRead receives the body; whenRefused is called instead if there is none
   */
  BodyReader(
      Request request,
      long maxBytes,
      MemoryBudget memory,
      MonotonicClock clock,
      Consumer<RequestBody> whenRead,
      Consumer<ProblemException> whenRefused) {
    this.request = request;
    this.maxBytes = maxBytes;
    this.clock = clock;
    this.whenRead = whenRead;
    this.whenRefused = whenRefused;
    Charge own = memory.charge();
    this.charge = own;
    this.begunNanos = clock.nanos();
    // Captures the charge and not this reader, whose buffer must be collectable before the request
    // is completed.
    Request.addCompletionListener(request, failure -> own.close());
  }

  /** Reads the available data, and registers for more. */
  @Override
  public void run() {
    try {
      if (request.getLength() > maxBytes) {
        throw tooLong();
      }
      while (take()) {
        if (ended) {
          byte[] body = bytes.toByteArray();
          boolean unused = charge.tryResize(body.length);
          whenRead.accept(new RequestBody(body, charge));
          return;
        }
      }
    } catch (ProblemException e) {
      releasePending();
      whenRefused.accept(e);
    }
  }

  /** Releases the buffer exactly once, because another connection may use it immediately. */
  private void releasePending() {
    Content.Chunk done = pending;
    pending = Content.Chunk.EMPTY;
    done.release();
  }

  /** Reads a chunk; false if there is none, or no memory for it. */
  private boolean take() {
    if (!pending.hasRemaining()) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(this);
        return false;
      }
      if (Content.Chunk.isFailure(chunk)) {
        throw ProblemException.of(408, "The request was cut off", "its body is incomplete");
      }
      pending = chunk;
    }
    return add();
  }

  private boolean add() {
    int more = pending.remaining();
    if (bytes.size() + (long) more > maxBytes) {
      throw tooLong();
    }
    // Twice the size: the array is copied when it grows, and once more at the end.
    if (!charge.tryResize(2L * (bytes.size() + more))) {
      waitForMemory(2L * (bytes.size() + more));
      return false;
    }
    ByteBuffer content = pending.getByteBuffer();
    byte[] copy = new byte[more];
    content.get(copy);
    bytes.writeBytes(copy);
    ended = pending.isLast();
    releasePending();
    checkRate();
    return true;
  }

  /** Waits for memory; meanwhile nothing more is read from the connection. */
  private void waitForMemory(long needed) {
    try {
      charge.checkFits(needed);
      if (waits++ == MAX_WAITS) {
        throw charge.busy();
      }
    } catch (OverBudgetException e) {
      throw ProblemException.of(e);
    }
    var unused =
        request
            .getComponents()
            .getScheduler()
            .schedule(() -> request.getContext().execute(this), WAIT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void checkRate() {
    long nanos = clock.nanos() - begunNanos;
    long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
    if (isTooSlow(nanos, bytes.size()) && !ended) {
      throw ProblemException.of(
          408,
          "The request is too slow",
          "%d bytes arrived in %d s: send at least %d per second, or smaller batches"
              .formatted(bytes.size(), seconds, MIN_BYTES_PER_SECOND));
    }
  }

  /** Whether this number of bytes is too small for the time that they have taken. */
  static boolean isTooSlow(long nanos, long bytes) {
    return nanos > GRACE_NANOS
        && bytes < TimeUnit.NANOSECONDS.toSeconds(nanos) * MIN_BYTES_PER_SECOND;
  }

  private ProblemException tooLong() {
    return ProblemException.of(
        413, "The request is too long", "its body may have " + maxBytes + " bytes");
  }
}
