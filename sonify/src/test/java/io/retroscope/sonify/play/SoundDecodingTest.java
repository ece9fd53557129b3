// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.sonify.play.BlindDecoder.Heard;
import io.retroscope.sonify.play.History.Stretch;
import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that levels, strikes and nodes can be recognised from the sound alone. */
class SoundDecodingTest {
  /** How far the decoded start of a stretch may be from its cut. */
  private static final double TOLERANCE_SECONDS = 0.12;

  private static BlindDecoder decoder;

  @BeforeAll
  static void learn() throws Exception {
    decoder = new BlindDecoder();
  }

  /** How much of a history was heard right. */
  private record Score(int stretches, int levels, int nodesByPitch, int nodesBySide, int extra) {
    @Override
    public String toString() {
      return "%d stretches: level and strikes %d, node from mono %d, node from stereo %d, unplayed %d"
          .formatted(stretches, levels, nodesByPitch, nodesBySide, extra);
    }
  }

  private static Score score(History history) throws Exception {
    return score(history, history.notes());
  }

  private static Score score(History history, List<NoteEvent> notes) throws Exception {
    float[] sound = Acoustics.render(notes, history.lengthSeconds());
    List<Heard> heard = new ArrayList<>(decoder.decode(sound));
    int levels = 0;
    int byPitch = 0;
    int bySide = 0;
    for (Stretch stretch : history.stretches()) {
      Heard match = take(heard, stretch);
      if (match != null) {
        levels += match.strikes() == stretch.steps() && match.topStep() == stretch.steps() ? 1 : 0;
        byPitch += match.register() == stretch.node() ? 1 : 0;
        if (match.topStep() != stretch.steps() || match.strikes() != stretch.steps()) {
          System.out.println("misheard: " + stretch + " as " + match);
        }
        bySide += match.side() == stretch.node() - 1 ? 1 : 0;
      }
    }
    return new Score(history.stretches().size(), levels, byPitch, bySide, heard.size());
  }

  /** The heard stretch that begins nearest. */
  private static Heard take(List<Heard> heard, Stretch stretch) {
    Heard nearest = null;
    for (Heard one : heard) {
      double distance = Math.abs(one.seconds() - stretch.seconds());
      if (distance < TOLERANCE_SECONDS
          && (nearest == null || distance < Math.abs(nearest.seconds() - stretch.seconds()))) {
        nearest = one;
      }
    }
    heard.remove(nearest);
    return nearest;
  }

  @Test
  void fixedHistory_isHeardWhole_withBackgroundSecondRuleAndAlarm() throws Exception {
    Score score = score(History.fixed());
    System.out.println("fixed history: " + score);
    assertThat(score).isEqualTo(new Score(20, 20, 20, 20, 0));
  }

  /** The note of a row at the rise of WHEN cannot say how stale a node becomes. */
  @Test
  void fixedHistory_asNotesOfEdges_isNotHeard() throws Exception {
    History history = History.fixed();
    Score score = score(history, history.notesOfEdges());
    System.out.println("fixed history, one note per edge: " + score);
    assertThat(score.levels).isLessThanOrEqualTo(5);
    assertThat(score.nodesBySide).isLessThanOrEqualTo(10);
  }

  @Test
  void randomStretches_areHeard() throws Exception {
    randomStretches(12, 1);
  }

  /** The decoder's thresholds come from these. */
  @ParameterizedTest
  @ValueSource(longs = {2, 101, 102, 103})
  @Tag("slow")
  void twoHundredRandomStretches_areHeard(long seed) throws Exception {
    randomStretches(200, seed);
  }

  /** The decoder was never adjusted to these. */
  @ParameterizedTest
  @ValueSource(longs = {201, 202, 203})
  @Tag("slow")
  void heldOutStretches_areHeard(long seed) throws Exception {
    randomStretches(200, seed);
  }

  private static void randomStretches(int count, long seed) throws Exception {
    Score score = score(History.random(seed, count));
    System.out.println("random stretches, seed " + seed + ": " + score);
    assertThat(score.levels).as("%s", score).isGreaterThanOrEqualTo((int) Math.ceil(0.99 * count));
    assertThat(score.nodesBySide)
        .as("%s", score)
        .isGreaterThanOrEqualTo((int) Math.ceil(0.99 * count));
    assertThat(score.nodesByPitch)
        .as("%s", score)
        .isGreaterThanOrEqualTo((int) Math.ceil(0.95 * count));
    assertThat(score.extra).as("%s", score).isLessThanOrEqualTo(count / 100);
  }

  /** Few people have absolute pitch: the number of strikes must be enough. */
  @Test
  void transposedStretches_areClassifiedByLevel() throws Exception {
    transposedStretches(24, 4);
  }

  @ParameterizedTest
  @ValueSource(longs = {104, 105})
  @Tag("slow")
  void manyTransposedStretches_areClassifiedByLevel(long seed) throws Exception {
    transposedStretches(400, seed);
  }

  private static void transposedStretches(int count, long seed) throws Exception {
    Random random = new Random(seed);
    List<NoteEvent> notes = new ArrayList<>();
    int[] steps = new int[count];
    for (int i = 0; i < count; i++) {
      steps[i] = 1 + random.nextInt(4);
      int transposed = random.nextInt(13) - 6;
      int[] keys = {60, 64, 69, 74};
      for (int step = 0; step < steps[i]; step++) {
        double at = i + 0.2 + 0.09 * step;
        int velocity = 80 + 10 * step;
        notes.add(
            Acoustics.note(
                at, Layer.MARK, NoteKind.STRIKE, "wood", keys[step] + transposed, velocity, 0.08));
      }
    }
    float[] sound = Acoustics.render(notes, count + 1);
    int right = 0;
    for (int i = 0; i < count; i++) {
      right += strikes(Acoustics.mono(Acoustics.window(sound, i, i + 1))) == steps[i] ? 1 : 0;
    }
    System.out.println(
        "transposed stretches, seed " + seed + ": " + right + " of " + count + " levels");
    assertThat(right).isGreaterThanOrEqualTo((int) Math.ceil(0.95 * count));
  }

  /** Counts sudden rises of the high frequencies, where the knock of a strike is. */
  private static int strikes(double[] mono) {
    int size = 512;
    int hop = 128;
    double[][] spectra = Acoustics.spectrogram(mono, size, hop);
    double[] flux = new double[spectra.length];
    double largest = 0;
    for (int t = 4; t < spectra.length; t++) {
      for (int k = 20; k < 80; k++) {
        flux[t] += Math.max(0, spectra[t][k] - spectra[t - 4][k]);
      }
      largest = Math.max(largest, flux[t]);
    }
    int count = 0;
    int last = Integer.MIN_VALUE / 2;
    for (int t = 4; t < flux.length - 8; t++) {
      boolean peak = flux[t] > 0.25 * largest && t - last > 17;
      for (int near = t - 4; peak && near <= t + 8; near++) {
        peak = flux[near] <= flux[t];
      }
      if (peak) {
        count++;
        last = t;
      }
    }
    return count;
  }
}
