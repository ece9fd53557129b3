// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.bank;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An instrument of General MIDI. All of them follow the pitch of a note, including percussion:
 * {@code woodblock} is the pitched program, not a key of the drum kit, so that NOTE is audible.
 *
 * @param name the name in General MIDI, such as {@code Acoustic Grand Piano}
 * @param program 0 to 127
 */
public record Instrument(String name, int program) {
  /** The maximum number of similar names in an error. */
  private static final int MAX_SUGGESTIONS = 5;

  private static final List<String> NAMES =
      """
      Acoustic Grand Piano, Bright Acoustic Piano, Electric Grand Piano, Honky-tonk Piano, \
      Electric Piano 1, Electric Piano 2, Harpsichord, Clavinet, \
      Celesta, Glockenspiel, Music Box, Vibraphone, Marimba, Xylophone, Tubular Bells, Dulcimer, \
      Drawbar Organ, Percussive Organ, Rock Organ, Church Organ, \
      Reed Organ, Accordion, Harmonica, Tango Accordion, \
      Acoustic Guitar (nylon), Acoustic Guitar (steel), Electric Guitar (jazz), \
      Electric Guitar (clean), Electric Guitar (muted), Overdriven Guitar, Distortion Guitar, \
      Guitar Harmonics, \
      Acoustic Bass, Electric Bass (finger), Electric Bass (pick), Fretless Bass, \
      Slap Bass 1, Slap Bass 2, Synth Bass 1, Synth Bass 2, \
      Violin, Viola, Cello, Contrabass, Tremolo Strings, Pizzicato Strings, Orchestral Harp, \
      Timpani, \
      String Ensemble 1, String Ensemble 2, Synth Strings 1, Synth Strings 2, \
      Choir Aahs, Voice Oohs, Synth Voice, Orchestra Hit, \
      Trumpet, Trombone, Tuba, Muted Trumpet, French Horn, Brass Section, Synth Brass 1, \
      Synth Brass 2, \
      Soprano Sax, Alto Sax, Tenor Sax, Baritone Sax, Oboe, English Horn, Bassoon, Clarinet, \
      Piccolo, Flute, Recorder, Pan Flute, Blown Bottle, Shakuhachi, Whistle, Ocarina, \
      Lead 1 (square), Lead 2 (sawtooth), Lead 3 (calliope), Lead 4 (chiff), \
      Lead 5 (charang), Lead 6 (voice), Lead 7 (fifths), Lead 8 (bass + lead), \
      Pad 1 (new age), Pad 2 (warm), Pad 3 (polysynth), Pad 4 (choir), \
      Pad 5 (bowed), Pad 6 (metallic), Pad 7 (halo), Pad 8 (sweep), \
      FX 1 (rain), FX 2 (soundtrack), FX 3 (crystal), FX 4 (atmosphere), \
      FX 5 (brightness), FX 6 (goblins), FX 7 (echoes), FX 8 (sci-fi), \
      Sitar, Banjo, Shamisen, Koto, Kalimba, Bagpipe, Fiddle, Shanai, \
      Tinkle Bell, Agogo, Steel Drums, Woodblock, Taiko Drum, Melodic Tom, Synth Drum, \
      Reverse Cymbal, \
      Guitar Fret Noise, Breath Noise, Seashore, Bird Tweet, Telephone Ring, Helicopter, \
      Applause, Gunshot"""
          .lines()
          .flatMap(line -> List.of(line.split(", ", -1)).stream())
          .collect(Collectors.toUnmodifiableList());

  /** Common words for instruments with longer names in General MIDI, and for drums. */
  private static final Map<String, String> EVERYDAY =
      Map.ofEntries(
          Map.entry("piano", "Acoustic Grand Piano"),
          Map.entry("organ", "Church Organ"),
          Map.entry("guitar", "Acoustic Guitar (nylon)"),
          Map.entry("bass", "Acoustic Bass"),
          Map.entry("strings", "String Ensemble 1"),
          Map.entry("harp", "Orchestral Harp"),
          Map.entry("choir", "Choir Aahs"),
          Map.entry("voice", "Voice Oohs"),
          Map.entry("horn", "French Horn"),
          Map.entry("brass", "Brass Section"),
          Map.entry("sax", "Alto Sax"),
          Map.entry("saxophone", "Alto Sax"),
          Map.entry("lead", "Lead 1 (square)"),
          Map.entry("pad", "Pad 2 (warm)"),
          Map.entry("bells", "Tubular Bells"),
          Map.entry("bell", "Tinkle Bell"),
          Map.entry("steeldrum", "Steel Drums"),
          Map.entry("cowbell", "Agogo"),
          Map.entry("drum", "Taiko Drum"),
          Map.entry("kick", "Taiko Drum"),
          Map.entry("bassdrum", "Taiko Drum"),
          Map.entry("tom", "Melodic Tom"),
          Map.entry("toms", "Melodic Tom"),
          Map.entry("snare", "Synth Drum"),
          Map.entry("claves", "Woodblock"),
          Map.entry("highwoodblock", "Woodblock"),
          Map.entry("lowwoodblock", "Woodblock"),
          Map.entry("cymbal", "Reverse Cymbal"));

  /** Words for an alarm, which is a way to play an instrument. */
  private static final Set<String> ALARMS =
      Set.of("alarm", "alert", "alerts", "alarms", "siren", "warning", "pager", "page");

  private static final Map<String, Instrument> BY_KEY = index();

  /**
   * Finds an instrument by its General MIDI name or a common word for it; case, blanks, underscores
   * and other signs are ignored.
   *
   * @throws UnknownInstrumentException if there is none; the message lists similar names
   */
  public static Instrument named(String name) {
    Instrument found = BY_KEY.get(key(name));
    if (found == null) {
      throw new UnknownInstrumentException(
          "unknown instrument \"%s\": did you mean %s? (./retroscope sounds --list has all names)"
              .formatted(
                  name,
                  ALARMS.contains(key(name))
                      ? "PLAY bells AS ALARM"
                      : String.join(", ", nearest(name))));
    }
    return found;
  }

  /** All 128 names, in the order of their programs. */
  public static List<String> names() {
    return NAMES;
  }

  private static Map<String, Instrument> index() {
    Map<String, Instrument> index = new HashMap<>();
    for (int program = 0; program < NAMES.size(); program++) {
      Instrument instrument = new Instrument(NAMES.get(program), program);
      index.put(key(instrument.name), instrument);
    }
    EVERYDAY.forEach((word, name) -> index.put(word, index.get(key(name))));
    return Map.copyOf(index);
  }

  private static String key(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
  }

  private static List<String> nearest(String name) {
    String wanted = key(name);
    List<String> candidates = new ArrayList<>(BY_KEY.keySet());
    candidates.sort(
        Comparator.<String>comparingInt(candidate -> distance(wanted, candidate))
            .thenComparing(Comparator.naturalOrder()));
    return candidates.stream()
        .map(candidate -> Instrument.named(candidate).name)
        .distinct()
        .limit(MAX_SUGGESTIONS)
        .toList();
  }

  /** The edit distance, reduced for a name that contains the wanted one. */
  private static int distance(String wanted, String candidate) {
    if (!wanted.isEmpty() && candidate.contains(wanted)) {
      return 1;
    }
    int[] row = new int[candidate.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= wanted.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int substitution = diagonal + (wanted.charAt(i - 1) == candidate.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substitution, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[candidate.length()];
  }
}
