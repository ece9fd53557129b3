// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.log4j2;

import java.util.HashMap;
import java.util.Map;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Marker;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.filter.AbstractFilter;
import org.jspecify.annotations.Nullable;

/**
 * A filter that accepts every event and distinguishes SLF4J's key-value pairs from the MDC.
 * Thread-safe.
 *
 * <p>Log4j's SLF4J binding puts the pairs into the MDC while it logs: an event contains both
 * without distinction. But {@code atInfo()} and similar methods first check whether the level is
 * enabled, which calls this filter, and the filter saves the thread's MDC.
 *
 * <p>HAZARD: events that reach an appender on another thread than the caller's, as with
 * asynchronous loggers, are treated as having only MDC entries. A pair with the name and the value
 * of an MDC entry is treated as MDC, and an entry added to the MDC between {@code atInfo()} and
 * {@code log()} as a pair.
 */
final class FluentPairs extends AbstractFilter {
  private static final String FLUENT_CALL = "org.apache.logging.slf4j.Log4jEventBuilder";

  private static final ThreadLocal<Map<String, String>> MDC_BEFORE = new ThreadLocal<>();

  private FluentPairs() {
    super(Result.NEUTRAL, Result.NEUTRAL);
  }

  /** Adds the filter before the configuration's own, which may accept or deny an event. */
  static void watch(Configuration configuration) {
    Filter own = configuration.getFilter();
    if (own != null) {
      configuration.removeFilter(own);
    }
    configuration.addFilter(new FluentPairs());
    if (own != null) {
      configuration.addFilter(own);
    }
  }

  /** The pairs of an event; empty if it has none or they cannot be distinguished from the MDC. */
  static Map<String, String> of(LogEvent event) {
    Map<String, String> before = MDC_BEFORE.get();
    if (before == null
        || !FLUENT_CALL.equals(event.getLoggerFqcn())
        || event.getThreadId() != Thread.currentThread().getId()) {
      return Map.of();
    }
    Map<String, String> pairs = new HashMap<>();
    ThreadContext.getImmutableContext()
        .forEach(
            (name, value) -> {
              if (!value.equals(before.get(name))) {
                pairs.put(name, value);
              }
            });
    return pairs;
  }

  @Override
  public Result filter(
      Logger logger, Level level, Marker marker, String message, Object... parameters) {
    return noteWithout(message);
  }

  @Override
  public Result filter(
      Logger logger, Level level, Marker marker, Object message, Throwable thrown) {
    return noteWithout(message);
  }

  /** Saves the MDC if there is no message, because a check for an enabled level has none. */
  private static Result noteWithout(@Nullable Object message) {
    if (message == null) {
      MDC_BEFORE.set(ThreadContext.getImmutableContext());
    }
    return Result.NEUTRAL;
  }
}
