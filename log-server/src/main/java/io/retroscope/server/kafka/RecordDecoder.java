// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.event.EventBlockCodec;
import io.retroscope.server.ingest.BadBatchException;
import io.retroscope.server.ingest.BatchReader;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.memory.OverBudgetException;
import io.retroscope.server.store.RejectedInput;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.SuspectInputs;
import io.retroscope.server.store.disk.StoreException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Decodes a topic's records into frames, and keeps aside those that can never be stored. */
final class RecordDecoder {
  private final String topic;
  private final RejectedInput rejected;
  private final SuspectInputs suspects;
  private final SkippedRecords skipped;

  RecordDecoder(
      String topic, RejectedInput rejected, SuspectInputs suspects, SkippedRecords skipped) {
    this.topic = topic;
    this.suspects = suspects;
    this.rejected = rejected;
    this.skipped = skipped;
  }

  /** The frames of a record, or the reason why it is refused; both empty if it is foreign. */
  record Decoded(List<EncodedFrame> frames, Optional<String> refusal) {}

  /**
   * The frames of a record; empty if it contains no valid ones, which is logged.
   *
   * @param charge is enlarged for the frames before they are decoded
   * @throws StoreException if it contains damaged ones that cannot be kept
   * @throws OverBudgetException if there is currently no memory for them
   */
  List<EncodedFrame> frames(ConsumerRecord<byte[], byte[]> record, Charge charge) {
    boolean alone = charge.bytes() == 0;
    Decoded decoded;
    try {
      decoded = decode(record, charge);
    } catch (HeldRecordException e) {
      decoded = refused(record, String.valueOf(e.getMessage()));
    } catch (OverBudgetException e) {
      if (!e.isLasting() || !alone) {
        throw e;
      }
      decoded = refused(record, String.valueOf(e.getMessage()));
    }
    return decoded.frames();
  }

  /**
   * Decodes a record; what it does depends on nothing but the record, unless it throws.
   *
   * @param charge is enlarged for the frames before they are decoded
   * @throws HeldRecordException if the process ended twice while it was decoded
   * @throws StoreException if it contains damaged frames that cannot be kept
   * @throws OverBudgetException if there is no memory for them here
   */
  Decoded decode(ConsumerRecord<byte[], byte[]> record, Charge charge) {
    byte[] value = record.value();
    String reason = "it is empty";
    try {
      List<EncodedFrame> frames = value == null ? List.of() : decode(record, value, charge);
      if (!frames.isEmpty()) {
        return new Decoded(frames, Optional.empty());
      }
    } catch (BadBatchException e) {
      reason = String.valueOf(e.getMessage());
    } catch (SuspectInputs.RefusedException e) {
      throw new HeldRecordException(record.offset(), String.valueOf(e.getMessage()), e);
    } catch (OverBudgetException | StoreException e) {
      throw e;
    } catch (RuntimeException e) {
      // No record may end the reading, whatever its effect on the decoder.
      reason = String.valueOf(e);
    }
    return refused(record, reason);
  }

  private Decoded refused(ConsumerRecord<byte[], byte[]> record, String reason) {
    byte[] value = record.value();
    if (value != null && EventBlockCodec.isFrame(value)) {
      reject(record.partition(), record.offset(), value, reason);
      return new Decoded(List.of(), Optional.of(reason));
    }
    skipped.foreign(record.partition(), record.offset(), reason);
    return new Decoded(List.of(), Optional.empty());
  }

  private List<EncodedFrame> decode(
      ConsumerRecord<byte[], byte[]> record, byte[] value, Charge charge)
      throws SuspectInputs.RefusedException {
    String origin = "offset %d of partition %d".formatted(record.offset(), record.partition());
    SuspectInputs.Decoding decoding = suspects.begin(value, origin);
    try {
      return BatchReader.frames(value, charge);
    } finally {
      decoding.end();
    }
  }

  /**
   * Keeps a record that can never be stored; must be called before its position is stored.
   *
   * @throws StoreException if it cannot be kept
   */
  void reject(int partition, long offset, byte[] value, String reason) {
    Path file =
        rejected.keep(
            "kafka-%s-%d-%d".formatted(topic, partition, offset),
            value,
            "topic %s, partition %d, offset %d: %s".formatted(topic, partition, offset, reason));
    skipped.refused(partition, offset, reason + "; kept as " + file);
  }
}
