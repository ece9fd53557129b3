// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.kafka.KafkaFault.Use;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;

/** Tests that the explanation of a failure names what an operator must change. */
class KafkaFaultTest {
  private static final KafkaOptions OPTIONS =
      KafkaOptions.of(Map.of("bootstrap.servers", "127.0.0.1:9092"), "t");

  private static String sentence(Exception failure, Use use) {
    return KafkaFault.of(new ExecutionException(failure), OPTIONS, use).sentence();
  }

  @Test
  void missingRight_ofATopic_isTheOneOfItsUse() {
    TopicAuthorizationException refused = new TopicAuthorizationException("t");
    String rest = " in the broker's access rules, or check sasl.*";
    assertThat(sentence(refused, Use.READ))
        .isEqualTo("no right to read topic \"t\": allow READ and DESCRIBE" + rest);
    assertThat(sentence(refused, Use.WRITE))
        .isEqualTo("no right to write topic \"t\": allow WRITE" + rest);
    assertThat(sentence(refused, Use.CREATE))
        .isEqualTo("no right to create topic \"t\": allow CREATE and DESCRIBE" + rest);
    assertThat(sentence(refused, Use.SETTINGS))
        .isEqualTo("no right to read the settings of topic \"t\": allow DESCRIBE_CONFIGS" + rest);
    assertThat(sentence(new ClusterAuthorizationException("refused"), Use.WRITE))
        .startsWith("no right to write topic");
  }

  @Test
  void missingRight_ofSomethingElse_isNotThatOfTheTopic() {
    assertThat(sentence(GroupAuthorizationException.forGroupId("retroscope-t"), Use.READ))
        .startsWith("no right to use consumer group \"retroscope-t\": allow READ in");
    assertThat(
            sentence(
                new KafkaException(new TransactionalIdAuthorizationException("refused")),
                Use.WRITE))
        .startsWith("no right to use the transactional id: allow WRITE and DESCRIBE in");
  }

  @Test
  void brokers_tooOld_areNamed() {
    assertThat(sentence(new UnsupportedVersionException("no API 75"), Use.READ))
        .isEqualTo("the brokers at 127.0.0.1:9092 are too old for this program: no API 75");
  }
}
