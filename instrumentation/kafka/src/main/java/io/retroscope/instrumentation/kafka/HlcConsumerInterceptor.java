// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Ingress;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * A consumer interceptor that records a receive event for every record with a stamp, before {@code
 * poll} returns it. A consumer owns its interceptor, so one thread uses it. {@link
 * HlcRecorderSetting#TRUST} can disable following stamps.
 *
 * <p>Each record costs one stamp and one event, in the thread that polls, and waits for nothing. A
 * stamp that cannot be read is treated as absent.
 *
 * @param <K> the records' key
 * @param <V> the records' value
 */
public final class HlcConsumerInterceptor<K, V> implements ConsumerInterceptor<K, V> {
  private @Nullable Ingress ingress;

  @Override
  public void configure(Map<String, ?> settings) {
    ingress = HlcRecorderSetting.ingress(settings);
  }

  @Override
  public ConsumerRecords<K, V> onConsume(ConsumerRecords<K, V> records) {
    Ingress entrance = ingress;
    if (entrance != null) {
      for (ConsumerRecord<K, V> record : records) {
        Header header = record.headers().lastHeader(HlcContext.HEADER);
        if (header != null) {
          HlcContext.fromBytes(header.value()).ifPresent(entrance::receive);
        }
      }
    }
    return records;
  }

  @Override
  public void onCommit(Map<TopicPartition, OffsetAndMetadata> positions) {}

  @Override
  public void close() {}
}
