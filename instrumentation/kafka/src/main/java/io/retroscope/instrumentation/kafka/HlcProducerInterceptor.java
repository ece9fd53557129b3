// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Recorder;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * A producer interceptor that adds the stamp of its send event to every record, in the header
 * {@code x-hlc}: 8 bytes. Thread-safe.
 *
 * <p>Kafka creates interceptors by class name; the recorder is the instance under {@link
 * HlcRecorderSetting#RECORDER} in the client's settings, otherwise the process's shared one.
 *
 * <p>Each record costs one stamp, one event and 15 bytes, in the thread that sends it, and waits
 * for nothing. Without a usable recorder, records are sent unchanged.
 *
 * @param <K> the records' key
 * @param <V> the records' value
 */
public final class HlcProducerInterceptor<K, V> implements ProducerInterceptor<K, V> {
  private @Nullable Recorder recorder;

  @Override
  public void configure(Map<String, ?> settings) {
    recorder = HlcRecorderSetting.from(settings);
  }

  /**
   * Replaces an existing stamp, because a forwarded record is sent again.
   *
   * <p>HAZARD: a record whose headers are read-only (it was sent before) is sent unchanged.
   */
  @Override
  public ProducerRecord<K, V> onSend(ProducerRecord<K, V> record) {
    if (recorder != null) {
      try {
        record.headers().remove(HlcContext.HEADER);
        record.headers().add(HlcContext.HEADER, HlcContext.toBytes(recorder.send("")));
      } catch (IllegalStateException readOnly) {
        // Its first stamp is still present, and is below every receive.
      }
    }
    return record;
  }

  @Override
  public void onAcknowledgement(@Nullable RecordMetadata metadata, @Nullable Exception exception) {}

  @Override
  public void close() {}
}
