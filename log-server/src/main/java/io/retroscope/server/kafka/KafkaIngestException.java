// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

/** A topic that cannot be read, or not any further; the message is one sentence for an operator. */
public final class KafkaIngestException extends RuntimeException {
  private static final long serialVersionUID = 1;

  KafkaIngestException(String message, Throwable cause) {
    super(message, cause);
  }

  KafkaIngestException(String message) {
    super(message);
  }
}
