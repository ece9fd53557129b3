// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AlertSoundsTest {
  private final List<NoteEvent> notes = new ArrayList<>();
  private long micros;
  private final AlertSounds sounds = new AlertSounds(false, () -> micros, notes::add);

  @Test
  void page_soundsUntilItIsAcknowledged_andAnewWhenAnotherOneFires() {
    states(alert("far", "firing", "page", "", "ok"));
    assertThat(heard(13)).as("bursts of ten pulses at 0, 5 and 10 s").isEqualTo(30);
    states(alert("far", "firing", "page", "ann", "ok"));
    assertThat(heard(120)).isZero();
    states(alert("far", "firing", "page", "ann", "ok"), alert("near", "firing", "page", "", "ok"));
    assertThat(heard(3)).isEqualTo(10);
  }

  @Test
  void otherSeverity_hasASofterPattern_andGivesWayToAPage() {
    states(alert("slow", "firing", "ticket", "", "ok"));
    assertThat(heard(3)).isEqualTo(3);
    states(alert("slow", "firing", "ticket", "", "ok"), alert("far", "firing", "page", "", "ok"));
    assertThat(heard(4)).isEqualTo(10);
    assertThat(sounds.firing())
        .extracting(AlertSounds.Firing::alert)
        .containsExactly("far", "slow");
  }

  @Test
  void episodeThatEndsUnseen_leavesReminders_untilTheKey() {
    states(alert("far", "firing", "page", "", "ok"));
    assertThat(heard(3)).isEqualTo(10);
    states(alert("far", "inactive", "page", "", "ok"));
    assertThat(heard(61)).as("one pulse each 30 s").isEqualTo(2);
    sounds.silenceReminders();
    assertThat(heard(120)).isZero();
  }

  /** With FOR, a predicate that holds is not an alarm yet. */
  @Test
  void pendingAlert_isSilent() {
    states(alert("far", "pending", "page", "", "ok"));
    assertThat(heard(20)).isZero();
    assertThat(sounds.firing()).isEmpty();
    states(alert("far", "recovering", "page", "", "ok"));
    assertThat(heard(3)).isEqualTo(10);
  }

  @Test
  void mutedAlert_isSilent_andTheKeysApplyToTheNextOne() {
    Map<String, Value> muted = alert("muted", "firing", "page", "", "ok");
    muted.put("mutedUntil", Value.of("2030-01-01T00:00:00Z"));
    states(muted);
    assertThat(heard(20)).isZero();
    states(muted, alert("a", "firing", "page", "", "ok"), alert("b", "firing", "page", "", "ok"));
    assertThat(sounds.chosen().orElseThrow().alert()).isEqualTo("a");
    sounds.next();
    assertThat(sounds.chosen().orElseThrow().alert()).isEqualTo("b");
    sounds.next();
    assertThat(sounds.chosen().orElseThrow().alert()).isEqualTo("a");
  }

  @Test
  void evaluationThatStalls_orNoServer_isHeardAsALoss_andItsReturn() {
    states(alert("far", "inactive", "page", "", "partial: zk3 silent"));
    heard(20);
    assertThat(kinds()).isEmpty();
    assertThat(sounds.unwell()).containsExactly(Map.entry("far", "partial: zk3 silent"));
    states(alert("far", "inactive", "page", "", "catching up: evaluated up to 90 s ago"));
    heard(5);
    assertThat(kinds()).containsOnly(NoteKind.LOST);
    states(alert("far", "inactive", "page", "", "ok"));
    heard(5);
    assertThat(sounds.unwell()).isEmpty();
    notes.clear();
    states(alert("far", "inactive", "page", "", "stalled: no node sends"));
    heard(5);
    assertThat(kinds()).containsOnly(NoteKind.LOST);
    notes.clear();
    states(alert("far", "inactive", "page", "", "ok"));
    heard(5);
    assertThat(kinds()).containsOnly(NoteKind.BACK);
    notes.clear();
    assertThat(sounds.lose()).isTrue();
    heard(5);
    assertThat(kinds()).containsOnly(NoteKind.LOST);
    assertThat(notes).extracting(NoteEvent::hlc).containsOnly(HlcTimestamp.MIN_PACKED);
  }

  private List<NoteKind> kinds() {
    return notes.stream().map(NoteEvent::kind).toList();
  }

  /** Lets time pass; returns the number of pulses of alarms since the last call. */
  private long heard(int seconds) {
    for (int i = 0; i < 10 * seconds; i++) {
      micros += 100_000;
      sounds.advance();
    }
    long pulses = notes.stream().filter(note -> note.kind() == NoteKind.ALARM).count();
    notes.removeIf(note -> note.kind() == NoteKind.ALARM);
    return pulses;
  }

  @SafeVarargs
  private void states(Map<String, Value>... alerts) {
    List<StructValue> all = new ArrayList<>();
    for (Map<String, Value> alert : alerts) {
      all.add(new StructValue(alert));
    }
    boolean unused = sounds.states(all);
  }

  private static Map<String, Value> alert(
      String name, String state, String severity, String by, String health) {
    Map<String, Value> alert = new LinkedHashMap<>();
    alert.put("alert", Value.of(name));
    alert.put("state", Value.of(state));
    alert.put("severity", Value.of(severity));
    alert.put("episode", Value.of(name + "@1795200000200000.0"));
    alert.put("health", Value.of(health));
    alert.put("acknowledgedBy", by.isEmpty() ? NullValue.NULL : Value.of(by));
    alert.put("mutedUntil", NullValue.NULL);
    return alert;
  }
}
