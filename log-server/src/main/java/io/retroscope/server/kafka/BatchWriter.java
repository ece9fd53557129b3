// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.server.kafka.Health.Part;
import io.retroscope.server.kafka.ReadBatch.Entry;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.disk.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Submits batches of records to the store and retries until they are stored. If the store refuses a
 * batch permanently, its records are submitted one by one and the refused ones are kept aside. Used
 * by the reading thread.
 */
final class BatchWriter {
  private final EventStore store;
  private final IngestState state;
  private final RecordDecoder decoder;
  private final long pauseMillis;

  /** A submission that the store refuses permanently. */
  private static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String reason, Throwable cause) {
      super(reason, cause);
    }
  }

  /**
   * A writer.
   *
   * @param pauseMillis the pause between attempts while the store is unable to accept anything
   */
  BatchWriter(EventStore store, IngestState state, RecordDecoder decoder, long pauseMillis) {
    this.store = store;
    this.state = state;
    this.decoder = decoder;
    this.pauseMillis = pauseMillis;
  }

  /** Submits a batch; the answer is for {@link #finish}. */
  CompletableFuture<Receipt> begin(ReadBatch batch, String sourcePrefix) {
    return append(batch.submission(sourcePrefix), batch.charge());
  }

  /**
   * Waits until a batch is stored, except for records that contradict stored data, which are kept
   * aside.
   *
   * @throws WakeupException if the server closes meanwhile
   */
  void finish(ReadBatch batch, CompletableFuture<Receipt> answer, String sourcePrefix) {
    try {
      Receipt unused = await(answer, batch.submission(sourcePrefix), batch.charge());
    } catch (RefusedException e) {
      storeOneByOne(batch, sourcePrefix);
    }
  }

  private CompletableFuture<Receipt> append(Submission submission, Charge charge) {
    try {
      return store.append(submission, charge);
    } catch (StoreBusyException | StoreException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void storeOneByOne(ReadBatch batch, String sourcePrefix) {
    for (Entry entry : batch.entries()) {
      try {
        Receipt unused = store(ReadBatch.submission(sourcePrefix, entry), batch.charge());
      } catch (RefusedException e) {
        decoder.reject(
            entry.partition(), entry.offset(), entry.value(), String.valueOf(e.getMessage()));
      }
    }
    try {
      store(batch.positions(sourcePrefix), batch.charge());
    } catch (RefusedException e) {
      throw new AssertionError("the store refuses a position", e);
    }
  }

  private Receipt store(Submission submission, Charge charge) throws RefusedException {
    return await(append(submission, charge), submission, charge);
  }

  /** Waits until a submission is stored, and repeats it while the store is unable to accept it. */
  private Receipt await(CompletableFuture<Receipt> first, Submission submission, Charge charge)
      throws RefusedException {
    CompletableFuture<Receipt> answer = first;
    while (true) {
      try {
        Receipt receipt = answer.join();
        state.health.well(Part.STORE);
        return receipt;
      } catch (CompletionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        if (cause instanceof Error error) {
          // Not a statement about the records.
          throw error;
        }
        if (!(cause instanceof StoreException || cause instanceof StoreBusyException)) {
          throw new RefusedException(String.valueOf(cause.getMessage()), cause);
        }
        state.health.trouble(Part.STORE, String.valueOf(cause.getMessage()));
      }
      if (state.closesWithin(pauseMillis)) {
        throw new WakeupException();
      }
      answer = append(submission, charge);
    }
  }
}
