// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

/** A topic that cannot be read, or not any further; the message is one sentence for an operator. */
public final class KafkaIngestException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** A failure of the brokers, which may pass. */
  public KafkaIngestException(String message, Throwable cause) {
    super(message, cause);
  }

  /** A state of the topic or of the settings that lasts until an operator changes it. */
  public KafkaIngestException(String message) {
    super(message);
  }

  /** Whether it lasts until an operator changes something. */
  public boolean isLasting() {
    return getCause() == null;
  }
}
