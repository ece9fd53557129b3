// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.server.kafka.EventTopic.Query;
import io.retroscope.server.kafka.TopicProbe.ProbeException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Tests of the first queries of a topic, of brokers that answer late or never. */
class EventTopicTest {
  private int queries;

  /** A query that fails a number of times. */
  private Query<String> failing(KafkaFault.Kind kind, int times) {
    return () -> {
      if (queries++ < times) {
        throw new ProbeException(new KafkaFault(kind, "a sentence"), new TimeoutException());
      }
      return "the topic";
    };
  }

  @Test
  void start_brokerThatAnswersLate_waitsForIt() throws Exception {
    int late = EventTopic.START_ATTEMPTS - 1;
    assertThat(EventTopic.patiently(failing(KafkaFault.Kind.UNREACHABLE, late)))
        .isEqualTo("the topic");
  }

  @Test
  void start_brokerThatNeverAnswers_endsWithItsSentence() {
    assertThatThrownBy(
            () -> EventTopic.patiently(failing(KafkaFault.Kind.UNREACHABLE, Integer.MAX_VALUE)))
        .isInstanceOf(ProbeException.class)
        .hasMessage("a sentence");
    assertThat(queries).isEqualTo(EventTopic.START_ATTEMPTS);
  }

  @Test
  void start_settingThatMustBeChanged_isRefusedAtOnce() {
    assertThatThrownBy(() -> EventTopic.patiently(failing(KafkaFault.Kind.REFUSED, 1)))
        .isInstanceOf(ProbeException.class);
    assertThat(queries).isEqualTo(1);
  }
}
