// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.rql.json.JsonText;
import io.retroscope.server.access.Caller;
import io.retroscope.server.ingest.BadBatchException;
import io.retroscope.server.ingest.BatchReader;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.memory.OverBudgetException;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Latency;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.EventIntake;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.SuspectInputs;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.StoreConflictException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** {@code POST /v1/events}: stores a batch and answers once it is durable. Thread-safe. */
final class EventsEndpoint {
  private static final int BUSY = 503;
  private static final String REFUSED = "The batch was refused";
  private static final long MAX_WAIT_SECONDS = 10;

  private final EventIntake store;
  private final BatchReader reader;
  private final int readerCount;
  private final Semaphore readers;
  private final Metrics metrics;

  /**
   * The endpoint.
   *
   * @param readers batches that are decoded concurrently
   */
  EventsEndpoint(EventIntake store, BatchReader reader, int readers, Metrics metrics) {
    this.store = store;
    this.reader = reader;
    this.readerCount = readers;
    this.readers = new Semaphore(readers);
    this.metrics = metrics;
  }

  int readingCount() {
    return readerCount - readers.availablePermits();
  }

  void post(Context context) {
    RequestBody body = RequestBody.of(context);
    Caller caller = admit(context, body);
    Optional<String> contentType = Optional.ofNullable(context.req().getContentType());
    Optional<String> encoding = Optional.ofNullable(context.header("Content-Encoding"));
    Submission batch = read(contentType, encoding, body.bytes(), body.charge());
    context.contentType("application/json").result(store(batch, caller, body.charge()));
  }

  /**
   * Charges the body of a request to its caller.
   *
   * @throws ProblemException if the caller's quota is exceeded
   */
  Caller admit(Context context, RequestBody body) {
    Caller caller = Gate.caller(context);
    long wait = caller.quota().waitSeconds();
    if (wait > 0) {
      context.header("Retry-After", Long.toString(wait));
    }
    admit(caller, body.bytes().length);
    return caller;
  }

  /**
   * Charges the bytes of a batch to its sender.
   *
   * @throws ProblemException if the sender's quota is exceeded
   */
  void admit(Caller caller, int bytes) {
    long wait = caller.quota().waitSeconds();
    if (wait > 0) {
      throw overdrawn(caller, wait);
    }
    caller.quota().chargeBytes(bytes);
  }

  /**
   * Decodes a batch.
   *
   * @throws ProblemException if it is invalid
   */
  Submission read(
      Optional<String> contentType, Optional<String> encoding, byte[] body, Charge charge) {
    return read(body, () -> reader.read(contentType, encoding, body, charge));
  }

  /**
   * Decodes a body. Few are decoded concurrently, because each may take much memory and time.
   *
   * @throws ProblemException if it is invalid
   */
  <T> T read(byte[] body, Supplier<T> decoder) {
    acquireReader();
    try {
      return decode(body, decoder);
    } catch (SuspectInputs.RefusedException e) {
      throw refused(ProblemException.of(422, REFUSED, String.valueOf(e.getMessage())));
    } catch (OverBudgetException e) {
      throw refused(ProblemException.of(e));
    } catch (BadBatchException e) {
      int status =
          switch (e.kind()) {
            case CONTENT -> 400;
            case TOO_LARGE -> 413;
            case UNSUPPORTED -> 415;
          };
      throw refused(ProblemException.of(status, REFUSED, String.valueOf(e.getMessage())));
    } finally {
      readers.release();
    }
  }

  private <T> T decode(byte[] body, Supplier<T> decoder) throws SuspectInputs.RefusedException {
    SuspectInputs.Decoding decoding = store.suspects().begin(body, "a request");
    try {
      return decoder.get();
    } finally {
      decoding.end();
    }
  }

  /**
   * Stores a batch, charges its events to the caller, and waits until it is durable.
   *
   * @return the answer, an object of JSON
   * @throws ProblemException if it cannot be stored
   */
  String store(Submission batch, Caller caller, Charge charge) {
    try {
      return json(append(batch, caller, charge));
    } catch (StoreConflictException e) {
      throw contradicting(e);
    }
  }

  /**
   * Stores a batch as {@link #store} does.
   *
   * @throws StoreConflictException if it contradicts stored data; nothing of it is stored
   * @throws ProblemException if it cannot be stored for another reason
   */
  Receipt append(Submission batch, Caller caller, Charge charge) {
    try {
      return begin(batch, caller, charge).join();
    } catch (CompletionException e) {
      throw refusal(e);
    }
  }

  /**
   * Begins to store a batch, and charges its events to the caller once it is stored.
   *
   * @param charge as for {@link EventIntake#append}
   * @return completes once it is durable; with a failure, {@link #refusal} is its answer
   * @throws ProblemException if the backlog is full
   */
  CompletableFuture<Receipt> begin(Submission batch, Caller caller, Charge charge) {
    try {
      return metrics
          .timeUntilDone(Latency.INGEST, () -> store.append(batch, charge))
          .thenApply(receipt -> charged(receipt, caller));
    } catch (StoreBusyException e) {
      throw refused(busy(String.valueOf(e.getMessage())));
    }
  }

  private static Receipt charged(Receipt receipt, Caller caller) {
    caller.quota().chargeEvents(receipt.accepted() + receipt.duplicates() + receipt.quarantined());
    return receipt;
  }

  /**
   * The refusal of a batch because of the caller's quota, which allows more after {@code
   * waitSeconds}.
   */
  private ProblemException overdrawn(Caller caller, long waitSeconds) {
    metrics.increment(Count.QUOTA_REFUSED, caller.name());
    return refused(
        ProblemException.of(
            429,
            "The token's quota is used up",
            "%s has sent more than its token allows; try again in %d s"
                .formatted(caller.name(), waitSeconds)));
  }

  /** The refusal of a batch that contradicts stored data. */
  ProblemException contradicting(StoreConflictException conflict) {
    return refused(ProblemException.of(409, REFUSED, String.valueOf(conflict.getMessage())));
  }

  private ProblemException refused(ProblemException problem) {
    metrics.increment(Count.BATCHES_REFUSED);
    return problem;
  }

  /** The answer to a stored batch. */
  static String json(Receipt receipt) {
    return JsonText.object(
        out -> {
          out.writeNumberProperty("accepted", receipt.accepted());
          if (receipt.duplicates() > 0) {
            out.writeNumberProperty("duplicates", receipt.duplicates());
          }
          if (receipt.quarantined() > 0) {
            out.writeNumberProperty("quarantined", receipt.quarantined());
          }
        });
  }

  private void acquireReader() {
    try {
      if (!readers.tryAcquire(MAX_WAIT_SECONDS, TimeUnit.SECONDS)) {
        throw refused(busy("too many batches are being read; try again in a second"));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw refused(busy("the server is shutting down"));
    }
  }

  private static ProblemException busy(String detail) {
    return ProblemException.of(BUSY, "The server is busy", detail);
  }

  /** The answer to a batch that could not be stored: a conflict, a problem, or another failure. */
  RuntimeException refusal(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    Throwable reason = cause == null ? failure : cause;
    String detail = String.valueOf(reason.getMessage());
    if (reason instanceof StoreConflictException conflict) {
      return conflict;
    }
    if (reason instanceof StoreBusyException) {
      return refused(busy(detail));
    }
    if (reason instanceof StoreException) {
      return refused(ProblemException.of(507, "The batch could not be stored", detail));
    }
    return new IllegalStateException("an unexpected failure of the store", reason);
  }
}
