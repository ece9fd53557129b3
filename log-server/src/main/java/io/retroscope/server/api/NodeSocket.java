// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.access.Caller;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.memory.MemoryBudget;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;

/**
 * A node's connection, with the messages on it that wait to be stored or to be answered.
 * Thread-safe.
 */
public final class NodeSocket implements Session.Listener, Consumer<String> {
  /*
   * The web server passes a message on piece by piece, and reads the next piece only on demand, so
   * that a connection takes no memory that is not charged. It calls only public classes.
   */
  private static final int NOT_UNDERSTOOD = 1003;
  private static final int NOT_ALLOWED = 1008;
  private static final int TOO_LONG = 1009;
  private static final int TRY_AGAIN_LATER = 1013;

  /** The number of complete messages above which no more are read until some are stored. */
  static final int MAX_WAITING = 64;

  /** The largest number of messages that are being stored at a time. */
  static final int MAX_UNANSWERED = 16;

  /** The largest size of messages that are being stored at a time; one alone may be larger. */
  static final long MAX_UNANSWERED_BYTES = 4L << 20;

  private final Admission admission;
  private final Listener listener;
  private final MemoryBudget memory;
  private final MonotonicClock clock;
  private final long maxMessageBytes;
  private final Deque<Message> waiting = new ArrayDeque<>();
  private final Deque<Message> unanswered = new ArrayDeque<>();

  /** Held while answers are sent, because they are sent in order. */
  private final Object answering = new Object();

  private long unansweredBytes;
  private volatile @Nullable Session session;
  private @Nullable GatheredMessage gathered;
  private boolean busy;
  private boolean paused;
  private long messages;

  /** The receiver of a connection's messages. */
  interface Listener {
    /** Whether one more connection may be open. */
    boolean opened(NodeSocket socket);

    /** Called when a message may be stored, and no thread takes those of this connection. */
    void waiting(NodeSocket socket);

    void closed(NodeSocket socket);
  }

  /** A received batch, with its answer once there is one. */
  record Message(
      long number, Caller caller, GatheredMessage content, CompletableFuture<String> answer) {
    long length() {
      return content.length();
    }
  }

  NodeSocket(
      Admission admission,
      Listener listener,
      MemoryBudget memory,
      MonotonicClock clock,
      long maxMessageBytes) {
    this.admission = admission;
    this.listener = listener;
    this.memory = memory;
    this.clock = clock;
    this.maxMessageBytes = maxMessageBytes;
  }

  @Override
  public void onWebSocketOpen(Session opened) {
    session = opened;
    if (listener.opened(this)) {
      opened.demand();
    } else {
      close(TRY_AGAIN_LATER, "too many connections");
    }
  }

  @Override
  public void onWebSocketPartialBinary(ByteBuffer piece, boolean last, Callback callback) {
    boolean fits = gather(piece);
    callback.succeed();
    if (!fits) {
      close(TOO_LONG, "a message has at most " + maxMessageBytes + " bytes");
    } else if (!last && isTooSlow()) {
      close(NOT_ALLOWED, "the message is too slow");
    } else if (!last || complete()) {
      demand();
    }
  }

  private synchronized boolean gather(ByteBuffer piece) {
    if (gathered == null) {
      gathered = new GatheredMessage(memory.charge(), clock.nanos());
    }
    if (gathered.length() + piece.remaining() > maxMessageBytes) {
      return false;
    }
    gathered.add(piece);
    return true;
  }

  private synchronized boolean isTooSlow() {
    return gathered != null && gathered.isTooSlow(clock.nanos());
  }

  /** Queues the complete message, and returns whether the next one may be read. */
  private boolean complete() {
    if (closeIfNotAllowed()) {
      return false;
    }
    if (queue()) {
      listener.waiting(this);
    }
    return !isFull();
  }

  /** Returns whether reading pauses, because many messages wait. */
  private synchronized boolean isFull() {
    paused = waiting.size() >= MAX_WAITING;
    return paused;
  }

  /** Returns whether no thread handles the messages of this connection. */
  private synchronized boolean queue() {
    GatheredMessage complete = gathered;
    gathered = null;
    if (complete == null) {
      return false;
    }
    waiting.add(
        new Message(++messages, admission.callerNow(), complete, new CompletableFuture<>()));
    return becomesBusy();
  }

  /** Returns whether a message may be stored that no thread takes yet. */
  private synchronized boolean becomesBusy() {
    boolean isFirst = !busy && mayStoreNext();
    busy |= isFirst;
    return isFirst;
  }

  private boolean mayStoreNext() {
    Message next = waiting.peek();
    return next != null
        && (unanswered.isEmpty()
            || (unanswered.size() < MAX_UNANSWERED
                && unansweredBytes + next.length() <= MAX_UNANSWERED_BYTES));
  }

  /**
   * The next message to be stored and then answered; null if there is none or too many are
   * unanswered, and then the listener is notified of the next one.
   */
  @Nullable Message next() {
    boolean resumes;
    Message next;
    synchronized (this) {
      next = mayStoreNext() ? waiting.poll() : null;
      busy = next != null;
      if (next != null) {
        unanswered.add(next);
        unansweredBytes += next.length();
      }
      resumes = paused && waiting.size() < MAX_WAITING;
      paused &= !resumes;
    }
    if (resumes) {
      demand();
    }
    return next;
  }

  /** Answers a message, after all before it. No answer is sent if the text is empty. */
  void answer(Message message, String text) {
    message.content().close();
    message.answer().complete(text);
    synchronized (answering) {
      for (Message next = answered(); next != null; next = answered()) {
        String answer = next.answer().join();
        if (!answer.isEmpty()) {
          accept(answer);
        }
      }
    }
    if (becomesBusy()) {
      listener.waiting(this);
    }
  }

  /** Removes the first message if it has an answer. */
  private synchronized @Nullable Message answered() {
    Message first = unanswered.peek();
    if (first == null || !first.answer().isDone()) {
      return null;
    }
    unansweredBytes -= first.length();
    return unanswered.poll();
  }

  /** Closes the connection if its token is no longer valid; returns whether it was closed. */
  boolean closeIfNotAllowed() {
    if (admission.isValid()) {
      return false;
    }
    close(NOT_ALLOWED, "the token is no longer valid");
    return true;
  }

  @Override
  public void onWebSocketPartialText(String text, boolean last) {
    close(NOT_UNDERSTOOD, "text");
  }

  @Override
  public void onWebSocketClose(int code, String reason, Callback callback) {
    ended();
    callback.succeed();
  }

  @Override
  public void onWebSocketError(Throwable cause) {
    ended();
  }

  private void ended() {
    abandon();
    listener.closed(this);
  }

  /** Drops the incomplete message and releases its memory. */
  private synchronized void abandon() {
    if (gathered != null) {
      gathered.close();
      gathered = null;
    }
  }

  /** Queues a text; it is dropped if the node does not read. */
  @Override
  public void accept(String text) {
    Session open = session;
    if (open != null && open.isOpen()) {
      open.sendText(text, Callback.NOOP);
    }
  }

  private void demand() {
    Session open = session;
    if (open != null && open.isOpen()) {
      open.demand();
    }
  }

  private void close(int code, String reason) {
    abandon();
    Session open = session;
    if (open != null) {
      open.close(code, reason, Callback.NOOP);
    }
  }
}
