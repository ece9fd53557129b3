package io.retroscope.instrumentation.kafka;

import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Recorder;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Puts the stamp of its send event on every record that a producer sends, in the header {@code
 * x-hlc}: 8 bytes. Thread-safe.
 *
 * <p>Kafka makes interceptors by class name; the recorder is the instance under {@link
 * HlcRecorderSetting#RECORDER} in the client's settings, or else the process's shared one.
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
   * Replaces a stamp that is there already: a record that is forwarded is sent anew.
   *
   * <p>HAZARD: a record whose headers are read-only (it was sent before) leaves as it is.
   */
  @Override
  public ProducerRecord<K, V> onSend(ProducerRecord<K, V> record) {
    if (recorder != null) {
      try {
        record.headers().remove(HlcContext.HEADER);
        record.headers().add(HlcContext.HEADER, HlcContext.toBytes(recorder.send("")));
      } catch (IllegalStateException readOnly) {
        // Its first stamp is still on it, and is below every receive.
      }
    }
    return record;
  }

  @Override
  public void onAcknowledgement(@Nullable RecordMetadata metadata, @Nullable Exception exception) {}

  @Override
  public void close() {}
}
