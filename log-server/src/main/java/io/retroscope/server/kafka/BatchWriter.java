// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.kafka.Health.Part;
import io.retroscope.server.kafka.ReadBatch.Entry;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.StoreConflictException;
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
  private final Policy policy;
  private final long pauseMillis;

  /** How records are treated that the store refuses. */
  enum Policy {
    /** They are kept aside. */
    SKIP,
    /**
     * They are kept aside, and every answer says so, unless another server may store them: all
     * stores of a topic have the same events.
     */
    STATE
  }

  /** A submission that the store refuses permanently. */
  private static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(Throwable cause) {
      super(String.valueOf(cause.getMessage()), cause);
    }

    boolean isOfThisServer() {
      return getCause() instanceof StoreConflictException conflict && conflict.isOfThisServer();
    }
  }

  /**
   * A writer.
   *
   * @param policy for records that the store refuses
   * @param pauseMillis the pause between attempts while the store is unable to accept anything
   */
  BatchWriter(
      EventStore store, IngestState state, RecordDecoder decoder, Policy policy, long pauseMillis) {
    this.store = store;
    this.state = state;
    this.decoder = decoder;
    this.policy = policy;
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
   * @throws HeldRecordException if another server may store one that this one refuses; the records
   *     before it are stored
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

  /** The reasons come first: they are about records before those whose positions are stored. */
  private void storeOneByOne(ReadBatch batch, String sourcePrefix) {
    storeSurely(batch.reasonsAlone(), batch.charge());
    for (Entry entry : batch.entries()) {
      try {
        Receipt unused = store(ReadBatch.submission(sourcePrefix, entry), batch.charge());
      } catch (RefusedException e) {
        String reason = String.valueOf(e.getMessage());
        if (isHeld(e)) {
          throw new HeldRecordException(entry.offset(), reason, e);
        }
        refuse(entry, reason, sourcePrefix, batch.charge());
      }
    }
    storeSurely(batch.positions(sourcePrefix), batch.charge());
  }

  private boolean isHeld(RefusedException refusal) {
    return policy == Policy.STATE && refusal.isOfThisServer();
  }

  /** The reason is stored with the position, so that no answer from there on is without it. */
  private void refuse(Entry entry, String reason, String sourcePrefix, Charge charge) {
    decoder.reject(entry.partition(), entry.offset(), entry.value(), reason);
    if (policy == Policy.STATE) {
      Incompleteness stated =
          RefusedRecord.of(entry.partition(), entry.offset(), entry.frames(), reason);
      storeSurely(ReadBatch.refusal(sourcePrefix, entry, stated), charge);
    }
  }

  /**
   * Waits until what a record says is stored, which contradicts nothing.
   *
   * @throws HeldRecordException if another server may store it, and this one refuses it
   * @throws WakeupException if the server closes meanwhile
   */
  void storeWhole(long offset, Submission submission, Charge charge) {
    try {
      Receipt unused = store(submission, charge);
    } catch (RefusedException e) {
      if (isHeld(e)) {
        throw new HeldRecordException(offset, String.valueOf(e.getMessage()), e);
      }
      throw new AssertionError("the store refuses " + submission, e);
    }
  }

  /** Waits until a submission is stored that has no events. */
  private void storeSurely(Submission submission, Charge charge) {
    try {
      Receipt unused = store(submission, charge);
    } catch (RefusedException e) {
      throw new AssertionError("the store refuses " + submission, e);
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
          throw new RefusedException(cause);
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
