// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Descriptions of Kafka's failures, in one sentence that names the relevant setting and contains no
 * secret.
 */
final class KafkaFailure {
  private static final int MAX_DEPTH = 8;

  private KafkaFailure() {}

  /** Whether a retry is useless, because the broker never accepts a record of that size. */
  static boolean isTooLarge(Throwable failure) {
    List<Throwable> chain = chain(failure);
    return has(chain, RecordTooLargeException.class)
        || has(chain, RecordBatchTooLargeException.class);
  }

  /** Whether the same producer may succeed later. */
  static boolean isRetriable(Throwable failure) {
    return has(chain(failure), RetriableException.class);
  }

  /** Whether no broker's name could be resolved. */
  static boolean isUnresolved(Throwable failure) {
    return find(chain(failure), ConfigException.class)
        .filter(e -> String.valueOf(e.getMessage()).startsWith("No resolvable bootstrap urls"))
        .isPresent();
  }

  /**
   * The exception for settings of which no producer can be created. It has no cause, because a
   * cause could quote a secret.
   */
  static IllegalArgumentException refusal(Throwable failure, String topic) {
    return new IllegalArgumentException("Kafka's producer cannot start: " + of(failure, topic));
  }

  static String of(Throwable failure, String topic) {
    List<Throwable> chain = chain(failure);
    Optional<SslAuthenticationException> tls = find(chain, SslAuthenticationException.class);
    if (tls.isPresent()) {
      return "the TLS handshake with the broker fails: check ssl.truststore.*, ssl.keystore.* and"
          + " ssl.endpoint.identification.algorithm ("
          + tls.get().getMessage()
          + ")";
    }
    if (has(chain, AuthenticationException.class)) {
      return "the broker does not accept the credentials: check security.protocol and sasl.*";
    }
    if (has(chain, AuthorizationException.class)) {
      return "no permission to write to topic \"" + topic + "\": check the broker's access rules";
    }
    if (has(chain, UnknownTopicOrPartitionException.class)
        || has(chain, InvalidTopicException.class)) {
      return "there is no topic \"" + topic + "\": create it, or check the topic setting";
    }
    if (isTooLarge(failure)) {
      return "a block is larger than the broker accepts: raise max.message.bytes of topic \""
          + topic
          + "\"";
    }
    if (has(chain, TimeoutException.class)) {
      return "no broker answers in time: check bootstrap.servers and security.protocol";
    }
    if (isUnresolved(failure)) {
      return "no broker's name can be resolved: check bootstrap.servers";
    }
    return ofSettings(chain);
  }

  private static String ofSettings(List<Throwable> chain) {
    Optional<ConfigException> config = find(chain, ConfigException.class);
    if (config.isPresent()) {
      return String.valueOf(config.get().getMessage());
    }
    Throwable root = chain.get(chain.size() - 1);
    for (Throwable each : chain) {
      String message = String.valueOf(each.getMessage());
      if (message.contains("JAAS config")) {
        return "sasl.jaas.config cannot be parsed: use the form"
            + " 'org.apache.kafka.common.security.plain.PlainLoginModule required"
            + " username=\"...\" password=\"...\";'";
      }
      if (message.startsWith("Failed to load SSL") || message.contains("PEM")) {
        return "check ssl.truststore.* and ssl.keystore.*: %s: %s"
            .formatted(message, root.getMessage());
      }
    }
    return root.getClass().getSimpleName() + ": " + root.getMessage();
  }

  private static List<Throwable> chain(Throwable failure) {
    List<Throwable> chain = new ArrayList<>();
    for (Throwable each = failure; each != null && chain.size() < MAX_DEPTH; ) {
      chain.add(each);
      each = each.getCause();
    }
    return chain;
  }

  private static boolean has(List<Throwable> chain, Class<? extends Throwable> type) {
    return find(chain, type).isPresent();
  }

  private static <T extends Throwable> Optional<T> find(List<Throwable> chain, Class<T> type) {
    return chain.stream().filter(type::isInstance).map(type::cast).findFirst();
  }
}
