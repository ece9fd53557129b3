// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.time.DateTimeException;
import java.time.LocalTime;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The listener's choice of audible rules. The loss of the server is always heard. Immutable.
 *
 * @param all whether everything else is silent
 * @param muted numbers of rules that are silent
 * @param solo numbers of the only rules that are heard; empty for all
 * @param decibels changes of loudness by number of the rule
 * @param quiet the hours in which everything is silent
 */
public record RuleVolumes(
    boolean all,
    Set<Integer> muted,
    Set<Integer> solo,
    Map<Integer, Double> decibels,
    Optional<QuietHours> quiet) {
  /** Everything is heard as it is. */
  public static final RuleVolumes UNCHANGED =
      new RuleVolumes(false, Set.of(), Set.of(), Map.of(), Optional.empty());

  /** Copies the collections. */
  public RuleVolumes {
    muted = Set.copyOf(muted);
    solo = Set.copyOf(solo);
    decibels = Map.copyOf(decibels);
  }

  /**
   * Hours of silence of each day, in local time.
   *
   * @param from the first moment
   * @param until the first moment after; before {@code from} if they include midnight
   */
  public record QuietHours(LocalTime from, LocalTime until) {
    /**
     * Parses hours.
     *
     * @param text such as {@code 22:00-07:00}
     * @throws CommandException if it is something else
     */
    public static QuietHours parse(String text) {
      String[] ends = text.split("-", 2);
      try {
        if (ends.length == 2) {
          return new QuietHours(LocalTime.parse(ends[0]), LocalTime.parse(ends[1]));
        }
      } catch (DateTimeException e) {
        // Reported below, like every other invalid text.
      }
      throw new CommandException(
          ExitCode.USAGE, "not hours of a day: \"" + text + "\" (like 22:00-07:00)");
    }

    boolean include(LocalTime time) {
      boolean after = !time.isBefore(from);
      boolean before = time.isBefore(until);
      return from.isBefore(until) ? after && before : after || before;
    }
  }

  /** Returns the note as it is heard at a time of day; empty if it is silent. */
  Optional<NoteEvent> apply(NoteEvent note, LocalTime time) {
    if (note.layer() == Layer.SERVER) {
      return Optional.of(note);
    }
    int rule = number(note.rule());
    boolean silent =
        all
            || muted.contains(rule)
            || !(solo.isEmpty() || solo.contains(rule))
            || quiet.map(hours -> hours.include(time)).orElse(false);
    Double db = decibels.get(rule);
    return silent ? Optional.empty() : Optional.of(db == null ? note : note.louder(db));
  }

  /** The number at the start of a rule's name; 0 for what belongs to no rule. */
  static int number(String rule) {
    String digits = rule.replaceFirst(" .*", "");
    return digits.matches("\\d{1,9}") ? Integer.parseInt(digits) : 0;
  }
}
