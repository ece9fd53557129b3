package io.retroscope.sink;

import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Sends blocks to a log server over HTTP. Thread-safe.
 *
 * <p>A block is kept until the server has acknowledged it and sent again until then, with growing
 * pauses. While the server is away, blocks wait in memory, then on disk if there is a spill
 * directory, and when that is full too the oldest make room and are declared lost to the server. A
 * block that the server refuses for good is counted, logged and not sent again.
 */
public final class HttpSink implements EventSink {
  /** Where a log server listens by default. */
  public static final URI DEFAULT_SERVER = URI.create("http://127.0.0.1:7340");

  private static final System.Logger LOGGER = System.getLogger(HttpSink.class.getName());
  private static final String PATH = "/v1/events";
  private static final int MAX_BATCH_BYTES = 1 << 20;
  private static final int MIN_GZIP_BYTES = 1_024;
  private static final long IDLE_NANOS = 1_000_000_000;

  private final URI target;
  private final boolean gzip;
  private final Duration requestTimeout;
  private final Duration closeTimeout;
  private final HttpClient client;
  private final Backoff backoff;
  private final Outbox outbox;
  private final Thread sender;
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile boolean stopped;

  private final LongAdder delivered = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder retries = new LongAdder();

  /** How many parcels are sent one by one, to find the one that the server refuses. */
  private int singles;

  /** What came of a request. */
  private enum Answer {
    DELIVERED,
    /** The server will never take it. */
    REFUSED,
    /** The server has another block under that number. */
    CONFLICT,
    /** Not now. */
    RETRY
  }

  HttpSink(HttpSinkBuilder builder) {
    target = builder.server.resolve(PATH);
    gzip = builder.gzip;
    requestTimeout = builder.requestTimeout;
    closeTimeout = builder.closeTimeout;
    client = HttpClient.newBuilder().connectTimeout(requestTimeout).build();
    backoff =
        new Backoff(builder.firstBackoff.toMillis(), builder.maxBackoff.toMillis(), builder.random);
    outbox = new Outbox(builder.maxMemoryBytes, openSpill(builder), builder.nanos);
    sender = new Thread(this::sendAll, "retroscope-http-sink");
    sender.setDaemon(true);
    sender.start();
  }

  private static @Nullable SpillFiles openSpill(HttpSinkBuilder builder) {
    try {
      return builder.spillDirectory == null
          ? null
          : new SpillFiles(builder.spillDirectory, builder.maxSpillBytes);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot spill into " + builder.spillDirectory, e);
    }
  }

  /** A builder for a sink that sends to {@link #DEFAULT_SERVER} until told otherwise. */
  public static HttpSinkBuilder builder() {
    return new HttpSinkBuilder();
  }

  @Override
  public void accept(EventBlock block) {
    if (block.number() < 1) {
      throw new IllegalArgumentException("not a block of a recorder's making: " + block);
    }
    if (stopped) {
      throw new IllegalStateException("the sink to " + target + " is closed");
    }
    outbox.offer(block);
  }

  private void sendAll() {
    try {
      while (!stopped) {
        List<Parcel> parcels = outbox.take(singles > 0 ? 1 : MAX_BATCH_BYTES, IDLE_NANOS);
        List<Parcel> batch = singles > 0 && parcels.size() > 1 ? parcels.subList(0, 1) : parcels;
        byte[] heartbeat = batch.size() == parcels.size() ? outbox.takeHeartbeat() : null;
        if (!batch.isEmpty() || heartbeat != null) {
          settle(batch, post(body(batch, heartbeat)));
        } else if (closing.get()) {
          return;
        }
      }
    } catch (InterruptedException e) {
      // Only close() interrupts this thread, and then nobody waits for more.
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOGGER.log(System.Logger.Level.ERROR, "the sender to " + target + " has failed", e);
    }
  }

  private static byte[] body(List<Parcel> parcels, byte @Nullable [] heartbeat) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    parcels.forEach(parcel -> body.writeBytes(parcel.bytes()));
    if (heartbeat != null) {
      body.writeBytes(heartbeat);
    }
    return body.toByteArray();
  }

  private void settle(List<Parcel> batch, Answer answer) throws InterruptedException {
    switch (answer) {
      case DELIVERED -> {
        delivered.add(batch.size());
        singles = Math.max(0, singles - batch.size());
        outbox.delivered(batch.size());
        recovered();
      }
      case REFUSED, CONFLICT -> {
        recovered();
        if (batch.size() > 1) {
          singles = batch.size();
        } else if (batch.size() == 1) {
          singles = Math.max(0, singles - 1);
          refused.increment();
          outbox.refused(answer == Answer.REFUSED);
        }
      }
      case RETRY -> {
        retries.increment();
        outbox.pause(backoff.nextMillis());
      }
    }
  }

  private void recovered() {
    if (backoff.failures() > 0) {
      LOGGER.log(System.Logger.Level.INFO, "the log server at " + target + " answers again");
      backoff.reset();
    }
  }

  private Answer post(byte[] body) throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(target)
            .timeout(requestTimeout)
            .header("Content-Type", EventBlockCodec.CONTENT_TYPE);
    boolean compress = gzip && body.length >= MIN_GZIP_BYTES;
    if (compress) {
      request.header("Content-Encoding", "gzip");
    }
    HttpRequest.BodyPublisher publisher =
        HttpRequest.BodyPublishers.ofByteArray(compress ? gzipped(body) : body);
    try {
      HttpResponse<String> response =
          client.send(request.POST(publisher).build(), HttpResponse.BodyHandlers.ofString());
      return answer(response);
    } catch (IOException e) {
      failed(e.toString());
      return Answer.RETRY;
    }
  }

  private Answer answer(HttpResponse<String> response) {
    int status = response.statusCode();
    if (status >= 200 && status < 300) {
      return Answer.DELIVERED;
    }
    boolean forGood = status == 400 || status == 409 || status == 413 || status == 422;
    if (!forGood) {
      failed("status " + status);
      return Answer.RETRY;
    }
    String text = response.body();
    LOGGER.log(
        System.Logger.Level.WARNING,
        "the log server at {0} refuses events with status {1}: {2}",
        target,
        status,
        text.length() <= 500 ? text : text.substring(0, 500) + "...");
    return status == 409 ? Answer.CONFLICT : Answer.REFUSED;
  }

  private void failed(String reason) {
    if (backoff.failures() == 0) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          "the log server at {0} does not take events ({1}); trying again",
          target,
          reason);
    }
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

  @Override
  public boolean flush(Duration timeout) {
    return outbox.flush(timeout.toNanos());
  }

  @Override
  public boolean keepsUndelivered() {
    return outbox.isKept();
  }

  /**
   * Goes on delivering for up to the close timeout. What is left then stays in the spill for the
   * next process, or is lost.
   */
  @Override
  public void close() {
    if (!closing.compareAndSet(false, true)) {
      return;
    }
    outbox.startClosing();
    try {
      sender.join(Math.max(1, closeTimeout.toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    stopped = true;
    sender.interrupt();
    outbox.close();
  }

  /** Blocks and notices of loss that the server has acknowledged. */
  public long deliveredCount() {
    return delivered.sum();
  }

  /** Blocks that the server refused for good. */
  public long refusedCount() {
    return refused.sum();
  }

  /** Requests that failed and were or will be sent again. */
  public long retryCount() {
    return retries.sum();
  }

  /** Events in blocks that were discarded, refused, or undelivered at the end without a spill. */
  public long lostEventCount() {
    return outbox.lostEventCount();
  }
}
