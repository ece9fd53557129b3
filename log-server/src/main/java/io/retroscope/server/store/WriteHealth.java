// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.server.store.disk.StoreException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the store can be written; changes are logged once. Thread-safe. */
final class WriteHealth {
  private static final Logger logger = LoggerFactory.getLogger(WriteHealth.class);

  private Optional<String> trouble = Optional.empty();

  synchronized void failed(StoreException reason) {
    if (trouble.isEmpty()) {
      logger.error("nothing can be stored: {}", reason.getMessage());
    }
    trouble = Optional.of(String.valueOf(reason.getMessage()));
  }

  synchronized void succeeded() {
    if (trouble.isPresent()) {
      trouble = Optional.empty();
      logger.info("events are stored again");
    }
  }

  /** The reason why nothing can be stored, in one sentence. */
  synchronized Optional<String> trouble() {
    return trouble;
  }
}
