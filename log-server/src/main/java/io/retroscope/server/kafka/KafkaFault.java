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
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

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

  /** A use of the topic, with the operations that brokers with access rules must allow for it. */
  enum Use {
    READ("read", "READ and DESCRIBE"),
    WRITE("write", "WRITE"),
    CREATE("create", "CREATE and DESCRIBE"),
    SETTINGS("read the settings of", "DESCRIBE_CONFIGS");

    private final String verb;
    private final String operations;

    Use(String verb, String operations) {
      this.verb = verb;
      this.operations = operations;
    }
  }

  /** Explains a failure of reading. */
  static KafkaFault of(Throwable failure, KafkaOptions options) {
    return of(failure, options, Use.READ);
  }

  /** Explains a failure of a use of the topic. */
  static KafkaFault of(Throwable failure, KafkaOptions options, Use use) {
    Throwable root = root(failure);
    KafkaFault fault = describe(root, options, use);
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

  private static KafkaFault describe(Throwable root, KafkaOptions options, Use use) {
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
      return noRight(root, options, use);
    }
    if (root instanceof UnsupportedVersionException) {
      return refused(
          "the brokers at %s are too old for this program: %s"
              .formatted(options.brokers(), root.getMessage()));
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

  private static KafkaFault noRight(Throwable root, KafkaOptions options, Use use) {
    if (root instanceof GroupAuthorizationException group) {
      return noRight("use consumer group \"%s\"".formatted(group.groupId()), "READ");
    }
    return root instanceof TransactionalIdAuthorizationException
        ? noRight("use the transactional id", "WRITE and DESCRIBE")
        : noRight(options, use);
  }

  static KafkaFault noRight(KafkaOptions options, Use use) {
    return noRight("%s topic \"%s\"".formatted(use.verb, options.topic()), use.operations);
  }

  private static KafkaFault noRight(String use, String operations) {
    return refused(
        "no right to %s: allow %s in the broker's access rules, or check sasl.*"
            .formatted(use, operations));
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
