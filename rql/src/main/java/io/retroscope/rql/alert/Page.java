// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.alert;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What receivers know of an episode. Immutable.
 *
 * @param item the item of FOR EACH; empty without it
 * @param sent the number of notices so far
 * @param endHlc packed, the end that was last reported; {@link HlcTimestamp#MIN_PACKED} for none
 * @param acknowledgedBy the name of a person that has acknowledged it; empty if there is none
 */
public record Page(
    String episode, String item, State state, int sent, long endHlc, String acknowledgedBy) {
  /** The states. */
  public enum State {
    /** Receivers know that it holds. */
    FIRING,
    /** Receivers know that it is over. */
    RESOLVED,
    /** It holds while its alert is muted; receivers know nothing of it. */
    MUTED,
    /** It is over, and receivers know nothing of it. */
    RECORDED,
    /** Events that came late have shown that it never was. */
    RETRACTED
  }

  /** Returns a filter of pages: those of an item of FOR EACH, or all if it is empty. */
  public static Predicate<Page> ofItem(Optional<String> item) {
    return page -> item.map(page.item()::equals).orElse(true);
  }

  Page as(State next, long end, boolean notifies) {
    return new Page(episode, item, next, sent + (notifies ? 1 : 0), end, acknowledgedBy);
  }

  /** Returns the same page, acknowledged. */
  public Page acknowledged(String by) {
    return new Page(episode, item, state, sent, endHlc, by);
  }

  /** Returns the notice that its episode still holds. */
  public Notice repeated(AlertEpisode holding) {
    return new Notice(
        episode,
        item,
        Notice.Kind.FIRING,
        sent,
        false,
        "",
        Optional.of(holding.rise()),
        Optional.empty());
  }

  /** Returns its fields, as {@link #of} reads them. */
  public StructValue fields() {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("episode", Value.of(episode));
    fields.put("item", Value.of(item));
    fields.put("state", Value.of(state.name()));
    fields.put("sent", Value.of((long) sent));
    fields.put("endHlc", Value.of(HlcTimestamp.text(endHlc)));
    fields.put("acknowledgedBy", Value.of(acknowledgedBy));
    return new StructValue(fields);
  }

  /**
   * Reads the fields of a page.
   *
   * @throws IllegalArgumentException if they are not those of one
   */
  public static Page of(StructValue struct) {
    return new Page(
        text(struct, "episode"),
        text(struct, "item"),
        State.valueOf(text(struct, "state")),
        struct.fields().get("sent") instanceof LongValue sent ? (int) sent.value() : 0,
        HlcTimestamp.parse(text(struct, "endHlc")),
        text(struct, "acknowledgedBy"));
  }

  private static String text(StructValue struct, String name) {
    if (struct.fields().get(name) instanceof StringValue text) {
      return text.value();
    }
    throw new IllegalArgumentException("a page without " + name);
  }
}
