package io.retroscope.instrumentation.kafka;

import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What Kafka's failures mean, in one sentence that names the setting to look at. */
final class KafkaFailure {
  private static final int MAX_DEPTH = 8;

  private KafkaFailure() {}

  /** Whether no repetition can help, for the broker will never take a record of that size. */
  static boolean isTooLarge(Throwable failure) {
    Throwable root = root(failure);
    return root instanceof RecordTooLargeException || root instanceof RecordBatchTooLargeException;
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    for (int depth = 0; depth < MAX_DEPTH && !isKnown(root); depth++) {
      Throwable cause = root.getCause();
      if (cause == null) {
        return root;
      }
      root = cause;
    }
    return root;
  }

  static String of(Throwable failure, String topic) {
    Throwable root = root(failure);
    if (root instanceof AuthenticationException) {
      return "the broker does not accept the credentials: check security.protocol and sasl.*";
    }
    if (root instanceof AuthorizationException) {
      return "no right to write to topic \"" + topic + "\": check the broker's access rules";
    }
    if (root instanceof UnknownTopicOrPartitionException || root instanceof InvalidTopicException) {
      return "there is no topic \"" + topic + "\": create it, or check the topic setting";
    }
    if (isTooLarge(root)) {
      return "a block is larger than the broker takes: raise max.message.bytes of topic \""
          + topic
          + "\"";
    }
    if (root instanceof TimeoutException && mentionsTopic(root)) {
      return "topic \""
          + topic
          + "\" is not there, or no broker answers: check the topic and bootstrap.servers";
    }
    if (root instanceof TimeoutException) {
      return "no broker answers in time: check bootstrap.servers";
    }
    if (root instanceof ConfigException) {
      return String.valueOf(root.getMessage());
    }
    return root.getClass().getSimpleName() + ": " + root.getMessage();
  }

  private static boolean mentionsTopic(Throwable timeout) {
    return String.valueOf(timeout.getMessage()).startsWith("Topic ");
  }

  private static boolean isKnown(Throwable failure) {
    return failure instanceof AuthenticationException
        || failure instanceof AuthorizationException
        || failure instanceof UnknownTopicOrPartitionException
        || failure instanceof InvalidTopicException
        || failure instanceof RecordTooLargeException
        || failure instanceof RecordBatchTooLargeException
        || failure instanceof TimeoutException
        || failure instanceof ConfigException;
  }
}
