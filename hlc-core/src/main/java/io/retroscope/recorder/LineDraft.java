package io.retroscope.recorder;

import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventKind;
import io.retroscope.event.Value;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A log line under way. Not thread-safe; used once. Nothing is recorded before {@link #record()},
 * and the line's stamp is made there.
 */
public final class LineDraft {
  /** The most pairs of one line; further ones are left out and the line is counted as truncated. */
  public static final int MAX_FIELDS = 1_000;

  private final EventLog log;
  private final String message;
  private final Map<String, Value> fields = new LinkedHashMap<>();

  LineDraft(EventLog log, String message) {
    this.log = log;
    this.message = message;
  }

  /** Adds a pair. */
  public LineDraft with(String field, long value) {
    return put(field, Value.of(value));
  }

  /** Adds a pair. */
  public LineDraft with(String field, double value) {
    return put(field, Value.of(value));
  }

  /** Adds a pair. */
  public LineDraft with(String field, boolean value) {
    return put(field, Value.of(value));
  }

  /**
   * Adds a pair: numbers, booleans, texts and {@link Value}s as they are, collections and arrays as
   * sets, maps as structs, all else as its text.
   */
  public LineDraft with(String field, @Nullable Object value) {
    return put(field, log.recorder().admission().valueOf(value));
  }

  private LineDraft put(String field, Value value) {
    if (!Admission.isName(field) || fields.size() >= MAX_FIELDS) {
      log.recorder().countTruncated();
    } else {
      fields.put(field, value);
    }
    return this;
  }

  /**
   * Records the line.
   *
   * @return its packed stamp; also a line that is dropped or refused gets one
   */
  public long record() {
    LogLine body = new LogLine(message, fields);
    if (BlockAssembler.weightOf(body) > Admission.MAX_EVENT_WEIGHT) {
      log.recorder().countRefused();
      return log.recorder().tick();
    }
    return log.record(EventKind.LOG_LINE, body);
  }
}
