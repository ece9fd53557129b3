package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.server.ingest.BadBatchException;
import io.retroscope.server.ingest.BatchReader;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Latency;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.StoreConflictException;
import io.retroscope.server.store.StoreException;
import io.retroscope.server.store.Submission;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** {@code POST /v1/events}: takes a batch and answers once it is durable. Thread-safe. */
final class EventsEndpoint {
  private static final int BUSY = 503;
  private static final String REFUSED = "The batch was refused";
  private static final long MAX_WAIT_SECONDS = 10;

  private final EventStore store;
  private final BatchReader reader;
  private final int readerCount;
  private final Semaphore readers;
  private final Metrics metrics;

  /**
   * The endpoint.
   *
   * @param readers batches that are read, and so held in memory, at the same time
   */
  EventsEndpoint(EventStore store, BatchReader reader, int readers, Metrics metrics) {
    this.store = store;
    this.reader = reader;
    this.readerCount = readers;
    this.readers = new Semaphore(readers);
    this.metrics = metrics;
  }

  int readingCount() {
    return readerCount - readers.availablePermits();
  }

  void post(Context context) throws IOException {
    try {
      Submission batch = readBody(context);
      context.contentType("application/json").result("{" + store(batch) + "}");
    } catch (ProblemException e) {
      if (e.status() == BUSY) {
        context.header("Retry-After", "1");
      }
      throw e;
    }
  }

  /** Few bodies are read at a time: each may be long, and slow to come. */
  private Submission readBody(Context context) throws IOException {
    acquireReader();
    try (InputStream body = context.req().getInputStream()) {
      return read(
          Optional.ofNullable(context.req().getContentType()),
          Optional.ofNullable(context.header("Content-Encoding")),
          body);
    } finally {
      readers.release();
    }
  }

  /**
   * Reads a batch.
   *
   * @throws ProblemException if it is none
   * @throws IOException if the sender broke off
   */
  Submission read(Optional<String> contentType, Optional<String> contentEncoding, InputStream body)
      throws IOException {
    try {
      return reader.read(contentType, contentEncoding, body);
    } catch (BadBatchException e) {
      int status =
          switch (e.kind()) {
            case CONTENT -> 400;
            case TOO_LARGE -> 413;
            case UNSUPPORTED -> 415;
          };
      throw refused(ProblemException.of(status, REFUSED, String.valueOf(e.getMessage())));
    }
  }

  /**
   * Stores a batch and waits until it is durable.
   *
   * @return the answer's fields, as JSON
   * @throws ProblemException if it cannot be stored
   */
  String store(Submission batch) {
    try {
      Receipt receipt = metrics.time(Latency.INGEST, () -> store.append(batch).join());
      return json(receipt);
    } catch (StoreBusyException e) {
      throw refused(busy(String.valueOf(e.getMessage())));
    } catch (CompletionException e) {
      throw refusal(e.getCause() == null ? e : e.getCause());
    }
  }

  private ProblemException refused(ProblemException problem) {
    metrics.increment(Count.BATCHES_REFUSED);
    return problem;
  }

  private static String json(Receipt receipt) {
    StringBuilder json = new StringBuilder("\"accepted\":").append(receipt.accepted());
    if (receipt.duplicates() > 0) {
      json.append(",\"duplicates\":").append(receipt.duplicates());
    }
    if (receipt.quarantined() > 0) {
      json.append(",\"quarantined\":").append(receipt.quarantined());
    }
    return json.toString();
  }

  private void acquireReader() {
    try {
      if (!readers.tryAcquire(MAX_WAIT_SECONDS, TimeUnit.SECONDS)) {
        throw refused(busy("too many batches are being read; try again in a second"));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw refused(busy("the server is going down"));
    }
  }

  private static ProblemException busy(String detail) {
    return ProblemException.of(BUSY, "The server is busy", detail);
  }

  private RuntimeException refusal(Throwable reason) {
    String detail = String.valueOf(reason.getMessage());
    if (reason instanceof StoreConflictException) {
      return refused(ProblemException.of(409, REFUSED, detail));
    }
    if (reason instanceof StoreException) {
      return refused(ProblemException.of(507, "The batch could not be stored", detail));
    }
    return new IllegalStateException("an unexpected failure of the store", reason);
  }
}
