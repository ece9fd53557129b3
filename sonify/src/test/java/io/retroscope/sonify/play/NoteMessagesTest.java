// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.retroscope.sonify.play.MidiMessages.Timed;
import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.util.ArrayList;
import java.util.List;
import javax.sound.midi.ShortMessage;
import org.junit.jupiter.api.Test;

class NoteMessagesTest {
  private final List<String> sent = new ArrayList<>();
  private final NoteMessages messages = new NoteMessages(timed -> sent.add(text(timed)));

  private static String text(Timed timed) {
    ShortMessage message = timed.message();
    String what =
        switch (message.getCommand()) {
          case ShortMessage.NOTE_ON -> "on %d %d".formatted(message.getData1(), message.getData2());
          case ShortMessage.NOTE_OFF -> "off " + message.getData1();
          case ShortMessage.PROGRAM_CHANGE -> "program " + message.getData1();
          default -> "cc%d %d".formatted(message.getData1(), message.getData2());
        };
    return "%d ch%d %s".formatted(timed.micros() / 1_000, message.getChannel(), what);
  }

  private static NoteEvent note(long millis, String rule, int key, double pan, long lengthMillis) {
    return new NoteEvent(
        0,
        millis * 1_000,
        rule,
        Layer.MARK,
        NoteKind.MARK,
        "",
        0,
        "wood",
        key,
        90,
        lengthMillis * 1_000,
        pan);
  }

  @Test
  void firstNote_setsUpItsChannel() {
    messages.add(note(5, "r", 60, -0.8, 80));
    messages.advance(1_000_000);
    assertThat(sent)
        .containsExactly(
            "5 ch0 program 115",
            "5 ch0 cc7 100",
            "5 ch0 cc10 14",
            "5 ch0 cc11 127",
            "5 ch0 cc74 64",
            "5 ch0 on 60 90",
            "85 ch0 off 60");
  }

  @Test
  void secondNote_onlySounds() {
    messages.add(note(0, "r", 60, 0, 80));
    sent.clear();
    messages.add(note(100, "r", 64, 0, 80));
    assertThat(sent).containsExactly("80 ch0 off 60", "100 ch0 on 64 90");
  }

  @Test
  void eachRuleAndPan_hasAChannelOfItsOwn_butTheDrumKit() {
    for (int i = 0; i < 15; i++) {
      messages.add(note(0, "r" + i / 5, 60, (i % 5 - 2) * 0.4, 1_000));
    }
    assertThat(
            sent.stream()
                .filter(text -> text.contains("on 60"))
                .map(text -> text.replaceAll("^\\S+ (\\S+) .*", "$1")))
        .doesNotHaveDuplicates()
        .hasSize(15)
        .doesNotContain("ch9");
  }

  /** The channel that is silent longest is given up, never one of a background. */
  @Test
  void sixteenthPart_takesTheLeastUsedChannel() {
    messages.add(background(0, NoteKind.BACKGROUND, 0, 127));
    for (int i = 1; i < 15; i++) {
      messages.add(note(i, "r" + i, 60, 0, i == 1 ? 10_000 : 50));
    }
    messages.advance(200_000);
    sent.clear();
    messages.add(note(300, "new", 60, 0, 80));
    assertThat(sent).contains("300 ch2 program 115", "300 ch2 on 60 90");
  }

  @Test
  void channelThatIsGivenUp_isSilencedFirst() {
    for (int i = 0; i < 15; i++) {
      messages.add(note(i, "r" + i, 60, 0, 10_000));
    }
    sent.clear();
    messages.add(note(300, "new", 62, 0, 80));
    assertThat(sent).startsWith("300 ch0 off 60").endsWith("300 ch0 on 62 90");
    sent.clear();
    messages.advance(60_000_000);
    assertThat(sent).hasSize(15).doesNotHaveDuplicates();
  }

  /** A key that is struck again must not be ended by its first stroke's end. */
  @Test
  void keyStruckAgain_endsFirst() {
    messages.add(note(0, "r", 60, 0, 500));
    sent.clear();
    messages.add(note(100, "r", 60, 0, 500));
    messages.advance(1_000_000);
    assertThat(sent).containsExactly("100 ch0 off 60", "100 ch0 on 60 90", "600 ch0 off 60");
  }

  @Test
  void background_followsWithExpressionAndBrightness() {
    messages.add(background(0, NoteKind.BACKGROUND, 0, 127));
    assertThat(sent).contains("0 ch0 cc11 86", "0 ch0 cc74 45", "0 ch0 on 48 127");
    sent.clear();
    messages.add(background(100, NoteKind.FOLLOW, 1, 127));
    messages.add(background(200, NoteKind.FOLLOW, 0.5, 127));
    messages.add(background(300, NoteKind.FOLLOW, 1, 0));
    assertThat(sent)
        .containsExactly(
            "100 ch0 cc11 115",
            "100 ch0 cc74 61",
            "200 ch0 cc11 101",
            "200 ch0 cc74 53",
            "300 ch0 cc11 0",
            "300 ch0 cc74 61");
  }

  @Test
  void end_silencesAll() {
    messages.add(background(0, NoteKind.BACKGROUND, 0, 127));
    messages.add(note(0, "r", 60, 0, 10_000));
    sent.clear();
    messages.end(1_000_000);
    assertThat(sent).containsExactly("1000 ch0 off 48", "1000 ch1 off 60");
  }

  @Test
  void unknownPatch_isRefused() {
    NoteEvent unknown = Acoustics.mark(0, "theremin", 60, 90, 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> messages.add(unknown))
        .withMessageContaining("theremin");
  }

  private static NoteEvent background(long millis, NoteKind kind, double level, int velocity) {
    long length = kind == NoteKind.FOLLOW ? 1 : NoteEvent.UNTIL_THE_END;
    return new NoteEvent(
        0,
        millis * 1_000,
        "pad",
        Layer.BACKGROUND,
        kind,
        "",
        level,
        "pad",
        48,
        velocity,
        length,
        0);
  }
}
