// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.Value;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A draft of a log line. Not thread-safe; can be used once. Nothing is recorded before {@link
 * #record()}, which also creates the line's stamp.
 */
public final class LineDraft {
  /**
   * The maximum number of pairs per line; further ones are omitted and the line is counted as
   * truncated.
   */
  public static final int MAX_FIELDS = 1_000;

  private final EventLog log;
  private final String message;
  private final Map<String, Value> fields = new LinkedHashMap<>();
  private final Admission.Budget budget;
  private OptionalLong stamp = OptionalLong.empty();

  LineDraft(EventLog log, @Nullable String message) {
    this.log = log;
    Admission admission = log.recorder().admission();
    budget = admission.budget();
    this.message = budget.take(admission.text(message));
  }

  /** Adds a pair. */
  @CheckReturnValue
  public LineDraft with(String field, long value) {
    return scalar(field, Value.of(value));
  }

  /** Adds a pair. */
  @CheckReturnValue
  public LineDraft with(String field, double value) {
    return scalar(field, Value.of(value));
  }

  /** Adds a pair. */
  @CheckReturnValue
  public LineDraft with(String field, boolean value) {
    return scalar(field, Value.of(value));
  }

  /** Adds a pair: the character as a text. */
  @CheckReturnValue
  public LineDraft with(String field, char value) {
    return with(field, String.valueOf(value));
  }

  /**
   * Adds a pair: numbers, booleans, texts and {@link Value}s unchanged, collections and arrays as
   * sets, maps as structs, {@code byte[]} in hexadecimal, anything else as its text, such as
   * enumerations, UUIDs and characters. A line holds at most 10,000 values and 4,000,000
   * characters. Collections and texts are truncated at these limits, and after 100 ms of reading
   * them; the line is then counted as truncated.
   */
  @CheckReturnValue
  public LineDraft with(String field, @Nullable Object value) {
    return accepts(field) ? put(field, log.recorder().admission().valueOf(value, budget)) : this;
  }

  private LineDraft scalar(String field, Value value) {
    return accepts(field) ? put(field, value) : this;
  }

  private boolean accepts(@Nullable String field) {
    if (field != null && Admission.isName(field) && fields.size() < MAX_FIELDS) {
      return budget.take(field.length() + 1);
    }
    log.recorder().countTruncated();
    return false;
  }

  private LineDraft put(String field, Value value) {
    fields.put(field, value);
    return this;
  }

  /**
   * Records the line. Only the first call has an effect.
   *
   * @return its packed stamp, even if the line is dropped
   */
  public long record() {
    if (stamp.isEmpty()) {
      stamp = OptionalLong.of(log.record(new LogLine(message, fields)));
    }
    return stamp.getAsLong();
  }
}
