// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import org.junit.jupiter.api.Test;

class NoteJsonTest {
  @Test
  void text_strike_hasAllMembers() {
    NoteEvent strike =
        new NoteEvent(
            HlcTimestamp.pack(9, 3),
            12,
            "1 wood",
            Layer.MARK,
            NoteKind.STRIKE,
            "zk\"1",
            4,
            "wood",
            69,
            100,
            80_000,
            -0.8);
    assertThat(NoteJson.text(strike))
        .isEqualTo(
            "{\"hlc\":\"9.3\",\"micros\":12,\"rule\":\"1 wood\",\"layer\":\"mark\","
                + "\"kind\":\"strike\",\"node\":\"zk\\\"1\",\"level\":4,\"patch\":\"wood\",\"key\":69,"
                + "\"velocity\":100,\"lengthMicros\":80000,\"pan\":-0.8}");
  }

  @Test
  void text_whatIsUnknown_isNull() {
    NoteEvent background =
        new NoteEvent(
            HlcTimestamp.MIN_PACKED,
            12,
            "2 pad",
            Layer.BACKGROUND,
            NoteKind.BACKGROUND,
            "",
            0.25,
            "pad",
            48,
            96,
            NoteEvent.UNTIL_THE_END,
            0);
    assertThat(NoteJson.text(background))
        .contains("\"hlc\":null", "\"node\":null", "\"lengthMicros\":null")
        .contains("\"level\":0.25", "\"pan\":0}");
  }
}
