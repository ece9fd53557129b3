// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.spring;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.retroscope.instrumentation.logback.HlcAppender;
import io.retroscope.recorder.Recorder;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;

/**
 * The appender that records the log lines of an application from the creation of its recorder until
 * the end of its context; nothing if another logging framework is in use, or if the application's
 * own Logback configuration already has such an appender.
 */
final class RecordedLogging implements DisposableBean {
  private static final String NAME = "RETROSCOPE";

  private final HlcAppender appender = new HlcAppender();
  private @Nullable Logger root;

  RecordedLogging(Recorder recorder, Function<String, @Nullable String> properties) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context && !records(context)) {
      appender.setContext(context);
      appender.setName(NAME);
      appender.setRecorder(recorder);
      set(properties.apply("retroscope.logging.log"), appender::setLog);
      set(properties.apply("retroscope.logging.include"), appender::setInclude);
      set(properties.apply("retroscope.logging.exclude"), appender::setExclude);
      set(properties.apply("retroscope.logging.mdc"), appender::setMdc);
      appender.start();
      Logger rootLogger = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
      rootLogger.addAppender(appender);
      root = rootLogger;
    }
  }

  private static boolean records(LoggerContext context) {
    for (Logger logger : context.getLoggerList()) {
      var appenders = logger.iteratorForAppenders();
      while (appenders.hasNext()) {
        if (appenders.next() instanceof HlcAppender) {
          return true;
        }
      }
    }
    return false;
  }

  private static void set(@Nullable String value, Consumer<String> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }

  @Override
  public void destroy() {
    if (root != null) {
      root.detachAppender(appender);
    }
    appender.stop();
  }
}
