// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.bank.UnknownInstrumentException;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Tests statements with PLAY from their text to the notes. */
class PastSoundscapeTest {
  private static final String STALE =
      "SELECT r1 FROM setd WHEN SPREAD(r1) >= 2 EMIT EDGES PLAY wood"
          + " EACH n IN NODES : (MAX(r1) - r1@n >= 2) LEVEL MAX(r1) - r1@n PLACE n;";

  private final RecordedEvents events =
      new RecordedEvents()
          .set(0, "z1", "r1", 0)
          .set(0, "z2", "r1", 0)
          .set(0, "z10", "r1", 0)
          .set(1_000, "z1", "r1", 8)
          .set(1_000, "z2", "r1", 8)
          .set(2_500, "z10", "r1", 5)
          .set(3_000, "z10", "r1", 8)
          .set(4_000, "z1", "r1", 9);

  private List<String> notes(String script) {
    return events.play(script, Tempo.REAL_TIME).performance().notes().stream()
        .map(PastSoundscapeTest::text)
        .toList();
  }

  static String text(NoteEvent note) {
    return "%d %s %s %s %d"
        .formatted(note.micros() / 1_000, note.kind(), note.rule(), note.node(), note.key());
  }

  @Test
  void level_ofEachNode_isAStaircaseInThePlaceOfTheNode() {
    assertThat(notes(STALE))
        .containsExactly(
            "1000 STRIKE 1 wood z10 72",
            "1090 STRIKE 1 wood z10 76",
            "1180 STRIKE 1 wood z10 81",
            "1270 STRIKE 1 wood z10 86",
            "3150 RECOVERY 1 wood z10 67");
  }

  @Test
  void level_withoutPlace_isInTheMiddle() {
    List<NoteEvent> notes =
        events.play(STALE.replace(" PLACE n", ""), Tempo.REAL_TIME).performance().notes();
    assertThat(notes).extracting(NoteEvent::pan).containsOnly(0.0);
    assertThat(notes.get(0).key()).isEqualTo(60);
  }

  @Test
  void level_ofTheWholeCut_hasNoNode() {
    assertThat(notes("SELECT r1 FROM setd PLAY glass LEVEL SPREAD(r1) STEPS {3, 8} SCALE major"))
        .containsExactly(
            "1000 STRIKE 1 glass  60", "1090 STRIKE 1 glass  64", "3150 RECOVERY 1 glass  55");
  }

  @Test
  void level_withComputeOfItsOwn_usesIt() {
    assertThat(
            notes(
                "SELECT r1 FROM setd COMPUTE VAR top AND (top := MAX(r1)) PLAY wood"
                    + " EACH n IN NODES : (top - r1@n >= 8) LEVEL top - r1@n STEPS {8}"))
        .containsExactly("1000 STRIKE 1 wood z10 60", "2650 RECOVERY 1 wood z10 55");
  }

  @Test
  void background_followsItsValue_andSilencesAreNotCut() {
    PastSoundscape.Played played =
        events.play(
            "SELECT r1 FROM setd PLAY pad AS BACKGROUND FOLLOW SPREAD(r1) RANGE 0 TO 8;",
            new Tempo(1, 100_000, 60_000_000));
    assertThat(played.performance().notes().stream().filter(NoteEvent::startsNote))
        .extracting(PastSoundscapeTest::text)
        .containsExactly("0 BACKGROUND 1 pad  48", "0 BACKGROUND 1 pad  55");
    assertThat(played.performance().notes().stream().mapToDouble(NoteEvent::level).max().orElse(0))
        .isGreaterThan(0.95);
    assertThat(played.performance().lengthMicros()).isGreaterThan(4_000_000);
  }

  @Test
  void alarm_withFor_beginsWhenTheTimeHasPassed() {
    events.from = OptionalLong.of(RecordedEvents.START_MICROS);
    assertThat(
            notes("SELECT r1 FROM setd WHEN SPREAD(r1) >= 8 FOR 200ms PLAY alarm AS ALARM;")
                .subList(0, 1))
        .containsExactly("1200 ALARM 1 alarm  67");
  }

  @Test
  void rows_keepTheirNotes_besideRulesWithState() {
    assertThat(notes("SELECT r1 FROM setd WHEN SPREAD(r1) > 0 PLAY pluck NOTE 43 PAN -1;" + STALE))
        .contains("2500 MARK 1 pluck  43", "1270 STRIKE 2 wood z10 86");
  }

  @Test
  void speedAndSilences_changeTheTimesOfCuts_notOfStrikes() {
    PastSoundscape.Played played = events.play(STALE, new Tempo(2, 100_000, 60_000_000));
    assertThat(played.performance().notes())
        .extracting(NoteEvent::micros)
        .containsExactly(100_000L, 190_000L, 280_000L, 370_000L, 550_000L);
  }

  @Test
  void maxLength_isKept_byPlayingFaster() {
    PastSoundscape.Played played = events.play(STALE, new Tempo(1, 2_000_000, 2_500_000));
    assertThat(played.performance().lengthMicros()).isLessThanOrEqualTo(2_500_000);
    assertThat(played.speed()).isGreaterThan(1);
  }

  @Test
  void from_takesEarlierCutsAsHistory() {
    events.from = OptionalLong.of(RecordedEvents.START_MICROS + 2_000_000);
    events.until = OptionalLong.of(RecordedEvents.START_MICROS + 3_500_000);
    assertThat(notes(STALE))
        .filteredOn(line -> line.contains(NoteKind.STRIKE.name()))
        .as("the stretch began before")
        .isEmpty();
    assertThat(notes(STALE)).contains("1150 RECOVERY 1 wood z10 67");
  }

  @Test
  void nodeThatStops_hasNoRecovery() {
    events.stop(2_000, "z10");
    assertThat(notes(STALE)).noneMatch(line -> line.startsWith("21") && line.contains("RECOVERY"));
  }

  @Test
  void rulesAlike_areWarnedOf() {
    SoundscapeRules rules =
        RecordedEvents.rules(
            "SELECT a FROM l PLAY wood; SELECT b FROM l PLAY woodblock NOTE 65;"
                + "SELECT c FROM l PLAY wood NOTE 72; SELECT c FROM l PLAY glass");
    assertThat(rules.alikeWarnings())
        .containsExactly(
            "the rules 1 wood and 2 wood sound alike: give one of them another patch"
                + " or a NOTE an octave away",
            "the rules 2 wood and 3 wood sound alike: give one of them another patch"
                + " or a NOTE an octave away");
  }

  @Test
  void instrument_unknown_isRefused() {
    assertThatThrownBy(() -> RecordedEvents.rules("SELECT a FROM l PLAY theremin"))
        .isInstanceOf(UnknownInstrumentException.class);
    assertThat(PatchBank.standard().patches()).hasSize(12);
  }
}
