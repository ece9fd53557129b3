// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * The recorders' log between this object's creation and close, which is hidden from the console.
 */
final class LoggedErrors extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger(Recorder.class.getName());
  private final SimpleFormatter formatter = new SimpleFormatter();
  private final List<String> texts = new CopyOnWriteArrayList<>();
  private final Level least;

  /** Collects errors only. */
  LoggedErrors() {
    this(Level.SEVERE);
  }

  LoggedErrors(Level least) {
    this.least = least;
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
  }

  List<String> texts() {
    return texts;
  }

  @Override
  public void publish(LogRecord record) {
    if (record.getLevel().intValue() >= least.intValue()) {
      texts.add(formatter.formatMessage(record));
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
