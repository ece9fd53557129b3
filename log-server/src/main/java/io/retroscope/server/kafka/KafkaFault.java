// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * An explanation of a failure of Kafka's clients for operators.
 *
 * @param sentence names the relevant setting, and contains no secret
 */
record KafkaFault(Kind kind, String sentence) {
  private static final int MAX_DEPTH = 8;
  private static final String HIDDEN = "[hidden]";

  enum Kind {
    /** No broker answers; this may resolve itself. */
    UNREACHABLE,
    /** The topic does not exist; it may be created again. */
    MISSING,
    /** A setting or a permission must be changed. */
    REFUSED,
    /** Any other failure. */
    OTHER
  }

  static KafkaFault of(Throwable failure, KafkaOptions options) {
    Throwable root = root(failure);
    KafkaFault fault = describe(root, options);
    return new KafkaFault(fault.kind, withoutSecrets(fault.sentence, options.settings()));
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
      Throwable cause = root.getCause();
      boolean wraps =
          root instanceof ExecutionException
              || root instanceof CompletionException
              || root.getClass() == KafkaException.class;
      if (!wraps || cause == null) {
        return root;
      }
      root = cause;
    }
    return root;
  }

  private static KafkaFault describe(Throwable root, KafkaOptions options) {
    String topic = "\"" + options.topic() + "\"";
    if (root instanceof SslAuthenticationException) {
      return refused(
          "TLS with the broker at %s fails: check security.protocol and ssl.*: %s"
              .formatted(options.brokers(), root.getMessage()));
    }
    if (root instanceof AuthenticationException) {
      return refused(
          "the broker at %s does not accept the credentials: check security.protocol and sasl.*"
              .formatted(options.brokers()));
    }
    if (root instanceof AuthorizationException) {
      return noRight(options);
    }
    if (root instanceof UnknownTopicOrPartitionException
        || root instanceof UnknownTopicIdException
        || root instanceof InvalidTopicException) {
      return new KafkaFault(
          Kind.MISSING, "there is no topic %s: create it, or check --topic".formatted(topic));
    }
    if (root instanceof TimeoutException || root instanceof DisconnectException) {
      return new KafkaFault(
          Kind.UNREACHABLE,
          "no broker answers at %s: check --kafka (bootstrap.servers) and security.protocol"
              .formatted(options.brokers()));
    }
    if (root instanceof ConfigException) {
      return refused("Kafka refuses a setting: " + root.getMessage());
    }
    return new KafkaFault(
        Kind.OTHER, "Kafka fails: " + root.getClass().getSimpleName() + ": " + root.getMessage());
  }

  static KafkaFault noRight(KafkaOptions options) {
    return refused(
        "no right to read topic \"%s\": allow READ and DESCRIBE in the broker's access rules, or check sasl.*"
            .formatted(options.topic()));
  }

  private static KafkaFault refused(String sentence) {
    return new KafkaFault(Kind.REFUSED, sentence);
  }

  /** Kafka quotes values that it cannot parse. */
  private static String withoutSecrets(String sentence, Map<String, String> settings) {
    String clean = sentence;
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      String value = setting.getValue();
      if (isSecret(setting.getKey()) && value.length() > 1) {
        clean = clean.replace(value, HIDDEN).replace(value.strip(), HIDDEN);
      }
    }
    return clean.replaceAll("(?i)(password\\s*=\\s*)\"[^\"]*\"?", "$1" + HIDDEN);
  }

  private static boolean isSecret(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.contains("password")
        || lower.contains("secret")
        || lower.contains("jaas")
        || lower.contains("token")
        || lower.endsWith(".key");
  }
}
