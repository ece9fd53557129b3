// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;

/**
 * The answer to a client that follows live results: whenever events wait, they are written
 * together, by any thread. No thread waits for the client. Thread-safe.
 */
final class StreamAnswer {
  private static final String KEEP_ALIVE = ": still here\n\n";

  private final Content.Sink connection;
  private final OutgoingEvents events;
  private final List<StreamSink> sinks;
  private final BooleanSupplier isAdmitted;
  private final Executor threads;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  /** Whether a thread writes, or is about to, or the connection has not accepted what it wrote. */
  private final AtomicBoolean busy = new AtomicBoolean();

  private volatile boolean wroteLately;
  private volatile boolean isKeepAliveDue;

  /**
   * An answer of which nothing is sent; its head precedes the first bytes.
   *
   * @param connection takes bytes without waiting for the client
   * @param sinks the senders of the events
   * @param isAdmitted whether the client's token is still valid
   * @param threads run tasks that do not wait
   */
  StreamAnswer(
      Content.Sink connection,
      OutgoingEvents events,
      List<StreamSink> sinks,
      BooleanSupplier isAdmitted,
      Executor threads) {
    this.connection = connection;
    this.events = events;
    this.sinks = sinks;
    this.isAdmitted = isAdmitted;
    this.threads = threads;
    events.readBy(this::wake);
  }

  /**
   * Completed when everything was written, the client has disconnected, or its token is invalid.
   */
  CompletableFuture<Void> ended() {
    return ended;
  }

  /**
   * Sends a keep-alive if nothing was sent since the last call, which also shows whether the client
   * is still there, and is admitted.
   */
  void keepAlive() {
    if (!wroteLately) {
      isKeepAliveDue = true;
      wake();
    }
    wroteLately = false;
  }

  /** Ends the answer, whatever waits. */
  void end() {
    execute(() -> ended.complete(null));
  }

  private void wake() {
    if (busy.compareAndSet(false, true)) {
      execute(this::write);
    }
  }

  private void execute(Runnable task) {
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      ended.complete(null); // The server is shutting down.
    }
  }

  private void write() {
    try {
      writeNext();
    } catch (RuntimeException | Error e) {
      end();
      throw e;
    }
  }

  private void writeNext() {
    boolean isLast = !isAdmitted.getAsBoolean();
    ByteBuffer next = isLast ? farewell() : next();
    if (next.hasRemaining()) {
      Runnable then = isLast ? this::end : this::written;
      connection.write(
          false, next, Callback.from(InvocationType.NON_BLOCKING, then, failure -> end()));
    } else if (events.isDone()) {
      end();
    } else {
      rest();
    }
  }

  private ByteBuffer next() {
    ByteBuffer next = events.take();
    boolean isSilent = isKeepAliveDue && !next.hasRemaining() && !events.isDone();
    isKeepAliveDue = false;
    return isSilent ? ByteBuffer.wrap(KEEP_ALIVE.getBytes(StandardCharsets.UTF_8)) : next;
  }

  private ByteBuffer farewell() {
    String problem = Admission.ended().json();
    return OutgoingEvent.join(sinks.stream().map(sink -> sink.problemEvent(problem)).toList());
  }

  private void written() {
    wroteLately = true;
    events.written();
    rest();
  }

  /** Lets any thread write what has come meanwhile. */
  private void rest() {
    busy.set(false);
    if (events.isReady() || isKeepAliveDue) {
      wake();
    }
  }
}
