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
 * Reads one request's body as it comes, without a thread that waits for it. Its callbacks come one
 * after the other.
 */
final class BodyReader implements Runnable {
  /** How long a body may come as slowly as it likes. */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** What must come after that on average. */
  private static final long MIN_BYTES_PER_SECOND = 1_000;

  /** How long a body that has no memory waits: so often, for so long. */
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
   * @param maxBytes of the longest body
   * @param whenRead takes the body; whenRefused takes over in its place where there is none
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
    // Not this reader: what it has gathered is to go when the body is handed over.
    Request.addCompletionListener(request, failure -> own.close());
  }

  /** Takes what has come, and asks to be called for more. */
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

  /** Once only: its buffer is another connection's at once. */
  private void releasePending() {
    Content.Chunk done = pending;
    pending = Content.Chunk.EMPTY;
    done.release();
  }

  /** Takes a chunk; false if there is none, or no memory for it. */
  private boolean take() {
    if (!pending.hasRemaining()) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(this);
        return false;
      }
      if (Content.Chunk.isFailure(chunk)) {
        throw ProblemException.of(408, "The request broke off", "its body did not come to its end");
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
    // Twice: an array that grows is copied, and in the end it is copied once more.
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

  /** Meanwhile nothing more is taken from the connection. */
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
          "%d bytes came in %d s: send at least %d a second, or less at a time"
              .formatted(bytes.size(), seconds, MIN_BYTES_PER_SECOND));
    }
  }

  /** Whether so many bytes are too few for the time that they have taken. */
  static boolean isTooSlow(long nanos, long bytes) {
    return nanos > GRACE_NANOS
        && bytes < TimeUnit.NANOSECONDS.toSeconds(nanos) * MIN_BYTES_PER_SECOND;
  }

  private ProblemException tooLong() {
    return ProblemException.of(
        413, "The request is too long", "its body may have " + maxBytes + " bytes");
  }
}
