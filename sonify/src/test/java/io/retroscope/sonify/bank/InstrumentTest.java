// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.bank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InstrumentTest {
  @Test
  void names_areGeneralMidis128() {
    assertThat(Instrument.names()).hasSize(128).doesNotHaveDuplicates();
  }

  /** One of each family of eight, by the numbers of the General MIDI specification less one. */
  @ParameterizedTest
  @CsvSource({
    "Acoustic Grand Piano, 0", "Celesta, 8", "Drawbar Organ, 16", "Acoustic Guitar (nylon), 24",
    "Acoustic Bass, 32", "Violin, 40", "String Ensemble 1, 48", "Trumpet, 56",
    "Soprano Sax, 64", "Piccolo, 72", "Lead 1 (square), 80", "Pad 1 (new age), 88",
    "FX 1 (rain), 96", "Sitar, 104", "Tinkle Bell, 112", "Guitar Fret Noise, 120",
    "Woodblock, 115", "Gunshot, 127"
  })
  void named_generalMidiName_hasItsProgram(String name, int program) {
    assertThat(Instrument.named(name)).isEqualTo(new Instrument(name, program));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Electric Piano 1", "electric_piano_1", "ELECTRICPIANO1", "electric-piano 1"})
  void named_anySpelling_isTheSame(String spelling) {
    assertThat(Instrument.named(spelling).name()).isEqualTo("Electric Piano 1");
  }

  @Test
  void named_everydayWord_isFound() {
    assertThat(Instrument.named("piano").program()).isZero();
    assertThat(Instrument.named("low woodblock").name()).isEqualTo("Woodblock");
  }

  @Test
  void named_misspelt_listsNearNames() {
    assertThatThrownBy(() -> Instrument.named("woodblok"))
        .isInstanceOf(UnknownInstrumentException.class)
        .hasMessageStartingWith("unknown instrument \"woodblok\": did you mean Woodblock, ");
    assertThatThrownBy(() -> Instrument.named("")).isInstanceOf(UnknownInstrumentException.class);
  }
}
