// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that live sound is the sound of the past, whatever the delays. */
class LiveSoundscapeTest {
  private static final String SOUNDSCAPE =
      """
      SELECT r1 FROM setd WHEN SPREAD(r1) >= 2 EMIT EDGES
        PLAY wood EACH n IN NODES : (MAX(r1) - r1@n >= 2) LEVEL MAX(r1) - r1@n PLACE n;
      SELECT r1 FROM setd PLAY pad AS BACKGROUND FOLLOW SPREAD(r1) RANGE 0 TO 8;
      SELECT r1 FROM setd WHEN SPREAD(r1) >= 1 FOR 60ms PLAY pluck NOTE 43;
      SELECT r1 FROM setd WHEN SPREAD(r1) >= 8 FOR 100ms PLAY alarm AS ALARM;
      """;

  private long nanos;

  private record Arrival(long micros, long stampMicros, SoundInput input) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void notes_withRandomDelays_areThoseOfThePast(long seed) {
    Random random = new Random(seed);
    RecordedEvents events = new RecordedEvents();
    long[] versions = new long[3];
    for (long millis = 0; millis < 20_000; millis += 10 + random.nextInt(250)) {
      int node = random.nextInt(3);
      versions[node] =
          Math.max(versions[node], versions[random.nextInt(3)] + random.nextInt(9) - 3);
      events.set(millis, "z" + (node + 1), "r1", versions[node]);
    }
    SoundscapeRules rules = RecordedEvents.rules(SOUNDSCAPE);
    List<Arrival> arrivals = new ArrayList<>();
    // The first reading is prompt: it defines the smallest delay.
    events.query(
        rules,
        (rule, input) ->
            arrivals.add(
                new Arrival(
                    input.stampMicros()
                        + (input.stampMicros() == RecordedEvents.START_MICROS
                            ? 0
                            : random.nextInt(90_000)),
                    input.stampMicros(),
                    input)));
    arrivals.sort(Comparator.comparingLong(Arrival::micros));

    List<NoteEvent> live = new ArrayList<>();
    LiveSoundscape soundscape = live(rules, events, live);
    long start = arrivals.get(0).micros();
    for (Arrival arrival : arrivals) {
      while (nanos < (arrival.micros() - start) * 1_000) {
        nanos = Math.min(nanos + random.nextInt(8_000_000), (arrival.micros() - start) * 1_000);
        soundscape.advance();
      }
      soundscape.add(arrival.input());
    }
    nanos += 100_000_000 + LiveSoundscape.LAG_MICROS * 1_000;
    soundscape.advance();

    List<NoteEvent> past = events.play(SOUNDSCAPE, Tempo.REAL_TIME).performance().notes();
    long last = live.get(live.size() - 1).micros();
    assertThat(live).as("seed %d", seed).hasSizeGreaterThan(100);
    assertThat(live)
        .as("seed %d", seed)
        .containsExactlyElementsOf(past.stream().filter(note -> note.micros() <= last).toList());
  }

  private LiveSoundscape live(SoundscapeRules rules, RecordedEvents events, List<NoteEvent> out) {
    return new LiveSoundscape(
        rules.stateful(false),
        events.nodes(),
        NoteEvent::lengthMicros,
        () -> nanos,
        note -> out.add(note));
  }

  @Test
  void history_ofTenThousandRows_isOneNote() {
    RecordedEvents events = new RecordedEvents();
    for (int i = 0; i < 10_000; i++) {
      events.set(i, "z" + (1 + i % 3), "r1", i % 17);
    }
    SoundscapeRules rules = RecordedEvents.rules(SOUNDSCAPE + "SELECT r1 FROM setd PLAY glass;");
    List<NoteEvent> notes = new ArrayList<>();
    LiveSoundscape soundscape = live(rules, events, notes);
    soundscape.progress(HlcTimestamp.pack(RecordedEvents.START_MICROS));
    soundscape.lose();
    nanos += 10_000_000_000L;
    notes.clear();
    soundscape.regain();
    events.query(rules, (rule, input) -> soundscape.addHistory(input));
    soundscape.progress(HlcTimestamp.pack(RecordedEvents.START_MICROS + 10_000_000));
    soundscape.caughtUp(10_000);
    assertThat(notes.stream().filter(NoteEvent::startsNote))
        .filteredOn(note -> note.layer() == Layer.MARK)
        .extracting(NoteEvent::kind, NoteEvent::level)
        .containsExactly(Tuple.tuple(NoteKind.CAUGHT_UP, 10_000.0));
  }

  @Test
  void loss_beforeAnyStamp_isHeard() {
    List<NoteEvent> notes = new ArrayList<>();
    SoundscapeRules rules = RecordedEvents.rules("SELECT r1 FROM setd PLAY wood LEVEL SPREAD(r1)");
    LiveSoundscape soundscape = live(rules, new RecordedEvents(), notes);
    nanos = 7_000_000_000L;
    soundscape.lose();
    nanos += 3_000_000_000L;
    soundscape.advance();
    assertThat(notes).extracting(NoteEvent::kind).containsExactly(NoteKind.LOST, NoteKind.LOST);
    soundscape.regain();
    soundscape.progress(HlcTimestamp.pack(RecordedEvents.START_MICROS));
    nanos += 1_000_000_000L;
    soundscape.advance();
    assertThat(notes).extracting(NoteEvent::kind).endsWith(NoteKind.BACK, NoteKind.BACK);
  }

  @Test
  void strikes_keepTheirDistance_whenNothingArrives() {
    RecordedEvents events = new RecordedEvents().set(0, "z1", "r1", 8).set(0, "z2", "r1", 0);
    SoundscapeRules rules = RecordedEvents.rules("SELECT r1 FROM setd PLAY wood LEVEL SPREAD(r1)");
    List<Long> heard = new ArrayList<>();
    LiveSoundscape soundscape =
        new LiveSoundscape(
            rules.stateful(false),
            List.of(),
            NoteEvent::lengthMicros,
            () -> nanos,
            note -> heard.add(nanos / 1_000_000));
    events.query(rules, (rule, input) -> soundscape.add(input));
    for (; nanos < 1_000_000_000; nanos += 5_000_000) {
      soundscape.advance();
    }
    assertThat(heard).containsExactly(100L, 190L, 280L, 370L);
  }
}
