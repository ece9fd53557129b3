// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.bank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.sound.midi.Soundbank;
import org.junit.jupiter.api.Test;

class PatchBankTest {
  private static final PatchBank BANK = PatchBank.standard();

  @Test
  void patches_areTheTwelve() {
    assertThat(BANK.patches().stream().map(Patch::name))
        .containsExactly(
            "wood", "glass", "pluck", "skin", "click", "reed", "flute", "horn", "pad", "sea",
            "wind", "alarm");
    assertThat(BANK.patch("theremin")).isEmpty();
  }

  @Test
  void everyGeneralMidiProgram_soundsAsAPatch_andEveryPatchIsOne() {
    Set<String> used = new HashSet<>();
    for (int program = 0; program < Instrument.names().size(); program++) {
      used.add(BANK.ofProgram(program).name());
    }
    assertThat(used).hasSameSizeAs(BANK.patches());
    for (Patch patch : BANK.patches()) {
      assertThat(BANK.ofProgram(patch.program())).isEqualTo(patch);
    }
  }

  /** Names whose patch must not surprise. */
  @Test
  void generalMidiNames_soundLikeWhatTheySay() {
    for (List<String> pair :
        List.of(
            List.of("Woodblock", "wood"),
            List.of("Marimba", "wood"),
            List.of("Vibraphone", "glass"),
            List.of("Acoustic Guitar (nylon)", "pluck"),
            List.of("Pizzicato Strings", "pluck"),
            List.of("Taiko Drum", "skin"),
            List.of("Oboe", "reed"),
            List.of("Flute", "flute"),
            List.of("French Horn", "horn"),
            List.of("Pad 2 (warm)", "pad"),
            List.of("Seashore", "sea"),
            List.of("Breath Noise", "wind"))) {
      int program = Instrument.named(pair.get(0)).program();
      assertThat(BANK.ofProgram(program).name()).as(pair.get(0)).isEqualTo(pair.get(1));
    }
  }

  @Test
  void soundFont_isSmall_andTheSameEachTime() {
    byte[] first = BANK.soundFont();
    assertThat(first.length).isLessThanOrEqualTo(1_500_000);
    assertThat(BANK.soundFont()).isEqualTo(first);
  }

  @Test
  void soundFont_isReadByTheJdk_withAllPrograms() {
    Soundbank bank = BANK.soundbank();
    assertThat(bank.getName()).isEqualTo("Retroscope");
    assertThat(bank.getInstruments()).hasSize(PatchBank.PROGRAM_COUNT);
    assertThat(bank.getResources().length).isGreaterThan(40);
    assertThat(
            Arrays.stream(bank.getInstruments())
                .filter(instrument -> instrument.getPatch().getProgram() == 115)
                .findFirst()
                .orElseThrow()
                .getName())
        .isEqualTo("wood");
  }

  /** A loop whose ends do not meet clicks; the largest step inside it is the measure. */
  @Test
  void loops_meetAtTheirEnds() {
    for (Patch patch : BANK.patches()) {
      for (Patch.SampleKey key : patch.samples()) {
        float[] frames = PatchSample.of(patch, key).frames();
        float seam = Math.abs(frames[0] - frames[frames.length - 1]);
        float largest = 0;
        for (int i = 1; i < frames.length; i++) {
          largest = Math.max(largest, Math.abs(frames[i] - frames[i - 1]));
        }
        assertThat(seam).as("%s %d", patch.name(), key.key()).isLessThanOrEqualTo(largest);
      }
    }
  }

  @Test
  void tail_ofStruckPatches_isTheRestOfTheSample() {
    Patch wood = BANK.patch("wood").orElseThrow();
    assertThat(wood.tailMicros(80_000)).isEqualTo(320_000);
    assertThat(wood.tailMicros(1_000_000)).isZero();
    assertThat(BANK.patch("flute").orElseThrow().tailMicros(80_000)).isEqualTo(80_000);
  }

  @Test
  void sample_thatWouldClip_isRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Patch.SampleKey(60, 0.1));
  }
}
