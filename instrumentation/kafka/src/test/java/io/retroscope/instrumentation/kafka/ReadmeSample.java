// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import io.retroscope.recorder.Recorder;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;

/** The code of the module's README, which a test looks up here. */
final class ReadmeSample {
  private ReadmeSample() {}

  static void intercept(
      Map<String, Object> producerSettings, Map<String, Object> consumerSettings) {
    producerSettings.put("interceptor.classes", HlcProducerInterceptor.class.getName());
    consumerSettings.put("interceptor.classes", HlcConsumerInterceptor.class.getName());
  }

  static void subscribe(Consumer<?, ?> consumer, Collection<String> topics, Recorder recorder) {
    consumer.subscribe(topics, new HlcRebalanceListener(recorder.log("group")));
  }

  static Recorder recorder() {
    KafkaSink sink = KafkaSink.builder("broker1:9092,broker2:9092").topic("retroscope").build();
    Recorder recorder = Recorder.builder().node("zk1").sink(sink).build();
    return recorder;
  }
}
