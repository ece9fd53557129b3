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
 * Tells SLF4J's key-value pairs from the MDC, as a filter that lets every event pass. Thread-safe.
 *
 * <p>Log4j's SLF4J binding puts the pairs into the MDC while it logs: an event holds both, and
 * neither says which is which. But {@code atInfo()} and its kind first query whether the level is
 * enabled, which calls this filter, and that notes the thread's MDC.
 *
 * <p>HAZARD: what an appender gets on another thread than the caller's, as with asynchronous
 * loggers, counts as MDC, and so does a pair with the name and the value of an entry of the MDC. An
 * entry that joins the MDC between {@code atInfo()} and {@code log()} counts as a pair.
 */
final class FluentPairs extends AbstractFilter {
  private static final String FLUENT_CALL = "org.apache.logging.slf4j.Log4jEventBuilder";

  private static final ThreadLocal<Map<String, String>> MDC_BEFORE = new ThreadLocal<>();

  private FluentPairs() {
    super(Result.NEUTRAL, Result.NEUTRAL);
  }

  /** Puts the filter before the configuration's own, which may decide on an event. */
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

  /** The pairs of an event; empty where it has none or they cannot be told from the MDC. */
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

  /** Whoever only wants to know whether a level is enabled has no message. */
  private static Result noteWithout(@Nullable Object message) {
    if (message == null) {
      MDC_BEFORE.set(ThreadContext.getImmutableContext());
    }
    return Result.NEUTRAL;
  }
}
