// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import io.retroscope.examples.stage.SoundFiles;
import io.retroscope.sonify.rule.PastSoundscape.Played;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The soundscape of the demo: how stale, at which node, and by which rule. */
final class DemoSoundscape {
  /** The statements, for {@code listen} and {@code render}. */
  static final String STATEMENTS =
      """
      # How stale is each replica? One strike per step reached, at the side and in the register of the node.
      SELECT r1 FROM setd WHEN SPREAD(r1) >= 2 EMIT EDGES
        PLAY wood EACH n IN NODES : (MAX(r1) - r1@n >= 2) LEVEL MAX(r1) - r1@n PLACE n;
      # The worst staleness, all the time.
      SELECT r1 FROM setd PLAY pad AS BACKGROUND FOLLOW SPREAD(r1) RANGE 0 TO 8;
      # Far too stale for too long.
      SELECT r1 FROM setd WHEN SPREAD(r1) >= 8 FOR 100ms PLAY alarm AS ALARM;
      """;

  /** The same edges with one pitch, to compare: it shows when, but not how stale or where. */
  static final String SINGLE_PITCH =
      "SELECT r1 FROM setd WHEN SPREAD(r1) >= 2 EMIT EDGES"
          + " PLAY woodblock NOTE 60 + 2 * SPREAD(r1);";

  private DemoSoundscape() {}

  /**
   * Writes the statements, and the sound of events as WAV and MIDI.
   *
   * @return the notes of the {@link LevelSounds}
   */
  static Played write(Path events, Path folder) throws IOException {
    Files.writeString(folder.resolve("staleness.rql"), STATEMENTS);
    SoundFiles.write(STATEMENTS, events, folder, "staleness");
    SoundFiles.write(SINGLE_PITCH, events, folder, "single-pitch");
    Files.writeString(folder.resolve("levels.rql"), LevelSounds.STATEMENTS);
    return SoundFiles.write(LevelSounds.STATEMENTS, events, folder, "levels");
  }
}
