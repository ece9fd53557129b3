// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import io.retroscope.sink.Transport.Delivery;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket connection to a log server. The client sends batches one at a time; the server sends
 * text messages that acknowledge each batch and state whether it needs prompt updates. One thread
 * delivers; others may close and read.
 */
final class EventSocket implements WebSocket.Listener {
  /*
   * A server sends this state as soon as it is connected, and then at least every 15 s. The
   * connection is not considered open until the first one has arrived: if a proxy passes the
   * handshake and nothing else, POSTs are used. If none arrives for a minute, the connection is
   * dead. An idle node would not notice that otherwise, because bare heartbeats are not
   * acknowledged.
   *
   * Acknowledgements refer to the batch by its number on the connection, counted from 1, heartbeats
   * included.
   */
  /** The maximum message length; the server's limit is slightly higher. */
  static final int MAX_MESSAGE_BYTES = 33 << 20;

  private static final int MAX_TEXT_LENGTH = BoundedBody.MAX_BYTES;
  private static final long SILENT_NANOS = 60_000_000_000L;
  private static final long CLOSE_SECONDS = 1;

  private static final Pattern WISH =
      Pattern.compile("\\s*\\{\\s*\"listen\"\\s*:\\s*(true|false)\\s*[,}].*", Pattern.DOTALL);
  private static final Pattern INTERVAL = Pattern.compile("\"millis\"\\s*:\\s*(\\d{1,4})\\s*[,}]");
  private static final Pattern ANSWER =
      Pattern.compile("\\s*\\{\\s*\"batch\"\\s*:\\s*(\\d{1,18})\\s*,(.*)", Pattern.DOTALL);
  private static final Pattern STATUS = Pattern.compile("\"status\"\\s*:\\s*(\\d{3})\\b");

  private final Duration timeout;
  private final AnswerPatience patience;
  private final LongSupplier nanos;
  private final Map<String, String> headers;
  private final CompletableFuture<Boolean> greeted = new CompletableFuture<>();
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();
  private final StringBuilder text = new StringBuilder();
  private volatile @Nullable WebSocket socket;
  private volatile @Nullable Pending pending;
  private volatile @Nullable String endReason;
  private volatile boolean listens = true;

  /** The interval that the server needs while it listens; 0 if it leaves that to the node. */
  private volatile long listenMillis;

  private volatile long heardNanos;

  /** The number of messages so far. Owned by the delivering thread. */
  private long sentCount;

  /** A batch that is not acknowledged yet. */
  private record Pending(long number, CompletableFuture<Delivery> answer) {}

  /** Thrown if the connection could not be opened. */
  static final class NotOpenedException extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean unreachable;

    NotOpenedException(String reason, @Nullable Throwable cause) {
      super(reason, cause);
      unreachable = cause instanceof ConnectException || cause instanceof UnknownHostException;
    }

    /** Whether a POST would fail as well. */
    boolean isUnreachable() {
      return unreachable;
    }
  }

  EventSocket(
      Duration timeout, AnswerPatience patience, LongSupplier nanos, Map<String, String> headers) {
    this.timeout = timeout;
    this.patience = patience;
    this.nanos = nanos;
    this.headers = headers;
    this.heardNanos = nanos.getAsLong();
  }

  /** Connects and waits for the server's first message. */
  void open(HttpTarget target) throws NotOpenedException, InterruptedException {
    WebSocket.Builder builder = target.client.newWebSocketBuilder().connectTimeout(timeout);
    headers.forEach(builder::header);
    CompletableFuture<WebSocket> opening = builder.buildAsync(target.socket, this);
    try {
      socket = opening.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      greeted.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      abandon(opening);
      throw e;
    } catch (ExecutionException e) {
      throw refusal(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      abandon(opening);
      throw new NotOpenedException("no streaming within " + timeout.toMillis() + " ms", null);
    }
  }

  /** Abandons a connection attempt that may still succeed. */
  private static void abandon(CompletableFuture<WebSocket> opening) {
    CompletableFuture<Void> unused = opening.thenAccept(WebSocket::abort);
  }

  private static NotOpenedException refusal(Throwable cause) {
    if (cause instanceof WebSocketHandshakeException handshake) {
      return new NotOpenedException("status " + handshake.getResponse().statusCode(), cause);
    }
    return new NotOpenedException(String.valueOf(cause), cause);
  }

  boolean isOpen() {
    return endReason == null && nanos.getAsLong() - heardNanos < SILENT_NANOS;
  }

  /** Whether the connection is open and was opened with these headers. */
  boolean isUsable(Map<String, String> wanted) {
    return isOpen() && headers.equals(wanted);
  }

  /** Whether the server needs prompt updates. */
  boolean listens() {
    return listens;
  }

  /** The interval at which the server needs updates, in milliseconds; 0 if it names none. */
  long listenMillis() {
    return listenMillis;
  }

  /** Sends a batch, and waits for its acknowledgement if one is expected. */
  Delivery deliver(byte[] message, boolean answered) throws InterruptedException {
    CompletableFuture<Delivery> answer = new CompletableFuture<>();
    sentCount++;
    pending = answered ? new Pending(sentCount, answer) : null;
    WebSocket open = socket;
    String ended = endReason;
    if (open == null || ended != null) {
      return Delivery.retry(String.valueOf(ended));
    }
    try {
      open.sendBinary(ByteBuffer.wrap(message), true).get(patience.millis(), TimeUnit.MILLISECONDS);
      return answered ? answer.get(patience.millis(), TimeUnit.MILLISECONDS) : Delivery.DELIVERED;
    } catch (TimeoutException e) {
      end(patience.late());
    } catch (ExecutionException e) {
      end(String.valueOf(e.getCause()));
    } finally {
      pending = null;
    }
    return Delivery.retry(String.valueOf(endReason));
  }

  /** Abandons the connection; the batch in flight must be sent again. */
  private void end(String reason) {
    if (endReason == null) {
      endReason = reason;
    }
    greeted.completeExceptionally(new IOException(reason));
    Pending open = pending;
    if (open != null) {
      open.answer.complete(Delivery.retry(reason));
    }
    WebSocket current = socket;
    if (current != null) {
      current.abort();
    }
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
    heardNanos = nanos.getAsLong();
    if (text.length() + part.length() > MAX_TEXT_LENGTH) {
      end("a message of more than " + MAX_TEXT_LENGTH + " characters");
      from.abort();
      return null;
    }
    text.append(part);
    if (last) {
      heard(text.toString());
      text.setLength(0);
    }
    from.request(1);
    return null;
  }

  private void heard(String message) {
    Matcher wish = WISH.matcher(message);
    Matcher answer = ANSWER.matcher(message);
    if (wish.matches()) {
      Matcher interval = INTERVAL.matcher(message);
      listenMillis = interval.find() ? Long.parseLong(interval.group(1)) : 0;
      listens = Boolean.parseBoolean(wish.group(1));
      greeted.complete(true);
    } else if (answer.matches()) {
      answered(Long.parseLong(answer.group(1)), "{" + answer.group(2));
    } else {
      end("not a log server's message: " + ServerAnswer.line(message));
    }
  }

  /** An unexpected acknowledgement, such as for a refused heartbeat, has no effect. */
  private void answered(long number, String body) {
    Pending open = pending;
    if (open != null && open.number == number) {
      Matcher status = STATUS.matcher(body);
      int code = status.find() ? Integer.parseInt(status.group(1)) : 200;
      open.answer.complete(ServerAnswer.delivery(code, body));
    }
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
    over.complete(true);
    end("the connection was closed: " + code + (reason.isEmpty() ? "" : " " + reason));
    return null;
  }

  @Override
  public void onError(WebSocket from, Throwable failure) {
    over.complete(false);
    end(String.valueOf(failure));
  }

  /** Closes the connection, waiting only briefly for the server. */
  void close() {
    WebSocket open = socket;
    if (open != null && endReason == null) {
      endReason = "closed";
      open.sendClose(WebSocket.NORMAL_CLOSURE, "")
          .thenCompose(sent -> over)
          .orTimeout(CLOSE_SECONDS, TimeUnit.SECONDS)
          .handle((sent, failure) -> true)
          .join();
    }
    end("closed");
  }
}
