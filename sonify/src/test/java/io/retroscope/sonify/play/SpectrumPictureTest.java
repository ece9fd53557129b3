// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import static io.retroscope.sonify.play.Acoustics.BANK;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.awt.image.BufferedImage;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpectrumPictureTest {
  private static final int A4 = 69;

  private static int light(BufferedImage image, int x, int row) {
    int rgb = image.getRGB(x, SpectrumPicture.ROWS - 1 - row);
    return (rgb >> 16 & 0xff) + (rgb >> 8 & 0xff) + (rgb & 0xff);
  }

  @Test
  void of_noteAtTheLeft_isRedAtItsTimeAndPitch() throws Exception {
    NoteEvent note =
        new NoteEvent(
            0, 1_000_000, "r", Layer.MARK, NoteKind.MARK, "", 0, "flute", A4, 96, 500_000, -1);
    BufferedImage image = SpectrumPicture.of(new Performance(List.of(note), 2_000_000), BANK);
    int sounding = image.getWidth() * 12 / 20;
    int darkest = 0;
    for (int row = 0; row < SpectrumPicture.ROWS; row++) {
      if (light(image, sounding, row) < light(image, sounding, darkest)) {
        darkest = row;
      }
    }
    assertThat(darkest).isBetween(SpectrumPicture.row(440) - 1, SpectrumPicture.row(440) + 1);
    int rgb = image.getRGB(sounding, SpectrumPicture.ROWS - 1 - darkest);
    assertThat((rgb >> 16 & 0xff) - (rgb & 0xff)).as("red, not blue").isGreaterThan(100);
    assertThat(image.getRGB(image.getWidth() * 9 / 20, SpectrumPicture.ROWS - 1 - darkest))
        .as("before it begins")
        .isEqualTo(0xffffffff);
  }
}
