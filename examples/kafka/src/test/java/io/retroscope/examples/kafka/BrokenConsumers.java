// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.instrumentation.kafka.HlcConsumerInterceptor;
import io.retroscope.instrumentation.kafka.HlcRebalanceListener;
import io.retroscope.recorder.Recorder;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;

/** Consumers whose hooks are wrong, so that an oracle must fail. */
public final class BrokenConsumers {
  private BrokenConsumers() {}

  /** Carries no stamps from records to its own clock. */
  public static final class Unstamped {
    private Unstamped() {}

    public static void main(String[] args) throws InterruptedException {
      Recorder recorder = Recorder.fromEnvironment();
      OrderConsumer.run(
          OrderConsumer.settings(args[0], recorder.node()),
          args[1],
          recorder,
          new HlcRebalanceListener(recorder.log("group")));
    }
  }

  /** Does not record that partitions are lost. */
  public static final class Forgetful {
    private Forgetful() {}

    public static void main(String[] args) throws InterruptedException {
      Recorder recorder = Recorder.fromEnvironment();
      Map<String, Object> settings = OrderConsumer.settings(args[0], recorder.node());
      settings.put("interceptor.classes", HlcConsumerInterceptor.class.getName());
      HlcRebalanceListener whole = new HlcRebalanceListener(recorder.log("group"));
      OrderConsumer.run(
          settings,
          args[1],
          recorder,
          new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
              whole.onPartitionsAssigned(partitions);
            }

            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
              whole.onPartitionsRevoked(partitions);
            }

            @Override
            public void onPartitionsLost(Collection<TopicPartition> partitions) {}
          });
    }
  }
}
