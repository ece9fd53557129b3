// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import io.retroscope.event.EventBlockCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The transport of frames to a log server: over one {@link EventSocket}, or in POSTs if that is not
 * possible. One thread delivers; another may close or read the pace.
 */
final class HttpTransport implements Transport {
  private static final System.Logger LOGGER = System.getLogger(HttpTransport.class.getName());
  private static final int MIN_GZIP_BYTES = 1_024;

  /**
   * The time for which POSTs are used before a socket is tried again at a server that refused one.
   */
  static final Duration POSTING = Duration.ofMinutes(5);

  /** The gathering interval while no live query reads this node's events. */
  private static final Duration UNHEARD_GATHERING = Duration.ofMillis(200);

  private static final Duration UNHEARD_HEARTBEAT = Duration.ofSeconds(5);

  private final HttpTarget target;
  private final boolean gzip;
  private final Duration requestTimeout;
  private final AnswerPatience patience;
  private final LongSupplier nanos;

  private volatile @Nullable EventSocket socket;
  private volatile boolean closed;

  /**
   * The time of the last refused socket; null while a socket may be tried. Owned by the delivering
   * thread.
   */
  private @Nullable Long refusedNanos;

  /** The pace without a live reader, and the configured pace it was derived from. */
  private @Nullable Pace configured;

  private Pace unheard = new Pace(1, 1, false);

  /** The pace that a server has requested last, and its interval. */
  private Pace prompt = new Pace(1, 1, false);

  private long promptMillis;

  HttpTransport(HttpSinkBuilder builder) {
    target = new HttpTarget(builder);
    gzip = builder.gzip;
    requestTimeout = builder.requestTimeout;
    patience = new AnswerPatience(requestTimeout);
    nanos = builder.nanos;
  }

  @Override
  public Delivery deliver(List<Parcel> parcels) throws InterruptedException {
    Map<String, String> headers;
    try {
      headers = target.headers();
    } catch (IOException e) {
      return Delivery.retry(String.valueOf(e.getMessage()));
    }
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    parcels.forEach(parcel -> joined.writeBytes(parcel.bytes()));
    boolean packed = gzip && joined.size() >= MIN_GZIP_BYTES;
    byte[] body = packed ? gzipped(joined.toByteArray()) : joined.toByteArray();
    boolean answered = parcels.size() > 1 || !parcels.get(0).isHeartbeat();
    Delivery delivery = deliver(body, packed, answered, headers);
    if (delivery.answer() != Answer.RETRY) {
      patience.answered();
    }
    return new Delivery(delivery.answer(), HttpTarget.redacted(delivery.reason(), headers));
  }

  private Delivery deliver(
      byte[] body, boolean packed, boolean answered, Map<String, String> headers)
      throws InterruptedException {
    EventSocket current = socket;
    if (current != null && current.isUsable(headers)) {
      return body.length > EventSocket.MAX_MESSAGE_BYTES
          ? post(body, packed, headers)
          : current.deliver(body, answered);
    }
    drop(current);
    if (refusedNanos != null && nanos.getAsLong() - refusedNanos < POSTING.toNanos()) {
      return post(body, packed, headers);
    }
    refusedNanos = null;
    EventSocket opened = new EventSocket(requestTimeout, patience, nanos, headers);
    try {
      opened.open(target);
    } catch (EventSocket.NotOpenedException e) {
      opened.close();
      return e.isUnreachable() ? Delivery.retry(reason(e)) : postInstead(body, packed, headers, e);
    }
    socket = opened;
    if (closed) {
      opened.close();
    }
    return deliver(body, packed, answered, headers);
  }

  private static String reason(Exception e) {
    return String.valueOf(e.getMessage());
  }

  private void drop(@Nullable EventSocket old) {
    socket = null;
    if (old != null) {
      old.close();
    }
  }

  /** Records that the server does not accept sockets once it has responded to a POST. */
  private Delivery postInstead(
      byte[] body, boolean packed, Map<String, String> headers, EventSocket.NotOpenedException why)
      throws InterruptedException {
    Delivery delivery = post(body, packed, headers);
    if (delivery.answer() != Answer.RETRY) {
      refusedNanos = nanos.getAsLong();
      LOGGER.log(
          System.Logger.Level.INFO,
          "no streaming connection to {0} ({1}): events are sent in single requests, and the node"
              + " does not slow down while it is idle",
          target(),
          HttpTarget.redacted(reason(why), headers));
    }
    return delivery;
  }

  private Delivery post(byte[] body, boolean packed, Map<String, String> headers)
      throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(target.events).header("Content-Type", EventBlockCodec.CONTENT_TYPE);
    headers.forEach(request::setHeader);
    if (packed) {
      request.header("Content-Encoding", "gzip");
    }
    request.POST(HttpRequest.BodyPublishers.ofByteArray(body));
    return await(target.client.sendAsync(request.build(), head -> new BoundedBody()));
  }

  /**
   * Waits with a timeout, because the client's own timeout ends with the headers, and a body that
   * never ends would block.
   */
  private Delivery await(CompletableFuture<HttpResponse<String>> answer)
      throws InterruptedException {
    try {
      HttpResponse<String> response = answer.get(patience.millis(), TimeUnit.MILLISECONDS);
      int status = response.statusCode();
      return status >= 300 && status < 400
          ? ServerAnswer.redirect(status, response.headers().firstValue("Location").orElse("?"))
          : ServerAnswer.delivery(status, response.body());
    } catch (TimeoutException e) {
      return Delivery.retry(patience.late());
    } catch (ExecutionException e) {
      return Delivery.retry(failure(e.getCause()));
    } finally {
      answer.cancel(true);
    }
  }

  private static String failure(@Nullable Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException) {
        return "its certificate is not trusted: name the file of its authority in "
            + Credentials.AUTHORITIES
            + "; "
            + failure;
      }
    }
    return String.valueOf(failure);
  }

  private static byte[] gzipped(byte[] body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length / 2);
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(body);
    } catch (IOException e) {
      throw new AssertionError("memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  /**
   * Called by the recorder's thread. Slow while the server reports no live reader; otherwise as
   * fast as the server needs it, unless the service has configured the interval.
   */
  @Override
  public Pace pace(Pace wanted) {
    EventSocket current = socket;
    if (current == null || !current.isOpen()) {
      return wanted;
    }
    if (current.listens()) {
      return wanted.chosen() ? wanted : prompt(wanted, current.listenMillis());
    }
    if (!wanted.equals(configured)) {
      configured = wanted;
      unheard = wanted.atLeast(UNHEARD_GATHERING, UNHEARD_HEARTBEAT);
    }
    return unheard;
  }

  private Pace prompt(Pace wanted, long millis) {
    if (millis != promptMillis) {
      promptMillis = millis;
      prompt = Pace.of(Duration.ofMillis(millis), false);
    }
    boolean isFaster = millis > 0 && prompt.heartbeatNanos() < wanted.heartbeatNanos();
    return isFaster ? prompt : wanted;
  }

  @Override
  public String target() {
    return "the log server at " + target.events;
  }

  @Override
  public void close() {
    closed = true;
    EventSocket current = socket;
    if (current != null) {
      current.close();
    }
  }
}
